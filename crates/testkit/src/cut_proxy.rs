//! Cut proxy: passes bytes on to a server until it was told to cut the connection, as a network does in the middle.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    thread,
};

/// A proxy on the loopback interface. It lasts as long as the test's process.
#[derive(Debug)]
pub struct CutProxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Bytes that may still pass towards the server; below 0 means no limit.
    left: AtomicI64,
    cuts: AtomicU64,
}

impl CutProxy {
    /// Starts one in front of a port of this machine.
    pub fn start(server_port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free loopback port");
        let port = listener.local_addr().expect("the proxy's address").port();
        let shared = Arc::new(Shared { left: AtomicI64::new(-1), cuts: AtomicU64::new(0) });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, server_port)) else { continue };
                let (Ok(client_too), Ok(server_too)) = (client.try_clone(), server.try_clone()) else {
                    continue;
                };
                let shared = Arc::clone(&serving);
                thread::spawn(move || shared.pass(client, server, true));
                let shared = Arc::clone(&serving);
                thread::spawn(move || shared.pass(server_too, client_too, false));
            }
        });
        Self { port, shared }
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts the connection, once, when so many more bytes have gone to the server.
    pub fn cut_after(&self, bytes: i64) {
        self.shared.left.store(bytes, Ordering::SeqCst);
    }

    /// How often it has cut.
    pub fn cuts(&self) -> u64 {
        self.shared.cuts.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn pass(&self, mut from: TcpStream, mut to: TcpStream, is_to_server: bool) {
        let mut buffer = [0; 4096];
        while let Ok(count) = from.read(&mut buffer) {
            if count == 0 || to.write_all(&buffer[..count]).is_err() {
                break;
            }
            if is_to_server && self.is_over(count) {
                self.cuts.fetch_add(1, Ordering::SeqCst);
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }

    /// Counts bytes down; over when they are used up, and from then on without limit.
    fn is_over(&self, count: usize) -> bool {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let before = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            (left >= 0).then(|| if left <= count { -1 } else { left - count })
        });
        before.is_ok_and(|before| before <= count)
    }
}
