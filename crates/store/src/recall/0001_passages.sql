-- Passages of sessions. Texts are stored once, compressed by blocks; the index holds their words and nothing else.
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    first_at_s INTEGER NOT NULL,
    last_at_s INTEGER NOT NULL,
    UNIQUE (session, project)
) STRICT;

-- A block is a stretch of one session: its passages have the numbers from `id` on. `heads` tells of each what it is,
-- when it was, and how long its text is.
CREATE TABLE blocks (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    heads BLOB NOT NULL
) STRICT;
CREATE INDEX blocks_by_session ON blocks (session, id);

-- Apart from the heads: those are read by the thousand, texts by the dozen.
CREATE TABLE texts (id INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT;

-- Fingerprints of the lines that a block was made from: forks and resumed sessions copy them.
CREATE TABLE lines (id INTEGER PRIMARY KEY, marks BLOB NOT NULL) STRICT;

-- How far each transcript was read.
CREATE TABLE files (
    key TEXT PRIMARY KEY,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    is_settled INTEGER NOT NULL,
    cursor TEXT NOT NULL,
    state TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The number that the next passage gets, and how many there are. Numbers are never given twice.
CREATE TABLE counters (next_id INTEGER NOT NULL, passages INTEGER NOT NULL) STRICT;
INSERT INTO counters VALUES (1, 0);

CREATE VIRTUAL TABLE words USING fts5 (
    line, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
