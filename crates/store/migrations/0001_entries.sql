-- Every entry ever recorded, what happened to each, and the working sets to rebuild from.

CREATE TABLE projects (
    key           TEXT NOT NULL PRIMARY KEY,
    root          TEXT NOT NULL,
    first_fold_at TEXT NOT NULL,
    last_fold_at  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Which batches are in: folding one again must not bring an old working set back as the newest.
CREATE TABLE batches (
    batch_no  INTEGER PRIMARY KEY,
    project   TEXT NOT NULL REFERENCES projects (key),
    uid       TEXT NOT NULL UNIQUE,
    at        TEXT NOT NULL,
    committed INTEGER NOT NULL
) STRICT;
CREATE INDEX batches_by_project ON batches (project, batch_no);

-- No rule says that (project, kind, id) is unique: a project folder that was replaced brings its own D1.
CREATE TABLE entries (
    entry_no    INTEGER PRIMARY KEY,
    project     TEXT NOT NULL REFERENCES projects (key),
    kind        TEXT NOT NULL,
    id          TEXT NOT NULL,
    number      INTEGER NOT NULL,
    text        TEXT NOT NULL,
    reason      TEXT NOT NULL,
    body        TEXT NOT NULL,
    origin      TEXT NOT NULL,
    session     TEXT,
    recorded_at TEXT NOT NULL,
    changed_at  TEXT,
    left_at     TEXT,
    left_why    TEXT,
    trusted     INTEGER NOT NULL
) STRICT;
CREATE INDEX entries_by_id ON entries (project, kind, id);
CREATE INDEX entries_by_number ON entries (project, kind, number);
CREATE INDEX entries_by_project ON entries (project, entry_no);

-- One row per event of a batch; its key is what makes a second fold add nothing.
CREATE TABLE entry_history (
    batch_uid TEXT NOT NULL,
    event_no  INTEGER NOT NULL,
    entry_no  INTEGER NOT NULL REFERENCES entries (entry_no),
    op        TEXT NOT NULL,
    at        TEXT NOT NULL,
    origin    TEXT NOT NULL,
    session   TEXT,
    why       TEXT,
    old_text  TEXT,
    old_body  TEXT,
    PRIMARY KEY (batch_uid, event_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_history_by_entry ON entry_history (entry_no);

CREATE TABLE working_sets (
    set_no  INTEGER PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (key),
    at      TEXT NOT NULL,
    hash    TEXT NOT NULL,
    state   TEXT NOT NULL
) STRICT;
CREATE INDEX working_sets_by_project ON working_sets (project, set_no);

-- The words live in `entries` alone; the index refers to them.
CREATE VIRTUAL TABLE entries_fts USING fts5 (
    text,
    reason,
    content = 'entries',
    content_rowid = 'entry_no',
    tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER entries_fts_insert AFTER INSERT ON entries BEGIN
    INSERT INTO entries_fts (rowid, text, reason) VALUES (new.entry_no, new.text, new.reason);
END;

CREATE TRIGGER entries_fts_delete AFTER DELETE ON entries BEGIN
    INSERT INTO entries_fts (entries_fts, rowid, text, reason)
    VALUES ('delete', old.entry_no, old.text, old.reason);
END;

CREATE TRIGGER entries_fts_update AFTER UPDATE OF text, reason ON entries
WHEN old.text <> new.text OR old.reason <> new.reason BEGIN
    INSERT INTO entries_fts (entries_fts, rowid, text, reason)
    VALUES ('delete', old.entry_no, old.text, old.reason);
    INSERT INTO entries_fts (rowid, text, reason) VALUES (new.entry_no, new.text, new.reason);
END;
