-- The agent's sessions, what their hooks did, and their compactions.

CREATE TABLE sessions (
    id           TEXT NOT NULL PRIMARY KEY,
    project      TEXT NOT NULL,
    agent        TEXT NOT NULL,
    transcript   TEXT,
    source       TEXT,
    started_at   TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    ended_at     TEXT,
    end_reason   TEXT
) STRICT;
CREATE INDEX sessions_by_project ON sessions (project, last_seen_at);

-- How much of a session's spool is in; written in the transaction that stores the rows.
CREATE TABLE spool_offsets (
    session      TEXT NOT NULL PRIMARY KEY,
    offset_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE receipts (
    receipt_no  INTEGER PRIMARY KEY,
    project     TEXT NOT NULL,
    session     TEXT NOT NULL,
    event       TEXT NOT NULL,
    at_ms       INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    outcome     TEXT NOT NULL,
    said_bytes  INTEGER NOT NULL,
    via         TEXT NOT NULL,
    claim       TEXT NOT NULL
) STRICT;
CREATE INDEX receipts_by_project ON receipts (project, receipt_no);
CREATE INDEX receipts_by_claim ON receipts (session, claim, at_ms);

CREATE TABLE notes (
    note_no INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    session TEXT NOT NULL,
    event   TEXT NOT NULL,
    at_ms   INTEGER NOT NULL,
    claim   TEXT NOT NULL,
    note    TEXT NOT NULL
) STRICT;
CREATE INDEX notes_by_session ON notes (session, claim, at_ms);

CREATE TABLE compactions (
    compaction_no INTEGER PRIMARY KEY,
    project       TEXT NOT NULL,
    session       TEXT NOT NULL,
    at            TEXT NOT NULL,
    trigger_word  TEXT,
    focus         TEXT,
    summary       TEXT,
    UNIQUE (session, at)
) STRICT;
CREATE INDEX compactions_by_project ON compactions (project, at);
