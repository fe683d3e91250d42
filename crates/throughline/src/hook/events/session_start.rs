//! SessionStart: the session is noted, its facts are compiled, and what it needs is given back.

use std::path::Path;

use throughline_briefing::briefing::{self, Occasion};
use throughline_briefing::restore::{self, Ages, Plan, Start};
use throughline_briefing::resume;
use throughline_briefing::session::{self as briefing_session, Known, Reader};
use throughline_briefing::{Cap, Facts, RecentFile, Scope, banner, fragment};
use throughline_domain::hand_over::{StandingLine, lacking};
use throughline_domain::ledger::{Ledger, Stand};
use throughline_domain::{State, Timestamp, time};
use throughline_engine::descent::{self, Predecessor};
use throughline_engine::liveness::{self, Fate, Seen};
use throughline_engine::resuming::{self, Back};
use throughline_engine::{git_now, ledger};
use throughline_engine::{governance, session_facts};
use throughline_store::door::Spot;
use throughline_store::ledger_file::LedgerFile;
use throughline_store::notes_file::NotesFile;
use throughline_store::session::{CompactionMark, GateMarks, Registry, SessionCache, SessionNote};
use throughline_store::{project_files, spool};

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::events::session_end;
use crate::hook::steps::checkpoints;
use crate::hook::steps::compaction;
use crate::hook::steps::gate::{self, Session};
use crate::hook::steps::glance;
use crate::hook::steps::hand_over;
use crate::hook::steps::later;
use crate::hook::steps::purity;
use crate::hook::steps::summaries;
use crate::hook::steps::verbatim;

/// Most old sessions that one start clears away.
const RETIRED_MAX: usize = 20;
/// Subagents that are named.
const SUBAGENTS_MAX: usize = 8;

pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let source = run.payload.source.as_deref().unwrap_or("startup");
    let start = Start::from_word(source);
    let home = &run.place.home;
    let root = SessionCache::read(&home.session(&run.payload.session_id)).map(|cache| cache.project_root);
    let found = || run.place.project_root(Path::new(&run.payload.cwd)).map(|root| run.place.settled(root));
    let root = root.or_else(found);
    // Who was here before must be asked before this session is noted among them.
    let seen = root.map(|root| liveness::sessions(home, &run.place.project_at(&root), run.now));
    let seen = seen.unwrap_or_default();
    let Some(cache) = session_facts::compile(&run.start(), source) else { return Outcome::silent() };
    let Some(session) = gate::open(run) else { return Outcome::silent() };
    let mut outcome = Outcome::silent();
    outcome.note = Some(serde_json::json!({ "start": throughline_domain::text::one_line(source, 20) }));
    note_start(run, &session, source, &mut outcome.failures);
    if start == Start::Compact {
        let mut mark = CompactionMark::of_compaction(&home.session(&run.payload.session_id), run.now);
        compaction::happened(run, Some(&session), &mut mark, &mut outcome.failures);
    }
    let before = if cache.paused { None } else { before(run, start, &seen, &mut outcome.failures) };
    if !cache.paused {
        let text = restore(run, &session, start, &seen, before.as_ref(), &mut outcome.failures);
        if start == Start::Compact {
            later::note_blind(run, text.as_deref(), &mut outcome.failures);
        }
        outcome.reply = Outcome::saying(text).reply;
        glance::keep(run, &session, None, &mut outcome.failures);
        if start != Start::Compact {
            checkpoints::at_start(run, &session, &mut outcome.failures);
        }
    }
    // After a compaction PostCompact follows at once, and folds; on clients without it the next gate does.
    if start != Start::Compact {
        gate::fold(run, &session.memory, &mut outcome.failures);
    }
    if start == Start::Startup {
        let kept = before.as_ref().map(|before| before.seen.session.as_str());
        retire_old_sessions(run, &session, &seen, kept, &mut outcome.failures);
    }
    outcome
}

/// The session that this one goes on from: the last other one that worked. A compacted or resumed one goes on by itself.
fn before(run: &Run, start: Start, seen: &[Seen], failures: &mut Vec<String>) -> Option<Predecessor> {
    let is_own = |seen: &&Seen| seen.session == run.payload.session_id;
    if start == Start::Compact || (start == Start::Resume && seen.iter().any(|seen| is_own(&seen))) {
        return None;
    }
    let mut before =
        descent::predecessor(&run.place.home, seen.iter().filter(|seen| !is_own(seen)), failures)?;
    summaries::recall(&run.place, &before.seen.session, &mut before.ledger);
    Some(before)
}

