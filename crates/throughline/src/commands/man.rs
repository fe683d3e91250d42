//! `completions` and `man`: made from the same definitions as the help.

use std::path::PathBuf;

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

/// Print the man page, or write one page per verb into a folder
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
    let mut command = cli::command();
    let Some(folder) = &args.out else {
        return output::say(page(&command)?.trim_end());
    };
    command.build();
    let mut count = 1;
    project_files::write_page(&folder.join("throughline.1"), &page(&command)?)?;
    for verb in command.get_subcommands() {
        let name = format!("throughline-{}", verb.get_name());
        let text = page(verb)?;
        project_files::write_page(&folder.join(format!("{name}.1")), &text)?;
        count += 1;
    }
    output::say(&format!("{count} pages written to {}", folder.display()))
}

fn page(command: &clap::Command) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut bytes)
        .map_err(|error| Failure::new(format!("could not render the man page: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
