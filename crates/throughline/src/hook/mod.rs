//! `throughline hook`: one payload on standard input, one reply on standard output, always exit 0.
//!
//! A usual run notes the event in the session's spool and leaves; at a gate it does the work of that event.

mod events;
mod gate;
mod steps;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use events::{hot_path, post_compact, pre_compact, session_end, session_start, stop, subagent};
use steps::late_start::{self, LateStart};
use steps::{compaction, noticing};
use throughline_agents::agent::{Agent, Kept, USUAL};
use throughline_agents::hook::{Event, HookPayload, Reply};
use throughline_domain::Timestamp;
use throughline_domain::text::{fingerprint, one_line};
use throughline_engine::failures::Failures;
use throughline_engine::{client_folders, ledger, session_facts, source};
use throughline_redact as redact;
use throughline_store::door::Spot;
use throughline_store::log;
use throughline_store::session::{SessionFacts, SessionProgress};
use throughline_store::spool::{Spool, SpoolRecord};

use throughline_engine::late;
use throughline_engine::place::Place;

/// Of a payload this much is fingerprinted: two installations see the same bytes.
const CLAIM_BYTES_MAX: usize = throughline_domain::limits::CLAIM_BYTES_MAX;
/// Two installations see the same event within this time.
const SAME_EVENT_MS: i64 = 5_000;

/// One hook run.
pub(crate) struct Run {
    /// Whose hook it is: settled here, once.
    pub(crate) agent: &'static Agent,
    pub(crate) place: Place,
    pub(crate) payload: HookPayload,
    pub(crate) now: Timestamp,
    pub(crate) began: Instant,
    /// `s` settings, `p` plugin.
    via: &'static str,
    claim: String,
    /// Tool calls of the session, this event's included.
    pub(crate) tools: Cell<u64>,
    /// The session's folder in the data folder.
    pub(crate) folder: Spot,
    /// What goes wrong without stopping the run.
    pub(crate) failures: Failures,
    /// How far the session is, once it was asked for.
    progress: RefCell<Option<SessionProgress>>,
    /// Whether its facts, if they were read, may hold that too.
    is_mixed: Cell<bool>,
}

/// What a run came to.
pub(crate) struct Outcome {
    pub(crate) reply: Reply,
    /// Turns since the last gate.
    pub(crate) turn: u64,
    /// For the spool: what the transcript lacks.
    pub(crate) note: Option<serde_json::Value>,
}

impl Outcome {
    pub(crate) fn silent() -> Self {
        Self { reply: Reply::Nothing, turn: 0, note: None }
    }

    pub(crate) fn saying(text: Option<String>) -> Self {
        Self { reply: text.map_or(Reply::Nothing, Reply::Text), ..Self::silent() }
    }
}

/// How the client calls us.
struct Called {
    /// `None` for one that this version does not know.
    agent: Option<&'static Agent>,
    via: &'static str,
}

impl Called {
    /// `hook [--plugin] [--agent NAME]`.
    fn by(args: impl Iterator<Item = OsString>) -> Self {
        let mut called = Self { agent: Some(USUAL), via: "s" };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            if arg == "--plugin" {
                called.via = "p";
            } else if arg == "--agent" {
                called.agent = args.next().as_deref().and_then(|name| Agent::named(name.to_str()?));
            }
        }
        called
    }
}

