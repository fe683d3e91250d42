-- Moments that responses had before an earlier copy of them was read. Receivers keep rows by moment and id: they have to
-- let go of the row at the old moment when the response comes again under its new number.
CREATE TABLE usage_moved (
    id     BLOB NOT NULL,
    at_ms  INTEGER NOT NULL,
    row_no INTEGER NOT NULL,
    PRIMARY KEY (id, at_ms)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_moved_by_row ON usage_moved (row_no);
