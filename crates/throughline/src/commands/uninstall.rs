//! `uninstall`: which agents are meant, and each left as it was found.

use throughline_agents::setup::Setup;

use super::App;
use super::claude_code;
use super::setup::chosen::{self, Choice};
use super::setup::table;
use crate::failure::Failure;

/// Take the hooks out of the agents' settings again; what was recorded stays
///
/// Also our MCP server in .mcp.json, the commands /context-compact and /throughline, and the section that `init` wrote into CLAUDE.md.
/// With --agent the same for Codex, Gemini CLI and OpenCode: every file is given back as it was.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agents to leave, by name: claude-code, codex, gemini, opencode; or `all` in which something of ours stands
    #[arg(long = "agent", value_name = "NAMES", value_delimiter = ',', value_parser = chosen::parse)]
    agents: Vec<Choice>,
    /// From .claude/settings.json, which your team shares
    #[arg(long, conflicts_with = "user")]
    pub(super) shared: bool,
    /// From your own settings: all projects
    #[arg(long)]
    pub(super) user: bool,
    /// Show the difference and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let agents = chosen::to_leave(app, &args.agents);
    let others: Vec<&Setup> = agents.iter().copied().filter(|agent| agent.files.is_some()).collect();
    for agent in &agents {
        match &agent.files {
            None => claude_code::uninstall::run(app, args, others.is_empty())?,
            Some(files) => table::uninstall(app, agent, files, args)?,
        }
    }
    if others.is_empty() { Ok(()) } else { table::leave(app, &others, args) }
}
