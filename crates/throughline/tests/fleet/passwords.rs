//! Passwords: however badly an address is written, no part of it that may be a password is shown anywhere.

use std::path::Path;

use throughline_fleet::{Address, Connection};
use throughline_testkit::{Output, TempHome};

const BINARY: &str = env!("CARGO_BIN_EXE_throughline");

/// The halves of a password; a character that breaks an address stands between them.
const HALVES: [&str; 2] = ["Kq7VbXw", "Lm4TzRy"];

/// Addresses as people mistype them; `A` and `B` are the halves.
const ADDRESSES: &[&str] = &[
    // A password with a character that means something in a URL.
    "postgresql://me:A/B@127.0.0.1:1/db",
    "postgresql://me:A?B@127.0.0.1:1/db",
    "postgresql://me:A#B@127.0.0.1:1/db",
    "postgresql://me:A@B@127.0.0.1:1/db",
    "postgresql://me:A:B@127.0.0.1:1/db",
    "postgresql://me:A%B@127.0.0.1:1/db",
    "postgresql://me:A%zzB@127.0.0.1:1/db",
    "postgresql://me:A%ffB@127.0.0.1:1/db",
    "postgresql://me:A B@127.0.0.1:1/db",
    "postgresql://me:A\tB@127.0.0.1:1/db",
    "postgresql://me:A\nB@127.0.0.1:1/db",
    "postgresql://me:A[B@127.0.0.1:1/db",
    "postgresql://me:A]B@127.0.0.1:1/db",
    "postgresql://me:A&B=1@127.0.0.1:1/db",
    "postgresql://me:A\\B@127.0.0.1:1/db",
    "postgresql://me:A\u{e9}B\u{1f511}@127.0.0.1:1/db",
    "postgresql://me:A\u{9b}B@127.0.0.1:1/db",
    "postgresql://me:5432/A@B@127.0.0.1:1/db",
    "postgresql://me:5432?A&B@127.0.0.1:1/db",
    "postgresql://[me:A]:B@127.0.0.1:1/db",
    // The `@` or the `:` forgotten, doubled or encoded.
    "postgresql://me:A_B",
    "postgresql://me:A_B/db",
    "postgresql://me:A,B/db",
    "postgresql://me:A_B?sslmode=require",
    "postgresql://me/A_B@127.0.0.1:1/db",
    "postgresql://me@A_B@127.0.0.1:1/db",
    "postgresql://me%3AA_B@127.0.0.1:1/db",
    "postgresql://:A_B@127.0.0.1:1/db",
    "postgresql://[::1:A_B@/db",
    "postgresql://me:A_B@127.0.0.1:A_B/db",
    // An option where none can stand, or none that is known.
    "postgresql://me@127.0.0.1:1/db?passwrod=A_B",
    "postgresql://me@127.0.0.1:1/db?password=A_B&sslmode=A_B",
    "postgresql://me@127.0.0.1:1/db?connect_timeout=A_B",
    "postgresql://me@127.0.0.1:1/db?port=A_B",
    "postgresql://me@127.0.0.1:1/db?A_B",
    "postgresql://me@127.0.0.1:1/db?A=B",
    "postgresql://me@127.0.0.1:1/db&password=A_B",
    "postgresql://me@127.0.0.1:1/db password=A_B",
    "postgresql://me@127.0.0.1:1/db%20password=A_B",
    "postgresql://me@127.0.0.1:1/db;password=A_B",
    "postgresql://me@127.0.0.1:1/db#password=A_B",
    "postgresql://me@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/no/ca;password=A_B",
    "postgresql://me@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/no/ca?password=A_B",
    "postgresql://me@127.0.0.1;password=A_B/db",
    "postgresql://me@127.0.0.1,password=A_B/db",
    "postgresql://me:A_B@127.0.0.1:1/db?throughline_insecure=A_B",
    "postgresql://me:A/B@/db?host=/no/such/folder",
    "postgresql://me@/db?host=/no/such/folder?password=A_B",
    "postgresql://me:A_B@%2Fno%2Fsuch%2Ffolder/db",
    // Another form altogether.
    "host=127.0.0.1 port=1 user=me password=A_B dbname=db",
    "host=127.0.0.1 password='A B' sslmode=require",
    "me:A_B@127.0.0.1:1/db",
    "postgres:me:A_B@127.0.0.1:1/db",
    "mysql://me:A_B@127.0.0.1:1/db",
    "jdbc:postgresql://127.0.0.1:1/db?user=me&password=A_B",
    "POSTGRESQL://me:A_B@127.0.0.1:1/db",
    "\"postgresql://me:A_B@127.0.0.1:1/db\"",
    "postgresql:/me:A_B@127.0.0.1:1/db",
    "A_B",
];

