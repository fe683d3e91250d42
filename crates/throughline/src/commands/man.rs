//! `completions` and `man`: made from the same definitions as the help.

use std::path::{Path, PathBuf};

use clap_complete::Shell;
use throughline_store::project_files;

use crate::cli;
use crate::failure::Failure;
use crate::output;

/// Print shell completions
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Print the man page, or write one page per verb and its subcommands into a folder
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Write throughline.1, throughline-add.1… into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "throughline", &mut bytes);
    output::say(String::from_utf8_lossy(&bytes).trim_end())
}

pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut command = without_help(cli::command());
    let Some(folder) = &args.out else {
        return output::say(page(&command)?.trim_end());
    };
    command.build();
    let count = write_pages(folder, "throughline", &command)?;
    output::say(&format!("{count} pages written to {}", folder.display()))
}

/// The command without `help`, of which there is no page: that is what a page is.
fn without_help(command: clap::Command) -> clap::Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}

/// Writes the page of a command and of everything below it: each is named by the one above. Gives how many.
fn write_pages(folder: &Path, name: &str, command: &clap::Command) -> Result<usize, Failure> {
    project_files::write_page(&folder.join(format!("{name}.1")), &page(command)?)?;
    let mut count = 1;
    for below in command.get_subcommands() {
        count += write_pages(folder, &format!("{name}-{}", below.get_name()), below)?;
    }
    Ok(count)
}

fn page(command: &clap::Command) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut bytes)
        .map_err(|error| Failure::new(format!("could not render the man page: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
