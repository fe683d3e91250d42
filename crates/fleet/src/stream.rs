//! The stream to a server: TCP, a local socket, or TLS over TCP, none of which waits without end.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustls::{ClientConnection, StreamOwned};

use crate::address::{Address, Host, Insecure, TlsMode};
use crate::error::Error;
use crate::{resolve, tls};

/// What the server answers when it does not speak TLS.
const NO_TLS: u8 = b'N';
const YES_TLS: u8 = b'S';

/// Bytes to and from the server.
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    /// Connects, and makes it as safe as the address asks.
    pub(crate) fn open(address: &Address) -> Result<Self, Error> {
        match &address.host {
            Host::Folder(folder) => {
                let path = folder.join(format!(".s.PGSQL.{}", address.port));
                let stream = UnixStream::connect(&path).map_err(|error| unreachable(address, &error))?;
                Ok(Self::Unix(stream))
            }
            Host::Name(name) => secured(address, name, connect(address, name)?),
        }
    }

    /// Why a password that is said here may reach somebody else; `None` where it cannot.
    pub(crate) fn exposure(&self, address: &Address) -> Option<&'static str> {
        let Insecure { unverified_tls, cleartext } = address.insecure;
        match self {
            // Who may listen there is decided by the folder's owner.
            Self::Unix(_) => None,
            Self::Tls(_) if matches!(address.tls, TlsMode::VerifyCa | TlsMode::VerifyFull) => None,
            Self::Tls(_) if unverified_tls || cleartext => None,
            Self::Tls(_) => Some("its certificate was not looked at, so anybody may have answered"),
            Self::Tcp(_) if cleartext => None,
            // On this machine too: while the server is down, any user can listen at its port.
            Self::Tcp(_) => Some("the connection is not encrypted, and anybody may have answered"),
        }
    }

    /// How long a read or a write may take from now on.
    pub(crate) fn set_wait_max(&self, wait: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => both_waits(stream, wait),
            Self::Tls(stream) => both_waits(&stream.sock, wait),
            Self::Unix(stream) => {
                stream.set_read_timeout(Some(wait))?;
                stream.set_write_timeout(Some(wait))
            }
        }
    }
}

fn both_waits(stream: &TcpStream, wait: Duration) -> io::Result<()> {
    stream.set_read_timeout(Some(wait))?;
    stream.set_write_timeout(Some(wait))
}

fn unreachable(address: &Address, error: &io::Error) -> Error {
    Error::Unreachable { server: address.server(), why: error.to_string() }
}

/// Tries the host's addresses one after another, all of them within the time that the address allows.
fn connect(address: &Address, name: &str) -> Result<TcpStream, Error> {
    let deadline = Instant::now() + address.connect_timeout;
    let found =
        resolve::addresses(name, address.port, deadline).map_err(|error| unreachable(address, &error))?;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
    for (index, place) in found.iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(found.len() - index).unwrap_or(1);
        match TcpStream::connect_timeout(place, share.max(Duration::from_millis(10))) {
            Ok(stream) => {
                stream.set_nodelay(true).map_err(|error| unreachable(address, &error))?;
                both_waits(&stream, address.connect_timeout).map_err(|error| unreachable(address, &error))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(unreachable(address, &last))
}

fn secured(address: &Address, name: &str, mut stream: TcpStream) -> Result<Stream, Error> {
    if address.tls == TlsMode::Disable {
        return Ok(Stream::Tcp(stream));
    }
    let mut request = bytes::BytesMut::new();
    postgres_protocol::message::frontend::ssl_request(&mut request);
    let mut answer = [0];
    // Exactly one byte: whatever came with it in the clear could have been put there by somebody in between.
    stream
        .write_all(&request)
        .and_then(|()| stream.read_exact(&mut answer))
        .map_err(|error| unreachable(address, &error))?;
    match answer[0] {
        YES_TLS => tls::wrap(address, name, stream),
        NO_TLS if address.tls == TlsMode::Prefer => Ok(Stream::Tcp(stream)),
        NO_TLS => {
            Err(Error::Tls { server: address.server(), why: "the server does not offer TLS".to_owned() })
        }
        other => Err(Error::Protocol {
            server: address.server(),
            why: format!("asked for TLS, it said byte {other}"),
        }),
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(buffer),
            Self::Unix(stream) => stream.write(buffer),
            Self::Tls(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.flush(),
            Self::Unix(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}
