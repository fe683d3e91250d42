-- What was used: responses (additive), samples of how full the context was (never added up), compactions.

-- Sessions, projects' folders, models and working folders: each written once.
CREATE TABLE usage_names (
    name_no INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE
) STRICT;

-- A row that changes moves to a new, higher number: whoever sends rows on needs to remember one number only.
CREATE TABLE usage_responses (
    row_no         INTEGER PRIMARY KEY,
    id             BLOB NOT NULL UNIQUE,
    at_ms          INTEGER NOT NULL,
    session        INTEGER NOT NULL,
    project        INTEGER NOT NULL,
    model          INTEGER NOT NULL,
    tier           TEXT NOT NULL,
    is_sidechain   INTEGER NOT NULL,
    input          INTEGER NOT NULL,
    output         INTEGER NOT NULL,
    cache_write_5m INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    cache_read     INTEGER NOT NULL,
    web_searches   INTEGER NOT NULL,
    context        INTEGER NOT NULL
) STRICT;

-- The sum of the responses, by quarters of an hour (every time zone's days begin at one); kept in the same
-- transaction as they are.
CREATE TABLE usage_slots (
    slot           INTEGER NOT NULL,
    session        INTEGER NOT NULL,
    project        INTEGER NOT NULL,
    model          INTEGER NOT NULL,
    tier           TEXT NOT NULL,
    responses      INTEGER NOT NULL,
    sidechain      INTEGER NOT NULL,
    input          INTEGER NOT NULL,
    output         INTEGER NOT NULL,
    cache_write_5m INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    cache_read     INTEGER NOT NULL,
    web_searches   INTEGER NOT NULL,
    context_peak   INTEGER NOT NULL,
    first_ms       INTEGER NOT NULL,
    last_ms        INTEGER NOT NULL,
    PRIMARY KEY (slot, session, project, model, tier)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_samples (
    row_no           INTEGER PRIMARY KEY,
    id               BLOB NOT NULL UNIQUE,
    at_ms            INTEGER NOT NULL,
    session          INTEGER NOT NULL,
    project          INTEGER NOT NULL,
    model            INTEGER NOT NULL,
    context_used     INTEGER NOT NULL,
    context_size     INTEGER NOT NULL,
    percent          INTEGER NOT NULL,
    input            INTEGER NOT NULL,
    output           INTEGER NOT NULL,
    cache_create     INTEGER NOT NULL,
    cache_read       INTEGER NOT NULL,
    status           TEXT NOT NULL,
    compaction       INTEGER NOT NULL,
    previous_percent INTEGER,
    compacts_at      INTEGER,
    cost_micros      INTEGER,
    signs            TEXT,
    cwd              INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_samples_by_session ON usage_samples (session, at_ms);

CREATE TABLE usage_boundaries (
    row_no        INTEGER PRIMARY KEY,
    id            BLOB NOT NULL UNIQUE,
    at_ms         INTEGER NOT NULL,
    session       INTEGER NOT NULL,
    project       INTEGER NOT NULL,
    model         INTEGER NOT NULL,
    is_auto       INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER
) STRICT;

-- How far each file was read, and as what it was last seen; written in the transaction that stores its rows.
CREATE TABLE usage_files (
    key        TEXT NOT NULL PRIMARY KEY,
    device     INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    is_settled INTEGER NOT NULL,
    cursor     TEXT NOT NULL,
    state      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Up to which row a receiver has everything.
CREATE TABLE usage_sent (
    target  TEXT NOT NULL,
    kind    TEXT NOT NULL,
    row_no  INTEGER NOT NULL,
    sent_at TEXT NOT NULL,
    PRIMARY KEY (target, kind)
) STRICT, WITHOUT ROWID;
