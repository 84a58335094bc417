"""what a browser may access is stored on the server

A device for every browser: until now a cookie held a secret for each circle, from now on one for all. So each browser
becomes a device of its own, with the browser's secret; web/access.py makes one of those that a cookie proves to belong
together. What each came in by is a row of its own, so that a browser can have several links. A circle has one live
link of each right: where two hosts had renewed one at once there were two, of which the newer one stays, for all.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "device",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("secret_hash"),
    )
    op.create_table(
        "browser_link",
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("link_id", sa.Integer(), nullable=False),
        sa.Column("joined_at", sa.DateTime(), nullable=True),
        sa.Column("sealed_secret", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["browser_id"], ["browser.id"]),
        sa.ForeignKeyConstraint(["link_id"], ["link.id"]),
        sa.PrimaryKeyConstraint("browser_id", "link_id"),
    )
    op.create_index("ix_browser_link_link_id", "browser_link", ["link_id"])
    _fill()
    with op.batch_alter_table("browser") as browser:
        browser.add_column(sa.Column("device_id", sa.Integer(), nullable=True))
        browser.add_column(sa.Column("player_id", sa.Integer(), nullable=True))
    op.execute("UPDATE browser SET device_id = id")
    with op.batch_alter_table("browser") as browser:
        browser.alter_column("device_id", existing_type=sa.Integer(), nullable=False)
        browser.create_foreign_key("fk_browser_device", "device", ["device_id"], ["id"])
        browser.create_foreign_key("fk_browser_player", "player", ["player_id"], ["id"])
        browser.create_unique_constraint("uq_browser_device_circle", ["device_id", "circle_id"])
        browser.drop_column("link_id")
        browser.drop_column("secret_hash")
    with op.batch_alter_table("link") as link:
        link.add_column(sa.Column("ended_by_id", sa.Integer(), nullable=True))
        link.create_foreign_key("fk_link_ended_by", "browser", ["ended_by_id"], ["id"])
    is_live = sa.text("ended_at IS NULL")
    op.create_index(
        "ix_link_live", "link", ["circle_id", "right"], unique=True, sqlite_where=is_live, postgresql_where=is_live
    )


def _fill() -> None:
    """Add the devices, and what each browser came in by; of two live links of one right, keep the newer one."""
    # Secrets are random. Should two rows have the same one even so, only the first of them can be proved.
    op.execute("""
        INSERT INTO device (id, secret_hash, created_at)
        SELECT id, CASE WHEN copy = 1 THEN secret_hash ELSE 'copy ' || id END, first_at
        FROM (
            SELECT id, secret_hash, first_at, row_number() OVER (PARTITION BY secret_hash ORDER BY id) AS copy
            FROM browser
        ) AS numbered
    """)
    if op.get_bind().dialect.name == "postgresql":  # which counts ids apart from the rows
        op.execute("SELECT setval('device_id_seq', (SELECT max(id) FROM device)) FROM device LIMIT 1")
    op.execute("""
        INSERT INTO browser_link (browser_id, link_id, joined_at)
        SELECT browser.id, coalesce(newer.id, link.id), browser.first_at
        FROM browser
        JOIN link ON link.id = browser.link_id
        LEFT JOIN (
            SELECT circle_id, "right", max(id) AS id FROM link WHERE ended_at IS NULL GROUP BY circle_id, "right"
        ) AS newer ON newer.circle_id = link.circle_id AND newer."right" = link."right" AND link.ended_at IS NULL
        WHERE browser.ended_at IS NULL
    """)
    op.execute("""
        UPDATE link SET ended_at = (
            SELECT newer.made_at FROM link AS newer
            WHERE newer.circle_id = link.circle_id AND newer."right" = link."right" AND newer.ended_at IS NULL
            ORDER BY newer.id DESC LIMIT 1
        )
        WHERE ended_at IS NULL AND id NOT IN (
            SELECT max(live.id) FROM link AS live WHERE live.ended_at IS NULL GROUP BY live.circle_id, live."right"
        )
    """)


def downgrade() -> None:
    op.drop_index("ix_link_live", "link")
    with op.batch_alter_table("link") as link:
        link.drop_constraint("fk_link_ended_by", type_="foreignkey")
        link.drop_column("ended_by_id")
    with op.batch_alter_table("browser") as browser:
        browser.add_column(sa.Column("link_id", sa.Integer(), nullable=True))
        browser.add_column(sa.Column("secret_hash", sa.String(length=64), nullable=True))
    op.execute("""
        UPDATE browser SET
            secret_hash = (SELECT device.secret_hash FROM device WHERE device.id = browser.device_id),
            link_id = coalesce(
                (
                    SELECT link.id FROM browser_link JOIN link ON link.id = browser_link.link_id
                    WHERE browser_link.browser_id = browser.id AND browser_link.joined_at IS NOT NULL
                    ORDER BY
                        link.ended_at IS NOT NULL,
                        CASE link."right" WHEN 'host' THEN 1 WHEN 'score' THEN 2 ELSE 3 END,
                        link.id DESC
                    LIMIT 1
                ),
                (SELECT min(link.id) FROM link WHERE link.circle_id = browser.circle_id)
            )
    """)
    with op.batch_alter_table("browser") as browser:
        browser.alter_column("link_id", existing_type=sa.Integer(), nullable=False)
        browser.alter_column("secret_hash", existing_type=sa.String(length=64), nullable=False)
        browser.create_foreign_key("fk_browser_link", "link", ["link_id"], ["id"])
        browser.drop_constraint("uq_browser_device_circle", type_="unique")
        browser.drop_constraint("fk_browser_device", type_="foreignkey")
        browser.drop_constraint("fk_browser_player", type_="foreignkey")
        browser.drop_column("device_id")
        browser.drop_column("player_id")
    op.drop_table("browser_link")
    op.drop_table("device")
