"""random tokens in whatever leaves the process

Follows 0019. The generation of an event's links was a counter, which the restore of a backup sets back. Who has joined
keeps access; links on paper and in chats have to be made again.
"""

import secrets

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


def downgrade() -> None:
    """Count generations again: 1 for the phones that have access."""
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
