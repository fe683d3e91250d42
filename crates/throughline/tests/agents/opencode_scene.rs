//! A scene: OpenCode in a project of its own, with our plugin in the project.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::json;
use throughline_agents::opencode::plugin;
use throughline_store::{
    archive::{Archive, Receipt},
    paths::{Home, Project},
};
use throughline_testkit::{Kind, OpenCodeLab, Output, Request, Script, Step, Usage, process};

/// The client's summary of what it leaves out.
pub(crate) const SUMMARY: &str = "The parser was written. SUMMARY-MARK";

/// One project with the client and our binary.
pub(crate) struct Scene {
    pub(crate) lab: OpenCodeLab,
    /// A copy of the binary that a test may break.
    pub(crate) binary: PathBuf,
}

impl Scene {
    /// Our plugin is in the project; `None` when there is no client.
    pub(crate) fn installed() -> Option<Self> {
        let lab = OpenCodeLab::new(Script::new())?;
        let folder = lab.home().root().join("bin");
        let binary = folder.join("throughline");
        put_binary(&folder, &binary);
        lab.home().write(plugin::PROJECT_FILE, &plugin::text(binary.to_str().unwrap()));
        lab.home().git(&["add", "--all"]);
        lab.home().git(&["commit", "--quiet", "--message=plugin"]);
        Some(Self { lab, binary })
    }

    /// The same with a change of the lab.
    pub(crate) fn with(mut self, change: impl FnOnce(OpenCodeLab) -> OpenCodeLab) -> Self {
        self.lab = change(self.lab);
        self
    }

    /// Plays another script.
    pub(crate) fn plays(&self, script: Script) {
        self.lab.set_script(script.compact_summary(SUMMARY));
    }

    /// Runs our binary in the project; it must succeed.
    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let output = self.lab.home().run(&self.binary, args, "");
        output.assert_success();
        output
    }

    /// The failures that the hooks logged; empty when all went well.
    pub(crate) fn logged(&self) -> String {
        fs::read_to_string(self.lab.home().data().join("throughline.log")).unwrap_or_default()
    }

    /// The requests of the working agent, oldest first.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.lab.mock().requests_of(Kind::Main)
    }

    /// The last run of each hook, by its event.
    pub(crate) fn receipts(&self) -> Vec<Receipt> {
        // Folds what still waits in the spool.
        self.run(&["status", "--json"]);
        let home = Home::at(self.lab.home().data());
        let user = self.lab.home().user();
        let project = Project::at(&self.lab.home().project(), Some(&user), &home);
        let archive = Archive::open(&home.archive(), Duration::from_secs(5)).unwrap();
        archive.last_receipts(&project.key).unwrap()
    }
}

/// A call of the client's shell.
pub(crate) fn shell(command: &str) -> Step {
    Step::tool("bash", json!({"command": command, "description": "run a command"}))
}

/// An answer after which the client compacts by itself.
pub(crate) fn full(text: &str) -> Step {
    Step::text(text).usage(Usage::filling(37_000))
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

/// Our texts of one kind in a request, in order, each from mark to mark.
#[track_caller]
pub(crate) fn fragments(request: &Request, kind: &str) -> Vec<String> {
    const CLOSE: &str = "[/throughline]";
    let open = format!("[throughline:{kind}]");
    let mut found = Vec::new();
    for text in request.texts() {
        let mut rest = text.as_str();
        while let Some(start) = rest.find(&open) {
            let end = rest[start..].find(CLOSE).unwrap_or_else(|| panic!("a fragment has no end: {text}"));
            found.push(rest[start..start + end + CLOSE.len()].to_owned());
            rest = &rest[start + end + CLOSE.len()..];
        }
    }
    found
}

/// Whether anything of ours is in a request.
pub(crate) fn holds_ours(request: &Request) -> bool {
    request.contains("[throughline:")
}
