//! The address of a server: where it is, who asks, how safe it has to be; shown without its password.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::authorities::Named;

/// A password shorter than this is not looked for in other texts.
const REDACTED_BYTES_MIN: usize = 4;

/// How far a connection has to be safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsMode {
    /// Never encrypted.
    Disable,
    /// Encrypted where the server offers it; nobody's certificate is looked at.
    Prefer,
    /// Encrypted, or not at all; nobody's certificate is looked at.
    Require,
    /// Encrypted, and the certificate was signed by a known authority.
    VerifyCa,
    /// The same, and it was made out to this host.
    VerifyFull,
}

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// A name or an IP address.
    Name(String),
    /// A folder with a socket in it.
    Folder(PathBuf),
}

impl Host {
    /// Whether it is this machine.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            Self::Folder(_) => true,
            Self::Name(name) => {
                name == "localhost"
                    || name.ends_with(".localhost")
                    || name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
            }
        }
    }
}

/// Who asks.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Login {
    /// The role.
    pub user: String,
    /// Its password, where one is known. Never shown.
    pub password: Option<String>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Login {{ user: {:?}, password: {} }}",
            self.user.split(':').next().unwrap_or_default(),
            self.password.as_ref().map_or("-", |_| "***")
        )
    }
}

/// What the user asked for by name although it may give the password away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Insecure {
    /// Any certificate will do: whoever answers gets what the server would get.
    pub unverified_tls: bool,
    /// The password, or a hash that is as good, may be said to whoever listens.
    pub cleartext: bool,
}

/// A server, a database on it, and who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Where.
    pub host: Host,
    /// The port, also part of a socket's name.
    pub port: u16,
    /// The database.
    pub database: String,
    /// Who asks.
    pub login: Login,
    /// How safe.
    pub tls: TlsMode,
    /// What was asked for by name although it is not safe.
    pub insecure: Insecure,
    /// The only authorities to believe, instead of the system's.
    pub root_certificates: Option<PathBuf>,
    /// What the environment names instead of the system's; an address that is read from a URL knows of none.
    pub named_authorities: Named,
    /// How long to wait for the server's first word.
    pub connect_timeout: Duration,
}

impl Address {
    /// Host and port, as they are shown.
    #[must_use]
    pub fn server(&self) -> String {
        match &self.host {
            Host::Name(name) if name.contains(':') => format!("[{name}]:{}", self.port),
            Host::Name(name) => format!("{name}:{}", self.port),
            Host::Folder(folder) => format!("{} (port {})", folder.display(), self.port),
        }
    }

    /// A text from elsewhere, a server's word for instance, without the password should it be in there.
    #[must_use]
    pub fn redacted(&self, text: &str) -> String {
        match &self.login.password {
            // To blot out every `a` would say what the password is.
            Some(password) if password.len() >= REDACTED_BYTES_MIN => text.replace(password.as_str(), "***"),
            _ => text.to_owned(),
        }
    }

    /// Fills in the password that a `.pgpass` file holds for this server: `host:port:database:user:password` a line.
    pub fn take_password_from(&mut self, pgpass: &str) {
        if self.login.password.is_some() {
            return;
        }
        let host = match &self.host {
            Host::Name(name) => name.clone(),
            Host::Folder(_) => "localhost".to_owned(),
        };
        let wanted = [host, self.port.to_string(), self.database.clone(), self.login.user.clone()];
        self.login.password = pgpass.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let fields = pgpass_fields(line);
            let fits = fields.len() == 5
                && wanted.iter().zip(&fields).all(|(wanted, field)| field == "*" || field == wanted);
            fits.then(|| fields[4].clone())
        });
    }
}

/// The URL, with `***` where the password stood.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let password = if self.login.password.is_some() { ":***" } else { "" };
        // A `:` can only have come in encoded, and then what follows was most likely meant as the password.
        let (user, password) = self
            .login
            .user
            .split_once(':')
            .map_or((self.login.user.as_str(), password), |(user, _)| (user, ":***"));
        write!(f, "postgresql://{user}{password}@")?;
        match &self.host {
            Host::Name(_) => write!(f, "{}/{}", self.server(), self.database),
            Host::Folder(folder) => write!(f, ":{}/{}?host={}", self.port, self.database, folder.display()),
        }
    }
}

/// Fields between colons; a backslash takes the next letter as it is.
fn pgpass_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let last = fields.len() - 1;
        match letter {
            '\\' => fields[last].extend(letters.next()),
            ':' if fields.len() < 5 => fields.push(String::new()),
            _ => fields[last].push(letter),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_file_is_honoured_line_by_line() {
        let mut address = Address::parse("postgresql://me@db:5433/usage").unwrap();
        address.take_password_from("# db:*:*:*:no\nother:*:*:*:wrong\ndb:5433:*:me:a\\:b:c\n*:*:*:*:late\n");
        assert_eq!(address.login.password.as_deref(), Some("a:b:c"));
        address.take_password_from("*:*:*:*:never");
        assert_eq!(address.login.password.as_deref(), Some("a:b:c"));
    }
}
