//! A scene: Codex CLI in a project of its own, with our hooks in the user's settings.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Map, Value, json};
use throughline_agents::codex::hook_table;
use throughline_store::{
    archive::{Archive, CompactionRow},
    paths::{Home, Project},
};
use throughline_testkit::{CodexLab, Kind, Output, ResponsesRequest, Script, Step, Usage, process};

/// The client's summary of what it leaves out.
pub(crate) const SUMMARY: &str = "The parser was written. Next: its tests.";

/// One project with the client and our binary.
pub(crate) struct Scene {
    pub(crate) lab: CodexLab,
    /// A copy of the binary that a test may break.
    pub(crate) binary: PathBuf,
}

impl Scene {
    /// Our hooks are in the user's settings; `None` when there is no client.
    pub(crate) fn installed() -> Option<Self> {
        Self::with_seconds(None)
    }

    /// The same, each hook with so many seconds.
    pub(crate) fn with_seconds(seconds: Option<u32>) -> Option<Self> {
        let lab = CodexLab::new(Script::new().compact_summary(SUMMARY))?.compacting_at(20_000);
        let folder = lab.home().root().join("bin");
        let binary = folder.join("throughline");
        put_binary(&folder, &binary);
        let groups: Map<String, Value> = hook_table::hooks(binary.to_str().unwrap(), "codex")
            .into_iter()
            .map(|mut entry| {
                if let Some(seconds) = seconds {
                    entry.handler.insert("timeout".to_owned(), json!(seconds));
                }
                (entry.event.to_owned(), json!([entry.group()]))
            })
            .collect();
        let lab = lab.with_hooks_json(&json!({"hooks": groups}));
        Some(Self { lab, binary })
    }

    /// The same with a change of the lab.
    pub(crate) fn with(mut self, change: impl FnOnce(CodexLab) -> CodexLab) -> Self {
        self.lab = change(self.lab);
        self
    }

    /// Plays this script; a compaction's summary is the scene's.
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

    /// The requests of the conversation, oldest first.
    pub(crate) fn asked(&self) -> Vec<ResponsesRequest> {
        self.lab.mock().requests_of(Kind::Main)
    }

    /// The first request of the conversation after so many compactions.
    #[track_caller]
    pub(crate) fn after_compaction(&self, compaction: usize) -> ResponsesRequest {
        self.lab.mock().main_after_compaction(compaction).expect("a request after the compaction")
    }

    /// What is known of the project's sessions.
    pub(crate) fn sessions(&self) -> Vec<Value> {
        let text = self.run(&["sessions", "list", "--json"]).stdout;
        serde_json::from_str::<Value>(&text).unwrap().as_array().unwrap().clone()
    }

    /// The archived compactions, the latest first.
    pub(crate) fn compactions(&self) -> Vec<CompactionRow> {
        // Folds what still waits in the spool.
        self.run(&["status", "--json"]);
        let home = Home::at(self.lab.home().data());
        let user = self.lab.home().user();
        let project = Project::at(&self.lab.home().project(), Some(&user), &home);
        let archive = Archive::open(&home.archive(), Duration::from_secs(5)).unwrap();
        archive.compactions(&project.key, 10).unwrap()
    }

    /// The page of notes of a session.
    #[track_caller]
    pub(crate) fn page(&self, session: &str) -> String {
        self.lab.home().read(&format!(".claude/sessions/{session}/notes.md"))
    }

    /// A runner of tests, so that what it says is known.
    pub(crate) fn runner(&self, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.lab.home().write("run/pytest", &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// A call of the client's shell.
pub(crate) fn shell(command: &str) -> Step {
    Step::tool("exec_command", json!({"cmd": command}))
}

/// The same from a script of the model's own.
pub(crate) fn scripted_shell(command: &str) -> Step {
    Step::tool(
        "exec",
        json!(format!("const ran = await tools.exec_command({{cmd: {command:?}}}); text(ran.output);")),
    )
}

/// A call after which the context is too full.
pub(crate) fn fills_the_window() -> Step {
    shell("true").usage(Usage::filling(30_000))
}

fn put_binary(folder: &Path, binary: &Path) {
    let built = env!("CARGO_BIN_EXE_throughline");
    fs::create_dir(folder).unwrap();
    // A link costs nothing; across file systems there is none.
    if fs::hard_link(built, binary).is_err() {
        process::copy_program(Path::new(built), binary);
    }
}

/// Our texts in a request, in order, each from mark to mark. All of them stand in developer messages of their own.
#[track_caller]
pub(crate) fn fragments(request: &ResponsesRequest) -> Vec<String> {
    const CLOSE: &str = "[/throughline]";
    let said = request.developer_texts_with("[throughline:");
    for text in &said {
        assert!(text.starts_with("[throughline:") && text.trim_end().ends_with(CLOSE), "not whole: {text}");
    }
    for role in ["user", "assistant"] {
        let others = request.texts_of(role);
        assert!(
            others.iter().all(|text| !text.contains("[throughline:")),
            "under the name of {role}: {others:?}"
        );
    }
    said
}

/// The one text of ours in a request.
#[track_caller]
pub(crate) fn fragment(request: &ResponsesRequest) -> String {
    let [said] = &fragments(request)[..] else { panic!("one text, not {:?}", fragments(request)) };
    said.clone()
}
