"""The tables of 1.0, which the SQL file beside it creates."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    sql = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    if op.get_bind().dialect.name == "postgresql":
        sql = sql.replace("id INTEGER NOT NULL PRIMARY KEY", "id SERIAL PRIMARY KEY").replace("DATETIME", "TIMESTAMP")
    for statement in sql.split(";\n")[:-1]:
        op.execute(statement)
