-- Compactions that only one side tells of, although the other was there to see them: the samples of the status line, or
-- the transcript. Each is noted once, and forgotten when the other side catches up.
CREATE TABLE usage_disagreements (
    id      BLOB NOT NULL PRIMARY KEY,
    at_ms   INTEGER NOT NULL,
    session INTEGER NOT NULL,
    seen_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_samples_compactions ON usage_samples (session, at_ms) WHERE compaction = 1;
CREATE INDEX usage_boundaries_by_session ON usage_boundaries (session, at_ms);
