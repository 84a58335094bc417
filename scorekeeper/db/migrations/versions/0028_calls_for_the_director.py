"""calls for the director from the tables of an event

Follows 0027.
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("event_table") as batch:
        batch.add_column(sa.Column("calls", sa.Integer(), nullable=False, server_default="0"))
        batch.add_column(sa.Column("called_at", sa.DateTime()))
        batch.add_column(sa.Column("coming_id", sa.Integer()))
        batch.create_foreign_key("fk_event_table_coming", "browser", ["circle_id", "coming_id"], ["circle_id", "id"])


def downgrade() -> None:
    with op.batch_alter_table("event_table") as batch:
        batch.drop_constraint("fk_event_table_coming", type_="foreignkey")
        for column in ("coming_id", "called_at", "calls"):
            batch.drop_column(column)