/// Sessions that are over since a day, or of which there are too many: what their spools still hold goes into the archive,
/// and the folders go. They are not forgotten: the archive lists them.
fn retire_old_sessions(
    run: &Run,
    session: &Session,
    seen: &[Seen],
    kept: Option<&str>,
    failures: &mut Vec<String>,
) {
    let home = &run.place.home;
    let day_ago_ms = run.now.as_millisecond() - liveness::STALE_MS;
    let is_known = |id: &str| seen.iter().any(|seen| seen.session == id);
    let over = seen.iter().filter(|seen| seen.is_over() && seen.last_active_ms < day_ago_ms);
    let mut ids: Vec<String> = over.map(|seen| seen.session.clone()).collect();
    // Those before the newest ones that a start looks at: over, as far as their own last line tells.
    for note in Registry::of(home, &session.memory.project).recent() {
        let is_new = !is_known(&note.session) && !ids.contains(&note.session);
        if is_new && ids.len() < RETIRED_MAX && note.at < day_ago_ms && home.session(&note.session).exists() {
            ids.push(note.session);
        }
    }
    // The one that the work goes on from stays until another one has worked, or it is too old to be told.
    let old_ms =
        i64::try_from(session.config.restore.resume_hours).unwrap_or(i64::MAX).saturating_mul(3_600_000);
    let is_told = |id: &str| {
        let seen = seen.iter().find(|seen| seen.session == id);
        kept == Some(id) && seen.is_some_and(|seen| run.now.as_millisecond() - seen.last_active_ms < old_ms)
    };
    ids.retain(|id| *id != run.payload.session_id && !is_told(id));
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    session_end::archive_crashed(run, session, &ids, failures);
    if let Err(error) = throughline_store::gate::retire(&session.memory, &ids, gate::ARCHIVE_WAIT) {
        failures.push(error.to_string());
    }
    summaries::forget_checks(&run.place, &ids);
}

fn note_start(run: &Run, session: &Session, source: &str, failures: &mut Vec<String>) {
    let note = SessionNote {
        at: run.now.as_millisecond(),
        session: run.payload.session_id.clone(),
        what: "start".to_owned(),
        how: source.to_owned(),
        parent: session.cache.parent.clone(),
        phase: None,
    };
    if let Err(error) = Registry::of(&run.place.home, &session.memory.project).note(&note) {
        failures.push(error.to_string());
    }
    if !session.cache.paused {
        let noted = project_files::note_current_session(&session.memory.project, &run.payload.session_id);
        failures.extend(noted.err().map(|error| error.to_string()));
    }
}

fn restore(
    run: &Run,
    session: &Session,
    start: Start,
    seen: &[Seen],
    before: Option<&Predecessor>,
    failures: &mut Vec<String>,
) -> Option<String> {
    let (state, repairs) = match session.memory.load(&gate::author(run)) {
        Ok(settled) => settled,
        Err(error) => {
            failures.push(error.to_string());
            // Somebody else holds the lock: what stands there is still better than nothing.
            let mut state = session.memory.peek().ok().flatten()?;
            // Nobody has looked whether what stands there is ours.
            state.purification = None;
            (state, Vec::new())
        }
    };
    let mended = gate::repair_lines(&repairs).join("\n");
    let mended =
        if mended.is_empty() { mended } else { fragment::wrap(fragment::FragmentKind::Notice, &mended) };
    let mended = governance::before(mended, start, &session.config, &state);
    let cap = Cap::tokens(session.config.briefing.tokens);
    let cap =
        if mended.is_empty() { cap } else { cap.less(throughline_domain::text::utf16_len(&mended) + 1) };
    let purified = purity::waiting(run, &state, start, seen, cap);
    let cap = purified.as_deref().map_or(cap, |text| cap.less(throughline_domain::text::utf16_len(text) + 1));
    let text = planned(run, session, &state, (start, seen, before), cap, failures);
    purity::settle(run, session, &state, purified.is_some(), failures);
    let mended = Some(mended).filter(|mended| !mended.is_empty());
    let texts: Vec<String> = [mended, text, purified].into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Who was here before a start, and when.
struct Scenery<'s> {
    start: Start,
    own: Option<&'s Seen>,
    before: Option<&'s Predecessor>,
    /// The one that the work goes on from; where none has worked, the last one is all there is.
    last: Option<&'s Seen>,
    crashed: bool,
    other_lives: bool,
    last_active: Option<Timestamp>,
    age_seconds: u64,
}