/// Runs the hook. Whatever happens, the agent goes on.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let began = Instant::now();
    survive_panics();
    let called = Called::by(args);
    let bytes = crate::input::read();
    let Some(place) = crate::surroundings::place() else { return ExitCode::SUCCESS };
    let now = Timestamp::now();
    let Called { agent: Some(agent), via } = called else {
        // Read as another's, its payload would mean something else.
        log::failure(&place.home, now, "hook", "`--agent` names none that this version knows");
        return ExitCode::SUCCESS;
    };
    let (mut payload, problem) = (agent.hooks.read)(&bytes);
    if payload.transcript_path.is_empty() {
        payload.transcript_path = row_of(&place, agent, &payload.session_id).unwrap_or_default();
    }
    let claim = format!("{:016x}", fingerprint(&bytes[..bytes.len().min(CLAIM_BYTES_MAX)]));
    drop(bytes);
    let tools = Cell::new(payload.tool_calls);
    let folder = place.home.session(&payload.session_id);
    let (failures, progress, is_mixed) = (Failures::none(), RefCell::default(), Cell::new(true));
    let run =
        Run { agent, place, payload, now, began, via, claim, tools, folder, failures, progress, is_mixed };
    if let Some(problem) = problem {
        log::failure(&run.place.home, run.now, &run.during(), &problem.to_string());
    }
    if run.payload.session_id.is_empty() {
        return ExitCode::SUCCESS;
    }
    #[cfg(feature = "fault")]
    inject_fault();
    run.carry_out();
    ExitCode::SUCCESS
}

impl Run {
    fn carry_out(&self) {
        let mut spool = match Spool::open(&self.folder) {
            Ok(spool) => spool,
            Err(error) => {
                // No room for notes; what the agent is to be told does not depend on it.
                self.failures.add(error);
                self.say(&self.work(None).reply);
                return self.log_failures();
            }
        };
        let before = spool.last().map_or(0, |record| record.tools);
        self.tools.set(before + self.payload.tool_calls);
        if is_gate(&self.payload) {
            if !self.claim(&mut spool) {
                return;
            }
            gate::watch(self);
        }
        let outcome = self.work(Some(&mut spool));
        self.log_failures();
        let said = self.say_counting(&outcome.reply);
        let out = self.failures.all();
        let out = out.first().map_or_else(|| "ok".to_owned(), |what| one_line(&redact::text(what), 200));
        let ran = late::told(&self.payload);
        let length = noticing::length(self);
        let record =
            SpoolRecord { out, said, turn: outcome.turn, note: outcome.note, ran, length, ..self.record() };
        if let Err(error) = spool.append(&record) {
            log::failure(&self.place.home, self.now, &self.during(), &error.to_string());
        }
    }

    fn log_failures(&self) {
        for failure in self.failures.all() {
            log::failure(&self.place.home, self.now, &self.during(), &failure);
        }
    }

    fn work(&self, spool: Option<&mut Spool>) -> Outcome {
        if subagent::compacts(&self.payload) {
            return subagent::run(self);
        }
        let is_compacted = noticing::compacted(self, spool.as_deref());
        match late_start::settle(self, is_compacted) {
            LateStart::None => {}
            LateStart::Waits => return Outcome::silent(),
            LateStart::Begins(source) => {
                gate::watch(self);
                return session_start::late(self, &source);
            }
        }
        match self.payload.event {
            Event::SessionStart => session_start::run(self),
            Event::PreCompact => pre_compact::run(self),
            Event::PostCompact => post_compact::run(self),
            Event::SubagentStop if compaction::is_summariser(self, spool.as_deref()) => {
                compaction::keep_summary(self)
            }
            Event::Stop => stop::run(self),
            Event::SessionEnd => session_end::run(self),
            _ => hot_path::run(self, spool),
        }
    }

    /// Whether this installation does the event: of two that see it, the first in the spool.
    fn claim(&self, spool: &mut Spool) -> bool {
        let mine = SpoolRecord { out: "claim".to_owned(), ..self.record() };
        if spool.append(&mine).and_then(|()| spool.refresh()).is_err() {
            return true;
        }
        // Newest first: whoever comes last in this list was first in the file.
        let same = |record: &SpoolRecord| {
            record.claim == self.claim
                && record.out == "claim"
                && (self.now.as_millisecond() - record.at).abs() < SAME_EVENT_MS
        };
        let claims: Vec<SpoolRecord> = spool.last_records().filter(same).collect();
        let both = claims.iter().any(|record| record.via != self.via);
        !both || claims.last().is_none_or(|first| first.via == self.via)
    }

