//! `anchor`: facts that must be in every briefing, and the sentences proposed to become such.

use jiff::Span;
use serde_json::{Value, json};
use throughline_briefing::anchors::{self, priority_of};
use throughline_briefing::{Cap, Facts};
use throughline_domain::entry::{ANCHOR_TYPES, OUTPUT_STYLE};
use throughline_domain::proposal::{self, Proposal};
use throughline_domain::text::one_line;
use throughline_domain::{AnchorPriority, Detail, Entry, Kind, State, span, time};
use throughline_store::anchor_proposals;
use throughline_store::lock::Patience;
use throughline_store::memory::NewEntry;

use super::App;
use crate::failure::Failure;
use crate::output::{self, DIM, HINT, styled};
use crate::quoting::UNTRUSTED_MARK;

const EXAMPLES: &str = "\
Examples:
  throughline anchor add \"The public API must not change\" --priority critical
  throughline anchor add \"Short answers, no emojis\" --type output_style --agent claude-code
  throughline anchor list --priority critical --newer 7d
  throughline anchor confirm PA1
  throughline anchor promote A3

There is room for 20 (budget.anchors). Over it the oldest normal one goes, then the oldest high one, then
the oldest critical one; the archive keeps them (`throughline list anchors --all`). Sentences that sound
like a standing rule or a choice of architecture are proposed (PA1…), in their own words. They are no
anchors until you confirm them or say them again yourself; what you remove is not proposed again.";

/// What an agent may do about proposals.
const SHOWN: &str = "; `throughline anchor list --proposed` shows those that wait";

/// Facts that must be in every briefing: add, list, promote, confirm, rm
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: AnchorVerb,
}

