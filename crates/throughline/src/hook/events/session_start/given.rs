//! What a start is given back, by how it starts and how long nobody was there.

use throughline_briefing::briefing::{self, Occasion};
use throughline_briefing::restore::{self, Ages, Plan, Start};
use throughline_briefing::resume;
use throughline_briefing::session::{self as briefing_session, Reader};
use throughline_briefing::{Cap, Facts, RecentFile, Scope, banner, fragment};
use throughline_domain::State;
use throughline_domain::text::utf16_len;
use throughline_engine::liveness::Seen;
use throughline_engine::resuming::{self, Back};
use throughline_engine::{git_now, governance, ledger};
use throughline_store::ledger_file::LedgerFile;
use throughline_store::notes_file::NotesFile;
use throughline_store::project_files;
use throughline_store::session::{GateMarks, SessionFacts};

use super::Beginning;
use super::scenery::{Scenery, active};
use super::told::Told;
use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::purity;
use crate::hook::steps::subagents;
use crate::repairs::{self, Audience};

/// Everything that the agent is told at this start; `None` when there is nothing to say.
pub(super) fn text(beginning: &Beginning<'_>) -> Option<String> {
    let gate = beginning.gate;
    let (state, repairs) = match gate.load() {
        Ok((state, repairs)) => (state.as_ref().clone(), repairs),
        Err(error) => {
            gate.run.failures.add(error);
            // Somebody else holds the lock: what stands there is still better than nothing.
            let mut state = gate.memory.peek().ok().flatten()?;
            // Nobody has looked whether what stands there is ours.
            state.purification = None;
            (state, Vec::new())
        }
    };
    let mended: Vec<String> =
        repairs.iter().filter_map(|repair| repairs::words(repair, Audience::Agent)).collect();
    let mended = match mended.as_slice() {
        [] => String::new(),
        lines => fragment::wrap(fragment::FragmentKind::Notice, &lines.join("\n")),
    };
    let mended = governance::before(mended, beginning.start, &gate.config, &state);
    let cap = Cap::tokens(gate.config.briefing.tokens);
    let cap = if mended.is_empty() { cap } else { cap.less(utf16_len(&mended) + 1) };
    let purified = purity::waiting(gate.run, &state, beginning.start, beginning.seen, cap);
    let cap = purified.as_deref().map_or(cap, |text| cap.less(utf16_len(text) + 1));
    let text = planned(beginning, &state, cap);
    purity::settle(gate, &state, purified.is_some());
    let mended = Some(mended).filter(|mended| !mended.is_empty());
    let texts: Vec<String> = [mended, text, purified].into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What this start is given, by how it starts and how long nobody was there.
fn planned(beginning: &Beginning<'_>, saved: &State, cap: Cap) -> Option<String> {
    let gate = beginning.gate;
    let (run, start) = (gate.run, beginning.start);
    let scenery = Scenery::of(beginning, saved);
    let restore = &gate.config.restore;
    let ages = Ages {
        banner: restore.banner_minutes * 60,
        briefing: restore.briefing_minutes * 60,
        resume: restore.resume_hours * 3_600,
    };
    let plan = match restore::plan(start, scenery.age_seconds, scenery.crashed, ages) {
        // However long it was left, a session that goes on needs to know where it stands.
        Plan::OneLine if beginning.is_told_again => Plan::ResumeAndBriefing,
        Plan::Briefing if beginning.is_told_again && scenery.age_seconds >= ages.briefing => {
            Plan::ResumeAndBriefing
        }
        plan => plan,
    };
    let untrusted = gate.untrusted();
    let back = Back {
        memory: &gate.memory,
        config: &gate.config,
        // Compared with what git says now.
        state: saved,
        untrusted: &untrusted,
        ledger: None,
        last_active: scenery.last_active,
        session_active: None,
        marks: None,
        now: run.now,
        beside_briefing: false,
    };
    match plan {
        Plan::Nothing => return None,
        Plan::OneLine => return one_line(run, saved, &scenery),
        Plan::Resume => return come_back(gate, scenery.own.or(scenery.last), &back, cap),
        Plan::Banner | Plan::Briefing | Plan::ResumeAndBriefing => {}
    }
    let mut told = Told::of(beginning, scenery.before);
    let mut state = saved.clone();
    git_now::refresh(&mut state, &gate.memory.project.work, gate.config.git.deadline_ms, run.now);
    if let Some(told) = &mut told {
        git_now::settle(&mut told.ledger, &state.git);
    }
    let waiting = crate::waiting::quotations(&gate.memory);
    let recent_files = recent_files(gate, ages.banner);
    let around = if start == Start::Compact { around(gate) } else { Vec::new() };
    let is_beside = scenery.other_lives && start == Start::Startup;
    let facts = Facts {
        untrusted: &untrusted,
        waiting: &waiting,
        scope: if is_beside { Scope::Shared } else { Scope::Whole },
        recent_files: &recent_files,
        around: &around,
        ..Facts::default()
    };
    let giving = Giving { run, start, state: &state, facts, told: told.as_ref(), scenery: &scenery };
    match plan {
        Plan::Banner => giving.banner(cap),
        Plan::ResumeAndBriefing => {
            let resumed = giving.changes(&back, cap);
            let taken = resumed.as_deref().map_or(0, |text| utf16_len(text) + 1);
            match (resumed, giving.told_or_recorded(cap.less(taken))) {
                (Some(resumed), Some(briefing)) => Some(format!("{resumed}\n{briefing}")),
                (_, briefing) => briefing,
            }
        }
        _ => giving.told_or_recorded(cap),
    }
}

/// After a `/clear`: that something was left, and how to get it.
fn one_line(run: &Run, saved: &State, scenery: &Scenery<'_>) -> Option<String> {
    let left = scenery.before.and_then(|before| resume::left_words(&before.ledger));
    let progress = run.progress();
    let before = progress.known_parent().or(scenery.last.map(|last| last.session.as_str()));
    let handed = before.and_then(|before| handed_at(run, before));
    resume::one_line_notice(saved, left.as_deref(), handed, scenery.last_active, run.now)
}

/// When the session before this one handed over, if it did.
fn handed_at(run: &Run, session: &str) -> Option<i64> {
    let (_, all) = throughline_engine::hand_over::of_line(&run.place.home, session)?;
    all.last.map(|last| last.at).or_else(|| all.carried.last().map(|line| line.at))
}

/// What a text is made of.
struct Giving<'g> {
    run: &'g Run,
    start: Start,
    state: &'g State,
    facts: Facts<'g>,
    told: Option<&'g Told>,
    scenery: &'g Scenery<'g>,
}

