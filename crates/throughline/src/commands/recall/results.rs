//! Results: a search, its answers in the order of their worth, and what to do when there are none.

use serde_json::{Value, json};
use throughline_domain::recall::PassageKind;
use throughline_domain::text::one_line;
use throughline_store::recall::{Asked, Found, Head, Placed, Searched};

use super::ask::{Search, SearchArgs};
use super::entries::{self, Recorded};
use super::{Desk, page, pick, show};
use crate::failure::Failure;
use crate::output::{self, DIM, HINT, styled};
use crate::quoting::{self, FOUND};

/// Passages between a question and its conclusion, and units that are shown of the other half of an exchange.
const EXCHANGE_MAX: usize = 40;
const HALF_UNITS: usize = 280;
/// Passages before and after a result that belong to its place: those that answer too are shown with it.
const PLACE_PASSAGES: usize = 12;
/// Most of them that are read for it.
const PLACE_READ_MAX: usize = 16;
/// How many of them, what they must score beside the result, and units that are shown of each.
const ALSO_MAX: usize = 4;
const ALSO_SHARE: f64 = 0.1;
const ALSO_UNITS: usize = 160;

/// Something that answers.
pub(super) enum Hit {
    Said(Box<Said>),
    Recorded(Box<Recorded>),
}

/// A place in a session that answers.
pub(super) struct Said {
    found: Found,
    /// The other half of its exchange.
    other: Option<Placed>,
    /// What answers too and stands near it.
    also: Vec<Found>,
}

impl Hit {
    fn score(&self) -> f64 {
        match self {
            Self::Said(said) => said.found.answer.score,
            Self::Recorded(recorded) => recorded.answer.score,
        }
    }

    /// What `recall show` takes.
    pub(super) fn id(&self) -> String {
        match self {
            Self::Said(said) => format!("p{}", said.found.id),
            Self::Recorded(recorded) => format!("{}@{}", recorded.row.id, recorded.row.project),
        }
    }
}

pub(super) fn run(desk: &Desk<'_>, args: &SearchArgs) -> Result<(), Failure> {
    let search = Search::read(desk, args)?;
    let hits = hits(desk, &search)?;
    if args.json {
        let rows: Vec<Value> = hits.iter().map(as_json).collect();
        return output::say_json(&json!({
            "question": search.typed,
            "results": rows,
            "bytes_not_indexed": desk.bytes_left,
        }));
    }
    if hits.is_empty() {
        nothing(desk, &search, args)?;
        return Ok(());
    }
    let is_picked = pick::is_wanted(args.no_pick);
    let mut lines = Vec::new();
    for (number, hit) in (1..).zip(&hits) {
        let mark = if is_picked { format!("{number:>2} ") } else { String::new() };
        lines.extend(shown(hit).into_iter().enumerate().map(|(index, line)| match index {
            0 => format!("{mark}{line}"),
            _ => format!("{}{line}", " ".repeat(mark.len())),
        }));
        if args.context > 0
            && let Hit::Said(said) = hit
        {
            lines.extend(show::context(desk, said.found.id, args.context)?);
        }
    }
    let first = hits[0].id();
    lines.push(styled(DIM, &format!("`throughline recall show {first}` opens what stands around it")));
    if is_picked {
        pick::open(desk, &hits, &lines)?;
    } else {
        quoting::say(&FOUND, &lines)?;
    }
    if let Some(why) = search.too_common() {
        output::remark(&format!("sessions were not searched: {why}"));
    }
    desk.remark_left();
    Ok(())
}

pub(super) fn hits(desk: &Desk<'_>, search: &Search) -> Result<Vec<Hit>, Failure> {
    let asked = desk.store.ask(&search.question)?;
    let mut hits: Vec<Hit> = Vec::new();
    if search.wants_passages() {
        let said = places(desk, search, &asked)?;
        hits.extend(said.into_iter().map(|said| Hit::Said(Box::new(said))));
    }
    let recorded = entries::search(desk, search, &asked);
    hits.extend(recorded.into_iter().map(|recorded| Hit::Recorded(Box::new(recorded))));
    hits.sort_by(|left, right| right.score().total_cmp(&left.score()));
    hits.truncate(search.limit);
    Ok(hits)
}

