//! Setup: what it takes to set an agent up on a machine, as one value. A row for each; another agent is another row.

use std::path::Path;

use serde_json::{Map, Value};

use crate::agent::Agent;
use crate::codex::compact_prompt;
use crate::settings::comments::Grammar;
use crate::settings::edit::{self, Edit, EditOutcome, FileForm, SettingsProblem, Wanted};
use crate::settings::hook_entry::HookEntry;
use crate::settings::our_entry;
use crate::settings::section::Section;
use crate::settings::servers::{EntryShape, MCP_SERVERS, ServerList};
use crate::{codex, gemini, opencode};

/// How an agent is set up.
#[derive(Debug)]
pub struct Setup {
    /// The agent's name in what is stored, and on the command line.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its program.
    pub program: &'static str,
    /// Its own folder.
    pub folder: ConfigFolder,
    /// Its files that we edit; `None` for an agent that the program sets up in steps of its own.
    pub files: Option<ClientFiles>,
    /// What only a person can do after we registered our hooks.
    pub approval: &'static str,
    /// How to learn whether the client runs them.
    pub trust: TrustCheck,
    /// What this client has no door for, a line each.
    pub cannot: &'static [&'static str],
}

/// Where a client keeps what is a person's own.
#[derive(Debug)]
pub struct ConfigFolder {
    /// The variable of the environment that moves it.
    pub variable: &'static str,
    /// Where it is below what that variable names.
    pub below_variable: &'static str,
    /// Where it is below the home folder.
    pub below_home: &'static str,
}

/// A file by its scope: below the project, or below the client's own folder.
#[derive(Debug, Clone, Copy)]
pub struct ByScope {
    /// Below the project's top.
    pub project: &'static str,
    /// Below the client's own folder.
    pub user: &'static str,
}

/// The files of a client that we edit.
#[derive(Debug)]
pub struct ClientFiles {
    /// Where our hooks go.
    pub hooks: HookFile,
    /// Where our MCP server goes.
    pub servers: ServerFile,
    /// The page of instructions that it reads.
    pub page: Page,
    /// Our prompt for its compactions, where a person may ask for that.
    pub prompt: Option<PromptFile>,
    /// Whether a linked worktree takes the project's files from its main one.
    pub main_worktree_counts: bool,
}

/// Where our hooks go.
#[derive(Debug)]
pub enum HookFile {
    /// Into a file of JSON, an entry for each event.
    Entries {
        /// The file.
        at: ByScope,
        /// What the client takes for it.
        form: FileForm,
        /// The hooks, calling a binary.
        hooks: fn(&str) -> Vec<HookEntry>,
    },
    /// A program of ours that the client loads.
    Program {
        /// The file.
        at: ByScope,
        /// Its text, calling a binary.
        text: fn(&str) -> String,
        /// Whether a text is ours, of whatever version.
        is_ours: fn(&str) -> bool,
        /// The program that a text of ours calls.
        program: fn(&str) -> Option<String>,
    },
}

impl HookFile {
    /// The file.
    #[must_use]
    pub fn at(&self) -> ByScope {
        match self {
            Self::Entries { at, .. } | Self::Program { at, .. } => *at,
        }
    }

    /// How many hooks of ours a text has, and the programs that they call.
    #[must_use]
    pub fn registered(&self, text: &str) -> (usize, Vec<String>) {
        let mut programs: Vec<String> = match self {
            Self::Entries { form, .. } => {
                edit::registered(text, form).into_iter().map(|(_, hook)| hook.binary).collect()
            }
            Self::Program { is_ours, program, .. } => {
                if is_ours(text) {
                    program(text).into_iter().collect()
                } else {
                    Vec::new()
                }
            }
        };
        let count = programs.len();
        programs.sort_unstable();
        programs.dedup();
        (count, programs)
    }

    /// The text as this version writes it, calling a binary.
    pub fn written(&self, text: &str, binary: &str) -> Result<String, SettingsProblem> {
        match self {
            Self::Entries { .. } => Ok(self.edit(Some(text), binary)?.text),
            Self::Program { text, .. } => Ok(text(binary)),
        }
    }

    /// Puts our entries into a text of a file that is not ours alone; `None` when there is no file yet.
    pub fn edit(&self, text: Option<&str>, binary: &str) -> Result<Edit, SettingsProblem> {
        let Self::Entries { form, hooks, .. } = self else {
            return Ok(Edit { text: text.unwrap_or("").to_owned(), outcome: EditOutcome::Unchanged });
        };
        let hooks = hooks(binary);
        let events = hooks.iter().map(|hook| hook.event).collect();
        edit::install(text, &Wanted { hooks, events, status_line: None, form: *form })
    }
}

