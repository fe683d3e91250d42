//! A scene: the client in a project of its own, our binary installed as a user installs it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use throughline_domain::Kind;
use throughline_store::{
    archive::{Archive, CompactionRow, Filter, Receipt},
    paths::{Home, Project},
};
use throughline_testkit::{ClientLab, Output, Request, Script, Step, client, process};

/// The events that `init` registers with this client.
pub(crate) const EVENTS: [&str; 11] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolBatch",
    "PreCompact",
    "SubagentStart",
    "SubagentStop",
    "PostCompact",
    "Stop",
    "SessionEnd",
    "TaskCreated",
    "TaskCompleted",
];

/// Longer than the client waits for a hook of ours on a busy machine.
const HOOK_WAIT: Duration = Duration::from_secs(30);

/// A client takes a core and a third of a gigabyte while it starts.
const CLIENTS_MAX: usize = 3;

static CLIENTS: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// The right to run a client.
struct Seat;

impl Seat {
    fn take() -> Self {
        let mut taken = CLIENTS.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        while *taken >= CLIENTS_MAX {
            taken = CLIENTS.1.wait(taken).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        *taken += 1;
        Self
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        *CLIENTS.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) -= 1;
        CLIENTS.1.notify_one();
    }
}

/// One project with the client and our binary.
pub(crate) struct Scene {
    pub(crate) lab: ClientLab,
    /// A copy of the binary that a test may break.
    pub(crate) binary: PathBuf,
    _seat: Seat,
}

impl Scene {
    /// Nothing is installed yet; `None` when there is no client.
    pub(crate) fn new() -> Option<Self> {
        let seat = Seat::take();
        let lab = ClientLab::new(Script::new())?;
        // As a user has it: `init` asks the client on the path for its version.
        let client = client::find()?;
        let lab = lab.with_path_dir(client.parent().expect("the client's folder"));
        let folder = lab.home().root().join("bin");
        let binary = folder.join("throughline");
        put_binary(&folder, &binary);
        Some(Self { lab, binary, _seat: seat })
    }

    /// The same after `throughline init`.
    pub(crate) fn installed() -> Option<Self> {
        let scene = Self::new()?;
        scene.init();
        Some(scene)
    }

    /// The same with a change of the lab.
    pub(crate) fn with(mut self, change: impl FnOnce(ClientLab) -> ClientLab) -> Self {
        self.lab = change(self.lab);
        self
    }

    /// Runs `init`; all events are in the settings then.
    pub(crate) fn init(&self) {
        self.run(&["init"]);
        let settings = self.lab.home().read(".claude/settings.local.json");
        let settings: Value = serde_json::from_str(&settings).unwrap();
        for event in EVENTS {
            let handler = &settings["hooks"][event][0]["hooks"][0];
            assert_eq!(handler["command"], self.binary.to_str().unwrap(), "{event}");
        }
    }

    /// Runs our binary in the project; it must succeed.
    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let output = self.lab.home().run(&self.binary, args, "");
        output.assert_success();
        output
    }

    /// What the agent runs to record a decision.
    pub(crate) fn decides(&self, text: &str, rationale: &str) -> Step {
        let binary = self.binary.display();
        Step::bash(&format!("'{binary}' add decision \"{text}\" --rationale \"{rationale}\""))
    }

    /// The state file.
    #[track_caller]
    pub(crate) fn state(&self) -> Value {
        serde_json::from_str(&self.lab.home().read(".claude/unified-session-state.json")).unwrap()
    }

    /// What `status --json` prints.
    #[track_caller]
    pub(crate) fn status(&self) -> Value {
        serde_json::from_str(&self.run(&["status", "--json"]).stdout).unwrap()
    }

    /// The failures that the hooks logged; empty when all went well.
    pub(crate) fn logged(&self) -> String {
        fs::read_to_string(self.lab.home().data().join("throughline.log")).unwrap_or_default()
    }

    /// The last run of each hook.
    pub(crate) fn receipts(&self) -> Vec<Receipt> {
        // Folds what still waits in the spool.
        self.status();
        self.archive().last_receipts(&self.project().key).unwrap()
    }

    /// The last run of one hook.
    #[track_caller]
    pub(crate) fn receipt(&self, event: &str) -> Receipt {
        let found = self.receipts().into_iter().find(|receipt| receipt.event == event);
        found.unwrap_or_else(|| panic!("{event} left no receipt"))
    }

    /// The last run of one hook once it has ended: in a terminal the client shows the answer first,
    /// and runs the hook for it afterwards.
    #[track_caller]
    pub(crate) fn ended_receipt(&self, event: &str) -> Receipt {
        let until = Instant::now() + HOOK_WAIT;
        loop {
            let found = self.receipts().into_iter().find(|receipt| receipt.event == event);
            match found {
                Some(receipt) if receipt.outcome != "claim" => return receipt,
                last => assert!(Instant::now() < until, "{event} did not end: {last:?}"),
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The archived compactions, the latest first.
    pub(crate) fn compactions(&self) -> Vec<CompactionRow> {
        self.status();
        self.archive().compactions(&self.project().key, 10).unwrap()
    }

    /// The archived decisions, the oldest first: text, origin, session.
    pub(crate) fn archived_decisions(&self) -> Vec<(String, String, Option<String>)> {
        let filter = Filter { kind: Some(Kind::Decision), live_only: true, limit: 100 };
        let rows = self.archive().entries(&self.project().key, filter).unwrap();
        rows.into_iter().rev().map(|row| (row.text, row.origin, row.session)).collect()
    }

    fn archive(&self) -> Archive {
        Archive::open(&self.data_folder().archive(), Duration::from_secs(5)).unwrap()
    }

    fn data_folder(&self) -> Home {
        Home::at(self.lab.home().data())
    }

    pub(crate) fn project(&self) -> Project {
        let user = self.lab.home().user();
        Project::at(&self.lab.home().project(), Some(&user), &self.data_folder())
    }
}

#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn put_binary(folder: &Path, binary: &Path) {
    let built = env!("CARGO_BIN_EXE_throughline");
    fs::create_dir(folder).unwrap();
    // A link costs nothing; across file systems there is none.
    if fs::hard_link(built, binary).is_err() {
        process::copy_program(Path::new(built), binary);
    }
}

/// Our fragments in a request, in order, each as it stands there from mark to mark.
#[track_caller]
pub(crate) fn fragments(request: &Request) -> Vec<String> {
    request.texts().iter().flat_map(|text| fragments_in(text)).collect()
}

#[track_caller]
fn fragments_in(text: &str) -> Vec<String> {
    const CLOSE: &str = "[/throughline]";
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("[throughline:") {
        let end = rest[start..].find(CLOSE).unwrap_or_else(|| panic!("a fragment has no end: {text}"));
        found.push(rest[start..start + end + CLOSE.len()].to_owned());
        rest = &rest[start + end + CLOSE.len()..];
    }
    assert!(!rest.contains(CLOSE), "a fragment has no beginning: {text}");
    found
}