/// Places of sessions, best first: what answers too and stands near a better passage is shown with it, so that each result
/// is somewhere else.
fn places(desk: &Desk<'_>, search: &Search, asked: &Asked<'_>) -> Result<Vec<Said>, Failure> {
    let searched = desk.store.search_widely(asked, &search.scope, &desk.taste(), search.limit)?;
    let mut places: Vec<Said> = Vec::new();
    // What is shown with a better one, as the other half of its exchange or beside it, needs no place of its own.
    let mut shown: Vec<u64> = Vec::new();
    for found in &searched.found {
        if places.len() >= search.limit {
            break;
        }
        if shown.contains(&found.id) {
            continue;
        }
        let other = other_half(desk, found)?;
        shown.extend(other.iter().map(|other| other.id));
        let mut also = near(desk, asked, &searched, found)?;
        also.retain(|it| !shown.contains(&it.id));
        also.truncate(ALSO_MAX);
        shown.extend(also.iter().map(|it| it.id));
        places.push(Said { found: found.clone(), other, also });
    }
    Ok(places)
}

/// What answers too and stands near a passage, best first.
fn near(
    desk: &Desk<'_>,
    asked: &Asked<'_>,
    searched: &Searched,
    found: &Found,
) -> Result<Vec<Found>, Failure> {
    let heads = desk.store.heads_around(found.id, PLACE_PASSAGES, PLACE_PASSAGES)?;
    let ids: Vec<u64> = heads.into_iter().map(|(id, _)| id).filter(|id| *id != found.id).collect();
    let mut near: Vec<Found> = searched.found.iter().filter(|it| ids.contains(&it.id)).cloned().collect();
    near.extend(desk.store.read_some(asked, searched, &ids, PLACE_READ_MAX, &desk.taste())?);
    near.retain(|it| it.answer.score >= ALSO_SHARE * found.answer.score);
    near.sort_by(|left, right| right.answer.score.total_cmp(&left.answer.score).then(right.id.cmp(&left.id)));
    Ok(near)
}

/// Where one is found, what stands there, and what belongs to it.
pub(super) fn shown(hit: &Hit) -> Vec<String> {
    let (about, sentence) = match hit {
        Hit::Said(said) => {
            let found = &said.found;
            let about = [
                page::kind_words(&found.head),
                page::moment(found.head.at_s),
                format!("turn {}", found.head.turn),
                format!(
                    "{} ({})",
                    page::project_name(&found.session.project),
                    page::short_session(&found.session.session)
                ),
            ];
            (about.join(", "), page::snippet(&found.text, &found.answer))
        }
        Hit::Recorded(recorded) => {
            let row = &recorded.row;
            let by = format!("by {}", row.origin);
            let mut about = vec![row.kind.clone(), page::moment(recorded.at_s), by, row.project.clone()];
            about.extend((!row.trusted).then(|| "not trusted: came from elsewhere".to_owned()));
            about.extend(
                row.left_why.as_ref().map(|why| format!("no longer in force: {}", one_line(why, 60))),
            );
            (about.join(", "), page::snippet(&recorded.text, &recorded.answer))
        }
    };
    let mut lines =
        vec![format!("{}  {}", styled(HINT, &hit.id()), styled(DIM, &about)), format!("    {sentence}")];
    match hit {
        Hit::Said(said) => {
            let half = half_word(&said.found);
            let beside = said.other.iter().map(|other| (half, other.id, one_line(&other.text, HALF_UNITS)));
            let also = said.also.iter().map(|also| {
                ("also", also.id, one_line(&page::plain_snippet(&also.text, &also.answer), ALSO_UNITS))
            });
            lines.extend(
                beside
                    .chain(also)
                    .map(|(word, id, text)| styled(DIM, &format!("    {word} (p{id}): {text}"))),
            );
        }
        Hit::Recorded(recorded) => lines.extend(
            page::answered(&recorded.row)
                .map(|answer| styled(DIM, &format!("    answered: {}", one_line(answer, HALF_UNITS)))),
        ),
    }
    lines
}

