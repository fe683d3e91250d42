//! The URL of a server: taken apart strictly, so that no part of a password is ever taken for something that is shown.
//!
//! Its errors are fixed words. They could not hold a piece of the address if they wanted to.

use std::path::PathBuf;
use std::time::Duration;

use crate::address::{Address, Host, Insecure, Login, TlsMode};
use crate::authorities::Named;
use crate::error::Error;

const PORT: u16 = 5432;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

impl Address {
    /// Reads `postgresql://user:password@host:port/database?sslmode=…&sslrootcert=…`.
    ///
    /// A server on this machine may be spoken to without a certificate that was looked at. Any other one has to prove
    /// who it is (`verify-full`), unless `throughline_insecure` or `sslmode=disable` says otherwise.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let url = url.trim();
        let rest = url
            .strip_prefix("postgresql://")
            .or_else(|| url.strip_prefix("postgres://"))
            .ok_or(Error::Address("it does not begin with postgresql://"))?;
        if rest.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(Error::Address("there is a space in it; write %20 in its place"));
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        // A password with a raw `/` or `?` in it ends up here, and its first half would be taken for a port.
        if authority.matches('@').count() > 1 || database.contains('@') || query.contains('@') {
            return Err(Error::Address(
                "an `@` is not where it belongs, between the login and the host: in a password write @ as %40, / as %2F, \
                 ? as %3F",
            ));
        }
        if database.contains(['/', '=', '&', ';', '#', ':']) || query.contains(['?', ';', '#']) {
            return Err(Error::Address("behind the host come /database and then ?option=value&option=value"));
        }
        let (login, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = match login.split_once(':') {
            Some((user, password)) => (decoded(user)?, Some(decoded(password)?)),
            None => (decoded(login)?, None),
        };
        let (host, port) = host_and_port(place)?;
        let database = decoded(database)?;
        if database.contains('=') || database.chars().any(char::is_control) {
            return Err(Error::Address("the database's name has an option in it"));
        }
        let mut parts = Parts { host, port, user, password, database, ..Parts::default() };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if key != "password" && value.contains('=') {
                return Err(Error::Address("an option has two values; options are parted by `&`"));
            }
            parts.set(key, decoded(value)?)?;
        }
        parts.address()
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
    insecure: Insecure,
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
            "throughline_insecure" => self.insecure = insecure(&value)?,
            // The system's own authorities are what we believe anyway.
            "sslrootcert" if value == "system" => {}
            "sslrootcert" => self.root_certificates = Some(PathBuf::from(value)),
            "connect_timeout" => {
                let seconds: u64 =
                    value.parse().map_err(|_| Error::Address("connect_timeout is no number of seconds"))?;
                self.connect_timeout = Some(Duration::from_secs(seconds.clamp(1, 600)));
            }
            // We bind to no channel; a certificate that was looked at gives the same and more.
            "channel_binding" => self.is_bound = value == "require",
            // Said to other clients by the addresses that hosting companies print.
            "application_name" | "pgbouncer" | "target_session_attrs" | "gssencmode" => {}
            _ => {
                return Err(Error::Address(
                    "it has an option that is not known here; known are host, port, user, password, dbname, sslmode, \
                     sslrootcert, connect_timeout, channel_binding and throughline_insecure",
                ));
            }
        }
        Ok(())
    }

    fn address(self) -> Result<Address, Error> {
        let host = match self.host {
            Some(host) if host.starts_with('/') => Host::Folder(PathBuf::from(host)),
            Some(host) if !host.is_empty() => Host::Name(host_name(host)?),
            _ => Host::Name("localhost".to_owned()),
        };
        let tls = if self.is_bound {
            TlsMode::VerifyFull
        } else {
            as_safe_as_asked(self.tls, host.is_local(), self.root_certificates.is_some(), self.insecure)
        };
        let user = if self.user.is_empty() { "postgres".to_owned() } else { self.user };
        Ok(Address {
            database: if self.database.is_empty() { user.clone() } else { self.database },
            host,
            port: self.port.unwrap_or(PORT),
            login: Login { user, password: self.password },
            tls,
            insecure: self.insecure,
            root_certificates: self.root_certificates,
            named_authorities: Named::default(),
            connect_timeout: self.connect_timeout.unwrap_or(CONNECT_TIMEOUT),
        })
    }
}