impl<'s> Scenery<'s> {
    fn of(
        run: &Run,
        saved: &State,
        (start, seen, before): (Start, &'s [Seen], Option<&'s Predecessor>),
    ) -> Self {
        let is_own = |seen: &&Seen| seen.session == run.payload.session_id;
        let own = seen.iter().find(is_own);
        let mut others = seen.iter().filter(|seen| !is_own(seen));
        let other_lives = others.clone().any(|other| other.fate == Fate::Alive);
        let last = before.map(|before| &before.seen).or_else(|| others.next());
        let last_active = last_active(saved, start, own, (before, seen));
        Self {
            start,
            own,
            before: before.filter(|_| !other_lives),
            last,
            crashed: last.is_some_and(|last| last.fate == Fate::Crashed),
            other_lives,
            last_active,
            age_seconds: last_active.map_or(u64::MAX, |then| time::seconds_between(then, run.now)),
        }
    }
}

/// What this start is given, by how it starts and how long nobody was there.
fn planned(
    run: &Run,
    session: &Session,
    saved: &State,
    who: (Start, &[Seen], Option<&Predecessor>),
    cap: Cap,
    failures: &mut Vec<String>,
) -> Option<String> {
    let scenery = Scenery::of(run, saved, who);
    let start = scenery.start;
    let restore = &session.config.restore;
    let ages = Ages {
        banner: restore.banner_minutes * 60,
        briefing: restore.briefing_minutes * 60,
        resume: restore.resume_hours * 3_600,
    };
    let plan = restore::plan(start, scenery.age_seconds, scenery.crashed, ages);
    let back = Back {
        memory: &session.memory,
        config: &session.config,
        // Compared with what git says now.
        state: saved,
        ledger: None,
        last_active: scenery.last_active,
        session_active: None,
        marks: None,
        now: run.now,
        beside_briefing: false,
    };
    match plan {
        Plan::Nothing => return None,
        Plan::OneLine => {
            let left = scenery.before.and_then(|before| resume::left_words(&before.ledger));
            let parent = session.cache.parent.as_deref().filter(|parent| !parent.is_empty());
            let before = parent.or(scenery.last.map(|last| last.session.as_str()));
            let handed = before.and_then(|before| handed_at(run, before));
            return resume::one_line_notice(saved, left.as_deref(), handed, scenery.last_active, run.now);
        }
        Plan::Resume => return come_back(run, scenery.own.or(scenery.last), &back, cap, failures),
        Plan::Banner | Plan::Briefing | Plan::ResumeAndBriefing => {}
    }
    let mut told = told(run, session, (start, scenery.before), failures);
    let mut state = saved.clone();
    git_now::refresh(&mut state, &session.memory.project.work, session.config.git.deadline_ms, run.now);
    if let Some(told) = &mut told {
        git_now::settle(&mut told.ledger, &state.git);
    }
    let untrusted = session.memory.untrusted();
    let waiting = crate::waiting::quotations(&session.memory);
    let recent_files = recent_files(run, session, ages.banner);
    let around = if start == Start::Compact { around(run, session) } else { Vec::new() };
    let is_beside = scenery.other_lives && start == Start::Startup;
    let facts = Facts {
        untrusted: &untrusted,
        waiting: &waiting,
        scope: if is_beside { Scope::Shared } else { Scope::Whole },
        recent_files: &recent_files,
        around: &around,
        ..Facts::default()
    };
    match plan {
        Plan::Banner => banner_text(run, &state, &facts, (told.as_ref(), &scenery), cap),
        Plan::ResumeAndBriefing => {
            let resumed = changes(run, &back, told.as_ref(), scenery.last, cap);
            let taken = resumed.as_deref().map_or(0, |text| throughline_domain::text::utf16_len(text) + 1);
            let briefing = told_or_recorded(&state, &facts, (told.as_ref(), &scenery), cap.less(taken));
            match (resumed, briefing) {
                (Some(resumed), Some(briefing)) => Some(format!("{resumed}\n{briefing}")),
                (_, briefing) => briefing,
            }
        }
        _ => told_or_recorded(&state, &facts, (told.as_ref(), &scenery), cap),
    }
}

/// When the session before this one handed over, if it did.
fn handed_at(run: &Run, session: &str) -> Option<i64> {
    let (_, all) = throughline_engine::hand_over::of_line(&run.place.home, session)?;
    all.last.map(|last| last.at).or_else(|| all.carried.last().map(|line| line.at))
}