#[derive(Debug, clap::Subcommand)]
enum AnchorVerb {
    /// Record an anchor; an output style takes the place of the one that its agent had
    Add(Add),
    /// List anchors and proposals
    List(List),
    /// Give an anchor the next higher priority; a proposal is confirmed
    Promote {
        /// The anchor: A3; or a proposal: PA1
        id: String,
        /// This priority instead, higher or lower
        #[arg(long, value_name = "P", value_parser = ["critical", "high", "normal"])]
        to: Option<String>,
    },
    /// Make anchors of proposals
    Confirm {
        /// The proposals: PA1, PA2…
        #[arg(required_unless_present = "all")]
        ids: Vec<String>,
        /// All that wait
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
    /// Remove anchors (the archive keeps them) or proposals (they do not come back)
    Rm {
        /// The anchors or proposals: A3, PA1…
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Add {
    /// The fact, in the words that the agent shall get
    #[arg(allow_hyphen_values = true, value_parser = super::words)]
    text: String,
    /// What it is
    #[arg(long = "type", value_name = "TYPE", default_value = "context", value_parser = ANCHOR_TYPES)]
    anchor_type: String,
    /// How long it is kept when room is short [default: normal; high for an output style]
    #[arg(long, value_name = "P", value_parser = ["critical", "high", "normal"])]
    priority: Option<String>,
    /// The agent that it is for, such as claude-code; left out, all of them
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

#[derive(Debug, clap::Args)]
struct List {
    /// Only this type
    #[arg(long = "type", value_name = "TYPE")]
    anchor_type: Option<String>,
    /// Only this priority
    #[arg(long, value_name = "P", value_parser = ["critical", "high", "normal"])]
    priority: Option<String>,
    /// Only those recorded in this session (its id, or the beginning of it)
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only those younger than this: 90s, 30min, 24h, 7d, 2w, 3mo, 1y
    #[arg(long, value_name = "SPAN", value_parser = span::parse)]
    newer: Option<Span>,
    /// Only those older than this: 90s, 30min, 24h, 7d, 2w, 3mo, 1y
    #[arg(long, value_name = "SPAN", value_parser = span::parse)]
    older: Option<Span>,
    /// Only proposals
    #[arg(long)]
    proposed: bool,
    /// As the agent gets them, most needed first, within so many tokens
    #[arg(long, value_name = "N", conflicts_with_all = ["json", "proposed"])]
    tokens: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: Args) -> Result<(), Failure> {
    match args.verb {
        AnchorVerb::Add(add) => record(app, add),
        AnchorVerb::List(list) => show(app, &list),
        AnchorVerb::Promote { id, to } => {
            promote(app, &id, to.as_deref().and_then(AnchorPriority::from_word))
        }
        AnchorVerb::Confirm { ids, all } => {
            let waiting = || anchor_proposals::read(&app.memory.folder()).waiting;
            let ids = if all { waiting().iter().map(Proposal::name).collect() } else { ids };
            if ids.is_empty() {
                return output::say("no proposal waits");
            }
            ids.iter().try_for_each(|id| confirm(app, id, None))
        }
        AnchorVerb::Rm { ids } => remove(app, &ids),
    }
}

fn record(app: &App, add: Add) -> Result<(), Failure> {
    let given = add.priority.as_deref().and_then(AnchorPriority::from_word);
    let usual =
        if add.anchor_type == OUTPUT_STYLE { AnchorPriority::High } else { AnchorPriority::default() };
    let agent = add.agent.map(|agent| one_line(&agent, 60)).filter(|agent| !agent.is_empty());
    let detail = Detail::Anchor {
        anchor_type: add.anchor_type,
        priority: given.unwrap_or(usual),
        agent,
        session: app.author().session,
    };
    let (id, is_new) = put(app, add.text, detail)?;
    output::say(&if is_new { format!("{id} recorded") } else { format!("{id} was recorded already") })
}

/// Records an anchor; its words are proposed no more.
pub(super) fn put(app: &App, text: String, detail: Detail) -> Result<(String, bool), Failure> {
    let words = text.clone();
    let changed = app.change(|draft| {
        let before = draft.state.counter(Kind::Anchor);
        let id = draft.add_anchor(NewEntry { text, detail })?;
        Ok((id.to_string(), draft.state.counter(Kind::Anchor) > before))
    })?;
    if app.memory.folder().join("anchor-proposals.json").exists() {
        anchor_proposals::update(&app.memory.folder(), Patience::Person, |it| it.settle_quote(&words))?;
    }
    Ok(changed.value)
}

fn promote(app: &App, id: &str, to: Option<AnchorPriority>) -> Result<(), Failure> {
    if proposal::is_name(id) {
        return confirm(app, id, to);
    }
    let changed = app.change(|draft| draft.promote(id, to))?;
    let (id, priority) = changed.value;
    output::say(&format!("{id} is {}", priority.word()))
}

/// First the anchor, then the proposal goes: a kill in between leaves both, and the same words are one anchor.
fn confirm(app: &App, name: &str, to: Option<AnchorPriority>) -> Result<(), Failure> {
    app.refuse_agent("making an anchor of a proposal", SHOWN)?;
    let waiting = anchor_proposals::read(&app.memory.folder()).waiting;
    let found = waiting.into_iter().find(|waiting| waiting.name().eq_ignore_ascii_case(name));
    let proposal = found.ok_or_else(|| no_proposal(name))?;
    let detail = throughline_engine::anchors::detail_of(&proposal, to);
    let (id, _) = put(app, proposal.quote.clone(), detail)?;
    output::say(&format!("{id} recorded from {}", proposal.name()))
}

fn no_proposal(name: &str) -> Failure {
    Failure::new(format!("there is no proposal `{}`", one_line(name, 40)))
        .hint("`throughline anchor list --proposed` shows those that wait")
}

fn remove(app: &App, ids: &[String]) -> Result<(), Failure> {
    let (proposals, recorded): (Vec<&String>, Vec<&String>) =
        ids.iter().partition(|id| proposal::is_name(id));
    let waiting = anchor_proposals::read(&app.memory.folder()).waiting;
    let is_waiting = |name: &String| waiting.iter().any(|it| it.name().eq_ignore_ascii_case(name));
    if let Some(unknown) = proposals.iter().find(|name| !is_waiting(name)) {
        return Err(no_proposal(unknown));
    }
    if !proposals.is_empty() {
        app.refuse_agent("dropping a proposal", SHOWN)?;
    }
    if !recorded.is_empty() {
        refuse_other_kinds(&app.state()?, &recorded)?;
        let changed = app.change(|draft| {
            recorded.iter().map(|name| draft.withdraw(name, "removed")).collect::<Result<Vec<_>, _>>()
        })?;
        anchor_proposals::update(&app.memory.folder(), Patience::Person, |it| {
            changed.value.iter().for_each(|entry| it.settle_quote(&entry.text));
        })?;
        for entry in changed.value {
            output::say(&format!("{} removed", entry.id))?;
        }
    }
    for name in proposals {
        anchor_proposals::update(&app.memory.folder(), Patience::Person, |it| it.take(name))?;
        output::say(&format!("{} removed; it is not proposed again", name.to_uppercase()))?;
    }
    Ok(())
}

fn refuse_other_kinds(state: &State, names: &[&String]) -> Result<(), Failure> {
    let others = names.iter().filter_map(|name| state.find(name));
    match others.into_iter().find(|entry| entry.id.kind != Kind::Anchor) {
        None => Ok(()),
        Some(entry) => {
            Err(Failure::new(format!("{} is a {}, not an anchor", entry.id, entry.id.kind.word()))
                .hint("`throughline rm` removes any entry"))
        }
    }
}

fn show(app: &App, args: &List) -> Result<(), Failure> {
    let state = app.state()?;
    refuse_unknown_type(&state, args)?;
    let anchors: Vec<&Entry> = state
        .entries(Kind::Anchor)
        .iter()
        .filter(|entry| !args.proposed && matches(app, args, entry))
        .collect();
    let untrusted = app.memory.untrusted();
    if let Some(tokens) = args.tokens {
        let facts = Facts { untrusted: &untrusted, ..Facts::default() };
        let chosen = anchors::render(anchors.into_iter(), &facts, Cap::tokens(tokens));
        if chosen.left_out > 0 {
            output::remark(&format!("{} found no room", chosen.left_out));
        }
        return output::say(chosen.text.trim_end());
    }
    let proposals: Vec<Proposal> = anchor_proposals::read(&app.memory.folder())
        .waiting
        .into_iter()
        .filter(|it| matches_proposal(app, args, it))
        .collect();
    if args.json {
        let recorded = anchors.iter().map(|entry| {
            let mut value = with_status(entry.to_json(), "recorded");
            value["trusted"] = (!untrusted.contains(&entry.id.to_string())).into();
            value
        });
        let proposed = proposals.iter().map(proposal_json);
        return output::say_json(&Value::Array(recorded.chain(proposed).collect()));
    }
    for entry in &anchors {
        let mark = if untrusted.contains(&entry.id.to_string()) { UNTRUSTED_MARK } else { "" };
        output::say(&format!("{}{}", line(app, entry), styled(DIM, mark)))?;
    }
    for proposal in &proposals {
        let who = if proposal.by_user { "the user said" } else { "the agent said" };
        let about = format!("({} {}, proposed: {who} it)", proposal.priority, proposal.anchor_type);
        let name = styled(HINT, &proposal.name());
        output::say(&format!("{name} {} {}", one_line(&proposal.quote, 600), styled(DIM, &about)))?;
    }
    if anchors.is_empty() && proposals.is_empty() {
        output::remark("no anchor fits; `throughline anchor add --help` shows how to record one");
    } else if !proposals.is_empty() {
        output::remark(
            "`throughline anchor confirm PA…` makes an anchor of a proposal, `anchor rm PA…` drops it",
        );
    }
    Ok(())
}

fn line(app: &App, entry: &Entry) -> String {
    let Detail::Anchor { anchor_type, priority, agent, .. } = &entry.detail else { return String::new() };
    let agent = agent.as_ref().map_or_else(String::new, |agent| format!(" for {agent}"));
    let age = age_seconds(app, &entry.timestamp)
        .map_or_else(String::new, |seconds| format!(", {} old", time::span_words(seconds)));
    let given = entry.extra.get("priorityGiven").and_then(Value::as_str);
    let given = given.map_or_else(String::new, |given| format!(", the file says `{given}`"));
    let about = one_line(&format!("({} {anchor_type}{agent}{age}{given})", priority.word()), 400);
    let id = styled(HINT, &entry.id.to_string());
    format!("{id} {} {}", one_line(&entry.text, 2_000), styled(DIM, &about))
}

/// A type may be known here or stand in the file; any other is a slip of the pen.
fn refuse_unknown_type(state: &State, args: &List) -> Result<(), Failure> {
    let Some(wanted) = &args.anchor_type else { return Ok(()) };
    let in_file =
        |entry: &Entry| matches!(&entry.detail, Detail::Anchor { anchor_type, .. } if anchor_type == wanted);
    if ANCHOR_TYPES.contains(&wanted.as_str()) || state.entries(Kind::Anchor).iter().any(in_file) {
        return Ok(());
    }
    Err(Failure::new(format!("there is no type `{}`", one_line(wanted, 60)))
        .hint(format!("one of {}", ANCHOR_TYPES.join(", "))))
}

fn matches(app: &App, args: &List, entry: &Entry) -> bool {
    let Detail::Anchor { anchor_type, session, .. } = &entry.detail else { return false };
    fits(app, args, anchor_type, priority_of(entry).word(), session.as_deref(), &entry.timestamp)
}

fn matches_proposal(app: &App, args: &List, it: &Proposal) -> bool {
    fits(app, args, &it.anchor_type, &it.priority, Some(&it.session), &it.timestamp)
}

fn fits(app: &App, args: &List, kind: &str, priority: &str, session: Option<&str>, at: &str) -> bool {
    let age = age_seconds(app, at);
    args.anchor_type.as_ref().is_none_or(|wanted| wanted == kind)
        && args.priority.as_ref().is_none_or(|wanted| wanted == priority)
        && args
            .session
            .as_ref()
            .is_none_or(|wanted| session.is_some_and(|it| it.starts_with(wanted.as_str())))
        && args.newer.is_none_or(|span| age.is_some_and(|age| age < span::seconds_until(app.now, span)))
        && args.older.is_none_or(|span| age.is_some_and(|age| age >= span::seconds_until(app.now, span)))
}

fn age_seconds(app: &App, written: &str) -> Option<u64> {
    time::parse(written).map(|then| time::seconds_between(then, app.now))
}

fn proposal_json(it: &Proposal) -> Value {
    json!({
        "id": it.name(), "status": "proposed", "type": it.anchor_type, "content": it.quote,
        "priority": it.priority, "byUser": it.by_user, "session": it.session, "timestamp": it.timestamp,
    })
}

fn with_status(mut value: Value, status: &str) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.insert("status".to_owned(), status.into());
    }
    value
}
