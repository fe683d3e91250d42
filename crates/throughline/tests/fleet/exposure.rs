//! Exposure: a password goes to a server that proved who it is, and to no other unless somebody asked for it by name.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use throughline_fleet::address::Host;
use throughline_fleet::{Address, Connection, Error};

use crate::scene::Database;

/// The address of a server elsewhere, whose part the server of this test plays.
fn elsewhere(database: &Database, options: &str) -> Address {
    let url = format!("{}?{options}", database.url().replace("localhost", "db.example.com"));
    let mut address = Address::parse(&url).expect("an address");
    address.host = Host::Name("localhost".to_owned());
    address
}

#[test]
fn a_server_elsewhere_with_a_certificate_of_its_own_making_gets_no_password_by_require() {
    let Some(database) = Database::new() else { return };
    for options in ["", "sslmode=require", "sslmode=prefer", "sslmode=verify-ca"] {
        let error = Connection::open(&elsewhere(&database, options)).map(drop).expect_err("a refusal");
        assert!(matches!(&error, Error::Tls { why, .. } if why.contains("signed by nobody")), "{error}");
        let remedy = error.remedy().expect("a way out");
        assert!(remedy.contains("sslrootcert=FILE") && remedy.contains("allow-unverified-tls"), "{remedy}");
    }
    for options in [
        format!("sslmode=require&sslrootcert={}", database.server.authority().display()),
        "sslmode=require&throughline_insecure=allow-unverified-tls".to_owned(),
    ] {
        Connection::open(&elsewhere(&database, &options)).map(drop).expect("as asked");
    }
}

/// Two roles whom the server asks for their password in the clear and as an MD5 hash, by every way in.
fn old_logins(database: &Database) {
    let rules = database.server.folder().join("data/pg_hba.conf");
    let text = std::fs::read_to_string(&rules).expect("the server's rules");
    let ours = ["local", "host"].map(|way| {
        let from = if way == "host" { "127.0.0.1/32" } else { "" };
        format!("{way} all plainly {from} password\n{way} all hashed {from} md5\n")
    });
    std::fs::write(&rules, format!("{}{text}", ours.concat())).expect("the server's rules");
    database.sql(
        "CREATE ROLE plainly LOGIN PASSWORD 'pw-of-plainly';
         SET password_encryption = 'md5'; CREATE ROLE hashed LOGIN PASSWORD 'pw-of-hashed';
         SELECT pg_reload_conf();",
    );
}

#[test]
fn a_password_in_the_clear_or_as_md5_needs_a_proven_server_or_a_word_of_the_user() {
    let Some(database) = Database::new() else { return };
    old_logins(&database);
    let right = database.server.authority();
    let open = |url: &str| Connection::open(&Address::parse(url).expect("an address")).map(drop);
    for user in ["plainly", "hashed"] {
        let url = |options: &str| {
            let url = database.server.url_as(user, &format!("pw-of-{user}"), &database.name);
            format!("{url}?{options}")
        };
        for options in ["", "sslmode=disable", "sslmode=prefer", "sslmode=require"] {
            let error = open(&url(options)).expect_err("a refusal");
            assert!(matches!(error, Error::Exposed { .. }), "{user} {options}: {error}");
            let (said, remedy) = (error.to_string(), error.remedy().expect("a way out"));
            assert!(said.contains("was not sent") && !said.contains("pw-of"), "{said}");
            assert!(remedy.contains("scram-sha-256") && remedy.contains("allow-cleartext"), "{remedy}");
        }
        for options in [
            format!("sslrootcert={}", right.display()),
            "sslmode=require&throughline_insecure=allow-unverified-tls".to_owned(),
            "sslmode=disable&throughline_insecure=allow-cleartext".to_owned(),
        ] {
            open(&url(&options)).unwrap_or_else(|error| panic!("{user} {options}: {error}"));
        }
        let socket = database.server.socket_url(&database.name);
        open(&socket.replace("postgres@", &format!("{user}:pw-of-{user}@"))).expect("by the socket");
    }
}

/// What an impostor says to the client's words.
type Answer = Box<dyn Fn(&[u8]) -> Vec<u8> + Send>;

/// A server that is none: says one thing after another, and keeps what it was told.
fn impostor(answers: Vec<Answer>) -> (u16, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("the port").port();
    let heard = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut heard = Vec::new();
        for answer in answers {
            let word = read_some(&mut stream);
            let _ = stream.write_all(&answer(&word));
            heard.extend(word);
        }
        heard.extend(read_some(&mut stream));
        heard
    });
    (port, heard)
}

fn read_some(stream: &mut TcpStream) -> Vec<u8> {
    let mut buffer = vec![0; 4096];
    let count = stream.read(&mut buffer).unwrap_or(0);
    buffer.truncate(count);
    buffer
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).expect("a short message");
    [&[kind], &length.to_be_bytes()[..], body].concat()
}

#[test]
fn an_impostor_on_this_machine_is_not_told_the_password() {
    for ask in [message(b'R', &3_u32.to_be_bytes()), message(b'R', b"\0\0\0\x05salt")] {
        let (port, heard) = impostor(vec![Box::new(move |_| ask.clone())]);
        let url = format!("postgresql://me:hunter-twelve@127.0.0.1:{port}/db?sslmode=disable");
        let error =
            Connection::open(&Address::parse(&url).expect("an address")).map(drop).expect_err("refused");
        assert!(matches!(error, Error::Exposed { .. }), "{error}");
        let heard = heard.join().expect("what it heard");
        assert!(!heard.windows(3).any(|three| three == b"md5") && !contains(&heard, b"hunter"), "{heard:?}");
    }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn a_server_that_repeats_the_password_is_not_quoted_with_it() {
    let refusal = message(b'E', b"SFATAL\0C28000\0Mno entry with hunter-twelve\0Dhunter-twelve\0\0");
    let (port, heard) =
        impostor(vec![Box::new(|_| message(b'R', &3_u32.to_be_bytes())), Box::new(move |_| refusal.clone())]);
    let options = "sslmode=disable&throughline_insecure=allow-cleartext";
    let url = format!("postgresql://me:hunter-twelve@127.0.0.1:{port}/db?{options}");
    let error = Connection::open(&Address::parse(&url).expect("an address")).map(drop).expect_err("refused");
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("no entry with ***") && !shown.contains("hunter"), "{shown}");
    assert!(contains(&heard.join().expect("what it heard"), b"hunter-twelve"), "it was asked for by name");
}

#[test]
fn a_server_that_wants_billions_of_hashes_is_left_at_once() {
    let (port, _heard) = impostor(vec![
        Box::new(|_| message(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0")),
        Box::new(|word| {
            let text = String::from_utf8_lossy(word).into_owned();
            let nonce = text.rsplit("r=").next().unwrap_or_default().to_owned();
            let first = format!("r={nonce}more,s=c2FsdA==,i=4000000000");
            message(b'R', &[&11_u32.to_be_bytes()[..], first.as_bytes()].concat())
        }),
    ]);
    let url = format!("postgresql://me:hunter-twelve@127.0.0.1:{port}/db?sslmode=disable");
    let error = Connection::open(&Address::parse(&url).expect("an address")).map(drop).expect_err("refused");
    assert!(matches!(&error, Error::Protocol { why, .. } if why.contains("more often")), "{error}");
}