/// The other half of an exchange: to the user's words how the agent concluded, to others what the user had asked.
fn other_half(desk: &Desk<'_>, found: &Found) -> Result<Option<Placed>, Failure> {
    let is_users = |head: &Head| head.kind == PassageKind::User && !head.is_sidechain;
    let is_said = |head: &Head| head.kind == PassageKind::Assistant && !head.is_sidechain;
    let other = if found.head.kind == PassageKind::User {
        let behind = desk.store.heads_around(found.id, 0, EXCHANGE_MAX)?;
        let until = behind.iter().skip(1).take_while(|(_, head)| !is_users(head));
        until.filter(|(_, head)| is_said(head)).last().copied()
    } else {
        let before = desk.store.heads_around(found.id, EXCHANGE_MAX, 0)?;
        before.into_iter().rev().skip(1).find(|(_, head)| is_users(head))
    };
    let Some((id, _)) = other else { return Ok(None) };
    Ok(desk.store.passage(id)?)
}

fn half_word(found: &Found) -> &'static str {
    if found.head.kind == PassageKind::User { "concluded" } else { "asked" }
}

fn as_json(hit: &Hit) -> Value {
    match hit {
        Hit::Said(said) => said_as_json(said),
        Hit::Recorded(recorded) => json!({
            "id": hit.id(),
            "kind": recorded.row.kind,
            "session": recorded.row.session,
            "project": recorded.row.project,
            "turn": null,
            "at": recorded.row.recorded_at,
            "trusted": recorded.row.trusted,
            "holds_tool_output": false,
            "sentence": page::plain_snippet(&recorded.text, &recorded.answer),
            "text": recorded.text,
            "score": (recorded.answer.score * 1_000.0).round() / 1_000.0,
        }),
    }
}

fn said_as_json(said: &Said) -> Value {
    let found = &said.found;
    let also = said.also.iter().map(|also| {
        json!({
            "id": format!("p{}", also.id),
            "kind": also.head.kind.word(),
            "holds_tool_output": page::holds_output(also.head.kind, &also.text),
            "sentence": page::plain_snippet(&also.text, &also.answer),
            "text": also.text,
        })
    });
    json!({
        "id": format!("p{}", found.id),
        "kind": found.head.kind.word(),
        "session": found.session.session,
        "project": found.session.project,
        "turn": found.head.turn,
        "at": page::iso(found.head.at_s),
        "subagent": found.head.is_sidechain,
        "holds_tool_output": page::holds_output(found.head.kind, &found.text),
        "sentence": page::plain_snippet(&found.text, &found.answer),
        "text": found.text,
        half_word(found): said.other.as_ref().map(|other| json!({
            "id": format!("p{}", other.id),
            "text": one_line(&other.text, HALF_UNITS),
        })),
        "also": also.collect::<Vec<Value>>(),
        "score": (found.answer.score * 1_000.0).round() / 1_000.0,
    })
}

fn nothing(desk: &Desk<'_>, search: &Search, args: &SearchArgs) -> Result<(), Failure> {
    let indexed = desk.store.passages()?;
    let hint = if indexed == 0 {
        "nothing is indexed yet; `throughline backfill` reads the transcripts that are there"
    } else if let Some(why) = search.too_common() {
        &format!("nothing found; {why}")
    } else if !args.kind.is_empty() || args.since.is_some() || args.session.is_some() || desk.named.is_some()
    {
        "nothing found; look everywhere: without --kind, --since, --session and --project"
    } else if !search.question.phrases.is_empty() || !search.question.excluded.is_empty() {
        "nothing found; try without quotes and without excluded words"
    } else if search.scope.kinds.contains(&PassageKind::Read) {
        "nothing found; `throughline recall file <path>` tells a file's story"
    } else {
        "nothing found; try fewer or other words"
    };
    output::remark(hint);
    desk.remark_left();
    Ok(())
}
