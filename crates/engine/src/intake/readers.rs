//! Readers: files are read by two threads in turn, and what they tell is taken in the files' order.

use std::sync::mpsc::{Receiver, sync_channel};

use super::discover::Changed;

/// Below so many bytes one thread is quicker than two.
const THREADS_BYTES_MIN: u64 = 1 << 20;
const THREADS: usize = 2;
/// Pieces that a reader may be ahead of the writer.
const AHEAD_MAX: usize = 2;

/// Something read of a file.
pub(super) trait OfFile: Send {
    /// Whether it is the last of its file.
    fn is_last(&self) -> bool;
}

/// Reads files piece by piece and gives each piece to `take`, the pieces of a file together and the files in their order:
/// of two copies of a response the older file's comes first, and nobody runs far ahead. `take` says whether anybody still
/// listens; `read` stops where nobody does, and says whether it came to the end.
pub(super) fn in_order<P: OfFile>(
    changed: Vec<Changed>,
    read: impl Fn(&Changed, &mut dyn FnMut(P) -> bool) -> bool + Sync,
    mut take: impl FnMut(P) -> bool,
) {
    if changed.iter().map(Changed::bytes_new).sum::<u64>() < THREADS_BYTES_MIN {
        for file in changed {
            let mut is_heard = true;
            read(&file, &mut |piece| {
                is_heard = take(piece);
                is_heard
            });
            if !is_heard {
                return;
            }
        }
        return;
    }
    let count = changed.len();
    let mut shares: [Vec<Changed>; THREADS] = [const { Vec::new() }; THREADS];
    for (index, file) in changed.into_iter().enumerate() {
        shares[index % THREADS].push(file);
    }
    let read = &read;
    std::thread::scope(|scope| {
        let readers: Vec<Receiver<P>> = shares
            .into_iter()
            .map(|files| {
                let (sender, receiver) = sync_channel(AHEAD_MAX);
                scope.spawn(move || {
                    for file in files {
                        // An error means that the writer gave up.
                        if !read(&file, &mut |piece| sender.send(piece).is_ok()) {
                            return;
                        }
                    }
                });
                receiver
            })
            .collect();
        for index in 0..count {
            while let Ok(piece) = readers[index % THREADS].recv() {
                let is_last = piece.is_last();
                if !take(piece) {
                    return;
                }
                if is_last {
                    break;
                }
            }
        }
    });
}
