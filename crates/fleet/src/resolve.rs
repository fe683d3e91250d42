//! Names of hosts: turned into addresses by the system's own resolver, which a static program does not carry.

use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Most of what a resolver may answer.
const ANSWER_BYTES_MAX: u64 = throughline_domain::limits::RESOLVER_BYTES_MAX;

/// The addresses of a host, in the order in which they should be tried.
pub fn addresses(host: &str, port: u16, deadline: Instant) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    if host == "localhost" {
        let both = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        return Ok(both.map(|address| SocketAddr::new(address, port)).to_vec());
    }
    // In a static glibc program getaddrinfo loads the machine's name service modules at run time, and they have to be
    // of the very glibc that we were linked with: with another one names fail, or the program ends. `getent` is the
    // machine's own, and knows everything that the machine knows (hosts file, DNS, mDNS, a company's directory).
    if cfg!(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))
        && let Some(found) = by_getent(host, port, deadline)
    {
        return Ok(found);
    }
    Ok((host, port).to_socket_addrs()?.collect())
}

/// The folders in which programs are looked for, without those that depend on where we stand.
#[expect(clippy::disallowed_methods, reason = "what is looked up for a program is left out, not read")]
fn absolute_folders() -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    std::env::join_paths(folders).unwrap_or_default()
}

/// `None` where there is no `getent`, or it knows no such host.
fn by_getent(host: &str, port: u16, deadline: Instant) -> Option<Vec<SocketAddr>> {
    if host.starts_with('-') {
        return None;
    }
    let mut child = Command::new("getent")
        .env("PATH", absolute_folders())
        .args(["ahosts", host])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .env_remove("PGPASSWORD")
        .env_remove("THROUGHLINE_FLEET_URL")
        .spawn()
        .ok()?;
    // A name server that does not answer makes getent wait for half a minute.
    while child.try_wait().ok()?.is_none() {
        if Instant::now() >= deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
    let mut answer = String::new();
    child.stdout.take()?.take(ANSWER_BYTES_MAX).read_to_string(&mut answer).ok()?;
    let found = read_ahosts(&answer, port);
    (!found.is_empty()).then_some(found)
}

fn read_ahosts(text: &str, port: u16) -> Vec<SocketAddr> {
    let mut found: Vec<SocketAddr> = Vec::new();
    for line in text.lines() {
        let Some(address) = line.split_whitespace().next().and_then(|word| word.parse().ok()) else {
            continue;
        };
        let address = SocketAddr::new(address, port);
        if !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn numbers_and_this_machine_need_nobody() {
        assert_eq!(addresses("127.0.0.1", 1, soon()).unwrap(), ["127.0.0.1:1".parse().unwrap()]);
        assert_eq!(addresses("::1", 1, soon()).unwrap(), ["[::1]:1".parse().unwrap()]);
        assert!(addresses("localhost", 7, soon()).unwrap().contains(&"127.0.0.1:7".parse().unwrap()));
    }

    #[test]
    fn a_name_that_nobody_has_is_an_error() {
        assert!(addresses("no-such-host.invalid", 1, soon()).map_or(true, |found| found.is_empty()));
        assert!(addresses("-v", 1, soon()).map_or(true, |found| found.is_empty()));
    }

    #[test]
    fn each_address_is_taken_once() {
        let text = "10.0.0.1  STREAM db\n10.0.0.1  DGRAM\nfd00::1  STREAM\nnonsense\n";
        assert_eq!(read_ahosts(text, 5), ["10.0.0.1:5".parse().unwrap(), "[fd00::1]:5".parse().unwrap()]);
    }
}
