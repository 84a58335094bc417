"""confirmed payments, flags, how to be paid, settlements of one game, and date, place and note of a table

Follows 0009. A payment recorded before counts without a confirmation. A table's day was entered by somebody only if
it came with an imported sheet, which the keys of its revisions show.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

IMPORTED_WITH_A_DAY = """
UPDATE card_table SET is_dated = :yes WHERE played_on IS NOT NULL AND EXISTS (
    SELECT 1 FROM revision WHERE table_id = card_table.id AND number = 1 AND entry_key LIKE 'import-%'
)
"""


def upgrade() -> None:
    op.add_column("circle", _boolean("settles_games_together", sa.true()))
    op.add_column("circle", _boolean("confirms_payments", sa.false()))
    with op.batch_alter_table("circle") as circle:
        circle.add_column(sa.Column("entry_key", sa.Text(), nullable=True))
        circle.create_unique_constraint("uq_circle_entry_key", ["entry_key"])
    op.add_column("player", sa.Column("iban", sa.String(length=34), nullable=True))
    op.add_column("player", sa.Column("payment_link", sa.Text(), nullable=True))
    op.add_column("card_table", _boolean("is_dated", sa.false()))
    op.add_column("card_table", sa.Column("place", sa.Text(), nullable=True))
    op.add_column("card_table", sa.Column("note", sa.Text(), nullable=True))
    op.add_column("settlement", sa.Column("game", sa.String(length=32), nullable=True))
    op.add_column("payment", _boolean("needs_confirmation", sa.false()))
    op.get_bind().execute(sa.text(IMPORTED_WITH_A_DAY), {"yes": True})
    _create_confirmation()
    _create_flag()


def _boolean(name: str, default: sa.ColumnElement[bool]) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False, server_default=default)


def _create_confirmation() -> None:
    op.create_table(
        "confirmation",
        sa.Column("payment_id", sa.Integer(), sa.ForeignKey("payment.id"), primary_key=True),
        sa.Column("browser_id", sa.Integer(), sa.ForeignKey("browser.id"), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
    )


def _create_flag() -> None:
    op.create_table(
        "flag",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("circle_id", sa.Integer(), sa.ForeignKey("circle.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("card_table.id"), nullable=True),
        sa.Column("deal", sa.Integer(), nullable=True),
        sa.Column("payment", sa.Integer(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("browser_id", sa.Integer(), sa.ForeignKey("browser.id"), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        sa.Column("resolved_at", sa.DateTime(), nullable=True),
        sa.Column("resolved_by_id", sa.Integer(), sa.ForeignKey("browser.id"), nullable=True),
        sa.UniqueConstraint("circle_id", "number"),
        sa.UniqueConstraint("circle_id", "entry_key"),
    )
    op.create_index("ix_flag_table_id", "flag", ["table_id"])


def downgrade() -> None:
    op.drop_table("flag")
    op.drop_table("confirmation")
    for table, columns in {
        "payment": ["needs_confirmation"],
        "settlement": ["game"],
        "card_table": ["note", "place", "is_dated"],
        "player": ["payment_link", "iban"],
    }.items():
        for column in columns:
            op.drop_column(table, column)
    with op.batch_alter_table("circle") as circle:
        circle.drop_constraint("uq_circle_entry_key", type_="unique")
        for column in ("entry_key", "confirms_payments", "settles_games_together"):
            circle.drop_column(column)