/// Where our MCP server goes.
#[derive(Debug)]
pub enum ServerFile {
    /// Into a list in a file of JSON: the first of these that is there, else the first.
    Json {
        /// Below the project's top.
        project: &'static [&'static str],
        /// Below the client's own folder.
        user: &'static [&'static str],
        /// The list.
        list: ServerList,
    },
    /// Into a table of a TOML file.
    Toml(ByScope),
}

/// The page of instructions that a client reads.
#[derive(Debug)]
pub struct Page {
    /// The page.
    pub at: ByScope,
    /// Pages that some clients read only where there is no such page in the project: beside one of them none is made.
    pub project_gives_way: &'static [&'static str],
    /// The same below the home folder, for a person's own page.
    pub home_gives_way: &'static [&'static str],
    /// The names that a settings file gives to the page, where it can.
    pub names: Option<fn(&str) -> Vec<String>>,
}

/// Our prompt for a client's compactions.
#[derive(Debug)]
pub struct PromptFile {
    /// Below the client's own folder.
    pub user: &'static str,
    /// Puts it in.
    pub install: fn(&str) -> Result<Edit, SettingsProblem>,
    /// Takes it out.
    pub uninstall: fn(&str) -> Result<Edit, SettingsProblem>,
}

/// How to learn whether a client runs our hooks.
#[derive(Debug)]
pub enum TrustCheck {
    /// It runs what is registered.
    Registered,
    /// It asks a person to approve each, and tells a program that asks it by messages, a line each.
    Asked {
        /// The arguments that start it for that.
        args: &'static [&'static str],
        /// What it is asked, for a folder, by this version of ours.
        questions: fn(&str, &str) -> String,
        /// What a line of its means for so many hooks of ours; `None` where it is not the answer, an error where it refuses.
        read: ReadVerdicts,
    },
    /// It runs none in a folder that it does not trust.
    Folder {
        /// Its list of folders, below its own folder.
        list: &'static str,
        /// The variable that names another list.
        list_variable: &'static str,
        /// What its files say.
        judge: fn(&FolderQuestion<'_>) -> Vec<Verdict>,
    },
}

/// Reads a line of a client's: what it means for so many hooks of ours.
pub type ReadVerdicts = fn(&[u8], usize) -> Option<Result<Vec<Verdict>, String>>;

/// What is known of a folder when a client's trust in it is asked for.
pub struct FolderQuestion<'q> {
    /// The settings that count: the person's, then the project's.
    pub settings: &'q [String],
    /// The list of folders; `None` where there is none.
    pub list: Option<&'q str>,
    /// The folder, its real path.
    pub folder: &'q str,
    /// A variable of the environment.
    pub variable: &'q dyn Fn(&str) -> Option<String>,
}

/// Whether a client runs our hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Runs(String),
    /// It does in part, or will once somebody says so.
    Warn {
        /// What is wrong.
        what: String,
        /// The way out.
        remedy: String,
    },
    /// It does not.
    Fail {
        /// What is wrong.
        what: String,
        /// The way out.
        remedy: String,
    },
}

impl Verdict {
    pub(crate) fn warn(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Warn { what: what.into(), remedy: remedy.into() }
    }

    pub(crate) fn fail(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Fail { what: what.into(), remedy: remedy.into() }
    }
}

const PAGE_GIVES_WAY: &[&str] = &["CLAUDE.md", ".claude/CLAUDE.md", "CONTEXT.md"];

/// Claude Code. What of ours goes into its settings depends on its version and on more than files: the program has steps
/// of its own for it.
static CLAUDE_CODE: Setup = Setup {
    id: "claude-code",
    title: "Claude Code",
    program: "claude",
    folder: ConfigFolder { variable: "CLAUDE_CONFIG_DIR", below_variable: "", below_home: ".claude" },
    files: None,
    approval: "",
    trust: TrustCheck::Registered,
    cannot: &[],
};