fn written(address: &str) -> String {
    let mut text = String::new();
    for (at, part) in address.split('A').enumerate() {
        if at > 0 {
            text.push_str(HALVES[0]);
        }
        text.push_str(&part.replace('B', HALVES[1]));
    }
    text
}

#[track_caller]
fn assert_silent(shown: &str, address: &str, by: &str) {
    for half in HALVES {
        assert!(!shown.contains(half), "{by} shows the password of {address:?}: {shown}");
    }
}

fn both(output: &Output) -> String {
    format!("{}{}", output.stdout, output.stderr)
}

fn log(home: &TempHome) -> String {
    std::fs::read_to_string(home.data().join("throughline.log")).unwrap_or_default()
}

#[test]
fn no_error_of_the_room_shows_a_password_however_the_address_is_written() {
    for address in ADDRESSES {
        let text = written(address);
        let shown = match Address::parse(&text) {
            Err(error) => format!("{error} {error:?} {:?}", error.remedy()),
            Ok(read) => {
                let mut shown = format!("{read} {read:?} {}", read.server());
                if let Err(error) = Connection::open(&read) {
                    shown.push_str(&format!("{error} {error:?} {:?}", error.remedy()));
                }
                shown
            }
        };
        assert_silent(&shown, address, "the room");
    }
}

#[test]
fn no_verb_shows_a_password_however_the_address_is_written_and_wherever_it_stands() {
    let mut home = TempHome::new();
    for address in ADDRESSES {
        let text = written(address);
        home.set_env("THROUGHLINE_FLEET_URL", &text);
        let dry = home.run(Path::new(BINARY), &["usage", "sync", "--dry-run"], "");
        assert_silent(&both(&dry), address, "a dry run");
        home.remove_env("THROUGHLINE_FLEET_URL");
        // On a command line, where it must not stand, it is still not repeated.
        let named = home.run(Path::new(BINARY), &["usage", "--from", &text, "days"], "");
        assert_silent(&both(&named), address, "--from");
    }
    assert_silent(&log(&home), "all of them", "the log");
}

#[test]
fn no_verb_shows_a_password_that_a_broken_configuration_holds() {
    let home = TempHome::new();
    let own = home.config().join("throughline/throughline.toml");
    std::fs::create_dir_all(own.parent().expect("a folder")).expect("a folder");
    let address = written("postgresql://me:A_B@127.0.0.1:1/db");
    for config in [
        format!("[fleet]\nurl = \"{address}\n"),
        format!("[fleet]\nurl = {address}\n"),
        format!("[fleet]\nurl = [\"{address}\"]\n"),
        format!("[fleet]\nurl_file = \"{address}\"\n"),
        format!("[fleet]\nurl_file = \"{}\"\n", written("host=127.0.0.1 password=A_B")),
        format!("[fleet]\nurl = \"{}\"\n", written("postgresql://me:A/B@127.0.0.1:1/db")),
        format!("[fleet]\nproject = \"{}\"\nurl = \"{address}\"\n", "name\"\""),
        format!("[fleet]\nurl = \"x\" # {address}\npassword = {}\n", written("A_B")),
    ] {
        std::fs::write(&own, &config).expect("a configuration");
        for args in [&["usage", "sync"][..], &["usage", "--from", "fleet", "days"], &["doctor"], &["status"]]
        {
            let output = home.run(Path::new(BINARY), args, "");
            assert_silent(&both(&output), &config, &format!("{args:?}"));
        }
    }
    assert_silent(&log(&home), "all of them", "the log");
}
