//! `health --trend`: the purity of a transcript from its beginning, as the hooks would have seen it.

use std::time::SystemTime;

use serde_json::{Value, json};
use throughline_capture::absorb;
use throughline_domain::ledger::Ledger;
use throughline_domain::purity::{Cause, Level, Purity, Scale};
use throughline_domain::transcript::What;
use throughline_engine::ledger;
use throughline_engine::source::{LineReader, Source};
use throughline_store::transcript_file::Cursor;
use throughline_usage::trail::spark;

use crate::failure::Failure;
use crate::output::{self, BAD, DIM, GOOD, HEAD, WARN, styled};

/// Longest transcript that is read.
const TRANSCRIPT_BYTES_MAX: u64 = throughline_domain::limits::TRANSCRIPT_BYTES_MAX;
/// Rows of the table; the plot has a cell for each.
const ROWS_MAX: u64 = 40;
/// Fewest responses in a row.
const ROW_TURNS_MIN: u64 = 10;

/// What happened to the context behind a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Compacted,
    Purified,
}

impl Event {
    fn word(self) -> &'static str {
        match self {
            Self::Compacted => "compacted",
            Self::Purified => "purified",
        }
    }
}

/// The purity when a response was over.
struct Point {
    turn: u64,
    purity: Purity,
    event: Option<Event>,
}

/// A transcript's way along the scale.
pub(super) struct Trend {
    points: Vec<Point>,
    scale: Scale,
}

/// Reads a transcript from its beginning. Where a gate would have purified, the stretch begins anew as it would have.
pub(super) fn read(source: Source<'_>, scale: Scale, gate_turns: u64) -> Result<Trend, Failure> {
    let mut walk = Walk { ledger: Ledger::default(), trend: Trend { points: Vec::new(), scale }, gate: 0 };
    let mut reader = LineReader::afresh(source.agent);
    let each_line = |offset: u64, bytes: &[u8]| {
        ledger::each(&mut reader, bytes, |line| {
            if matches!(line.what, What::UserSaid(_) | What::Command { .. }) && !line.is_sidechain {
                walk.gate();
            }
            let (before, since) = (walk.ledger.turn, walk.ledger.stretch.since);
            absorb(&mut walk.ledger, line, offset);
            walk.note(before, since);
            if walk.ledger.turn >= walk.gate + gate_turns.max(1)
                && matches!(line.what, What::ToolsAnswered(_))
            {
                walk.gate();
            }
        });
    };
    source.read_on(&Cursor::at_start(), TRANSCRIPT_BYTES_MAX, SystemTime::now(), each_line).map_err(
        |error| {
            Failure::new(format!("could not read {}: {error}", source.path.display()))
                .hint("name a session's id or a .jsonl file")
        },
    )?;
    walk.gate();
    Ok(walk.trend)
}

struct Walk {
    ledger: Ledger,
    trend: Trend,
    /// The turn of the last gate.
    gate: u64,
}

impl Walk {
    /// Takes note of where the line led.
    fn note(&mut self, turn_before: u64, since_before: u64) {
        let (turn, stretch) = (self.ledger.turn, &self.ledger.stretch);
        if turn == 0 {
            return;
        }
        let was_compacted = stretch.since != since_before;
        let purity = self.trend.scale.rate_stretch(stretch, turn);
        match self.trend.points.last_mut().filter(|_| turn == turn_before) {
            Some(_) if was_compacted => self.mark(Event::Compacted),
            // The worst of a response counts; what it says behind a mark belongs to the next one.
            Some(last) if last.event.is_none() && purity.score <= last.purity.score => last.purity = purity,
            Some(_) => {}
            None => self.trend.points.push(Point { turn, purity, event: None }),
        }
    }

    fn mark(&mut self, event: Event) {
        if let Some(last) = self.trend.points.last_mut() {
            last.event = Some(event);
        }
    }

    fn gate(&mut self) {
        self.gate = self.ledger.turn;
        let purity = self.trend.scale.rate_stretch(&self.ledger.stretch, self.ledger.turn);
        if purity.level.purifies() {
            self.mark(Event::Purified);
            self.ledger.stretch.purify(self.ledger.turn);
        }
    }
}

impl Trend {
    fn lowest(&self) -> Option<&Point> {
        self.points.iter().min_by_key(|point| point.purity.score)
    }

    fn count(&self, event: Event) -> usize {
        self.points.iter().filter(|point| point.event == Some(event)).count()
    }

    fn rows(&self) -> Vec<&[Point]> {
        let turns = self.points.last().map_or(0, |point| point.turn);
        let per_row = turns.div_ceil(ROWS_MAX).max(ROW_TURNS_MIN);
        self.points.chunk_by(|a, b| (a.turn - 1) / per_row == (b.turn - 1) / per_row).collect()
    }

    /// As a table and a plot.
    pub(super) fn print(&self, session: &str) -> Result<(), Failure> {
        output::say(&styled(HEAD, "## Purity"))?;
        let Some(lowest) = self.lowest() else { return output::say("no response yet") };
        let rows = self.rows();
        let worst = |row: &&[Point]| row.iter().map(|point| point.purity.score).min().unwrap_or(100);
        let plot = spark(&rows.iter().map(worst).collect::<Vec<_>>(), 100);
        output::say(&format!("  {plot}  lowest {} at response {}", lowest.purity.score, lowest.turn))?;
        for row in rows {
            let (Some(first), Some(last)) = (row.first(), row.last()) else { continue };
            let Some(worst) = row.iter().min_by_key(|point| point.purity.score) else { continue };
            let events: Vec<String> = row
                .iter()
                .filter_map(|point| Some(format!("  [{} after {}]", point.event?.word(), point.turn)))
                .collect();
            output::say(&format!(
                "  {:>5}–{:<5} {}  {}{}",
                first.turn,
                last.turn,
                styled(style_of(worst.purity.level), &format!("{:>3}", worst.purity.score)),
                worst.purity.why(),
                events.concat()
            ))?;
        }
        output::say(&styled(
            DIM,
            &format!(
                "  {session}: {} responses, {} purifications, {} compactions",
                self.points.last().map_or(0, |point| point.turn),
                self.count(Event::Purified),
                self.count(Event::Compacted)
            ),
        ))
    }

    /// For scripts: every response.
    pub(super) fn as_json(&self, session: &str) -> Value {
        let point = |point: &Point| {
            let mut value = as_json(&point.purity);
            value["turn"] = point.turn.into();
            value["event"] = point.event.map(Event::word).into();
            value
        };
        json!({
            "session": session,
            "responses": self.points.last().map_or(0, |point| point.turn),
            "lowest": self.lowest().map(point),
            "purifications": self.count(Event::Purified),
            "compactions": self.count(Event::Compacted),
            "points": self.points.iter().map(point).collect::<Vec<_>>(),
        })
    }
}

/// A score with its reasons.
pub(super) fn as_json(purity: &Purity) -> Value {
    let cause = |cause: &Cause| {
        json!({
            "signal": cause.signal.word(), "amount": cause.amount, "points": cause.points, "words": cause.words()
        })
    };
    json!({
        "score": purity.score,
        "level": purity.level.word(),
        "causes": purity.causes.iter().map(cause).collect::<Vec<_>>(),
    })
}

pub(super) fn style_of(level: Level) -> anstyle::Style {
    match level {
        Level::Clean => GOOD,
        Level::Warning => WARN,
        Level::Purify | Level::Emergency => BAD,
    }
}
