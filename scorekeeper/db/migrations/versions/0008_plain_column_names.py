"""plain column names

Follows 0007. The columns and the table keep their contents. `period_totals` and `summary` are caches; the JSON in them
is unchanged as well.
"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

COLUMNS = (
    ("circle", "made_at", "created_at"),
    ("link", "made_at", "created_at"),
    ("link", "ended_at", "revoked_at"),
    ("link", "ended_by_id", "revoked_by_id"),
    ("browser", "first_at", "created_at"),
    ("browser", "ended_at", "revoked_at"),
    ("summary", "seen", "version"),
    ("summary", "told", "data"),
    ("summary", "taken", "taken_over"),
    ("summary", "is_taken", "is_taken_over"),
    ("digest", "told", "data"),
    ("settlement", "made_at", "created_at"),
    ("settlement", "heir_id", "successor_id"),
    ("settlement", "left", "unpaid"),
    ("settlement", "is_nought", "is_cleared"),
)


def upgrade() -> None:
    for table, old, new in COLUMNS:
        _rename_column(table, old, new)
    op.rename_table("digest", "period_totals")


def downgrade() -> None:
    op.rename_table("period_totals", "digest")
    for table, old, new in COLUMNS:
        _rename_column(table, new, old)


def _rename_column(table: str, old: str, new: str) -> None:
    """Rename a column in place: Alembic's own way would copy the whole table on SQLite."""
    op.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{old}" TO "{new}"')