static CODEX: Setup = Setup {
    id: "codex",
    title: "Codex CLI",
    program: "codex",
    folder: ConfigFolder { variable: "CODEX_HOME", below_variable: "", below_home: ".codex" },
    files: Some(ClientFiles {
        hooks: HookFile::Entries {
            at: ByScope { project: ".codex/hooks.json", user: "hooks.json" },
            form: FileForm {
                grammar: Grammar::Strict,
                // Any other name, and the client reads nothing of the file.
                only_names: &["description", "hooks"],
                takes_byte_order_mark: false,
                program: our_entry::program_of,
            },
            hooks: |binary| codex::hook_table::hooks(binary, CODEX.id),
        },
        servers: ServerFile::Toml(ByScope { project: ".codex/config.toml", user: "config.toml" }),
        page: Page {
            at: ByScope { project: "AGENTS.md", user: "AGENTS.md" },
            project_gives_way: PAGE_GIVES_WAY,
            home_gives_way: &[],
            names: None,
        },
        prompt: Some(PromptFile {
            user: "config.toml",
            install: compact_prompt::install,
            uninstall: compact_prompt::uninstall,
        }),
        main_worktree_counts: true,
    }),
    approval: "Codex runs no hook that you have not approved: start `codex` here, answer \"Hooks need review\" (or type /hooks), \
               read them, and trust them; of a project's own hooks it reads none before you trust the project",
    trust: TrustCheck::Asked {
        args: &codex::hook_trust::SERVER_ARGS,
        questions: codex::hook_trust::questions,
        read: |line, registered| {
            let answer = codex::hook_trust::read_answer(line)?;
            Some(answer.map(|list| codex::approval::judge(&list, registered)))
        },
    },
    cannot: &[
        "it takes no text before a compaction: what to keep reaches its summary through `init --codex-prompt` alone",
        "after /compact the briefing comes with the next prompt, not before",
        "it has no status line that runs a program: `throughline status` shows the same",
    ],
};

static GEMINI: Setup = Setup {
    id: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    folder: ConfigFolder { variable: "GEMINI_CLI_HOME", below_variable: ".gemini", below_home: ".gemini" },
    files: Some(ClientFiles {
        hooks: HookFile::Entries {
            at: ByScope { project: ".gemini/settings.json", user: "settings.json" },
            form: FileForm {
                grammar: Grammar::Comments,
                only_names: &[],
                takes_byte_order_mark: false,
                program: gemini::hook_table::our_program,
            },
            hooks: gemini_hooks,
        },
        servers: ServerFile::Json {
            project: &[".gemini/settings.json"],
            user: &["settings.json"],
            list: ServerList { grammar: Grammar::Comments, ..MCP_SERVERS },
        },
        page: Page {
            at: ByScope { project: "GEMINI.md", user: "GEMINI.md" },
            project_gives_way: &[],
            home_gives_way: &[],
            names: Some(gemini::page_names::page_names),
        },
        prompt: None,
        main_worktree_counts: false,
    }),
    approval: "Gemini CLI runs hooks in folders that it trusts: start `gemini` here once and answer its question about this folder",
    trust: TrustCheck::Folder {
        list: "trustedFolders.json",
        list_variable: "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
        judge: gemini::standing::judge,
    },
    cannot: &[
        "it tells nobody of a compression: it is seen by the session's file, and the briefing comes with the next prompt or tool",
        "it takes no text before a compression: what to keep cannot be said",
        "it has no status line that runs a program: `throughline status` shows the same",
    ],
};

static OPENCODE: Setup = Setup {
    id: "opencode",
    title: "OpenCode",
    program: "opencode",
    folder: ConfigFolder {
        variable: "XDG_CONFIG_HOME",
        below_variable: "opencode",
        below_home: ".config/opencode",
    },
    files: Some(ClientFiles {
        hooks: HookFile::Program {
            at: ByScope { project: ".opencode/plugin/throughline.js", user: "plugin/throughline.js" },
            text: opencode::plugin::text,
            is_ours: opencode::plugin::is_ours,
            program: opencode::plugin::program,
        },
        servers: ServerFile::Json {
            // As the client's own `opencode mcp add` looks for it.
            project: &[
                "opencode.json",
                "opencode.jsonc",
                ".opencode/opencode.json",
                ".opencode/opencode.jsonc",
            ],
            user: &["opencode.json", "opencode.jsonc"],
            list: ServerList {
                key: "mcp",
                grammar: Grammar::CommentsAndCommas,
                shape: EntryShape::LocalCommand,
            },
        },
        page: Page {
            at: ByScope { project: "AGENTS.md", user: "AGENTS.md" },
            project_gives_way: PAGE_GIVES_WAY,
            home_gives_way: &[".claude/CLAUDE.md"],
            names: None,
        },
        prompt: None,
        main_worktree_counts: false,
    }),
    approval: "",
    trust: TrustCheck::Registered,
    cannot: &[
        "it tells nobody that a session was resumed: that is seen by the time since its last message",
        "it has no status line that runs a program: `throughline status --watch` shows the same",
    ],
};

