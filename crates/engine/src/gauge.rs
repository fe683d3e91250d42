//! The gauge: how full a session's context is, how full it was, and which compaction will really come.
//!
//! Everything comes from what the server reported: the session's own small files and its transcript. No database.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use throughline_agents::agent::{Agent, CompactionRule, ToldContext};
use throughline_agents::compaction_point::{At, CompactionPoint};
use throughline_briefing::handoff::{ContextUse, NextCompaction};
use throughline_domain::context::{Fill, Moment};
use throughline_domain::purity::Purity;
use throughline_domain::usage_memory::{Gap, UsageMemory};
use throughline_domain::{Health, Timestamp, time};
use throughline_store::config::{Config, Thresholds};
use throughline_store::paths::Project;
use throughline_store::session::{self, SessionFacts};
use throughline_store::transcript_file::Cursor;
use throughline_store::usage_file;
use throughline_usage::trail::{Trail, minutes_until};

use crate::at_hand::AtHand;
use crate::place::Place;
use crate::session_facts::agent_of;
use crate::source::{LineReader, Source};
use crate::transcripts::{self, Transcript};
use crate::window::{model_window, window_of};
use crate::{client_settings, ledger};

/// How much of a transcript's end is read: peak and compactions of a longer one are those of its newer part.
const TRAIL_BYTES_MAX: u64 = throughline_domain::limits::TRAIL_BYTES_MAX;

/// After so long without an answer a session's pace says nothing of the next minutes.
const AT_WORK_SECONDS: u64 = 10 * 60;

/// One session's gauge.
#[derive(Debug)]
pub struct Gauge {
    /// Its id.
    pub session: String,
    /// Whose session it is.
    pub agent: &'static Agent,
    /// Where it is written down.
    pub transcript: PathBuf,
    /// The project's root.
    pub project: PathBuf,
    /// The model that answered last.
    pub model: Option<String>,
    /// The model's window, of which the printed percentage is taken.
    pub window_tokens: u64,
    /// Where the client compacts.
    pub point: CompactionPoint,
    /// How full it was.
    pub trail: Trail,
    /// Whether the status line knew more than the transcript, which the client writes a moment later.
    pub is_told: bool,
    /// Bytes of the transcript that were too old to be read.
    pub unread_bytes: u64,
    /// How clean the context is; `None` before the first answer, and where nobody wants to know.
    pub purity: Option<Purity>,
    thresholds: Thresholds,
}

impl Gauge {
    /// The session that was named, or the one at hand, or the newest transcript of the project.
    #[must_use]
    pub fn at_hand(at_hand: &AtHand<'_>, named: Option<&str>) -> Option<Self> {
        let (place, project) = (at_hand.place, &at_hand.memory.project);
        let session = named.map(str::to_owned).or_else(|| at_hand.session());
        let Some(session) = session else {
            let newest = transcripts::of_project(place, project).ok()?.pop()?;
            return Some(Self::of_transcript(place, project, &newest));
        };
        Self::of(place, &session).or_else(|| {
            let transcript = transcripts::named(place, project, &session).ok()?;
            Some(Self::of_transcript(place, project, &transcript))
        })
    }

    /// A session that our hooks have seen.
    #[must_use]
    pub fn of(place: &Place, session: &str) -> Option<Self> {
        let folder = place.home.session(session);
        let cache = SessionFacts::read(&folder)?;
        let project = place.project_at(&cache.project_root);
        let agent = agent_of(&cache);
        let Told { mut trail, unread_bytes, .. } = told(agent, Path::new(&cache.transcript));
        let is_told = hear(&mut trail, &usage_file::read(&folder));
        let transcript = PathBuf::from(cache.transcript);
        let told = ToldContext {
            model: cache.model.as_deref(),
            window: Some(cache.window_tokens).filter(|tokens| *tokens > 0),
            compacts_at: cache.compacts_at_tokens,
        };
        let mut gauge = Self::put_together(place, &project, session, trail, &told, (agent, &transcript));
        gauge.unread_bytes = unread_bytes;
        gauge.is_told = is_told;
        Some(gauge)
    }

    /// A transcript without a session that we know of.
    fn of_transcript(place: &Place, at_hand: &Project, transcript: &Transcript) -> Self {
        let Transcript { agent, session, path, .. } = transcript;
        let Told { trail, unread_bytes, folder } = told(agent, path);
        // A file from anywhere belongs to the project that it names, not to the one that it is looked at from.
        let is_elsewhere =
            |folder: &PathBuf| ![&at_hand.root, &at_hand.work].iter().any(|it| folder.starts_with(it));
        let elsewhere = folder.filter(is_elsewhere).map(|folder| {
            let root = place.project_around(&folder).unwrap_or(folder);
            place.project_at(&place.settled(root))
        });
        let project = elsewhere.as_ref().unwrap_or(at_hand);
        let mut gauge = {
            let told = ToldContext::default();
            Self::put_together(place, project, session, trail, &told, (agent, path))
        };
        gauge.unread_bytes = unread_bytes;
        gauge
    }

