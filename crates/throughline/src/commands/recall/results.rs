//! Results: a search, its answers in the order of their worth, and what to do when there are none.

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_recall::places::{self, Places, Said};
use throughline_recall::weights::{PLACE_PASSAGES, PLACE_READ_MAX};
use throughline_recall::{Asked, Found, PassageKind, Placed, Search, Searched, exchange, hits};
use throughline_store::archive::EntryRow;

use super::ask::{self, SearchArgs};
use super::{Desk, entries, page, pick, show};
use crate::failure::Failure;
use crate::output::{self, DIM, HINT, styled};
use crate::quoting::{self, FOUND};

/// Units that are shown of the other half of an exchange, and of each passage that answers too.
const HALF_UNITS: usize = 280;
const ALSO_UNITS: usize = 160;

/// Something that answers.
pub(super) type Hit = throughline_recall::Hit<EntryRow>;

/// What `recall show` takes.
pub(super) fn id(hit: &Hit) -> String {
    match hit {
        Hit::Said(said) => format!("p{}", said.found.id),
        Hit::Recorded(recorded) => format!("{}@{}", recorded.row.id, recorded.row.project),
    }
}

pub(super) fn run(desk: &Desk<'_>, args: &SearchArgs) -> Result<(), Failure> {
    let search = ask::read(desk, args)?;
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
    let first = id(&hits[0]);
    lines.push(styled(DIM, &format!("`throughline recall show {first}` opens what stands around it")));
    if is_picked {
        pick::open(desk, &hits, &lines)?;
    } else {
        quoting::say(&FOUND, &lines)?;
    }
    if let Some(why) = ask::too_common(&search) {
        output::remark(&format!("sessions were not searched: {why}"));
    }
    desk.remark_left();
    Ok(())
}

pub(super) fn hits(desk: &Desk<'_>, search: &Search) -> Result<Vec<Hit>, Failure> {
    let asked = desk.store.ask(&search.question)?;
    let said = if search.wants_passages() { places(desk, search, &asked)? } else { Vec::new() };
    Ok(hits::mixed(said, entries::search(desk, search, &asked), search.limit))
}

/// Places of sessions, best first: what answers too and stands near a better passage is shown with it, so that each result
/// is somewhere else.
fn places(desk: &Desk<'_>, search: &Search, asked: &Asked<'_>) -> Result<Vec<Said>, Failure> {
    let searched = desk.store.search_widely(asked, &search.scope, &desk.taste(), search.limit)?;
    let mut places = Places::default();
    for found in &searched.found {
        if places.count() >= search.limit {
            break;
        }
        if !places.has(found) {
            let other = other_half(desk, found)?;
            places.add(found.clone(), other, near(desk, asked, &searched, found)?);
        }
    }
    Ok(places.into_said())
}

/// What answers too and stands near a passage, best first.
fn near(
    desk: &Desk<'_>,
    asked: &Asked<'_>,
    searched: &Searched,
    found: &Found,
) -> Result<Vec<Found>, Failure> {
    let heads = desk.store.heads_around(found.id, PLACE_PASSAGES, PLACE_PASSAGES)?;
    let beside = places::beside(found, &heads);
    let read = desk.store.read_some(asked, searched, &beside, PLACE_READ_MAX, &desk.taste())?;
    Ok(places::near(found, &beside, searched, read))
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
        vec![format!("{}  {}", styled(HINT, &id(hit)), styled(DIM, &about)), format!("    {sentence}")];
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

/// The other half of its exchange, looked up.
fn other_half(desk: &Desk<'_>, found: &Found) -> Result<Option<Placed>, Failure> {
    let (before, behind) = exchange::reach(found);
    let heads = desk.store.heads_around(found.id, before, behind)?;
    let Some(id) = exchange::other_half(found, &heads) else { return Ok(None) };
    Ok(desk.store.passage(id)?)
}

fn half_word(found: &Found) -> &'static str {
    if found.head.kind == PassageKind::User { "concluded" } else { "asked" }
}

fn as_json(hit: &Hit) -> Value {
    match hit {
        Hit::Said(said) => said_as_json(said),
        Hit::Recorded(recorded) => json!({
            "id": id(hit),
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
    } else if let Some(why) = ask::too_common(search) {
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
