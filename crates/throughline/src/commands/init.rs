//! `init`: which agents are meant, and each set up in its own way.

use throughline_agents::agent::USUAL;
use throughline_agents::setup::Setup;

use super::App;
use super::claude_code;
use super::claude_code::compact_at::{self, CompactAt};
use super::setup::chosen::{self, Choice};
use super::setup::{self, table};
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  throughline init                     this project, for you alone
  throughline init --user --dry-run    what would change for all your projects
  throughline init --compact-at 70%    and have the client compact at 70 % of the model's window
  throughline init --compact-at off    when it compacted before
  throughline init --no-instructions   without the section in CLAUDE.md
  throughline init --allow             and let the agent record and hand over without asking
  throughline init --mcp               and the memory as MCP tools, for all who work here
  throughline init --agent codex       Codex in this project; --user for all your projects
  throughline init --agent all         every agent that is on this machine
  throughline init --agent codex --codex-prompt
                                       and have Codex ask its summariser for a hand-over";

/// Register the hooks with Claude Code, or with other agents, for this project
///
/// Writes .claude/settings.local.json (yours alone), the commands /context-compact and /throughline, and a short section
/// "Compact Instructions" in CLAUDE.md that tells the summariser what to keep. Copies of the files as they were are kept;
/// `uninstall` gives them back.
///
/// With --agent: Codex, Gemini CLI and OpenCode, each in its own files (.codex/hooks.json, .gemini/settings.json,
/// .opencode/plugin/throughline.js), with a section in the page that it reads (AGENTS.md, GEMINI.md) and the skill in
/// .agents/skills, which they share.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// The agents to set up, by name: claude-code, codex, gemini, opencode; or `all` that are on this machine
    #[arg(long = "agent", value_name = "NAMES", value_delimiter = ',', value_parser = setup::chosen::parse)]
    pub(super) agents: Vec<Choice>,
    /// Write .claude/settings.json, which your team shares
    #[arg(long, conflicts_with = "user")]
    pub(super) shared: bool,
    /// Write your own settings: all projects
    #[arg(long)]
    pub(super) user: bool,
    /// Have the client compact here: 70% of the model's window, 140000 or 140k tokens; `off` takes it back
    #[arg(long, value_name = "WHERE", value_parser = compact_at::parse)]
    pub(super) compact_at: Option<CompactAt>,
    /// The model's window of which the percentage is taken, when no session has told it yet
    #[arg(long, value_name = "TOKENS", requires = "compact_at", value_parser = window)]
    pub(super) window: Option<u64>,
    /// Leave CLAUDE.md (AGENTS.md, GEMINI.md) as it is, now and at the next init: no Compact Instructions for the summariser
    #[arg(long)]
    pub(super) no_instructions: bool,
    /// Write the Compact Instructions although an earlier init left them out
    #[arg(long, conflicts_with = "no_instructions")]
    pub(super) instructions: bool,
    /// Register the MCP server too, in .mcp.json, which your team shares (--shared does so by itself), or where the agent looks
    #[arg(long)]
    pub(super) mcp: bool,
    /// Let the agent record and hand over without asking: our rules into `permissions.allow`; `uninstall` takes them out
    #[arg(long)]
    pub(super) allow: bool,
    /// Have Codex ask its summariser for what to keep and for a hand-over: `compact_prompt` in your own config.toml
    #[arg(long)]
    pub(super) codex_prompt: bool,
    /// Show the difference and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

fn window(text: &str) -> Result<u64, String> {
    compact_at::tokens(text).ok_or_else(|| "a number of tokens, such as 200000 or 1m".to_owned())
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let agents = chosen::to_set_up(app, &args.agents)?;
    refuse_flags(args, &agents)?;
    for agent in &agents {
        match &agent.files {
            None => claude_code::install::run(app, args)?,
            Some(files) => table::install(app, agent, files, args)?,
        }
    }
    if args.agents.is_empty() { chosen::tell_others(app) } else { Ok(()) }
}

/// Flags that none of the chosen agents has a use for.
fn refuse_flags(args: &Args, agents: &[&Setup]) -> Result<(), Failure> {
    let for_usual = [("--compact-at", args.compact_at.is_some()), ("--allow", args.allow)];
    let has_usual = agents.iter().any(|agent| agent.files.is_none());
    if let Some((flag, _)) = for_usual.into_iter().find(|(_, given)| *given && !has_usual) {
        return Err(Failure::new(format!("{flag} is for {} alone", USUAL.title))
            .hint(format!("nothing was changed; leave it out, or add {} to --agent", USUAL.id)));
    }
    let takes_prompt = |agent: &&Setup| agent.files.as_ref().is_some_and(|files| files.prompt.is_some());
    if args.codex_prompt && !agents.iter().any(takes_prompt) {
        return Err(Failure::new("--codex-prompt is for Codex alone")
            .hint("nothing was changed; say `throughline init --agent codex --codex-prompt`"));
    }
    if args.mcp && args.user && agents.iter().all(|agent| agent.files.is_none()) {
        let mut failure = Failure::new("--mcp cannot be used with --user: .mcp.json belongs to a project")
            .hint(
                "nothing was changed; `throughline init --user` prints the command that registers it for you",
            );
        failure.code = 2;
        return Err(failure);
    }
    Ok(())
}