    fn put_together(
        place: &Place,
        project: &Project,
        session: &str,
        trail: Trail,
        known: &ToldContext<'_>,
        (agent, transcript): (&'static Agent, &Path),
    ) -> Self {
        let (config, _) = place.config(project);
        let written = transcript.to_string_lossy();
        let source = ledger::SessionTranscript { home: &place.home, session, transcript: &written, agent };
        // The user may have switched models since the session began.
        let model =
            trail.last.as_ref().and_then(|fill| fill.model.clone()).or(known.model.map(str::to_owned));
        let told_window = match agent.compaction {
            // Where no status line told the window, what was seen in it did.
            CompactionRule::Settings => session::told_window(&place.home.session(session)).or_else(|| {
                let model = model.as_deref()?;
                let seen = window_of(model, trail.peak_tokens);
                (seen > window_of(model, 0)).then_some(seen)
            }),
            CompactionRule::Told(_) => known.window,
        };
        let told = ToldContext { model: model.as_deref(), window: told_window, ..*known };
        let point = client_settings::compaction_point(agent, place, project, &config, &told);
        let usual = || match agent.compaction {
            CompactionRule::Settings => model_window(model.as_deref()?),
            CompactionRule::Told(_) => None,
        };
        let window_tokens = told_window.or_else(usual).unwrap_or(point.window);
        Self {
            session: session.to_owned(),
            agent,
            transcript: transcript.to_owned(),
            project: project.root.clone(),
            model,
            window_tokens,
            point,
            trail,
            is_told: false,
            unread_bytes: 0,
            purity: purity(&config, &source),
            thresholds: config.thresholds,
        }
    }

    /// Where it is read from.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source::of(self.agent, &self.transcript)
    }

    /// How full the context is; `None` while nobody knows.
    #[must_use]
    pub fn now(&self) -> Option<&Fill> {
        self.trail.last.as_ref()
    }

    /// How long ago the last answer came, in seconds; `None` while nobody knows.
    #[must_use]
    pub fn age_seconds(&self, now: Timestamp) -> Option<u64> {
        Some(time::seconds_between(self.now()?.at?, now))
    }

    /// Whether an answer came within the last minutes: what it grew by then is how it grows now.
    #[must_use]
    pub fn is_at_work(&self, now: Timestamp) -> bool {
        self.age_seconds(now).is_some_and(|age| age < AT_WORK_SECONDS)
    }

    /// How far on the way to the compaction (or to the end of the window, where none will come), in per cent.
    #[must_use]
    pub fn percent_of_way(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(100) / self.point.limit_tokens().max(1)
    }

    /// What so many tokens mean, in a word.
    #[must_use]
    pub fn health_at(&self, tokens: u64) -> Health {
        let Thresholds { warning, critical, emergency } = self.thresholds;
        Health::at(self.percent_of_way(tokens), warning, critical, emergency)
    }

    /// The compaction that will really come.
    #[must_use]
    pub fn next(&self) -> NextCompaction {
        match self.point.at {
            At::Compacts(tokens) => NextCompaction::At(tokens),
            At::Never { reason, remedy } => NextCompaction::Never { reason, remedy },
            At::Unknown => NextCompaction::Unknown,
        }
    }

    /// Minutes until the compaction at the present pace.
    #[must_use]
    pub fn minutes_left(&self) -> Option<u64> {
        let NextCompaction::At(at) = self.next() else { return None };
        minutes_until(at, self.now()?.used_tokens, self.trail.tokens_per_minute()?)
    }

    /// For the hand-over block.
    #[must_use]
    pub fn context_use(&self) -> Option<ContextUse> {
        let fill = self.now()?;
        Some(ContextUse {
            used_tokens: fill.used_tokens,
            window_tokens: self.window_tokens,
            health: self.health_at(fill.used_tokens),
            cache_read_tokens: fill.cache_read_tokens,
            compactions: self.trail.compactions,
            next: self.next(),
        })
    }
}

fn purity(config: &Config, source: &ledger::SessionTranscript<'_>) -> Option<Purity> {
    let rules = Some(&config.purity).filter(|rules| rules.enabled)?;
    let told = ledger::look(source);
    (told.turn > 0).then(|| rules.scale.rate_stretch(&told.stretch, told.turn))
}

/// Adds what the session's status line was told since the transcript's last answer; tells whether that was anything.
fn hear(trail: &mut Trail, memory: &UsageMemory) -> bool {
    let answered_ms = trail.last.as_ref().and_then(|fill| fill.at).map_or(0, Timestamp::as_millisecond);
    if memory.size.used() == 0 || memory.seen_at_ms <= answered_ms {
        return false;
    }
    match memory.gap {
        Gap::None => {
            let last = (memory.seen_at_ms, memory.size.used());
            // Without a transcript, what the status line remembers is all there is.
            let earlier =
                memory.points.iter().copied().filter(|(at_ms, _)| *at_ms > answered_ms && *at_ms < last.0);
            for (at_ms, used_tokens) in earlier.chain([last]) {
                trail.push(Moment::Responded(Fill {
                    at: Timestamp::from_millisecond(at_ms).ok(),
                    used_tokens,
                    cache_read_tokens: memory.size.cache_read,
                    model: Some(memory.model.clone()).filter(|model| !model.is_empty()),
                }));
            }
        }
        // The client said that the context is another one now; how large it is, the next answer tells.
        Gap::Zeros | Gap::Null => trail.last = None,
    }
    true
}

/// What a transcript tells.
struct Told {
    trail: Trail,
    /// Bytes that were too old to be read.
    unread_bytes: u64,
    /// The folder that it was held in.
    folder: Option<PathBuf>,
}

fn told(agent: &'static Agent, path: &Path) -> Told {
    let mut trail = Trail::default();
    let mut reader = LineReader::afresh(agent);
    let mut folder = None;
    let read =
        Source::of(agent, path).read_on(&Cursor::default(), TRAIL_BYTES_MAX, SystemTime::now(), |_, line| {
            if let Some(moment) = (agent.transcripts.moment)(line) {
                trail.push(moment);
            }
            if folder.is_none() {
                reader.each(line, |line| {
                    let named = line.cwd.as_deref().map(PathBuf::from).filter(|folder| folder.is_absolute());
                    folder = folder.take().or(named);
                });
            }
        });
    Told { trail, unread_bytes: read.map_or(0, |(cursor, _)| cursor.front_bytes()), folder }
}
