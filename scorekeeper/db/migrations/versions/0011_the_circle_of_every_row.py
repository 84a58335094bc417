"""the circle of every row, and references within it

Follows 0010. Rows that belonged to a circle by way of others get its `circle_id`. All references between a circle's
rows include it, so that the database refuses a row that ties two circles together, and could be divided by circle.
"""

from contextlib import AbstractContextManager

import sqlalchemy as sa
from alembic import op
from alembic.operations import BatchOperations

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

# The tables that get a `circle_id`: the column that leads to it, and the table that it refers to.
OWNERS = {
    "seat": ("table_id", "card_table"),
    "revision": ("table_id", "card_table"),
    "summary": ("table_id", "card_table"),
    "browser_link": ("browser_id", "browser"),
    "part": ("settlement_id", "settlement"),
    "confirmation": ("payment_id", "payment"),
}
# All references between a circle's rows, and each table after those that it refers to.
REFERENCES = {
    "player": {"person_id": "player"},
    "browser": {"player_id": "player"},
    "link": {"revoked_by_id": "browser"},
    "card_table": {},
    "settlement": {"table_id": "card_table", "successor_id": "settlement"},
    "payment": {"settlement_id": "settlement", "giver_id": "player", "taker_id": "player", "browser_id": "browser"},
    "seat": {"table_id": "card_table", "player_id": "player"},
    "revision": {"table_id": "card_table", "browser_id": "browser"},
    "summary": {"table_id": "card_table"},
    "browser_link": {"browser_id": "browser", "link_id": "link"},
    "part": {
        "settlement_id": "settlement",
        "table_id": "card_table",
        "earlier_id": "settlement",
        "player_id": "player",
    },
    "confirmation": {"payment_id": "payment", "browser_id": "browser"},
    "flag": {"table_id": "card_table", "browser_id": "browser", "resolved_by_id": "browser"},
}
REFERRED = {referred for references in REFERENCES.values() for referred in references.values()}
REPLACED = ("link", "settlement")  # their indexes of `circle_id` begin the new unique constraints
EARLIER_NAMES = {
    ("player", "person_id"): "fk_player_person",
    ("browser", "player_id"): "fk_browser_player",
    ("link", "revoked_by_id"): "fk_link_ended_by",
}
NAMES = {"fk": "fk_%(table_name)s_%(column_0_name)s"}  # of foreign keys without a name, as SQLite has them


def upgrade() -> None:
    op.drop_index("ix_link_live", "link")  # partial, which copying the table would lose
    for table in REPLACED:
        op.drop_index(f"ix_{table}_circle_id", table)
    for table, (column, owner) in OWNERS.items():
        op.add_column(table, sa.Column("circle_id", sa.Integer(), nullable=True))
        op.execute(f"UPDATE {table} SET circle_id = (SELECT circle_id FROM {owner} WHERE id = {table}.{column})")  # noqa: S608  # our own names
    for table, references in REFERENCES.items():
        _refer_within_circle(table, references)
    _create_live_index()


def _refer_within_circle(table: str, references: dict[str, str]) -> None:
    with _altered(table) as batch:
        for name in _names_of_references(table, references):
            batch.drop_constraint(name, type_="foreignkey")
        if table in OWNERS:
            batch.alter_column("circle_id", existing_type=sa.Integer(), nullable=False)
        if table in REFERRED:
            batch.create_unique_constraint(f"uq_{table}_circle_id", ["circle_id", "id"])
        for column, referred in references.items():
            name = f"fk_{table}_{column.removesuffix('_id')}"
            batch.create_foreign_key(name, referred, ["circle_id", column], ["circle_id", "id"])


def downgrade() -> None:
    op.drop_index("ix_link_live", "link")
    for table, references in reversed(REFERENCES.items()):
        _refer_by_id(table, references)
    for table in REPLACED:
        op.create_index(f"ix_{table}_circle_id", table, ["circle_id"])
    _create_live_index()


def _refer_by_id(table: str, references: dict[str, str]) -> None:
    with _altered(table) as batch:
        for name in _names_of_references(table, references):
            batch.drop_constraint(name, type_="foreignkey")
        if table in REFERRED:
            batch.drop_constraint(f"uq_{table}_circle_id", type_="unique")
        if table in OWNERS:
            batch.drop_column("circle_id")
        for column, referred in references.items():
            name = EARLIER_NAMES.get((table, column), f"{table}_{column}_fkey")
            batch.create_foreign_key(name, referred, [column], ["id"])


def _altered(table: str) -> AbstractContextManager[BatchOperations]:
    # Beside the column that it belongs to: SQLite would otherwise read past the facts to find it.
    order: list[tuple[str, ...]] = [(OWNERS[table][0], "circle_id")] if table in OWNERS else []
    return op.batch_alter_table(table, naming_convention=NAMES, partial_reordering=order)


def _names_of_references(table: str, references: dict[str, str]) -> list[str]:
    """Return the names of a table's foreign keys to rows of the same circle, which differ between older databases."""
    found = sa.inspect(op.get_bind()).get_foreign_keys(table)
    keys = [(key["name"], key["constrained_columns"][-1]) for key in found]
    return [name or f"fk_{table}_{column}" for name, column in keys if column in references]


def _create_live_index() -> None:
    is_live = sa.text("revoked_at IS NULL")
    op.create_index(
        "ix_link_live", "link", ["circle_id", "right"], unique=True, sqlite_where=is_live, postgresql_where=is_live
    )