/// Every agent that can be set up, in the order in which they are named.
pub static SETUPS: [&Setup; 4] = [&CLAUDE_CODE, &CODEX, &GEMINI, &OPENCODE];

fn gemini_hooks(binary: &str) -> Vec<HookEntry> {
    let handler = |rule: gemini::hook_table::HookRule| -> Map<String, Value> {
        let group = gemini::hook_table::group(rule, binary, GEMINI.id);
        group["hooks"][0].as_object().cloned().unwrap_or_default()
    };
    let hooks = gemini::hook_table::HOOKS;
    hooks.map(|rule| HookEntry { event: rule.event, matcher: None, handler: handler(rule) }).into()
}

impl Setup {
    /// How the agent of this name is set up.
    #[must_use]
    pub fn named(id: &str) -> Option<&'static Self> {
        SETUPS.into_iter().find(|setup| setup.id == id)
    }

    /// How an agent is set up.
    #[must_use]
    pub fn of(agent: &Agent) -> Option<&'static Self> {
        Self::named(agent.id)
    }
}

impl ByScope {
    /// The file of a project.
    #[must_use]
    pub fn in_project(&self, top: &Path) -> std::path::PathBuf {
        top.join(self.project)
    }

    /// The file of a person.
    #[must_use]
    pub fn in_folder(&self, folder: &Path) -> std::path::PathBuf {
        folder.join(self.user)
    }
}

/// What agents read in every session of a project that is set up for them. Every session pays for it: short.
pub const PAGE_SECTION: Section = Section {
    begin: "<!-- throughline agents: begin",
    end: "<!-- throughline agents: end -->",
    title: "throughline",
    body: "\
## Throughline

This project's memory outlives compactions, sessions and agents. What it says stands between throughline's marks: keep to it.
- record what cannot be read from disk, when it happens: `throughline add decision|constraint|question|evidence \"…\"`
- look before you ask or search: `throughline recall \"words\"`, `throughline next`
- when you summarise the conversation, keep word by word what the user asked for and forbade, decisions with reasons, what is \
open, and the next step",
};

/// Where the skill stands below a project's top, or below the home folder: the clients of the table share the place.
pub const SKILL_PATH: &str = ".agents/skills/throughline/SKILL.md";

/// What the skill's file holds: the plugin's own skill under the name of its folder, and how to look back.
#[must_use]
pub fn skill() -> String {
    let recorded = crate::claude_code::plugin::SKILL.replacen("\nname: record\n", "\nname: throughline\n", 1);
    format!("{recorded}{LOOK_BACK}")
}

/// Whether a file is the skill, of this version or another.
#[must_use]
pub fn is_skill(text: &str) -> bool {
    text.starts_with("---\nname: throughline\n") && text.contains("`throughline add ")
}

const LOOK_BACK: &str = "
## Look back

- `throughline next`: where the work stands, and what comes next
- `throughline recall \"port of the test database\"`: finds it in every session of this project, whichever agent had it
- `throughline briefing`: what a new session is told; `throughline list`: what is recorded
- before you stop for good: `throughline handover --help` says how to leave the work to the next one
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AGENTS;
    use throughline_domain::budget::estimate_tokens;

    #[test]
    fn every_agent_that_we_know_can_be_set_up() {
        for agent in AGENTS {
            assert_eq!(Setup::of(agent).map(|setup| setup.title), Some(agent.title));
        }
        for setup in SETUPS {
            assert_eq!(Setup::named(setup.id).map(|it| it.id), Some(setup.id));
        }
    }

    #[test]
    fn hooks_are_known_again_by_the_form_of_their_file() {
        for setup in SETUPS {
            let Some(HookFile::Entries { hooks, form, .. }) = setup.files.as_ref().map(|files| &files.hooks)
            else {
                continue;
            };
            for entry in hooks("/opt/it's/throughline") {
                let hook = our_entry::our_hook_by(&entry.handler, form.program);
                assert_eq!(hook.map(|hook| hook.binary).as_deref(), Some("/opt/it's/throughline"));
                let command = entry.handler["command"].as_str().unwrap();
                assert!(command.contains(&format!("hook --agent {}", setup.id)), "{command}");
            }
        }
    }

    #[test]
    fn what_every_session_pays_for_is_short() {
        assert!(estimate_tokens(PAGE_SECTION.body) <= 170, "{}", estimate_tokens(PAGE_SECTION.body));
        let skill = skill();
        assert!(is_skill(&skill) && skill.len() < 4_000, "{}", skill.len());
        assert!(!is_skill(crate::claude_code::plugin::SKILL));
        assert!(skill.contains("throughline recall"));
    }
}
