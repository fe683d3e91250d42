//! The address of a server: read from a URL, shown without its password.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;

const PORT: u16 = 5432;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How far a connection has to be safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsMode {
    /// Never encrypted.
    Disable,
    /// Encrypted where the server offers it; nobody's certificate is looked at.
    Prefer,
    /// Encrypted, or not at all; the certificate is looked at only where `sslrootcert` names an authority.
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
            self.user,
            self.password.as_ref().map_or("-", |_| "***")
        )
    }
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
    /// The only authorities to believe, instead of the system's.
    pub root_certificates: Option<PathBuf>,
    /// How long to wait for the server's first word.
    pub connect_timeout: Duration,
}

impl Address {
    /// Reads `postgresql://user:password@host:port/database?sslmode=…&sslrootcert=…`.
    ///
    /// Without an `sslmode`, a server on this machine may be spoken to in the clear, and any other one has to prove
    /// who it is (`verify-full`).
    pub fn parse(url: &str) -> Result<Self, Error> {
        let url = url.trim();
        let rest = url
            .strip_prefix("postgresql://")
            .or_else(|| url.strip_prefix("postgres://"))
            .ok_or_else(|| Error::Address("it does not begin with postgresql://".to_owned()))?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = match login.split_once(':') {
            Some((user, password)) => (decoded(user)?, Some(decoded(password)?)),
            None => (decoded(login)?, None),
        };
        let (host, port) = host_and_port(place)?;
        let mut parts =
            Parts { host, port, user, password, database: decoded(database)?, ..Parts::default() };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            parts.set(key, decoded(value)?)?;
        }
        Ok(parts.address())
    }

    /// Host and port, as they are shown.
    #[must_use]
    pub fn server(&self) -> String {
        match &self.host {
            Host::Name(name) if name.contains(':') => format!("[{name}]:{}", self.port),
            Host::Name(name) => format!("{name}:{}", self.port),
            Host::Folder(folder) => format!("{} (port {})", folder.display(), self.port),
        }
    }

    /// Whether the server is on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        match &self.host {
            Host::Folder(_) => true,
            Host::Name(name) => is_loopback(name),
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
        write!(f, "postgresql://{}{password}@", self.login.user)?;
        match &self.host {
            Host::Name(_) => write!(f, "{}/{}", self.server(), self.database),
            Host::Folder(folder) => write!(f, ":{}/{}?host={}", self.port, self.database, folder.display()),
        }
    }
}

/// What a URL says, before defaults.
#[derive(Default)]
struct Parts {
    host: Option<String>,
    port: Option<u16>,
    user: String,
    password: Option<String>,
    database: String,
    tls: Option<TlsMode>,
    root_certificates: Option<PathBuf>,
    connect_timeout: Option<Duration>,
    is_bound: bool,
}

impl Parts {
    fn set(&mut self, key: &str, value: String) -> Result<(), Error> {
        match key {
            "host" => self.host = Some(value),
            "port" => self.port = Some(port(&value)?),
            "user" => self.user = value,
            "password" => self.password = Some(value),
            "dbname" => self.database = value,
            "sslmode" => self.tls = Some(tls_mode(&value)?),
            // The system's own authorities are what we believe anyway.
            "sslrootcert" if value == "system" => {}
            "sslrootcert" => self.root_certificates = Some(PathBuf::from(value)),
            "connect_timeout" => {
                let seconds: u64 =
                    value.parse().map_err(|_| Error::Address(format!("connect_timeout={value}")))?;
                self.connect_timeout = Some(Duration::from_secs(seconds.clamp(1, 600)));
            }
            // We bind to no channel; a certificate that was looked at gives the same and more.
            "channel_binding" => self.is_bound = value == "require",
            // Said to other clients by the addresses that hosting companies print.
            "application_name" | "pgbouncer" | "target_session_attrs" | "gssencmode" => {}
            _ => return Err(Error::Address(format!("it has an option that is not known here: {key}"))),
        }
        Ok(())
    }

    fn address(self) -> Address {
        let host = match self.host {
            Some(host) if host.starts_with('/') => Host::Folder(PathBuf::from(host)),
            Some(host) if !host.is_empty() => Host::Name(host),
            _ => Host::Name("localhost".to_owned()),
        };
        let is_local = match &host {
            Host::Folder(_) => true,
            Host::Name(name) => is_loopback(name),
        };
        let by_default = if is_local { TlsMode::Prefer } else { TlsMode::VerifyFull };
        let tls = match self.tls {
            _ if self.is_bound => TlsMode::VerifyFull,
            // As libpq does: an authority that was named is looked at.
            Some(TlsMode::Require) if self.root_certificates.is_some() => TlsMode::VerifyCa,
            Some(tls) => tls,
            None if self.root_certificates.is_some() => TlsMode::VerifyFull,
            None => by_default,
        };
        let user = if self.user.is_empty() { "postgres".to_owned() } else { self.user };
        Address {
            database: if self.database.is_empty() { user.clone() } else { self.database },
            host,
            port: self.port.unwrap_or(PORT),
            login: Login { user, password: self.password },
            tls,
            root_certificates: self.root_certificates,
            connect_timeout: self.connect_timeout.unwrap_or(CONNECT_TIMEOUT),
        }
    }
}

