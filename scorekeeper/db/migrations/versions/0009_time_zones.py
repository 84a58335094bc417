"""the time zone of each circle

Follows 0008. Circles that exist already get none, which stands for the server's zone. Their evenings were counted in
it, and its name is not always known.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("circle", sa.Column("time_zone", sa.String(length=64), nullable=True))


def downgrade() -> None:
    op.drop_column("circle", "time_zone")