impl Giving<'_> {
    /// The seed's banner, with what the session before told, or with what was recorded alone.
    fn banner(&self, cap: Cap) -> Option<String> {
        let with_transcript = self.told.zip(active(self.scenery.last)).and_then(|(told, last_active)| {
            let crashed = self.scenery.crashed;
            let before = banner::Before { ledger: &told.ledger, last_active, crashed, now: self.run.now };
            let facts = Facts { hand_over: &told.hand_over, ..self.facts.clone() };
            banner::render_with(self.state, &facts, &before, cap)
        });
        with_transcript.or_else(|| banner::render(self.state, &self.facts, cap)).map(|chosen| chosen.text)
    }

    /// What changed since the session before was last there, beside a briefing.
    fn changes(&self, back: &Back<'_>, cap: Cap) -> Option<String> {
        let last = self.scenery.last;
        let back = Back {
            ledger: self.told.map(|told| &told.ledger),
            session_active: active(last),
            marks: last.and_then(|last| GateMarks::read(&self.run.place.home.session(&last.session))),
            beside_briefing: true,
            ..back.clone()
        };
        resuming::text(&back, Cap { units: cap.units / 3 })
    }

    /// The briefing with what a session told; without one, what was recorded.
    fn told_or_recorded(&self, cap: Cap) -> Option<String> {
        self.told.and_then(|told| self.told_text(told, cap)).or_else(|| self.recorded_text(cap))
    }

    fn told_text(&self, told: &Told, cap: Cap) -> Option<String> {
        let reader = if self.start == Start::Compact { Reader::Compacted } else { Reader::Started };
        let facts = Facts { hand_over: &told.hand_over, ..self.facts.clone() };
        let chosen = briefing_session::render(self.state, &facts, &told.ledger, &told.known, reader, cap);
        chosen.map(|chosen| chosen.text)
    }

    fn recorded_text(&self, cap: Cap) -> Option<String> {
        let occasion = match self.start {
            Start::Compact => Occasion::Compacted,
            _ => Occasion::Started { idle_seconds: self.scenery.age_seconds },
        };
        briefing::render(self.state, &self.facts, &occasion, cap).map(|chosen| chosen.text)
    }
}

/// What is always said after a compaction: which session it is, where its notes are, who else works for it.
fn around(gate: &Gate<'_>) -> Vec<String> {
    let run = gate.run;
    let id = &run.payload.session_id;
    let notes = NotesFile::of(&gate.memory.project, &run.place.home, id);
    let shown = notes.path().shown();
    let shown = shown.strip_prefix(&gate.memory.project.root).unwrap_or(&shown).display().to_string();
    let notes = if notes.path().is_file() { format!("; its notes: {shown}") } else { String::new() };
    let mut lines = vec![format!("This is session {id}{notes}.")];
    lines.extend(subagents::line(&run.folder));
    lines
}

/// What changed since a session was last active. A fork's own transcript is not there yet: for it that is the session last
/// active in the project, most likely its parent.
fn come_back(gate: &Gate<'_>, to: Option<&Seen>, back: &Back<'_>, cap: Cap) -> Option<String> {
    let run = gate.run;
    let ledger = match to {
        Some(seen) if seen.session != run.payload.session_id => {
            // What its transcript told when it was last read.
            let folder = run.place.home.session(&seen.session);
            let transcript = SessionFacts::read(&folder).map(|facts| facts.transcript).unwrap_or_default();
            LedgerFile::read(&folder, &transcript).main.ledger
        }
        // At the last Stop the client had not written the end of its answer yet.
        _ => gate.catch_up(ledger::SLICE_BYTES),
    };
    let marks = to.and_then(|seen| GateMarks::read(&run.place.home.session(&seen.session)));
    resuming::text(&Back { ledger: Some(&ledger), session_active: active(to), marks, ..back.clone() }, cap)
}

/// Files that a person or the hook before a compaction left a short while ago: their content, not only a reminder.
fn recent_files(gate: &Gate<'_>, seconds_max: u64) -> Vec<RecentFile> {
    let project = &gate.memory.project;
    [
        (".claude/session-state.md", project.session_state_file()),
        (".claude/compaction-snapshot.md", project.snapshot_file()),
    ]
    .into_iter()
    .filter_map(|(name, path)| {
        let (content, age_seconds) = project_files::read_if_young(&path, gate.run.now, seconds_max)?;
        Some(RecentFile { name, content, age_seconds })
    })
    .collect()
}