fn tls_mode(word: &str) -> Result<TlsMode, Error> {
    Ok(match word {
        "disable" => TlsMode::Disable,
        "allow" | "prefer" => TlsMode::Prefer,
        "require" => TlsMode::Require,
        "verify-ca" => TlsMode::VerifyCa,
        "verify-full" => TlsMode::VerifyFull,
        _ => {
            return Err(Error::Address(format!(
                "sslmode={word}; it is one of disable, prefer, require, verify-ca and verify-full"
            )));
        }
    })
}

fn host_and_port(place: &str) -> Result<(Option<String>, Option<u16>), Error> {
    let (host, port_text) = if let Some(rest) = place.strip_prefix('[') {
        let (host, rest) =
            rest.split_once(']').ok_or_else(|| Error::Address("a `[` without its `]`".to_owned()))?;
        (host, rest.strip_prefix(':').unwrap_or(""))
    } else {
        place.split_once(':').unwrap_or((place, ""))
    };
    if host.contains(',') {
        return Err(Error::Address("it names several hosts; name one".to_owned()));
    }
    let host = Some(decoded(host)?).filter(|host| !host.is_empty());
    let port = if port_text.is_empty() { None } else { Some(port(port_text)?) };
    Ok((host, port))
}

fn port(text: &str) -> Result<u16, Error> {
    text.parse().map_err(|_| Error::Address(format!("`{text}` is no port")))
}

fn is_loopback(name: &str) -> bool {
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// Percent signs undone. The text itself is never part of the error: it may be a password.
fn decoded(text: &str) -> Result<String, Error> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits =
            [rest.next(), rest.next()].map(|digit| digit.and_then(|digit| char::from(digit).to_digit(16)));
        match digits {
            [Some(high), Some(low)] => bytes.push(u8::try_from(high * 16 + low).unwrap_or_default()),
            _ => return Err(Error::Address("a `%` is not followed by two hexadecimal digits".to_owned())),
        }
    }
    String::from_utf8(bytes).map_err(|_| Error::Address("it is not UTF-8 once decoded".to_owned()))
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
    fn a_url_is_taken_apart_and_shown_without_its_password() {
        let address =
            Address::parse("postgresql://a%40b:p%3A%2Fw@db.example.com:6543/usage?sslmode=require").unwrap();
        assert_eq!(address.login.user, "a@b");
        assert_eq!(address.login.password.as_deref(), Some("p:/w"));
        assert_eq!((address.server().as_str(), address.database.as_str()), ("db.example.com:6543", "usage"));
        assert_eq!(address.tls, TlsMode::Require);
        assert_eq!(address.to_string(), "postgresql://a@b:***@db.example.com:6543/usage");
        assert!(!format!("{address:?}").contains("p:/w"));
    }

    #[test]
    fn a_server_elsewhere_has_to_prove_who_it_is_unless_the_url_says_otherwise() {
        let mode = |url: &str| Address::parse(url).unwrap().tls;
        assert_eq!(mode("postgres://u@db.example.com/d"), TlsMode::VerifyFull);
        assert_eq!(mode("postgres://u@localhost/d"), TlsMode::Prefer);
        assert_eq!(mode("postgres://u@[::1]:5433/d"), TlsMode::Prefer);
        assert_eq!(mode("postgres:///d?host=/run/postgresql"), TlsMode::Prefer);
        assert_eq!(mode("postgres://u@db.example.com/d?sslmode=disable"), TlsMode::Disable);
        assert_eq!(mode("postgres://u@h/d?sslmode=require&sslrootcert=/ca.pem"), TlsMode::VerifyCa);
        assert_eq!(mode("postgres://u@h/d?sslmode=require&channel_binding=require"), TlsMode::VerifyFull);
    }

    #[test]
    fn what_cannot_be_read_is_named_without_the_password() {
        for (url, named) in [
            ("mysql://u:secret@h/d", "postgresql://"),
            ("postgresql://u:se%zzcret@h/d", "hexadecimal"),
            ("postgresql://u:secret@h:port/d", "`port` is no port"),
            ("postgresql://u:secret@h/d?sslmode=maybe", "sslmode=maybe"),
            ("postgresql://u:secret@h/d?colour=red", "colour"),
            ("postgresql://u:secret@a,b/d", "several hosts"),
        ] {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.contains(named) && !error.contains("cret"), "{url}: {error}");
        }
    }

    #[test]
    fn a_password_file_is_honoured_line_by_line() {
        let mut address = Address::parse("postgresql://me@db:5433/usage").unwrap();
        address.take_password_from("# db:*:*:*:no\nother:*:*:*:wrong\ndb:5433:*:me:a\\:b:c\n*:*:*:*:late\n");
        assert_eq!(address.login.password.as_deref(), Some("a:b:c"));
        address.take_password_from("*:*:*:*:never");
        assert_eq!(address.login.password.as_deref(), Some("a:b:c"));
    }
}
