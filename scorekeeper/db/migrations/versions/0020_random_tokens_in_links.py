"""random tokens in whatever leaves the process

Follows 0019. The generation of an event's links was a counter, which the restore of a backup sets back. Who has joined
keeps access; links on paper and in chats have to be made again. Settlements were addressed by their id.
"""

import secrets
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_EVENT, _PHONE = (
    sa.table(name, sa.column("circle_id"), sa.column(id_), sa.column("generation", sa.String()))
    for name, id_ in (("event", "id"), ("event_phone", "event_id"))
)


def upgrade() -> None:
    _replace_generations()
    for table, names in (("event", ("edition", "plan_edition")), ("settlement", ("token",))):
        _add_tokens(table, names)
    with op.batch_alter_table("settlement") as batch:
        batch.create_unique_constraint("uq_settlement_token", ["circle_id", "token"])


def _replace_generations() -> None:
    for table in ("event", "event_phone"):
        with op.batch_alter_table(table) as batch:
            batch.alter_column(
                "generation",
                existing_type=sa.Integer(),
                existing_nullable=False,
                type_=sa.String(16),
                postgresql_using="generation::text",
            )
    op.create_index("ix_event_generation", "event", ["generation"])
    connection = op.get_bind()
    for row in connection.execute(sa.select(_EVENT)).all():
        values = {"generation": secrets.token_urlsafe(12)}
        joined = (_PHONE.c.circle_id == row.circle_id, _PHONE.c.event_id == row.id)
        connection.execute(sa.update(_PHONE).where(*joined, _PHONE.c.generation == row.generation).values(values))
        own = (_EVENT.c.circle_id == row.circle_id, _EVENT.c.id == row.id)
        connection.execute(sa.update(_EVENT).where(*own).values(values))


def _add_tokens(table: str, names: Sequence[str]) -> None:
    """Add columns with a random text in each row."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    token = "lower(hex(randomblob(8)))" if is_sqlite else "left(replace(gen_random_uuid()::text, '-', ''), 16)"
    with op.batch_alter_table(table) as batch:
        for name in names:
            batch.add_column(sa.Column(name, sa.String(16)))
    for name in names:
        op.execute(f"UPDATE {table} SET {name} = {token}")  # noqa: S608  # ours
    with op.batch_alter_table(table) as batch:
        for name in names:
            batch.alter_column(name, existing_type=sa.String(16), nullable=False)


def downgrade() -> None:
    """Count generations again: 1 for the phones that have access."""
    with op.batch_alter_table("settlement") as batch:
        batch.drop_constraint("uq_settlement_token", type_="unique")
        batch.drop_column("token")
    with op.batch_alter_table("event") as batch:
        batch.drop_column("edition")
        batch.drop_column("plan_edition")
    op.drop_index("ix_event_generation", "event")
    connection = op.get_bind()
    current = sa.select(_EVENT.c.generation).where(
        _EVENT.c.circle_id == _PHONE.c.circle_id, _EVENT.c.id == _PHONE.c.event_id
    )
    is_current = _PHONE.c.generation == current.scalar_subquery()
    connection.execute(sa.update(_PHONE).values(generation=sa.case((is_current, "1"), else_="0")))
    connection.execute(sa.update(_EVENT).values(generation="1"))
    for table in ("event", "event_phone"):
        with op.batch_alter_table(table) as batch:
            batch.alter_column(
                "generation",
                existing_type=sa.String(16),
                existing_nullable=False,
                type_=sa.Integer(),
                postgresql_using="generation::integer",
            )
