-- The tables of 1.0. The .py file turns them into those of PostgreSQL.
CREATE TABLE circle (
    id INTEGER NOT NULL PRIMARY KEY, token VARCHAR(16) NOT NULL, created_at DATETIME NOT NULL, title VARCHAR(80),
    motto VARCHAR(80), recovery_at DATETIME, is_sample BOOLEAN NOT NULL, time_zone VARCHAR(64),
    confirms_payments BOOLEAN NOT NULL, shows_ratings BOOLEAN NOT NULL,
    epoch VARCHAR(16) NOT NULL, entry_key TEXT,
    CONSTRAINT uq_circle_token UNIQUE (token),
    CONSTRAINT uq_circle_entry_key UNIQUE (entry_key)
);

CREATE TABLE device (
    id INTEGER NOT NULL PRIMARY KEY, secret_hash VARCHAR(64) NOT NULL, created_at DATETIME NOT NULL,
    CONSTRAINT uq_device_secret_hash UNIQUE (secret_hash)
);

CREATE TABLE card_table (
    id INTEGER NOT NULL PRIMARY KEY, token VARCHAR(32) NOT NULL, game VARCHAR(32) NOT NULL,
    house_rules JSON NOT NULL, dealer VARCHAR(2) NOT NULL, value_currency VARCHAR(3),
    value_unit VARCHAR(8), value_amount VARCHAR(24), has_stakes BOOLEAN NOT NULL, title TEXT, played_on DATE,
    day DATE NOT NULL, is_dated BOOLEAN NOT NULL, place TEXT, note TEXT, opened_at DATETIME NOT NULL,
    closed_at DATETIME, edition VARCHAR(16) NOT NULL, turns VARCHAR(8), games_token VARCHAR(16), entry_key TEXT,
    circle_id INTEGER NOT NULL,
    CONSTRAINT uq_card_table_circle_id_entry_key UNIQUE (circle_id, entry_key),
    CONSTRAINT uq_card_table_token UNIQUE (token),
    CONSTRAINT fk_card_table_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_card_table_found ON card_table (circle_id, day, id);
CREATE INDEX ix_card_table_game ON card_table (circle_id, game);

CREATE TABLE planned_evening (
    id INTEGER NOT NULL PRIMARY KEY, token VARCHAR(16) NOT NULL, day DATE NOT NULL, begins VARCHAR(5) NOT NULL,
    place TEXT NOT NULL, repeats VARCHAR(12) NOT NULL, skipped JSON NOT NULL, changes INTEGER NOT NULL,
    changed_at DATETIME NOT NULL, entry_key TEXT NOT NULL, circle_id INTEGER NOT NULL,
    CONSTRAINT uq_planned_evening_circle_id_token UNIQUE (circle_id, token),
    CONSTRAINT uq_planned_evening_circle_id_entry_key UNIQUE (circle_id, entry_key),
    CONSTRAINT fk_planned_evening_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE player (
    id INTEGER NOT NULL PRIMARY KEY, token VARCHAR(16) NOT NULL, name VARCHAR(40) NOT NULL, person_id INTEGER,
    retired_at DATETIME, erased_at DATETIME, is_banker BOOLEAN NOT NULL,
    is_cashier BOOLEAN NOT NULL, iban VARCHAR(34), payment_link TEXT,
    circle_id INTEGER NOT NULL,
    CONSTRAINT uq_player_circle_id_name UNIQUE (circle_id, name),
    CONSTRAINT uq_player_circle_id_token UNIQUE (circle_id, token),
    CONSTRAINT fk_player_person_id FOREIGN KEY(person_id) REFERENCES player (id),
    CONSTRAINT fk_player_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE season (
    id INTEGER NOT NULL PRIMARY KEY, token VARCHAR(16) NOT NULL, name TEXT NOT NULL, first DATE NOT NULL,
    last DATE NOT NULL, counts VARCHAR(8) NOT NULL, games JSON NOT NULL, currency VARCHAR(3),
    lowest_wins BOOLEAN NOT NULL, best INTEGER, least INTEGER NOT NULL, bonus INTEGER NOT NULL,
    ties VARCHAR(8) NOT NULL, places JSON NOT NULL, entry_key TEXT, circle_id INTEGER NOT NULL,
    CONSTRAINT uq_season_circle_id_token UNIQUE (circle_id, token),
    CONSTRAINT uq_season_circle_id_entry_key UNIQUE (circle_id, entry_key),
    CONSTRAINT fk_season_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE membership (
    id INTEGER NOT NULL PRIMARY KEY, device_id INTEGER NOT NULL, number INTEGER NOT NULL, name VARCHAR(40),
    created_at DATETIME NOT NULL, revoked_at DATETIME, player_id INTEGER, circle_id INTEGER NOT NULL,
    CONSTRAINT uq_membership_circle_id_number UNIQUE (circle_id, number),
    CONSTRAINT uq_membership_device_id_circle_id UNIQUE (device_id, circle_id),
    CONSTRAINT fk_membership_device_id FOREIGN KEY(device_id) REFERENCES device (id),
    CONSTRAINT fk_membership_player_id FOREIGN KEY(player_id) REFERENCES player (id),
    CONSTRAINT fk_membership_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE evening_answer (
    evening_id INTEGER NOT NULL, day DATE NOT NULL, player_id INTEGER NOT NULL, answer VARCHAR(8) NOT NULL,
    guests INTEGER NOT NULL, at DATETIME NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (evening_id, day, player_id),
    CONSTRAINT fk_evening_answer_evening_id FOREIGN KEY(evening_id) REFERENCES planned_evening (id),
    CONSTRAINT fk_evening_answer_player_id FOREIGN KEY(player_id) REFERENCES player (id),
    CONSTRAINT fk_evening_answer_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE event (
    id INTEGER NOT NULL PRIMARY KEY, token VARCHAR(32) NOT NULL, title TEXT NOT NULL, day DATE NOT NULL, place TEXT,
    game VARCHAR(32) NOT NULL, house_rules JSON NOT NULL, format VARCHAR(32) NOT NULL, options JSON NOT NULL,
    scoring VARCHAR(32) NOT NULL, sitting_out VARCHAR(8) NOT NULL, rounds INTEGER NOT NULL,
    round_unit VARCHAR(8) NOT NULL, length INTEGER NOT NULL, fee VARCHAR(24), currency VARCHAR(3), prizes JSON NOT NULL,
    seed INTEGER NOT NULL, has_stakes BOOLEAN NOT NULL, value JSON, has_check_in BOOLEAN NOT NULL,
    generation VARCHAR(16) NOT NULL,
    edition VARCHAR(16) NOT NULL, plan_edition VARCHAR(16) NOT NULL, created_at DATETIME NOT NULL, finished_at DATETIME,
    entry_key TEXT, circle_id INTEGER NOT NULL,
    CONSTRAINT uq_event_circle_id_entry_key UNIQUE (circle_id, entry_key),
    CONSTRAINT uq_event_token UNIQUE (token),
    CONSTRAINT fk_event_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_event_found ON event (circle_id, day, id);
CREATE INDEX ix_event_generation ON event (generation);

CREATE TABLE handicap (
    season_id INTEGER NOT NULL, player_id INTEGER NOT NULL, kind VARCHAR(8) NOT NULL, size VARCHAR(12) NOT NULL,
    circle_id INTEGER NOT NULL,
    PRIMARY KEY (season_id, player_id),
    CONSTRAINT fk_handicap_season_id FOREIGN KEY(season_id) REFERENCES season (id),
    CONSTRAINT fk_handicap_player_id FOREIGN KEY(player_id) REFERENCES player (id),
    CONSTRAINT fk_handicap_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE presence (
    player_id INTEGER NOT NULL, day DATE NOT NULL, arrived_at DATETIME NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (player_id),
    CONSTRAINT fk_presence_player_id FOREIGN KEY(player_id) REFERENCES player (id),
    CONSTRAINT fk_presence_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE seat (
    table_id INTEGER NOT NULL, label VARCHAR(2) NOT NULL, player_id INTEGER NOT NULL, is_substitute BOOLEAN NOT NULL,
    has_sat BOOLEAN NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (table_id, label),
    CONSTRAINT fk_seat_table_id FOREIGN KEY(table_id) REFERENCES card_table (id),
    CONSTRAINT fk_seat_player_id FOREIGN KEY(player_id) REFERENCES player (id),
    CONSTRAINT fk_seat_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_seat_player_id ON seat (player_id);

CREATE TABLE summary (
    table_id INTEGER NOT NULL, version INTEGER NOT NULL, data JSON NOT NULL, account VARCHAR(64) NOT NULL,
    owed JSON NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (table_id),
    CONSTRAINT fk_summary_table_id FOREIGN KEY(table_id) REFERENCES card_table (id),
    CONSTRAINT fk_summary_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE calendar_feed (
    membership_id INTEGER NOT NULL, secret_hash VARCHAR(64) NOT NULL, sealed_secret TEXT NOT NULL,
    created_at DATETIME NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (membership_id),
    CONSTRAINT fk_calendar_feed_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT uq_calendar_feed_secret_hash UNIQUE (secret_hash),
    CONSTRAINT fk_calendar_feed_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE entrant (
    event_id INTEGER NOT NULL, number INTEGER NOT NULL, player_id INTEGER NOT NULL, "group" VARCHAR(1) NOT NULL,
    first_round INTEGER NOT NULL, last_round INTEGER, is_stationary BOOLEAN NOT NULL, is_free BOOLEAN NOT NULL,
    joined_at DATETIME NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (event_id, number),
    CONSTRAINT uq_entrant_event_id_player_id UNIQUE (event_id, player_id),
    CONSTRAINT fk_entrant_event_id FOREIGN KEY(event_id) REFERENCES event (id),
    CONSTRAINT fk_entrant_player_id FOREIGN KEY(player_id) REFERENCES player (id),
    CONSTRAINT fk_entrant_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_entrant_player_id ON entrant (player_id);

CREATE TABLE entrant_substitution (
    event_id INTEGER NOT NULL, number INTEGER NOT NULL, round INTEGER NOT NULL, player_id INTEGER NOT NULL,
    circle_id INTEGER NOT NULL,
    PRIMARY KEY (event_id, number, round),
    CONSTRAINT fk_entrant_substitution_event_id FOREIGN KEY(event_id) REFERENCES event (id),
    CONSTRAINT fk_entrant_substitution_player_id FOREIGN KEY(player_id) REFERENCES player (id),
    CONSTRAINT fk_entrant_substitution_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_entrant_substitution_player_id ON entrant_substitution (player_id);

CREATE TABLE event_phone (
    event_id INTEGER NOT NULL, membership_id INTEGER NOT NULL, table_number INTEGER, number INTEGER,
    generation VARCHAR(16) NOT NULL, joined_at DATETIME NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (event_id, membership_id),
    CONSTRAINT fk_event_phone_event_id FOREIGN KEY(event_id) REFERENCES event (id),
    CONSTRAINT fk_event_phone_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT fk_event_phone_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_event_phone_membership_id ON event_phone (membership_id);

CREATE TABLE event_result (
    id INTEGER NOT NULL PRIMARY KEY, event_id INTEGER NOT NULL, round INTEGER NOT NULL, table_number INTEGER NOT NULL,
    number INTEGER NOT NULL, body JSON, is_slip BOOLEAN NOT NULL, membership_id INTEGER NOT NULL, at DATETIME NOT NULL,
    entry_key TEXT NOT NULL, circle_id INTEGER NOT NULL,
    CONSTRAINT uq_event_result_event_id_round_table_number_number UNIQUE (event_id, round, table_number, number),
    CONSTRAINT uq_event_result_event_id_entry_key UNIQUE (event_id, entry_key),
    CONSTRAINT fk_event_result_event_id FOREIGN KEY(event_id) REFERENCES event (id),
    CONSTRAINT fk_event_result_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT fk_event_result_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE event_round (
    event_id INTEGER NOT NULL, number INTEGER NOT NULL, sits_out JSON NOT NULL, drawn_at DATETIME NOT NULL,
    started_at DATETIME, paused_at DATETIME, paused_seconds INTEGER NOT NULL, entry_key TEXT NOT NULL,
    circle_id INTEGER NOT NULL,
    PRIMARY KEY (event_id, number),
    CONSTRAINT fk_event_round_event_id FOREIGN KEY(event_id) REFERENCES event (id),
    CONSTRAINT fk_event_round_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE event_table (
    event_id INTEGER NOT NULL, round INTEGER NOT NULL, number INTEGER NOT NULL, pairs JSON NOT NULL, table_id INTEGER,
    result INTEGER NOT NULL, scores JSON, is_confirmed BOOLEAN NOT NULL, calls INTEGER NOT NULL, called_at DATETIME,
    edition VARCHAR(16) NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (event_id, round, number),
    CONSTRAINT fk_event_table_event_id FOREIGN KEY(event_id) REFERENCES event (id),
    CONSTRAINT fk_event_table_table_id FOREIGN KEY(table_id) REFERENCES card_table (id),
    CONSTRAINT fk_event_table_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_event_table_table_id ON event_table (table_id);

CREATE TABLE link (
    id INTEGER NOT NULL PRIMARY KEY, circle_id INTEGER NOT NULL, "right" VARCHAR(8) NOT NULL,
    secret_hash VARCHAR(64) NOT NULL, created_at DATETIME NOT NULL, revoked_at DATETIME, revoked_by_id INTEGER,
    CONSTRAINT fk_link_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id),
    CONSTRAINT fk_link_revoked_by_id FOREIGN KEY(revoked_by_id) REFERENCES membership (id)
);
CREATE INDEX ix_link_circle_id ON link (circle_id);
CREATE UNIQUE INDEX ix_link_live ON link (circle_id, "right") WHERE revoked_at IS NULL;

CREATE TABLE notice_subscription (
    membership_id INTEGER NOT NULL, token VARCHAR(16) NOT NULL, kinds JSON NOT NULL, endpoint TEXT NOT NULL,
    p256dh TEXT NOT NULL, auth TEXT NOT NULL, site TEXT NOT NULL, language TEXT NOT NULL, changed_at DATETIME NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (membership_id),
    CONSTRAINT uq_notice_subscription_token UNIQUE (token),
    CONSTRAINT fk_notice_subscription_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT fk_notice_subscription_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE revision (
    id INTEGER NOT NULL PRIMARY KEY, table_id INTEGER NOT NULL, number INTEGER NOT NULL, kind VARCHAR(16) NOT NULL,
    deal_id INTEGER, before_id INTEGER, body JSON, undoes INTEGER, membership_id INTEGER NOT NULL, at DATETIME NOT NULL,
    entry_key TEXT NOT NULL, circle_id INTEGER NOT NULL,
    CONSTRAINT uq_revision_table_id_number UNIQUE (table_id, number),
    CONSTRAINT fk_revision_table_id FOREIGN KEY(table_id) REFERENCES card_table (id),
    CONSTRAINT fk_revision_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT fk_revision_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE membership_link (
    membership_id INTEGER NOT NULL, link_id INTEGER NOT NULL, joined_at DATETIME, sealed_secret TEXT,
    circle_id INTEGER NOT NULL,
    PRIMARY KEY (membership_id, link_id),
    CONSTRAINT fk_membership_link_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT fk_membership_link_link_id FOREIGN KEY(link_id) REFERENCES link (id),
    CONSTRAINT fk_membership_link_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_membership_link_link_id ON membership_link (link_id);

CREATE TABLE event_confirmation (
    result_id INTEGER NOT NULL, side INTEGER NOT NULL, membership_id INTEGER NOT NULL, at DATETIME NOT NULL,
    circle_id INTEGER NOT NULL,
    PRIMARY KEY (result_id, side),
    CONSTRAINT fk_event_confirmation_result_id FOREIGN KEY(result_id) REFERENCES event_result (id),
    CONSTRAINT fk_event_confirmation_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT fk_event_confirmation_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);

CREATE TABLE payment (
    id INTEGER NOT NULL PRIMARY KEY, number INTEGER NOT NULL, token VARCHAR(16) NOT NULL, kind VARCHAR(8) NOT NULL,
    account VARCHAR(64) NOT NULL, giver_id INTEGER, taker_id INTEGER, amount TEXT NOT NULL, paid_on DATE NOT NULL,
    method VARCHAR(8), note TEXT, table_id INTEGER, event_id INTEGER, evening DATE, needs_confirmation BOOLEAN NOT NULL,
    membership_id INTEGER NOT NULL, at DATETIME NOT NULL, withdrawn_at DATETIME, withdrawn_by_id INTEGER, entry_key TEXT,
    circle_id INTEGER NOT NULL,
    CONSTRAINT uq_payment_circle_id_number UNIQUE (circle_id, number),
    CONSTRAINT uq_payment_circle_id_token UNIQUE (circle_id, token),
    CONSTRAINT uq_payment_circle_id_entry_key UNIQUE (circle_id, entry_key),
    CONSTRAINT fk_payment_giver_id FOREIGN KEY(giver_id) REFERENCES player (id),
    CONSTRAINT fk_payment_taker_id FOREIGN KEY(taker_id) REFERENCES player (id),
    CONSTRAINT fk_payment_table_id FOREIGN KEY(table_id) REFERENCES card_table (id),
    CONSTRAINT fk_payment_event_id FOREIGN KEY(event_id) REFERENCES event (id),
    CONSTRAINT fk_payment_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT fk_payment_withdrawn_by_id FOREIGN KEY(withdrawn_by_id) REFERENCES membership (id),
    CONSTRAINT fk_payment_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
CREATE INDEX ix_payment_event_id ON payment (event_id);
CREATE INDEX ix_payment_giver_id ON payment (giver_id);
CREATE INDEX ix_payment_table_id ON payment (table_id);
CREATE INDEX ix_payment_taker_id ON payment (taker_id);

CREATE TABLE confirmation (
    payment_id INTEGER NOT NULL, membership_id INTEGER NOT NULL, at DATETIME NOT NULL, circle_id INTEGER NOT NULL,
    PRIMARY KEY (payment_id),
    CONSTRAINT fk_confirmation_payment_id FOREIGN KEY(payment_id) REFERENCES payment (id),
    CONSTRAINT fk_confirmation_membership_id FOREIGN KEY(membership_id) REFERENCES membership (id),
    CONSTRAINT fk_confirmation_circle_id FOREIGN KEY(circle_id) REFERENCES circle (id)
);
