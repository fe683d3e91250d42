//! The wire: logging in, one text of SQL at a time, and COPY in the middle of it.
//!
//! Only the simple protocol is spoken. Its texts leave nothing behind on the server (a prepared statement would, and
//! behind a pooler it would be found by somebody else), and a whole transaction with a COPY inside is one text.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::time::Duration;

use bytes::{BufMut, BytesMut};
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{DataRowBody, ErrorResponseBody, Header, Message};
use postgres_protocol::message::frontend;

use crate::address::Address;
use crate::error::Error;
use crate::stream::Stream;

/// How long the server may be silent: its longest piece of work, a migration of old rows, is done well before.
const SILENCE_MAX: Duration = Duration::from_mins(5);
/// Largest message that is read.
const MESSAGE_BYTES_MAX: usize = throughline_domain::limits::FLEET_MESSAGE_BYTES_MAX;
const READ_BYTES: usize = 32 << 10;
/// COPY goes out in pieces of about this size.
const PIECE_BYTES: usize = 64 << 10;

/// Most rounds of hashing that a server may ask for at a login: a billion would keep us busy for an hour.
const ROUNDS_MAX: u32 = throughline_domain::limits::SCRAM_ROUNDS_MAX;

/// One row of an answer, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row(pub Vec<Option<String>>);

impl Row {
    /// A column's text; empty for NULL or a column that is not there.
    #[must_use]
    pub fn text(&self, column: usize) -> &str {
        self.0.get(column).and_then(Option::as_deref).unwrap_or_default()
    }

    /// A column's number; `None` for NULL and for what is none.
    #[must_use]
    pub fn number<N: std::str::FromStr>(&self, column: usize) -> Option<N> {
        self.text(column).parse().ok()
    }
}

/// A connection to the server, logged in.
pub struct Connection {
    stream: Stream,
    incoming: BytesMut,
    outgoing: BytesMut,
    server: String,
    /// Whose password is to be kept out of what the server says.
    address: Address,
}

impl Connection {
    /// Connects and logs in.
    pub fn open(address: &Address) -> Result<Self, Error> {
        let stream = Stream::open(address)?;
        let mut connection = Self {
            stream,
            incoming: BytesMut::with_capacity(READ_BYTES),
            outgoing: BytesMut::new(),
            server: address.server(),
            address: address.clone(),
        };
        connection.wait_at_most(address.connect_timeout)?;
        connection.log_in(address)?;
        connection.wait_at_most(SILENCE_MAX)?;
        Ok(connection)
    }

