//! HTTP: the little of HTTP/1.1 that the mock needs. One request per connection, a body only with its length.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// More than any conversation a test makes; a client that sends more is broken.
const BODY_BYTES_MAX: u64 = 64 << 20;
const HEAD_BYTES_MAX: u64 = 64 << 10;
const READ_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct HttpRequest {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// Reads one request; `None` when the other side connected and sent nothing.
pub(crate) fn read_request(stream: &TcpStream) -> io::Result<Option<HttpRequest>> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        let room = HEAD_BYTES_MAX.saturating_sub(head.iter().map(|line: &String| line.len() as u64).sum());
        if (&mut reader).take(room).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line.trim_end().is_empty() {
            break;
        }
        head.push(line);
    }
    let Some(first) = head.first() else { return Ok(None) };
    let mut words = first.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let mut body = Vec::new();
    reader.take(body_bytes(&head)?).read_to_end(&mut body)?;
    let headers = head.iter().skip(1).filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    Ok(Some(HttpRequest { method, path, headers, body }))
}

/// Writes a whole response; the connection ends with it.
pub(crate) fn respond(
    mut stream: &TcpStream,
    status: u16,
    content_type: &str,
    body: &[u8],
) -> io::Result<()> {
    let bytes = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} Mocked\r\ncontent-type: {content_type}\r\ncontent-length: {bytes}\r\nconnection: close\r\n\r\n"
    )?;
    stream.write_all(body)?;
    stream.flush()
}

fn body_bytes(head: &[String]) -> io::Result<u64> {
    let length = head.iter().filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>())
    });
    match length {
        None => Ok(0),
        Some(Ok(bytes)) if bytes <= BODY_BYTES_MAX => Ok(bytes),
        Some(_) => Err(io::Error::other("the request's body is larger than the mock takes")),
    }
}
