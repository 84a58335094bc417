"""notices that phones want

Follows 0029.
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notice_subscription",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("kinds", sa.JSON(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("p256dh", sa.Text(), nullable=False),
        sa.Column("auth", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("circle_id", "browser_id"),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"],
            ["browser.circle_id", "browser.id"],
            name="fk_notice_subscription_browser",
        ),
    )


def downgrade() -> None:
    op.drop_table("notice_subscription")
