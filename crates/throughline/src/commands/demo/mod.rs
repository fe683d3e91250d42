//! `demo`: a recorded session is compacted, crashes, and comes back, through the real hooks in a temporary home.

mod play;
mod screen;
mod stage;
mod story;

use std::time::Instant;

use self::play::Play;
use crate::failure::Failure;
use crate::output;

/// Replay a recorded session through the real hooks in a temporary home
///
/// Needs no agent and no network, touches nothing of yours, and checks itself: it fails when something that it shows
/// did not happen.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print no colours
    #[arg(long)]
    plain: bool,
    /// Stand for the client: wait until standard input closes
    #[arg(long, hide = true)]
    stand_in: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.stand_in {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        return Ok(());
    }
    if args.plain {
        anstream::ColorChoice::Never.write_global();
    }
    let began = Instant::now();
    screen::title("throughline demo", "a recorded session, through the real hooks, in a temporary home")?;
    let mut play = Play::open()?;
    work(&mut play)?;
    fill(&mut play)?;
    compact(&mut play)?;
    brief(&mut play)?;
    crash(&mut play)?;
    close(play, began)
}

fn work(play: &mut Play) -> Result<(), Failure> {
    screen::heading(1, "A developer and an agent add rate limiting; the agent records as it goes")?;
    claim(play.scene("work")?.is_none(), "nothing is said where nothing is worth saying")
}

fn fill(play: &mut Play) -> Result<(), Failure> {
    screen::heading(2, "The context fills up; past 70 % of the way the hook speaks, once")?;
    play.gauge()?;
    let mut spoken = 0;
    play.scene_watched("filling", &mut |play, text| {
        spoken += 1;
        play.gauge()?;
        screen::quote(text, &[])
    })?;
    play.gauge()?;
    claim(spoken == 1, "the threshold is spoken of once")?;
    screen::gap()?;
    screen::remark("The state before (throughline status):")?;
    let status = play.stage.verb(&["status".to_owned()])?.stdout;
    // Below come the receipts of the hooks; the first line is the folder, which is gone in a moment.
    let glance: Vec<&str> = status.lines().skip(1).take_while(|line| !line.contains("session ")).collect();
    claim(glance.iter().any(|line| line.contains("4 decisions")), "status counts what was recorded")?;
    glance.iter().try_for_each(|line| output::say(line))
}

fn compact(play: &mut Play) -> Result<(), Failure> {
    screen::heading(3, "Compaction: the summariser is told what to keep")?;
    let asked = play.scene("compaction")?.unwrap_or_default();
    screen::quote_shortened(&asked, 8)?;
    all_in(&play.recorded, &asked, "what the summariser is asked to keep")?;
    play.scene("summary")?;
    screen::gap()?;
    screen::remark(
        "A model keeps some of it. The recorded summary, which takes the place of the conversation:",
    )?;
    let (summary, facts) = (play.summary.clone(), play.facts.clone());
    screen::quote(&summary, &facts)
}

fn brief(play: &mut Play) -> Result<(), Failure> {
    screen::heading(4, "After it, the agent is given this, whole")?;
    let briefing = play.scene("briefing")?.unwrap_or_default();
    screen::quote(&briefing, &play.facts)?;
    play.scene("after")?;
    all_in(&play.recorded, &briefing, "the briefing")?;
    all_in(&play.facts, &briefing, "the briefing")?;
    let kept = play.facts.iter().filter(|fact| play.summary.contains(fact.as_str())).count();
    let facts = play.facts.len();
    screen::held(&format!("every entry recorded before is in it: {} of {0}", play.recorded.len()))?;
    screen::held(&format!(
        "details that the next hour depends on (green): {kept} of {facts} in the summary, {facts} in the briefing"
    ))
}

fn crash(play: &mut Play) -> Result<(), Failure> {
    screen::heading(5, "A crash, right after one more decision")?;
    play.scene("crash")?;
    screen::remark(
        "The client's process is killed: no SessionEnd, no warning. A new session starts and gets:",
    )?;
    play.stage.start_client()?;
    let banner = play.scene("restart")?.unwrap_or_default();
    screen::quote_shortened(&banner, 12)?;
    claim(banner.contains("[CONTEXT RESTORED]"), "a new session after a crash gets the banner")?;
    all_in(&play.recorded, &banner, "the banner")?;
    let status = play.stage.verb(&["status".to_owned()])?.stdout;
    claim(status.contains("ended without saying so"), "the crash is noticed")?;
    screen::held(&format!("the crash was noticed; all {} entries are in the banner", play.recorded.len()))?;
    play.scene("end").map(|_| ())
}

fn close(play: Play, began: Instant) -> Result<(), Failure> {
    screen::heading(6, "Measured in this run")?;
    let failures = throughline_store::log::recent(&play.stage.home, 1);
    if let Some(failure) = failures.first() {
        return Err(Failure::new(format!("a hook failed ({}): {}", failure.during, failure.what)));
    }
    let (silent, median) = play.silent_median();
    let (spoke, bytes) = play.said();
    screen::figure("hooks run, all ending with 0", &play.hooks.len().to_string())?;
    let median_ms = median.as_secs_f64() * 1_000.0;
    screen::figure("at a prompt or tool call, silent", &format!("{silent}, median {median_ms:.1} ms each"))?;
    screen::figure("said to the agent", &format!("{bytes} bytes by {spoke} hooks"))?;
    if !play.stage.has_git {
        screen::figure("git", "none that works; everything else does without it")?;
    }
    play.stage.tear_down()?;
    screen::figure("left behind", "nothing: the temporary home is removed")?;
    screen::figure("took", &format!("{:.1} s", began.elapsed().as_secs_f64()))
}

/// The demo shows nothing that is not so.
fn claim(holds: bool, what: &str) -> Result<(), Failure> {
    if holds {
        return Ok(());
    }
    Err(Failure::new(format!("the demo claims that {what}, and it is not so"))
        .hint("this is a fault of Throughline; please report it with the output above"))
}

fn all_in(texts: &[String], place: &str, name: &str) -> Result<(), Failure> {
    match texts.iter().find(|text| !place.contains(text.as_str())) {
        None => Ok(()),
        Some(missing) => claim(false, &format!("`{missing}` is in {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_did_not_come_back_fails_the_demo_by_name() {
        let texts = ["kept".to_owned(), "lost".to_owned()];
        assert!(all_in(&texts, "kept and lost", "the briefing").is_ok());
        let failure = all_in(&texts, "kept", "the briefing").unwrap_err();
        assert!(failure.message.contains("`lost` is in the briefing") && failure.code != 0, "{failure:?}");
    }
}
