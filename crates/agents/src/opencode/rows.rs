//! Rows: what is asked of OpenCode's database, so that a session is told as lines that only grow.
//!
//! A line is a message with its parts, once nothing more will be added to it. Its place is the moment at which it was made,
//! with the counter out of its id: the client deletes messages (an undo), and SQLite gives their row numbers again.

/// The counter of a message's id (`msg_`, nine digits of time, three of the counter), of a table named so.
macro_rules! counter {
    ($table:literal) => {
        concat!(
            "(max(0, instr('0123456789abcdef', substr(",
            $table,
            ".id, 14, 1)) - 1) * 256 + max(0, instr('0123456789abcdef', substr(",
            $table,
            ".id, 15, 1)) - 1) * 16 + max(0, instr('0123456789abcdef', substr(",
            $table,
            ".id, 16, 1)) - 1))"
        )
    };
}

/// The place of a message, of a table named so.
macro_rules! place {
    ($table:literal) => {
        concat!("(", $table, ".time_created * 4096 + ", counter!($table), ")")
    };
}

/// Now, in ms since 1970.
macro_rules! now {
    () => {
        "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    };
}

/// A moment in ms since 1970, as text.
macro_rules! moment {
    ($ms:literal) => {
        concat!("strftime('%Y-%m-%dT%H:%M:%fZ', ", $ms, " / 1000.0, 'unixepoch')")
    };
}

/// The file that they are in.
pub const DATABASE: &str = "opencode.db";

/// `SELECT id, folder, last position, last change in ms` of every session but those of subagents: these are parts of others.
pub const SESSIONS: &str = concat!(
    "SELECT s.id, s.directory, (SELECT ",
    place!("m"),
    " FROM message m WHERE m.session_id = s.id ORDER BY m.time_created DESC, m.id DESC LIMIT 1), s.time_updated \
     FROM session s WHERE s.parent_id IS NULL"
);

/// `SELECT position, line` of session `?1` behind position `?2`, in order, with what its subagents wrote in between.
///
/// The last answer is told once it is complete, or a day after anything was added to it: its client was killed. A prompt is
/// told once it is answered, or after ten seconds: its parts come a little later than itself. Nothing is told before what
/// stands in front of it. A part of several megabytes is a picture, and left out.
pub const LINES: &str = concat!(
    "WITH RECURSIVE family(id, directory) AS (SELECT id, directory FROM session WHERE id = ?1 \
     UNION SELECT s.id, s.directory FROM family f JOIN session s ON s.parent_id = f.id), \
     growing(place) AS (SELECT (SELECT CASE WHEN json_extract(a.data, '$.time.completed') IS NULL \
     AND max(a.time_updated, coalesce((SELECT max(p.time_updated) FROM part p WHERE p.message_id = a.id), 0)) > ",
    now!(),
    " - 86400000 THEN ",
    place!("a"),
    " END FROM message a WHERE a.session_id = f.id AND json_extract(a.data, '$.role') = 'assistant' \
     ORDER BY a.time_created DESC, a.id DESC LIMIT 1) FROM family f UNION ALL \
     SELECT (SELECT CASE WHEN json_extract(u.data, '$.role') = 'user' AND u.time_created > ",
    now!(),
    " - 10000 THEN ",
    place!("u"),
    " END FROM message u WHERE u.session_id = f.id ORDER BY u.time_created DESC, u.id DESC LIMIT 1) FROM family f), \
     told AS MATERIALIZED (SELECT ",
    place!("m"),
    " AS place, m.rowid AS row, f.id, f.directory FROM family f JOIN message m ON m.session_id = f.id \
     WHERE m.time_created >= ?2 / 4096 AND ",
    place!("m"),
    " > ?2 AND ",
    place!("m"),
    " < coalesce((SELECT min(place) FROM growing), 9223372036854775807) ORDER BY 1) \
     SELECT t.place, '{\"id\":' || json_quote(m.id) || ',\"session\":' || json_quote(?1) || ',\"at\":\"' || ",
    moment!("m.time_created"),
    " || '\",\"ended\":\"' || ",
    moment!("coalesce(json_extract(m.data, '$.time.completed'), m.time_created)"),
    " || '\",\"directory\":' || json_quote(t.directory) || ',\"subagent\":' || CASE WHEN t.id = ?1 THEN 'false' ELSE 'true' END \
     || ',\"message\":' || m.data || ',\"parts\":[' || coalesce((SELECT group_concat(p.data, ',' ORDER BY p.id) FROM part p \
     WHERE p.message_id = m.id AND length(p.data) < 4000000), '') || ']}' \
     FROM told t CROSS JOIN message m ON m.rowid = t.row"
);
