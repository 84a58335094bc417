"""a random token by which pages and forms address a player

Follows 0021. Players were addressed by their id, which databases give again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    token = "lower(hex(randomblob(8)))" if is_sqlite else "left(replace(gen_random_uuid()::text, '-', ''), 16)"
    op.add_column("player", sa.Column("token", sa.String(16)))
    op.execute(f"UPDATE player SET token = {token}")  # noqa: S608  # ours
    with op.batch_alter_table("player") as batch:
        batch.alter_column("token", existing_type=sa.String(16), nullable=False)
        batch.create_unique_constraint("uq_player_token", ["circle_id", "token"])


def downgrade() -> None:
    with op.batch_alter_table("player") as batch:
        batch.drop_constraint("uq_player_token", type_="unique")
        batch.drop_column("token")