/// The mode that holds. `prefer` and `require` look at no certificate, and anybody in between may show one: towards another
/// machine they mean `verify-full`, unless somebody asked for less in words that cannot be copied by mistake.
fn as_safe_as_asked(
    asked: Option<TlsMode>,
    is_local: bool,
    has_authority: bool,
    insecure: Insecure,
) -> TlsMode {
    let may_be_unverified = is_local || insecure.unverified_tls;
    match asked {
        // As libpq does: an authority that was named is looked at.
        Some(TlsMode::Require | TlsMode::VerifyCa) if has_authority => TlsMode::VerifyCa,
        Some(mode @ (TlsMode::Prefer | TlsMode::Require)) if may_be_unverified => mode,
        // Without an authority of one's own anybody's certificate from a public one would do.
        Some(TlsMode::Prefer | TlsMode::Require | TlsMode::VerifyCa) => TlsMode::VerifyFull,
        Some(mode @ (TlsMode::Disable | TlsMode::VerifyFull)) => mode,
        None if has_authority => TlsMode::VerifyFull,
        None if is_local => TlsMode::Prefer,
        None if insecure.unverified_tls => TlsMode::Require,
        None => TlsMode::VerifyFull,
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
            return Err(Error::Address(
                "sslmode is one of disable, prefer, require, verify-ca and verify-full",
            ));
        }
    })
}

fn insecure(words: &str) -> Result<Insecure, Error> {
    let mut asked = Insecure::default();
    for word in words.split(',') {
        match word {
            "allow-unverified-tls" => asked.unverified_tls = true,
            "allow-cleartext" => asked.cleartext = true,
            _ => {
                return Err(Error::Address(
                    "throughline_insecure is allow-unverified-tls, allow-cleartext, or both with a comma",
                ));
            }
        }
    }
    Ok(asked)
}

fn host_and_port(place: &str) -> Result<(Option<String>, Option<u16>), Error> {
    let (host, port_text) = if let Some(rest) = place.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or(Error::Address("a `[` without its `]`"))?;
        (host, rest.strip_prefix(':').unwrap_or(""))
    } else {
        place.split_once(':').unwrap_or((place, ""))
    };
    if host.contains(',') {
        return Err(Error::Address("it names several hosts; name one"));
    }
    let host = Some(decoded(host)?).filter(|host| !host.is_empty());
    let port = if port_text.is_empty() { None } else { Some(port(port_text)?) };
    Ok((host, port))
}

/// A name or an IP address as the network knows them, which no password of any strength is.
fn host_name(host: String) -> Result<String, Error> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
    if host.chars().all(fits) {
        Ok(host)
    } else {
        Err(Error::Address(
            "its host is no name: letters, digits, `.` and `-`; other letters in their `xn--` form",
        ))
    }
}

fn port(text: &str) -> Result<u16, Error> {
    text.parse().map_err(|_| {
        Error::Address(
            "its port is no number; if a password stands there, an `@` and the host are missing behind it",
        )
    })
}

/// Percent signs undone.
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
            _ => return Err(Error::Address("a `%` is not followed by two hexadecimal digits")),
        }
    }
    String::from_utf8(bytes).map_err(|_| Error::Address("it is not UTF-8 once decoded"))
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
        assert_eq!(address.tls, TlsMode::VerifyFull);
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
        for less in ["prefer", "allow", "require", "verify-ca"] {
            assert_eq!(mode(&format!("postgres://u@db.example.com/d?sslmode={less}")), TlsMode::VerifyFull);
        }
        let asked = "throughline_insecure=allow-unverified-tls";
        assert_eq!(mode(&format!("postgres://u@db.example.com/d?{asked}")), TlsMode::Require);
        assert_eq!(mode(&format!("postgres://u@db.example.com/d?sslmode=prefer&{asked}")), TlsMode::Prefer);
        assert_eq!(mode("postgres://u@h/d?sslmode=require&sslrootcert=/ca.pem"), TlsMode::VerifyCa);
        assert_eq!(mode("postgres://u@h/d?sslmode=require&channel_binding=require"), TlsMode::VerifyFull);
    }

    #[test]
    fn what_cannot_be_read_is_named_without_the_password() {
        for (url, named) in [
            ("mysql://u:secret@h/d", "postgresql://"),
            ("postgresql://u:se%zzcret@h/d", "hexadecimal"),
            ("postgresql://u:secret@h:port/d", "port is no number"),
            ("postgresql://u:secret@h/d?sslmode=maybe", "sslmode is one of"),
            ("postgresql://u:secret@h/d?colour=red", "option that is not known here"),
            ("postgresql://u:sec/cret@h/d", "write @ as %40, / as %2F"),
            ("postgresql://u:secret@h/d?throughline_insecure=yes", "allow-unverified-tls"),
            ("postgresql://u:secret@a,b/d", "several hosts"),
        ] {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.contains(named) && !error.contains("cret"), "{url}: {error}");
        }
    }
}
