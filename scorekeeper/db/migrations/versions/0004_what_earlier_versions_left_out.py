"""what earlier versions left out

Follows 0003. Migrations 0001 and 0002 were edited after databases had been made with them. This brings every such
database to the one schema that the final versions make:

- The first 0001 gave a circle one key (`circle.key_hash`) in place of links: each key becomes the secret of a link.
- The first 0002 had no `digest` table, the second no `circle.is_sample`.

Totals that were kept in `digest` lacked what is still open before the last edit of 0002: they are made again.
"""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

RIGHTS = ("watch", "score", "host")


def upgrade() -> None:
    inspector = sa.inspect(op.get_bind())
    tables = set(inspector.get_table_names())
    circle = {column["name"] for column in inspector.get_columns("circle")}
    if "link" not in tables:
        _create_links()
    if "key_hash" in circle:
        _replace_keys()
    if "is_sample" not in circle:
        op.add_column("circle", sa.Column("is_sample", sa.Boolean(), nullable=False, server_default=sa.false()))
    if "digest" in tables:
        op.execute("UPDATE digest SET as_of = NULL, told = NULL")
    else:
        _create_digest()


def _create_links() -> None:
    op.create_table(
        "link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("right", sa.String(length=8), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_link_circle_id", "link", ["circle_id"])
    with op.batch_alter_table("browser") as browser:
        browser.add_column(sa.Column("link_id", sa.Integer(), nullable=True))
        browser.add_column(sa.Column("name", sa.String(length=40), nullable=True))
        browser.add_column(sa.Column("secret_hash", sa.String(length=64), nullable=True))
        browser.add_column(sa.Column("ended_at", sa.DateTime(), nullable=True))


def _replace_keys() -> None:
    """Turn each circle's key into the secret of its host link, since the key gave every right.

    The other links, and the browsers, get the hash of a secret that nobody knows. A host renews a link to use it; a
    browser comes in again by the key's address.
    """
    links = sa.table("link", *map(sa.column, ("id", "circle_id", "right", "secret_hash", "made_at")))
    circles = sa.table("circle", *map(sa.column, ("id", "key_hash", "made_at")))
    browsers = sa.table("browser", *map(sa.column, ("id", "circle_id", "link_id", "secret_hash")))
    connection = op.get_bind()
    for circle in connection.execute(sa.select(circles)).all():
        rows = [
            {
                "circle_id": circle.id,
                "right": right,
                "secret_hash": circle.key_hash if right == "host" else secrets.token_hex(32),
                "made_at": circle.made_at,
            }
            for right in RIGHTS
        ]
        connection.execute(sa.insert(links), rows)
    for id_, circle_id in connection.execute(sa.select(browsers.c.id, browsers.c.circle_id)).all():
        host = sa.select(links.c.id).where(links.c.circle_id == circle_id, links.c.right == "host")
        entered = {"link_id": host.scalar_subquery(), "secret_hash": secrets.token_hex(32)}
        connection.execute(sa.update(browsers).where(browsers.c.id == id_).values(entered))
    with op.batch_alter_table("browser") as table:
        table.alter_column("link_id", existing_type=sa.Integer(), nullable=False)
        table.alter_column("secret_hash", existing_type=sa.String(length=64), nullable=False)
        table.create_foreign_key("browser_link_id_fkey", "link", ["link_id"], ["id"])
    with op.batch_alter_table("circle") as table:
        table.drop_column("key_hash")


def _create_digest() -> None:
    op.create_table(
        "digest",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("period", sa.String(length=7), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("as_of", sa.Integer(), nullable=True),
        sa.Column("told", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("circle_id", "period"),
    )
    op.execute("DELETE FROM summary")  # made again with the counts of changes that the digests need


def downgrade() -> None:
    """Nothing to do: 0003 and the final 0002 have the same schema."""
