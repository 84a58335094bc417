"""flags and confirmations of deals go

Follows 0031.
"""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("flag")
    op.drop_table("deal_confirmation")
    op.drop_column("card_table", "confirms_deals")
    op.execute("ALTER TABLE card_table RENAME COLUMN confirmation_changes TO mark_changes")
