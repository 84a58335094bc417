"""The tables of 1.0."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "circle",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("title", sa.String(length=80), nullable=True),
        sa.Column("motto", sa.String(length=80), nullable=True),
        sa.Column("recovery_at", sa.DateTime(), nullable=True),
        sa.Column("is_sample", sa.Boolean(), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=True),
        sa.Column("settles_games_together", sa.Boolean(), nullable=False),
        sa.Column("confirms_payments", sa.Boolean(), nullable=False),
        sa.Column("shows_ratings", sa.Boolean(), nullable=False),
        sa.Column("transferred", sa.String(length=80), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("entry_key", name="uq_circle_entry_key"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "device",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("secret_hash"),
    )
    op.create_table(
        "card_table",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=32), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("house_rules", sa.JSON(), nullable=False),
        sa.Column("dealer", sa.String(length=2), nullable=False),
        sa.Column("value_currency", sa.String(length=3), nullable=True),
        sa.Column("value_unit", sa.String(length=8), nullable=True),
        sa.Column("value_amount", sa.String(length=24), nullable=True),
        sa.Column("has_stakes", sa.Boolean(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("played_on", sa.Date(), nullable=True),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("is_dated", sa.Boolean(), nullable=False),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("opened_at", sa.DateTime(), nullable=False),
        sa.Column("closed_at", sa.DateTime(), nullable=True),
        sa.Column("edition", sa.String(length=16), nullable=False),
        sa.Column("mark_changes", sa.Integer(), nullable=False),
        sa.Column("marks_edition", sa.String(length=16), nullable=False),
        sa.Column("turns", sa.String(length=8), nullable=True),
        sa.Column("entry_key", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "entry_key", name="uq_card_table_entry_key"),
        sa.UniqueConstraint("circle_id", "id", name="uq_card_table_circle_id"),
        sa.UniqueConstraint("token"),
    )
    op.create_index("ix_card_table_found", "card_table", ["circle_id", "day", "id"], unique=False)
    op.create_index("ix_card_table_game", "card_table", ["circle_id", "game"], unique=False)
    op.create_table(
        "planned_evening",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=16), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("begins", sa.String(length=5), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("repeats", sa.String(length=12), nullable=False),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "entry_key", name="uq_planned_evening_entry_key"),
        sa.UniqueConstraint("circle_id", "id", name="uq_planned_evening_circle_id"),
        sa.UniqueConstraint("circle_id", "token", name="uq_planned_evening_token"),
    )
    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=16), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("retired_at", sa.DateTime(), nullable=True),
        sa.Column("erased_at", sa.DateTime(), nullable=True),
        sa.Column("is_banker", sa.Boolean(), nullable=False),
        sa.Column("iban", sa.String(length=34), nullable=True),
        sa.Column("payment_link", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["circle_id", "person_id"], ["player.circle_id", "player.id"], name="fk_player_person"),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "id", name="uq_player_circle_id"),
        sa.UniqueConstraint("circle_id", "name"),
        sa.UniqueConstraint("circle_id", "token", name="uq_player_token"),
    )
    op.create_table(
        "season",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=16), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("first", sa.Date(), nullable=False),
        sa.Column("last", sa.Date(), nullable=False),
        sa.Column("counts", sa.String(length=8), nullable=False),
        sa.Column("games", sa.JSON(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("lowest_wins", sa.Boolean(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=True),
        sa.Column("least", sa.Integer(), nullable=False),
        sa.Column("bonus", sa.Integer(), nullable=False),
        sa.Column("ties", sa.String(length=8), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "entry_key", name="uq_season_entry_key"),
        sa.UniqueConstraint("circle_id", "id", name="uq_season_circle_id"),
        sa.UniqueConstraint("circle_id", "token", name="uq_season_token"),
    )
    op.create_table(
        "browser",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_browser_player"
        ),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name="fk_browser_device"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "id", name="uq_browser_circle_id"),
        sa.UniqueConstraint("circle_id", "number"),
        sa.UniqueConstraint("device_id", "circle_id", name="uq_browser_device_circle"),
    )
    op.create_table(
        "evening_answer",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("evening_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(length=8), nullable=False),
        sa.Column("guests", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "evening_id"],
            ["planned_evening.circle_id", "planned_evening.id"],
            name="fk_evening_answer_evening",
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_evening_answer_player"
        ),
        sa.PrimaryKeyConstraint("evening_id", "day", "player_id"),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=32), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("house_rules", sa.JSON(), nullable=False),
        sa.Column("format", sa.String(length=32), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("scoring", sa.String(length=32), nullable=False),
        sa.Column("sitting_out", sa.String(length=8), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("round_unit", sa.String(length=8), nullable=False),
        sa.Column("length", sa.Integer(), nullable=True),
        sa.Column("fee", sa.String(length=24), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("prizes", sa.JSON(), nullable=False),
        sa.Column("cashier_id", sa.Integer(), nullable=True),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("has_stakes", sa.Boolean(), nullable=False),
        sa.Column("value", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("has_check_in", sa.Boolean(), nullable=False),
        sa.Column("generation", sa.String(length=16), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("plan_version", sa.Integer(), nullable=False),
        sa.Column("edition", sa.String(length=16), nullable=False),
        sa.Column("plan_edition", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.Column("entry_key", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["circle_id", "cashier_id"], ["player.circle_id", "player.id"], name="fk_event_cashier"
        ),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "entry_key", name="uq_event_entry_key"),
        sa.UniqueConstraint("circle_id", "id", name="uq_event_circle_id"),
        sa.UniqueConstraint("token"),
    )
    op.create_index("ix_event_found", "event", ["circle_id", "day", "id"], unique=False)
    op.create_index(op.f("ix_event_generation"), "event", ["generation"], unique=False)
    op.create_table(
        "handicap",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("size", sa.String(length=12), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_handicap_player"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "season_id"], ["season.circle_id", "season.id"], name="fk_handicap_season"
        ),
        sa.PrimaryKeyConstraint("season_id", "player_id"),
    )
    op.create_table(
        "presence",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("arrived_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_presence_player"
        ),
        sa.PrimaryKeyConstraint("circle_id", "player_id"),
    )
    op.create_table(
        "seat",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=2), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("is_substitute", sa.Boolean(), nullable=False),
        sa.Column("has_sat", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_seat_player"),
        sa.ForeignKeyConstraint(
            ["circle_id", "table_id"], ["card_table.circle_id", "card_table.id"], name="fk_seat_table"
        ),
        sa.PrimaryKeyConstraint("table_id", "seat"),
    )
    op.create_index(op.f("ix_seat_player_id"), "seat", ["player_id"], unique=False)
    op.create_table(
        "summary",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("taken_over", sa.JSON(), nullable=False),
        sa.Column("is_taken_over", sa.Boolean(), nullable=False),
        sa.Column("is_settled", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "table_id"], ["card_table.circle_id", "card_table.id"], name="fk_summary_table"
        ),
        sa.PrimaryKeyConstraint("table_id"),
    )
    op.create_index(op.f("ix_summary_fingerprint"), "summary", ["fingerprint"], unique=False)
    op.create_table(
        "calendar_feed",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("is_personal", sa.Boolean(), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("sealed_secret", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_calendar_feed_browser"
        ),
        sa.PrimaryKeyConstraint("browser_id", "is_personal"),
        sa.UniqueConstraint("secret_hash"),
    )
    op.create_table(
        "entrant",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("group", sa.String(length=1), nullable=False),
        sa.Column("first_round", sa.Integer(), nullable=False),
        sa.Column("last_round", sa.Integer(), nullable=True),
        sa.Column("is_stationary", sa.Boolean(), nullable=False),
        sa.Column("is_free", sa.Boolean(), nullable=False),
        sa.Column("joined_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["circle_id", "event_id"], ["event.circle_id", "event.id"], name="fk_entrant_event"),
        sa.ForeignKeyConstraint(
            ["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_entrant_player"
        ),
        sa.PrimaryKeyConstraint("event_id", "number"),
        sa.UniqueConstraint("event_id", "player_id", name="uq_entrant_player"),
    )
    op.create_index(op.f("ix_entrant_player_id"), "entrant", ["player_id"], unique=False)
    op.create_table(
        "entrant_substitution",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "event_id"], ["event.circle_id", "event.id"], name="fk_entrant_substitution_event"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_entrant_substitution_player"
        ),
        sa.PrimaryKeyConstraint("event_id", "number", "round"),
    )
    op.create_index(op.f("ix_entrant_substitution_player_id"), "entrant_substitution", ["player_id"], unique=False)
    op.create_table(
        "event_phone",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("table_number", sa.Integer(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("generation", sa.String(length=16), nullable=False),
        sa.Column("joined_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_event_phone_browser"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "event_id"], ["event.circle_id", "event.id"], name="fk_event_phone_event"
        ),
        sa.PrimaryKeyConstraint("event_id", "browser_id"),
    )
    op.create_index(op.f("ix_event_phone_browser_id"), "event_phone", ["browser_id"], unique=False)
    op.create_table(
        "event_result",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("table_number", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("is_slip", sa.Boolean(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_event_result_browser"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "event_id"], ["event.circle_id", "event.id"], name="fk_event_result_event"
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "id", name="uq_event_result_circle_id"),
        sa.UniqueConstraint("event_id", "entry_key", name="uq_event_result_entry_key"),
        sa.UniqueConstraint("event_id", "round", "table_number", "number", name="uq_event_result_number"),
    )
    op.create_table(
        "event_round",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sits_out", sa.JSON(), nullable=False),
        sa.Column("drawn_at", sa.DateTime(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("paused_at", sa.DateTime(), nullable=True),
        sa.Column("paused_seconds", sa.Integer(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "event_id"], ["event.circle_id", "event.id"], name="fk_event_round_event"
        ),
        sa.PrimaryKeyConstraint("event_id", "number"),
    )
    op.create_table(
        "event_table",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("pairs", sa.JSON(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("result", sa.Integer(), nullable=False),
        sa.Column("scores", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("is_confirmed", sa.Boolean(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("called_at", sa.DateTime(), nullable=True),
        sa.Column("coming_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["circle_id", "coming_id"], ["browser.circle_id", "browser.id"], name="fk_event_table_coming"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "event_id"], ["event.circle_id", "event.id"], name="fk_event_table_event"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "table_id"], ["card_table.circle_id", "card_table.id"], name="fk_event_table_table"
        ),
        sa.PrimaryKeyConstraint("event_id", "round", "number"),
    )
    op.create_index(op.f("ix_event_table_table_id"), "event_table", ["table_id"], unique=False)
    op.create_table(
        "link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("right", sa.String(length=8), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("revoked_by_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["circle_id", "revoked_by_id"], ["browser.circle_id", "browser.id"], name="fk_link_revoked_by"
        ),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "id", name="uq_link_circle_id"),
    )
    op.create_index(
        "ix_link_live",
        "link",
        ["circle_id", "right"],
        unique=True,
        sqlite_where=sa.text("revoked_at IS NULL"),
        postgresql_where=sa.text("revoked_at IS NULL"),
    )
    op.create_table(
        "notice_subscription",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("kinds", sa.JSON(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("p256dh", sa.Text(), nullable=False),
        sa.Column("auth", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_notice_subscription_browser"
        ),
        sa.PrimaryKeyConstraint("circle_id", "browser_id"),
    )
    op.create_table(
        "revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=True),
        sa.Column("before", sa.Integer(), nullable=True),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_revision_browser"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "table_id"], ["card_table.circle_id", "card_table.id"], name="fk_revision_table"
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("table_id", "entry_key"),
        sa.UniqueConstraint("table_id", "number"),
    )
    op.create_table(
        "settlement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=16), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("event_id", sa.Integer(), nullable=True),
        sa.Column("day", sa.Date(), nullable=True),
        sa.Column("game", sa.String(length=32), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("successor_id", sa.Integer(), nullable=True),
        sa.Column("unpaid", sa.JSON(), nullable=False),
        sa.Column("is_paid", sa.Boolean(), nullable=False),
        sa.Column("is_cleared", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["circle_id", "event_id"], ["event.circle_id", "event.id"], name="fk_settlement_event"),
        sa.ForeignKeyConstraint(
            ["circle_id", "successor_id"], ["settlement.circle_id", "settlement.id"], name="fk_settlement_successor"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "table_id"], ["card_table.circle_id", "card_table.id"], name="fk_settlement_table"
        ),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "id", name="uq_settlement_circle_id"),
        sa.UniqueConstraint("circle_id", "token", name="uq_settlement_token"),
    )
    op.create_table(
        "browser_link",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("link_id", sa.Integer(), nullable=False),
        sa.Column("joined_at", sa.DateTime(), nullable=True),
        sa.Column("sealed_secret", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_browser_link_browser"
        ),
        sa.ForeignKeyConstraint(["circle_id", "link_id"], ["link.circle_id", "link.id"], name="fk_browser_link_link"),
        sa.PrimaryKeyConstraint("browser_id", "link_id"),
    )
    op.create_index(op.f("ix_browser_link_link_id"), "browser_link", ["link_id"], unique=False)
    op.create_table(
        "event_confirmation",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("result_id", sa.Integer(), nullable=False),
        sa.Column("side", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_event_confirmation_browser"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "result_id"],
            ["event_result.circle_id", "event_result.id"],
            name="fk_event_confirmation_result",
        ),
        sa.PrimaryKeyConstraint("result_id", "side"),
    )
    op.create_table(
        "part",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("settlement_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("event_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=8), nullable=True),
        sa.Column("earlier_id", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("amount", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "earlier_id"], ["settlement.circle_id", "settlement.id"], name="fk_part_earlier"
        ),
        sa.ForeignKeyConstraint(["circle_id", "event_id"], ["event.circle_id", "event.id"], name="fk_part_event"),
        sa.ForeignKeyConstraint(["circle_id", "player_id"], ["player.circle_id", "player.id"], name="fk_part_player"),
        sa.ForeignKeyConstraint(
            ["circle_id", "settlement_id"], ["settlement.circle_id", "settlement.id"], name="fk_part_settlement"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "table_id"], ["card_table.circle_id", "card_table.id"], name="fk_part_table"
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_part_earlier_id"), "part", ["earlier_id"], unique=False)
    op.create_index(op.f("ix_part_event_id"), "part", ["event_id"], unique=False)
    op.create_index(op.f("ix_part_player_id"), "part", ["player_id"], unique=False)
    op.create_index(op.f("ix_part_settlement_id"), "part", ["settlement_id"], unique=False)
    op.create_index(op.f("ix_part_table_id"), "part", ["table_id"], unique=False)
    op.create_table(
        "payment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("settlement_id", sa.Integer(), nullable=False),
        sa.Column("giver_id", sa.Integer(), nullable=False),
        sa.Column("taker_id", sa.Integer(), nullable=False),
        sa.Column("amount", sa.Text(), nullable=False),
        sa.Column("withdraws", sa.Integer(), nullable=True),
        sa.Column("needs_confirmation", sa.Boolean(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("entry_key", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_payment_browser"
        ),
        sa.ForeignKeyConstraint(["circle_id", "giver_id"], ["player.circle_id", "player.id"], name="fk_payment_giver"),
        sa.ForeignKeyConstraint(
            ["circle_id", "settlement_id"], ["settlement.circle_id", "settlement.id"], name="fk_payment_settlement"
        ),
        sa.ForeignKeyConstraint(["circle_id", "taker_id"], ["player.circle_id", "player.id"], name="fk_payment_taker"),
        sa.ForeignKeyConstraint(["circle_id"], ["circle.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("circle_id", "entry_key"),
        sa.UniqueConstraint("circle_id", "id", name="uq_payment_circle_id"),
        sa.UniqueConstraint("circle_id", "number"),
        sa.UniqueConstraint("circle_id", "withdraws", name="uq_payment_withdraws"),
    )
    op.create_index(op.f("ix_payment_giver_id"), "payment", ["giver_id"], unique=False)
    op.create_index(op.f("ix_payment_settlement_id"), "payment", ["settlement_id"], unique=False)
    op.create_index(op.f("ix_payment_taker_id"), "payment", ["taker_id"], unique=False)
    op.create_table(
        "confirmation",
        sa.Column("circle_id", sa.Integer(), nullable=False),
        sa.Column("payment_id", sa.Integer(), nullable=False),
        sa.Column("browser_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["circle_id", "browser_id"], ["browser.circle_id", "browser.id"], name="fk_confirmation_browser"
        ),
        sa.ForeignKeyConstraint(
            ["circle_id", "payment_id"], ["payment.circle_id", "payment.id"], name="fk_confirmation_payment"
        ),
        sa.PrimaryKeyConstraint("payment_id"),
    )
