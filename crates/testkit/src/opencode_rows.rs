//! OpenCode's rows: a database as that client keeps it, filled by a test.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use serde_json::{Value, json};

/// The tables that hold sessions, as the client makes them: what nobody asks for is left out.
const TABLES: &str = "PRAGMA journal_mode = WAL;
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL, title text NOT NULL,
  version text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX session_parent_idx ON session (parent_id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);";

/// A database with a connection to it, as the client has one while it works.
#[derive(Debug)]
pub struct OpenCodeRows {
    path: PathBuf,
    connection: Connection,
}

impl OpenCodeRows {
    /// An empty one.
    #[must_use]
    pub fn make(path: &Path) -> Self {
        let connection = Connection::open(path).expect("a database");
        connection.execute_batch(TABLES).expect("the client's tables");
        Self { path: path.to_owned(), connection }
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The client's own connection, for whatever else it does.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Adds a session, of a subagent where it has a parent.
    pub fn session(&self, id: &str, directory: &str, parent: Option<&str>, at_ms: i64) {
        let row = params![id, parent, directory, at_ms];
        let add = "INSERT INTO session VALUES (?1, 'global', ?2, ?3, 'A session', '1.18.33', ?4, ?4)";
        self.connection.execute(add, row).expect("a session");
    }

    /// Adds a message without parts, made at this moment; gives its id.
    pub fn message(&self, session: &str, at_ms: i64, nth: u16, data: &Value) -> String {
        let id = format!("msg_{:09x}{nth:03x}AbCdEfGhIjKlMn", at_ms & 0xf_ffff_ffff);
        let mut data = data.clone();
        data["time"]["created"] = json!(at_ms);
        let row = params![id, session, at_ms, data.to_string()];
        self.connection.execute("INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)", row).expect("a message");
        id
    }

    /// Adds a part to a message.
    pub fn part(&self, session: &str, message: &str, nth: u16, at_ms: i64, data: &Value) {
        let id = format!("prt_{}{nth:03}", &message[4..]);
        let row = params![id, message, session, at_ms, data.to_string()];
        self.connection.execute("INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)", row).expect("a part");
    }

    /// Adds what the user said.
    pub fn prompt(&self, session: &str, at_ms: i64, text: &str) -> String {
        let id = self.message(session, at_ms, 1, &json!({"role": "user"}));
        self.part(session, &id, 1, at_ms, &json!({"type": "text", "text": text}));
        id
    }

    /// Adds a whole answer with these parts.
    pub fn answer(&self, session: &str, at_ms: i64, parts: &[Value]) -> String {
        let tokens = json!({"total": 1220, "input": 1100, "output": 20, "reasoning": 0, "cache": {"read": 100, "write": 0}});
        let time = json!({"completed": at_ms + 500});
        let data = json!({"role": "assistant", "modelID": "mock-model", "tokens": tokens, "finish": "stop", "time": time});
        let id = self.message(session, at_ms, 2, &data);
        for (part, nth) in parts.iter().zip(1..) {
            self.part(session, &id, nth, at_ms, part);
        }
        id
    }
}