    fn record(&self) -> SpoolRecord {
        SpoolRecord {
            at: self.now.as_millisecond(),
            ev: one_line(&self.payload.event_name, 40),
            us: u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX),
            out: "ok".to_owned(),
            said: 0,
            via: self.via.to_owned(),
            claim: self.claim.clone(),
            turn: 0,
            tools: self.tools.get(),
            note: None,
            ran: Vec::new(),
            length: 0,
        }
    }

    fn say(&self, reply: &Reply) {
        self.say_counting(reply);
    }

    fn say_counting(&self, reply: &Reply) -> u64 {
        // Whatever was put together out of git, files and the transcript: no secret comes back to the agent.
        let clean = match reply {
            Reply::Text(text) => match redact::text(text) {
                Cow::Owned(clean) => Some(Reply::Text(clean)),
                Cow::Borrowed(_) => None,
            },
            Reply::Nothing => None,
        };
        let text = (self.agent.hooks.encode)(clean.as_ref().unwrap_or(reply), &self.payload);
        if text.is_empty() {
            return 0;
        }
        let mut stdout = std::io::stdout().lock();
        // A client that hung up does not want to hear it.
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        text.len() as u64
    }

    /// The session's facts, as its start settled them.
    pub(crate) fn facts(&self) -> Option<SessionFacts> {
        let facts = SessionFacts::read(&self.folder);
        self.is_mixed.set(facts.as_ref().is_none_or(|facts| facts.holds_progress));
        facts
    }

    /// How far the session is.
    pub(crate) fn progress(&self) -> SessionProgress {
        let read = || SessionProgress::read_beside(&self.folder, self.is_mixed.get());
        self.progress.borrow_mut().get_or_insert_with(read).clone()
    }

    /// Notes how far it is now; says whether that was kept.
    pub(crate) fn change_progress(&self, change: impl FnOnce(&mut SessionProgress)) -> bool {
        let changed = SessionProgress::change(&self.folder, self.is_mixed.get(), change);
        let changed = self.failures.keep(changed);
        let is_kept = changed.is_some();
        self.progress.replace(changed);
        is_kept
    }

    /// The session's own transcript.
    pub(crate) fn transcript(&self) -> ledger::SessionTranscript<'_> {
        ledger::SessionTranscript {
            home: &self.place.home,
            session: &self.payload.session_id,
            transcript: &self.payload.transcript_path,
            agent: self.agent,
        }
    }

    /// What the facts of its session are compiled from.
    pub(crate) fn start(&self) -> session_facts::Start<'_> {
        session_facts::Start { place: &self.place, agent: self.agent, payload: &self.payload, now: self.now }
    }

    pub(crate) fn during(&self) -> String {
        format!("hook {}", one_line(&self.payload.event_name, 40))
    }
}

/// The name of a session in its client's database, where it keeps its sessions there: no payload names it.
fn row_of(place: &Place, agent: &Agent, session: &str) -> Option<String> {
    let Kept::Rows(_) = agent.transcripts.kept else { return None };
    let name = source::row_name(agent, &client_folders::main(place, agent)?, session)?;
    name.into_os_string().into_string().ok()
}

/// Events that always do more than note and leave.
fn is_gate(payload: &HookPayload) -> bool {
    matches!(
        payload.event,
        Event::SessionStart | Event::PreCompact | Event::PostCompact | Event::Stop | Event::SessionEnd
    )
}

/// With `panic = "abort"` nothing catches a panic: the hook logs it and leaves with 0 before the abort.
fn survive_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if let Some(place) = crate::surroundings::place() {
            // The message may hold anything; the place in our own code says enough.
            let place_in_code = panic.location().map_or_else(String::new, ToString::to_string);
            log::failure(&place.home, Timestamp::now(), "hook", &format!("panic at {place_in_code}"));
        }
        crate::leave::leave();
    }));
}

/// A fault on request, for the tests that show what a broken hook does to an agent: nothing. No build that people get
/// has it.
#[cfg(feature = "fault")]
fn inject_fault() {
    let is_asked = std::env::var("THROUGHLINE_FAULT").is_ok_and(|fault| fault == "panic");
    assert!(!is_asked, "asked for by THROUGHLINE_FAULT");
}
