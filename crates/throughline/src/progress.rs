//! Progress: one line on a terminal that says how far a long reading is; silent everywhere else.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use throughline_engine::intake::Watch;
use throughline_usage::bar::{Bar, Pen};

const BAR_CELLS: usize = 30;
/// What takes less is not worth a word.
const SILENT_FOR: Duration = Duration::from_millis(300);
const REDRAW_EVERY: Duration = Duration::from_millis(80);

/// How far a reading is.
#[derive(Debug)]
pub(crate) struct Progress {
    is_shown: bool,
    bytes_all: u64,
    bytes_done: u64,
    began: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    /// Shown where standard error is a terminal.
    pub(crate) fn on_terminal() -> Self {
        let is_shown = std::io::stderr().is_terminal();
        Self { is_shown, bytes_all: 0, bytes_done: 0, began: Instant::now(), drawn: None }
    }
}

impl Watch for Progress {
    fn begin(&mut self, bytes: u64) {
        (self.bytes_all, self.bytes_done, self.began) = (bytes, 0, Instant::now());
    }

    fn step(&mut self, bytes: u64) {
        self.bytes_done += bytes;
        let is_time = self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW_EVERY);
        if self.is_shown && is_time && self.began.elapsed() >= SILENT_FOR {
            self.drawn = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r{}", line(self.bytes_done, self.bytes_all));
        }
    }

    fn end(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

fn line(done: u64, all: u64) -> String {
    let done = done.min(all);
    // Nothing to do is done.
    let (part, whole) = if all == 0 { (1, 1) } else { (done, all) };
    let bar = Bar::of(part, whole, BAR_CELLS, Pen::WHOLE);
    let mb = |bytes: u64| bytes / 1_000_000;
    format!("reading transcripts {bar} {} of {} MB", mb(done), mb(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_as_full_as_the_work_is_done() {
        assert_eq!(line(0, 2_000_000), format!("reading transcripts {} 0 of 2 MB", "░".repeat(30)));
        let half = format!("reading transcripts {}{} 1 of 2 MB", "█".repeat(15), "░".repeat(15));
        assert_eq!(line(1_000_000, 2_000_000), half);
        assert_eq!(line(9, 0), format!("reading transcripts {} 0 of 0 MB", "█".repeat(30)));
    }
}