    /// Runs one text of SQL, which may hold several statements, and returns all rows that came.
    pub fn run(&mut self, sql: &str) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::new();
        self.run_each(sql, |row| rows.push(row))?;
        Ok(rows)
    }

    /// The same, row by row: an answer need not fit into memory.
    pub fn run_each(&mut self, sql: &str, each: impl FnMut(Row)) -> Result<(), Error> {
        self.ask(sql)?;
        self.finish(false, each)
    }

    /// Runs one text of SQL that begins a transaction and leaves it open for the next text.
    pub(crate) fn run_and_stay(&mut self, sql: &str) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::new();
        self.ask(sql)?;
        self.finish(true, |row| rows.push(row))?;
        Ok(rows)
    }

    /// Runs one text of SQL with a `COPY … FROM STDIN` in it, and sends `data` when the server is ready for it.
    pub fn run_with_copy(&mut self, sql: &str, data: &[u8]) -> Result<Vec<Row>, Error> {
        self.ask(sql)?;
        let mut rows = Vec::new();
        loop {
            match self.receive()? {
                Message::CopyInResponse(_) => break,
                Message::DataRow(body) => rows.push(self.row(&body)?),
                Message::ErrorResponse(body) => {
                    let refusal = self.refusal(&body);
                    // Reads to the end; that a refused transaction had to be closed is no news.
                    let _ = self.finish(false, |_| ());
                    return Err(refusal);
                }
                Message::ReadyForQuery(_) => return Err(self.confused("it did not ask for the rows")),
                _ => {}
            }
        }
        for piece in data.chunks(PIECE_BYTES) {
            self.outgoing.put_u8(b'd');
            self.outgoing.put_u32(u32::try_from(piece.len() + 4).unwrap_or(u32::MAX));
            self.send()?;
            self.send_bytes(piece)?;
        }
        frontend::copy_done(&mut self.outgoing);
        self.send()?;
        self.finish(false, |row| rows.push(row))?;
        Ok(rows)
    }

    fn ask(&mut self, sql: &str) -> Result<(), Error> {
        frontend::query(sql, &mut self.outgoing).map_err(|error| self.lost(&error))?;
        self.send()
    }

    /// Reads to the end of an answer. The first refusal in it is the answer.
    fn finish(&mut self, may_stay_open: bool, mut each: impl FnMut(Row)) -> Result<(), Error> {
        let mut refusal = None;
        loop {
            match self.receive()? {
                Message::DataRow(body) => each(self.row(&body)?),
                Message::ErrorResponse(body) if refusal.is_none() => refusal = Some(self.refusal(&body)),
                Message::CopyInResponse(_) => {
                    frontend::copy_fail("no rows here", &mut self.outgoing)
                        .map_err(|error| self.lost(&error))?;
                    self.send()?;
                }
                Message::ReadyForQuery(body) => {
                    let stays = may_stay_open && refusal.is_none() && body.status() == b'T';
                    // A refusal inside BEGIN … COMMIT leaves the transaction open, and holding its locks.
                    if body.status() != b'I' && !stays {
                        frontend::query("ROLLBACK", &mut self.outgoing).map_err(|error| self.lost(&error))?;
                        self.send()?;
                        while !matches!(self.receive()?, Message::ReadyForQuery(_)) {}
                        return Err(refusal.unwrap_or_else(|| self.confused("a transaction was left open")));
                    }
                    return refusal.map_or(Ok(()), Err);
                }
                _ => {}
            }
        }
    }

    fn log_in(&mut self, address: &Address) -> Result<(), Error> {
        let parameters = [
            ("user", address.login.user.as_str()),
            ("database", address.database.as_str()),
            ("application_name", "throughline"),
            ("client_encoding", "UTF8"),
        ];
        frontend::startup_message(parameters, &mut self.outgoing).map_err(|error| self.lost(&error))?;
        self.send()?;
        loop {
            match self.receive()? {
                Message::AuthenticationOk => {}
                Message::AuthenticationCleartextPassword => {
                    self.check_exposure(address, "in the clear")?;
                    self.say_password(self.password(address)?.as_bytes())?;
                }
                Message::AuthenticationMd5Password(body) => {
                    // Whoever has this hash can log in with it, and finds the password by trying.
                    self.check_exposure(address, "as an MD5 hash")?;
                    let user = address.login.user.as_bytes();
                    let hash =
                        authentication::md5_hash(user, self.password(address)?.as_bytes(), body.salt());
                    self.say_password(hash.as_bytes())?;
                }
                Message::AuthenticationSasl(body) => {
                    let scram = body.mechanisms().any(|mechanism| Ok(mechanism == SCRAM_SHA_256));
                    if !scram.map_err(|error| self.lost(&error))? {
                        return Err(self.confused("it knows no way to log in that we know"));
                    }
                    let password = self.password(address)?.to_owned();
                    self.prove(password.as_bytes())?;
                }
                Message::ErrorResponse(body) => return Err(self.refusal(&body)),
                Message::ReadyForQuery(_) => return Ok(()),
                Message::BackendKeyData(_) | Message::ParameterStatus(_) | Message::NoticeResponse(_) => {}
                _ => return Err(self.confused("it asks for a way to log in that we do not know")),
            }
        }
    }

    fn password<'a>(&self, address: &'a Address) -> Result<&'a str, Error> {
        address.login.password.as_deref().ok_or_else(|| Error::Refused {
            server: self.server.clone(),
            code: "28P01".to_owned(),
            message: format!("it wants a password of {}, and none is known", address.login.user),
        })
    }

    fn check_exposure(&self, address: &Address, how: &'static str) -> Result<(), Error> {
        match self.stream.exposure(address) {
            Some(why) => Err(Error::Exposed { server: self.server.clone(), how, why }),
            None => Ok(()),
        }
    }

    fn say_password(&mut self, password: &[u8]) -> Result<(), Error> {
        frontend::password_message(password, &mut self.outgoing).map_err(|error| self.lost(&error))?;
        self.send()
    }

    /// SCRAM: both sides prove that they know the password, and neither says it.
    fn prove(&mut self, password: &[u8]) -> Result<(), Error> {
        let mut scram = ScramSha256::new(password, ChannelBinding::unsupported());
        frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), &mut self.outgoing)
            .map_err(|error| self.lost(&error))?;
        self.send()?;
        match self.receive()? {
            Message::AuthenticationSaslContinue(body) => {
                if rounds(body.data()) > ROUNDS_MAX {
                    return Err(self.confused("it wants the password hashed more often than any server does"));
                }
                scram.update(body.data()).map_err(|error| self.lost(&error))?;
            }
            Message::ErrorResponse(body) => return Err(self.refusal(&body)),
            _ => return Err(self.confused("logging in was interrupted")),
        }
        frontend::sasl_response(scram.message(), &mut self.outgoing).map_err(|error| self.lost(&error))?;
        self.send()?;
        match self.receive()? {
            Message::AuthenticationSaslFinal(body) => {
                scram.finish(body.data()).map_err(|_| self.confused("it does not know the password itself"))
            }
            Message::ErrorResponse(body) => Err(self.refusal(&body)),
            _ => Err(self.confused("logging in was interrupted")),
        }
    }

    fn row(&self, body: &DataRowBody) -> Result<Row, Error> {
        let buffer = body.buffer();
        let text = |range: Option<std::ops::Range<usize>>| {
            Ok(range
                .and_then(|range| buffer.get(range))
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
        };
        body.ranges().map(text).collect().map(Row).map_err(|error| self.lost(&error))
    }

    fn receive(&mut self) -> Result<Message, Error> {
        loop {
            if let Some(message) = Message::parse(&mut self.incoming).map_err(|error| self.lost(&error))? {
                return Ok(message);
            }
            let length = Header::parse(&self.incoming).map_err(|error| self.lost(&error))?;
            if length
                .is_some_and(|header| usize::try_from(header.len()).is_ok_and(|len| len > MESSAGE_BYTES_MAX))
            {
                return Err(self.confused("it sent a message larger than any we expect"));
            }
            let start = self.incoming.len();
            self.incoming.resize(start + READ_BYTES, 0);
            let read = self.stream.read(&mut self.incoming[start..]);
            self.incoming.truncate(start + read.as_ref().map_or(0, |count| *count));
            match read {
                Ok(0) => return Err(self.lost(&io::ErrorKind::UnexpectedEof.into())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.lost(&error)),
            }
        }
    }

    fn send(&mut self) -> Result<(), Error> {
        let bytes = self.outgoing.split();
        self.send_bytes(&bytes)
    }

    fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.stream.write_all(bytes).and_then(|()| self.stream.flush()).map_err(|error| self.lost(&error))
    }

    fn wait_at_most(&mut self, wait: Duration) -> Result<(), Error> {
        self.stream.set_wait_max(wait).map_err(|error| self.lost(&error))
    }

    fn refusal(&self, body: &ErrorResponseBody) -> Error {
        let (mut code, mut message, mut detail) = (String::new(), String::new(), String::new());
        let mut fields = body.fields();
        while let Ok(Some(field)) = fields.next() {
            let value = String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'C' => code = value,
                b'M' => message = value,
                b'D' => detail = value,
                _ => {}
            }
        }
        // A detail may quote a row; the first words of it say what the matter is.
        if !detail.is_empty() && !code.starts_with("22") && !code.starts_with("23") {
            let _ = write!(message, ": {detail}");
        }
        let (code, message) = (self.address.redacted(&code), self.address.redacted(&message));
        Error::Refused { server: self.server.clone(), code, message }
    }

    fn confused(&self, why: &str) -> Error {
        Error::Protocol { server: self.server.clone(), why: why.to_owned() }
    }

    fn lost(&self, error: &io::Error) -> Error {
        let why = match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "no answer in time".to_owned(),
            io::ErrorKind::UnexpectedEof => "the server hung up".to_owned(),
            _ => error.to_string(),
        };
        Error::Lost { server: self.server.clone(), why }
    }
}

/// The number of rounds in SCRAM's first answer (`r=…,s=…,i=4096`).
fn rounds(answer: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(answer);
    text.split(',').find_map(|part| part.strip_prefix("i=")?.parse().ok()).unwrap_or(u32::MAX)
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Otherwise the server's log complains about every end.
        let mut goodbye = BytesMut::new();
        frontend::terminate(&mut goodbye);
        let _ = self.stream.write_all(&goodbye).and_then(|()| self.stream.flush());
    }
}