/// The seed's banner, with what the session before told, or with what was recorded alone.
fn banner_text(
    run: &Run,
    state: &State,
    facts: &Facts<'_>,
    (told, scenery): (Option<&Told>, &Scenery<'_>),
    cap: Cap,
) -> Option<String> {
    let with_transcript = told.zip(active(scenery.last)).and_then(|(told, last_active)| {
        let crashed = scenery.crashed;
        let before = banner::Before { ledger: &told.ledger, last_active, crashed, now: run.now };
        let facts = Facts { hand_over: &told.hand_over, ..facts.clone() };
        banner::render_with(state, &facts, &before, cap)
    });
    with_transcript.or_else(|| banner::render(state, facts, cap)).map(|chosen| chosen.text)
}

/// What changed since the session before was last there, beside a briefing.
fn changes(run: &Run, back: &Back<'_>, told: Option<&Told>, last: Option<&Seen>, cap: Cap) -> Option<String> {
    let back = Back {
        ledger: told.map(|told| &told.ledger),
        session_active: active(last),
        marks: last.and_then(|last| GateMarks::read(&run.place.home.session(&last.session))),
        beside_briefing: true,
        ..back.clone()
    };
    resuming::text(&back, Cap { units: cap.units / 3 })
}

/// The briefing with what a session told; without one, what was recorded.
fn told_or_recorded(
    state: &State,
    facts: &Facts<'_>,
    (told, scenery): (Option<&Told>, &Scenery<'_>),
    cap: Cap,
) -> Option<String> {
    let start = scenery.start;
    told.and_then(|told| session_text(state, facts, told, reader(start), cap))
        .or_else(|| brief(state, facts, start, scenery.age_seconds, cap))
}

/// What is always said after a compaction: which session it is, where its notes are, who else works for it.
fn around(run: &Run, session: &Session) -> Vec<String> {
    let id = &run.payload.session_id;
    let notes = NotesFile::of(&session.memory.project, &run.place.home, id);
    let shown = notes.path().shown();
    let shown = shown.strip_prefix(&session.memory.project.root).unwrap_or(&shown).display().to_string();
    let notes = if notes.path().is_file() { format!("; its notes: {shown}") } else { String::new() };
    let mut lines = vec![format!("This is session {id}{notes}.")];
    lines.extend(subagents_line(&run.place.home.session(id)));
    lines
}

/// The subagents at work, with their ids.
pub(in crate::hook) fn subagents_line(folder: &Spot) -> Option<String> {
    let at_work = spool::subagents_at_work(folder);
    let named: Vec<String> =
        at_work.iter().take(SUBAGENTS_MAX).map(|(kind, id)| format!("{kind}={id}")).collect();
    let more = at_work.len().saturating_sub(SUBAGENTS_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| format!("Subagents at work: {}{more}", named.join(", ")))
}

/// What this session's transcript tells. At the last Stop the client had not written the end of its answer yet.
pub(in crate::hook) fn own_ledger(run: &Run, failures: &mut Vec<String>) -> Ledger {
    let payload = &run.payload;
    ledger::catch_up(
        &run.place.home,
        &payload.session_id,
        &payload.transcript_path,
        ledger::SLICE_BYTES,
        failures,
    )
}

/// What changed since a session was last active. A fork's own transcript is not there yet: for it that is the session last
/// active in the project, most likely its parent.
fn come_back(
    run: &Run,
    to: Option<&Seen>,
    back: &Back<'_>,
    cap: Cap,
    failures: &mut Vec<String>,
) -> Option<String> {
    let ledger = match to {
        Some(seen) if seen.session != run.payload.session_id => ledger_of(run, &seen.session),
        _ => own_ledger(run, failures),
    };
    let marks = to.and_then(|seen| GateMarks::read(&run.place.home.session(&seen.session)));
    resuming::text(&Back { ledger: Some(&ledger), session_active: active(to), marks, ..back.clone() }, cap)
}

/// What another session's transcript told when it was last read.
fn ledger_of(run: &Run, session: &str) -> Ledger {
    let folder = run.place.home.session(session);
    let transcript = SessionCache::read(&folder).map(|cache| cache.transcript).unwrap_or_default();
    LedgerFile::read(&folder, &transcript).main.ledger
}

fn active(seen: Option<&Seen>) -> Option<Timestamp> {
    Timestamp::from_millisecond(seen?.last_active_ms).ok()
}

/// What a session's transcript has told, and what of it the agent will know anyway.
struct Told {
    ledger: Ledger,
    known: Known,
    hand_over: Vec<StandingLine>,
}

/// The ledger that matters: of a compacted session its own, of a new one that of the session it goes on from. Another
/// session that is at work has its own tasks and errors.
fn told(
    run: &Run,
    opened: &Session,
    (start, before): (Start, Option<&Predecessor>),
    failures: &mut Vec<String>,
) -> Option<Told> {
    if start != Start::Compact {
        let before = before?;
        hand_over::go_on_from(run, &before.seen.session, failures);
        let handed = hand_over::of_session(run, &before.seen.session, &before.ledger);
        return Some(Told { ledger: before.ledger.clone(), known: Known::nothing(), hand_over: handed });
    }
    let (home, session, transcript) =
        (&run.place.home, &run.payload.session_id, &run.payload.transcript_path);
    let mut ledger = ledger::catch_up(home, session, transcript, ledger::LARGE_SLICE_BYTES, failures);
    summaries::recall(&run.place, session, &mut ledger);
    let folder = home.session(session);
    let summary = CompactionMark::of_compaction(&folder, run.now).summary;
    hand_over::after_compaction(run, Some(opened), summary.as_deref(), Some(&ledger), failures);
    let handed = hand_over::of_session(run, session, &ledger);
    let handed = lacking(handed, summary.as_deref().unwrap_or_default());
    let (known, is_there) = known_after_compaction(&folder, transcript, run.now);
    if is_there {
        // What was last said and done stands in the context.
        ledger.stand = Stand::default();
    }
    (ledger.turn > 0).then_some(Told { ledger, known, hand_over: handed })
}

/// The summary, and what was said since it was made: that stays in the context word by word. Says whether anything did.
fn known_after_compaction(folder: &Spot, transcript: &str, now: Timestamp) -> (Known, bool) {
    let mark = CompactionMark::of_compaction(folder, now);
    let Some(summary) = &mark.summary else { return (Known::nothing(), false) };
    let known = Known::summary(summary);
    match verbatim::since(transcript, &mark) {
        Some(words) => (known.and(&words), true),
        None => (known, false),
    }
}

fn reader(start: Start) -> Reader {
    if start == Start::Compact { Reader::Compacted } else { Reader::Started }
}

fn session_text(state: &State, facts: &Facts<'_>, told: &Told, reader: Reader, cap: Cap) -> Option<String> {
    let facts = Facts { hand_over: &told.hand_over, ..facts.clone() };
    briefing_session::render(state, &facts, &told.ledger, &told.known, reader, cap).map(|chosen| chosen.text)
}

fn brief(state: &State, facts: &Facts<'_>, start: Start, age_seconds: u64, cap: Cap) -> Option<String> {
    let occasion = match start {
        Start::Compact => Occasion::Compacted,
        _ => Occasion::Started { idle_seconds: age_seconds },
    };
    briefing::render(state, facts, &occasion, cap).map(|chosen| chosen.text)
}

/// The project's last recorded activity, for a resumed session its own. A session that did nothing is no activity where
/// another one worked.
fn last_active(
    state: &State,
    start: Start,
    own: Option<&Seen>,
    (before, seen): (Option<&Predecessor>, &[Seen]),
) -> Option<Timestamp> {
    if start == Start::Resume
        && let Some(own) = own
    {
        return Timestamp::from_millisecond(own.last_active_ms).ok();
    }
    let counts = |seen: &&Seen| {
        before.is_none_or(|before| before.seen.session == seen.session || seen.fate == Fate::Alive)
    };
    let sessions = seen.iter().filter(counts);
    let sessions = sessions.filter_map(|seen| Timestamp::from_millisecond(seen.last_active_ms).ok());
    sessions.chain(time::parse(&state.timestamp)).max()
}

/// Files that a person or the hook before a compaction left a short while ago: their content, not only a reminder.
fn recent_files(run: &Run, session: &Session, seconds_max: u64) -> Vec<RecentFile> {
    let project = &session.memory.project;
    [
        (".claude/session-state.md", project.session_state_file()),
        (".claude/compaction-snapshot.md", project.snapshot_file()),
    ]
    .into_iter()
    .filter_map(|(name, path)| {
        let (content, age_seconds) = project_files::read_if_young(&path, run.now, seconds_max)?;
        Some(RecentFile { name, content, age_seconds })
    })
    .collect()
}
