"""keys of openings, and withdrawals without a key

A table stores the key of the page that opened it. A withdrawal is identified by the payment that it withdraws: its
generated key could equal the key of a payment that somebody sent.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

payment = sa.table(
    "payment", sa.column("entry_key", sa.Text), sa.column("withdraws", sa.Integer), sa.column("number", sa.Integer)
)


def upgrade() -> None:
    with op.batch_alter_table("card_table") as table:
        table.add_column(sa.Column("entry_key", sa.Text(), nullable=True))
        table.create_unique_constraint("uq_card_table_entry_key", ["circle_id", "entry_key"])
    with op.batch_alter_table("payment") as table:
        table.alter_column("entry_key", existing_type=sa.Text(), nullable=True)
        table.create_unique_constraint("uq_payment_withdraws", ["circle_id", "withdraws"])
    op.execute(sa.update(payment).where(payment.c.withdraws.is_not(None)).values(entry_key=None))


def downgrade() -> None:
    made_up = sa.literal("withdrawal ", sa.Text) + sa.cast(payment.c.number, sa.Text)
    op.execute(sa.update(payment).where(payment.c.entry_key.is_(None)).values(entry_key=made_up))
    with op.batch_alter_table("payment") as table:
        table.drop_constraint("uq_payment_withdraws", type_="unique")
        table.alter_column("entry_key", existing_type=sa.Text(), nullable=False)
    with op.batch_alter_table("card_table") as table:
        table.drop_constraint("uq_card_table_entry_key", type_="unique")
        table.drop_column("entry_key")
