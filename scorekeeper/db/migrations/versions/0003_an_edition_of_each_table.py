"""an edition of each table

Follows 0002. A first version of 0002 did not add `card_table.edition`, a later one did, and a 0003 came and went
between the two. Databases of all three are in use, so this adds the column only where it is missing. Fingerprints of
tables were made differently before there were editions: the summaries, a cache, are made again afterwards.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    columns = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("card_table")}
    if "edition" not in columns:
        op.add_column("card_table", sa.Column("edition", sa.String(length=16), nullable=False, server_default=""))
        op.execute("DELETE FROM summary")


def downgrade() -> None:
    """Nothing to do: the final 0002 has the column, and its own downgrade removes it."""
