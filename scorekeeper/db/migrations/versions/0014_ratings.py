"""ratings, which a circle may show

Follows 0013. Cached totals of earlier versions are computed again when they are read; going back, all of them are.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("circle", sa.Column("shows_ratings", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.execute("DELETE FROM period_totals WHERE period LIKE '~%'")
    op.execute("UPDATE period_totals SET as_of = NULL, data = NULL")
    op.drop_column("circle", "shows_ratings")
