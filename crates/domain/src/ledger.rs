//! The ledger: what a session's transcript has told so far, bounded, updated line by line, kept between two gates.

use serde::{Deserialize, Serialize};

use crate::seen_lines::SeenLines;
use crate::stretch::Stretch;

/// The form of the ledger that is written; a file of another form is read from the transcript anew.
///
/// Fields are written by their place: one that is not the last of its structure, or goes, needs another number here.
pub const LEDGER_VERSION: u32 = 9;

/// After so many responses a use counts half.
pub const HALF_LIFE_TURNS: f64 = 40.0;

/// Everything captured from one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    /// [`LEDGER_VERSION`].
    pub version: u32,
    /// Responses of the model so far: the measure of time here.
    pub turn: u64,
    /// Fingerprint of the last response's id: one response may span several lines.
    pub last_message: u64,
    /// Tokens in the context, as last reported; a compaction brings it down.
    pub context_tokens: Option<u64>,
    /// The newest lines, for telling copies.
    pub seen_lines: SeenLines,
    /// Folders the agent worked in, newest last; paths are relative to them.
    pub folders: Vec<String>,
    /// The turn of the last commit.
    pub commit_turn: Option<u64>,
    /// Files.
    pub files: Vec<FileUse>,
    /// Commands.
    pub commands: Vec<CommandUse>,
    /// What the user said.
    pub said: Vec<UserWord>,
    /// Tasks, in the order of their creation.
    pub tasks: Vec<Task>,
    /// Errors.
    pub errors: Vec<ErrorSeen>,
    /// Decisions, questions and plans, in somebody's own words.
    pub findings: Vec<Finding>,
    /// Calls that no answer has come to yet.
    pub pending: Vec<PendingCall>,
    /// Compactions.
    pub compactions: Vec<CompactionSeen>,
    /// Stretches of work: one per task, or per request of the user where there are no tasks.
    pub segments: Vec<Segment>,
    /// Where the main conversation stands.
    pub stand: Stand,
    /// What the context collected since it was last new.
    pub stretch: Stretch,
    /// What the agent said that somebody who goes on wants to know, oldest first.
    pub tellings: Vec<Telling>,
    /// Commits, branches, pull requests, addresses: what the session left in the world, oldest first.
    pub landmarks: Vec<Landmark>,
    /// Ways that did not work, each with the one that did.
    pub detours: Vec<Detour>,
    /// Calls that the user refused.
    pub refusals: Vec<Refusal>,
    /// What earlier summaries said and no later one repeats, oldest first.
    pub summarised: Vec<Telling>,
    /// Fingerprints of the newest command lines that were answered, oldest first.
    pub answered: Vec<u64>,
}

/// A sentence, a row of a list or a line of code that the agent said to the user, word by word.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telling {
    /// The words.
    pub text: String,
    /// Where; what was said in one text has one place.
    pub place: TranscriptPlace,
    /// How much it tells: 1 says something, 2 something precise, 3 a cause, a choice, a result or a limit.
    pub weight: u8,
    /// It belongs to a text that ended a turn: a report to the user.
    pub is_report: bool,
}

/// What kind of thing a landmark is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LandmarkKind {
    /// A commit was made.
    #[default]
    Commit,
    /// A branch was pushed.
    Push,
    /// Another branch was checked out.
    Branch,
    /// A pull request was opened.
    PullRequest,
    /// A server answers at an address.
    Address,
    /// A program runs in the background.
    Background,
}

/// Something that the session left in the world, as a tool reported it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Landmark {
    /// What it is.
    pub kind: LandmarkKind,
    /// Its name: a hash and a subject, a branch, an address, an id.
    pub name: String,
    /// Where it is: the branch of a commit, the command of a program.
    pub at: String,
    /// Where in the transcript.
    pub place: TranscriptPlace,
}

/// A way that did not work, and the one that did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Detour {
    /// What failed, as it was run.
    pub failed: String,
    /// The line that told why.
    pub why: String,
    /// What then worked, as it was run; empty while nothing did.
    pub works: String,
    /// Where it failed.
    pub place: TranscriptPlace,
    /// It tells what this machine or this tool cannot do, whatever the code is like.
    pub is_limit: bool,
}

/// A call that the user did not allow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Refusal {
    /// The command, or the tool and its file.
    pub what: String,
    /// What the user said to it; often nothing.
    pub words: String,
    /// Where.
    pub place: TranscriptPlace,
}

