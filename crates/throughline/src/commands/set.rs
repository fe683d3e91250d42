//! `set work`: what is being worked on.

use throughline_domain::WorkItem;
use throughline_store::memory::WORK_ITEM;

use super::App;
use crate::failure::Failure;
use crate::output;

/// Set what is being worked on
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Set the work item; what is not given stays, an empty text clears
    Work(Work),
}

#[derive(Debug, clap::Args)]
struct Work {
    /// Its id in your tracker
    #[arg(long)]
    id: Option<String>,
    /// Its title
    #[arg(long)]
    title: Option<String>,
    /// Its phase: any word (LEAD, PLAN, EXEC…)
    #[arg(long)]
    phase: Option<String>,
    /// How much is done, from 0 to 1
    #[arg(long, value_parser = fraction)]
    progress: Option<f64>,
    /// The step in hand
    #[arg(long)]
    item: Option<String>,
    /// What it waits for
    #[arg(long)]
    blocking: Option<String>,
    /// What comes next
    #[arg(long)]
    next: Option<String>,
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("a number from 0 to 1, such as 0.75".to_owned()),
    }
}

pub(crate) fn run(app: &App, args: Args) -> Result<(), Failure> {
    let What::Work(work) = args.what;
    let texts = [&work.id, &work.title, &work.phase, &work.item, &work.blocking, &work.next];
    if texts.iter().all(|text| text.is_none()) && work.progress.is_none() {
        return Err(
            Failure::new("nothing to set").hint("give --id, --title, --phase, --progress or another field")
        );
    }
    // A file that is met for the first time is judged here, before ours is mixed into it.
    app.state()?;
    let foreign = app.memory.untrusted().iter().any(|name| name == WORK_ITEM);
    let names_phase = work.phase.is_some();
    let phase_before = app.state()?.sd.phase;
    let changed = app.change(|draft| {
        if foreign {
            // Somebody else's work item must not lend its other fields to ours.
            draft.state.sd = WorkItem::default();
        }
        let sd = &mut draft.state.sd;
        let fields = [
            (&mut sd.id, work.id),
            (&mut sd.title, work.title),
            (&mut sd.phase, work.phase),
            (&mut sd.item, work.item),
            (&mut sd.blocking, work.blocking),
            (&mut sd.next, work.next),
        ];
        for (field, given) in fields {
            if let Some(text) = given {
                let text = throughline_domain::text::one_line(&throughline_redact::text(&text), 500);
                *field = (!text.is_empty()).then_some(text);
            }
        }
        if work.progress.is_some() {
            sd.progress = work.progress;
        }
        if names_phase {
            draft.state.workflow.current_phase = draft.state.sd.phase.clone();
        }
        Ok(())
    })?;
    if foreign {
        app.memory.trust(&[WORK_ITEM.to_owned()])?;
    }
    let sd = &changed.state.sd;
    if names_phase && sd.phase != phase_before {
        super::checkpoint::at_new_phase(app);
    }
    super::notes::follow(app);
    let name = sd.id.as_deref().or(sd.title.as_deref()).unwrap_or("work item");
    output::say(&format!("{name} set"))
}
