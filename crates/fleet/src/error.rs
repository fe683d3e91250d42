//! Errors: what a server, the way to it or the records on this side refused, and whether trying again may help.

/// Why the fleet could not be reached or would not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address cannot be read. Fixed words alone: a piece of the address could be the password.
    #[error("the address of the fleet's database is not usable: {0}")]
    Address(&'static str),
    /// Nobody answered.
    #[error("could not reach {server}: {why}")]
    Unreachable {
        /// Host and port.
        server: String,
        /// What the system said.
        why: String,
    },
    /// The connection broke, or the server was silent for too long.
    #[error("the connection to {server} was lost: {why}")]
    Lost {
        /// Host and port.
        server: String,
        /// What the system said.
        why: String,
    },
    /// No safe connection could be made.
    #[error("no safe connection to {server}: {why}")]
    Tls {
        /// Host and port.
        server: String,
        /// What was wrong with it.
        why: String,
    },
    /// The server wants the password in a form that whoever listens, or poses as the server, could keep.
    #[error("{server} asks for the password {how}, and the password was not sent: {why}")]
    Exposed {
        /// Host and port.
        server: String,
        /// In the clear, or as a hash that is as good.
        how: &'static str,
        /// What is wrong with the connection.
        why: &'static str,
    },
    /// The server answers, and says no.
    #[error("{server} refused: {message} (SQLSTATE {code})")]
    Refused {
        /// Host and port.
        server: String,
        /// Five letters that name the reason.
        code: String,
        /// The server's words.
        message: String,
    },
    /// Something answered that is no PostgreSQL, or one that speaks otherwise.
    #[error("{server} does not answer as PostgreSQL does: {why}")]
    Protocol {
        /// Host and port.
        server: String,
        /// What came.
        why: String,
    },
    /// The tables were made by a later version of this program.
    #[error("the fleet's schema has version {theirs}, this program knows {ours}")]
    Newer {
        /// The version found.
        theirs: i64,
        /// The newest version known here.
        ours: i64,
    },
    /// An applied migration is not the one that this program carries.
    #[error("migration {name} was applied from another text than this program's")]
    Altered {
        /// The migration's file.
        name: String,
    },
    /// A compatible engine that lacks what the schema needs.
    #[error("{engine} is not supported: {why}")]
    Engine {
        /// The engine's own name for itself.
        engine: String,
        /// What it lacks.
        why: String,
    },
    /// The records on this side could not be read.
    #[error("{0}")]
    Source(String),
}

impl Error {
    /// Whether the same again, a little later, may succeed.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } => true,
            // Connection troubles, too many of them, a restart, a lock or a transaction that lost a race.
            Self::Refused { code, .. } => {
                code.starts_with("08")
                    || code.starts_with("53")
                    || code.starts_with("57P")
                    || matches!(code.as_str(), "40001" | "40P01" | "55P03" | "55006")
            }
            _ => false,
        }
    }

    /// Whether the server was out of reach, as on a train.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } => true,
            Self::Refused { code, .. } => code.starts_with("08") || code.starts_with("57P"),
            _ => false,
        }
    }

    /// The reason's five letters, where the server gave them.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused { code, .. } => code,
            _ => "",
        }
    }

    /// Whether it is the data that the server would not take: a value out of range, a rule broken.
    pub(crate) fn is_about_data(&self) -> bool {
        let code = self.code();
        code.starts_with("22") || code.starts_with("23") || code == "54000" || code == "P0001"
    }

    /// What to do about it, where something can be said.
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            Self::Address(_) => {
                "write it as postgresql://user@host:5432/database, and keep the password in PGPASSWORD or ~/.pgpass"
            }
            Self::Unreachable { .. } | Self::Lost { .. } => {
                "nothing was lost: what is not sent yet goes with the next sync"
            }
            Self::Tls { .. } => {
                "name the server's certificate authority with ?sslrootcert=FILE in the address; who has none and can \
                 bear that anybody in between gets the password writes throughline_insecure=allow-unverified-tls"
            }
            Self::Exposed { .. } => {
                "let the server use scram-sha-256, or connect with sslmode=verify-full (and sslrootcert=FILE); who can \
                 bear that others read the password writes ?throughline_insecure=allow-cleartext in the address"
            }
            Self::Newer { .. } => "install the newer version of throughline",
            Self::Altered { .. } => {
                "somebody changed the schema by hand; compare with `usage sync --print-sql`"
            }
            Self::Engine { .. } => "use PostgreSQL 15 or later, or an engine built on it",
            Self::Refused { code, .. } => match code.as_str() {
                "28P01" | "28000" => "check user and password: address, PGPASSWORD or ~/.pgpass",
                "3D000" => "create the database, or name another one in the address",
                "42501" | "25006" => {
                    "the role may not write there: a DBA can apply `usage sync --print-sql` and grant the role \
                     throughline_writer"
                }
                code if code.starts_with("53") => "the server is out of room or connections; try again later",
                _ => return None,
            },
            Self::Protocol { .. } | Self::Source(_) => return None,
        })
    }
}
