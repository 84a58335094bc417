"""deals that the other side has confirmed

Follows 0011. No table asks for confirmations until somebody turns it on.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("card_table", sa.Column("confirms_deals", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("card_table", sa.Column("confirmation_changes", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "deal_confirmation",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "revision", "browser_id"),
        _reference("table_id", "card_table"),
        _reference("browser_id", "browser"),
        _reference("player_id", "player"),
    )


def _reference(column: str, referred: str) -> sa.ForeignKeyConstraint:
    name = f"fk_deal_confirmation_{column.removesuffix('_id')}"
    return sa.ForeignKeyConstraint(["circle_id", column], [f"{referred}.circle_id", f"{referred}.id"], name=name)


def downgrade() -> None:
    op.drop_table("deal_confirmation")
    op.drop_column("card_table", "confirmation_changes")
    op.drop_column("card_table", "confirms_deals")