/// Whose turn it is, and what the agent last said and did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stand {
    /// Whose turn it is.
    pub phase: Phase,
    /// The sentence with which the agent last said what it would do, word by word; empty since the user spoke.
    pub said: String,
    /// The sentence of its last text that says what came out, word by word; empty since the user spoke.
    pub told: String,
    /// What kind of thing it did last.
    pub act: Act,
    /// The file, the command, the pattern, the tool.
    pub what: String,
    /// No answer has come to it yet.
    pub is_open: bool,
    /// `said` says what it would do, and is not merely the last thing that it said.
    pub announces: bool,
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Nothing was said yet.
    #[default]
    New,
    /// The user spoke last.
    Asked,
    /// The agent called tools last.
    Working,
    /// The agent spoke last.
    Told,
    /// The user stopped it.
    Stopped,
}

/// What a call did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// Nothing yet.
    #[default]
    None,
    /// Changed or wrote a file.
    Edited,
    /// Read a file.
    Read,
    /// Searched.
    Searched,
    /// Ran a command.
    Ran,
    /// Started a subagent.
    Delegated,
    /// Called another tool.
    Called,
    /// Wanted to do something that the user refused.
    Refused,
}

/// Where something stands in the transcript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TranscriptPlace {
    /// The response it belongs to or follows.
    pub turn: u64,
    /// The byte at which its line begins.
    pub offset: u64,
}

/// How much something was used, with older uses counting less.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Weight {
    /// The weight at `turn`.
    pub value: f64,
    /// When it was last brought up to date.
    pub turn: u64,
}

impl Weight {
    /// The weight at a later turn: halved every `half_life` turns.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "turns are few")]
    pub fn at(&self, turn: u64, half_life: f64) -> f64 {
        self.value * 0.5_f64.powf(turn.saturating_sub(self.turn) as f64 / half_life)
    }

    /// Adds a use.
    pub fn add(&mut self, amount: f64, turn: u64, half_life: f64) {
        *self = Self { value: self.at(turn, half_life) + amount, turn };
    }
}

/// What happened to a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileUse {
    /// Relative to the project; forward slashes.
    pub path: String,
    /// Times edited or written.
    pub edits: u32,
    /// Times read.
    pub reads: u32,
    /// Other uses: searched, named in a command, spoken of.
    pub mentions: u32,
    /// How much it was used of late.
    pub weight: Weight,
    /// First use.
    pub first: TranscriptPlace,
    /// Last use.
    pub last: TranscriptPlace,
    /// The last edit's turn.
    pub edited_turn: Option<u64>,
    /// What was done to it, in a few words of the transcript.
    pub did: String,
    /// Written, not only changed.
    pub created: bool,
    /// What was put into it: functions, types, headings, keys, as the edits spell them; newest last.
    pub holds: Vec<String>,
    /// Git says that a commit holds it as it is: asked when it is told, never kept.
    #[serde(skip)]
    pub is_committed: bool,
}

impl FileUse {
    /// Whether it was changed after the last commit.
    #[must_use]
    pub fn is_uncommitted(&self, commit_turn: Option<u64>) -> bool {
        let is_after_commit = |edited: u64| commit_turn.is_none_or(|commit| edited > commit);
        !self.is_committed && self.edited_turn.is_some_and(is_after_commit)
    }
}

/// What a command is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandKind {
    /// Runs tests.
    Test,
    /// Builds.
    Build,
    /// Checks style or types.
    Lint,
    /// Ships.
    Deploy,
    /// Version control.
    Git,
    /// Anything else.
    #[default]
    Run,
}

/// A command that was run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandUse {
    /// Normalised: without changes of folder, pipes and redirections.
    pub normal: String,
    /// The whole line as it was last run.
    pub verbatim: String,
    /// What it is for.
    pub kind: CommandKind,
    /// How often.
    pub count: u32,
    /// How much of late.
    pub weight: Weight,
    /// Last run.
    pub last: TranscriptPlace,
    /// Whether the last run succeeded, when its answer came.
    pub succeeded: Option<bool>,
    /// The last meaningful lines of its last answer.
    pub result: Vec<String>,
}

/// Something the user said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserWord {
    /// The words; the head of a long paste.
    pub text: String,
    /// UTF-16 units of the whole message.
    pub units: usize,
    /// Where.
    pub place: TranscriptPlace,
    /// The sentences of it that direct: never, always, use X instead of Y…
    pub directives: Vec<String>,
    /// Other sentences of it that may bear on the work: what should be so, what is not.
    pub remarks: Vec<String>,
    /// The same of lines that he pasted: a program's words, not his.
    pub pasted: Vec<String>,
    /// Typed while the agent was busy, and not yet handed over as a message of its own.
    pub is_queued: bool,
    /// What the agent had asked or offered before it, where the words are too short to stand alone.
    pub answers: String,
}

/// A task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    /// The client's id; empty for a list's row.
    pub id: String,
    /// What it is about.
    pub subject: String,
    /// `pending`, `in_progress`, `completed`, `deleted`…
    pub status: String,
    /// When it was created.
    pub created: TranscriptPlace,
    /// When its status last changed.
    pub changed: TranscriptPlace,
}

impl Task {
    /// Whether work on it is not over.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "pending" | "in_progress")
    }
}

/// An error that a tool reported.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorSeen {
    /// The lines that tell, word by word; the most telling first.
    pub lines: Vec<String>,
    /// The client said that it failed; otherwise its text looks so (a pipe hid how it ended).
    pub is_certain: bool,
    /// The command (normalised) or tool it came from.
    pub from: String,
    /// Where.
    pub place: TranscriptPlace,
    /// The turn at which the same command succeeded.
    pub resolved_turn: Option<u64>,
    /// The command that then succeeded, where it is another one: a wider run of the same tool.
    pub resolved_by: Option<String>,
}

/// What a finding is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// Something was decided.
    #[default]
    Decision,
    /// The agent asked, and nobody has answered.
    Question,
    /// The agent said what it would do.
    Plan,
}

/// A sentence worth keeping, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// The sentence, word by word.
    pub quote: String,
    /// Whether the user said it (else the agent did).
    pub by_user: bool,
    /// Where.
    pub place: TranscriptPlace,
    /// How often the user spoke of something else instead of answering a question.
    pub passes: u8,
}

/// A call that waits for its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PendingCall {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The command line, for a shell.
    pub command: Option<String>,
    /// The subject, for a new task.
    pub subject: Option<String>,
    /// Whether it asks the user something.
    pub asks: bool,
    /// Where.
    pub place: TranscriptPlace,
    /// The list that a new one takes the place of: it comes back where the new one is refused.
    pub former: Option<Vec<Task>>,
    /// The file that it changes, as it was known before: that comes back where the change is refused or fails.
    pub file: Option<FileUse>,
    /// The commands of its line, as they were known before: these come back where it is refused.
    pub commands: Vec<CommandUse>,
}

/// A compaction, as the transcript tells it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompactionSeen {
    /// Where its boundary stands.
    pub place: TranscriptPlace,
    /// `auto` or `manual`.
    pub trigger: String,
    /// Tokens before.
    pub tokens_before: Option<u64>,
    /// Tokens after.
    pub tokens_after: Option<u64>,
    /// The time, as written.
    pub timestamp: String,
}

/// What the id of a request's segment begins with; the turn follows.
pub const REQUEST_SEGMENT: &str = "turn-";

/// A stretch of work on one thing, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Segment {
    /// The task's id; `list-…` for a row of a list, `turn-…` for a request.
    pub id: String,
    /// What it is about.
    pub subject: String,
    /// The first turn.
    pub start: u64,
    /// The last turn; `None` while work goes on.
    pub end: Option<u64>,
    /// The turn at which its subject was last spoken of, after its end.
    pub mentioned: u64,
    /// Files changed.
    pub files: Vec<String>,
    /// Commands run, in their order.
    pub commands: Vec<String>,
    /// What was decided and what came out, in the agent's words.
    pub outcomes: Vec<String>,
    /// Errors that were resolved.
    pub errors: Vec<String>,
}

impl Segment {
    /// Whether it is about a request, not about a task.
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.id.starts_with(REQUEST_SEGMENT)
    }
}

impl Ledger {
    /// The newest error that nothing has resolved: one that is certain, or of a check whose last run failed.
    #[must_use]
    pub fn newest_failure(&self) -> Option<&ErrorSeen> {
        let fails = |from: &str| {
            self.commands.iter().any(|command| command.normal == from && command.succeeded == Some(false))
        };
        let is_open =
            |error: &&ErrorSeen| error.resolved_turn.is_none() && (error.is_certain || fails(&error.from));
        self.errors.iter().rfind(is_open)
    }

    /// The stretches of work that are over, oldest first. Requests count only where there are no tasks.
    #[must_use]
    pub fn finished_segments(&self) -> Vec<&Segment> {
        let has_tasks = !self.tasks.is_empty() || self.segments.iter().any(|it| !it.is_request());
        let counts = |it: &&Segment| it.end.is_some() && !(has_tasks && it.is_request());
        let mut finished: Vec<&Segment> = self.segments.iter().filter(counts).collect();
        finished.sort_by_key(|segment| segment.end);
        finished
    }
}
