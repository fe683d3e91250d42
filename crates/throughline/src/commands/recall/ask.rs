//! What a search is asked for: words, and where to look.

use std::path::Path;

use jiff::tz::TimeZone;
use throughline_domain::Kind;
use throughline_domain::text::one_line;
use throughline_engine::place;
use throughline_recall::{PassageKind, Question, Search};
use throughline_usage::calendar;

use super::Desk;
use crate::failure::Failure;

/// Options of a search.
#[derive(Debug, clap::Args)]
pub(super) struct SearchArgs {
    /// What to look for: words, "a phrase", -without
    #[arg(required = true, value_name = "WORDS", allow_hyphen_values = false)]
    pub(super) words: Vec<String>,
    /// Only these: user, assistant, command, error, output, summary, task, edit, read; decision, constraint, question,
    /// evidence, highlight, action, directive, anchor
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(super) kind: Vec<String>,
    /// Only what came since: 2026-01-31, 20260131, today, yesterday, 7d, 2w, 3mo, 1y
    #[arg(long, value_name = "DAY")]
    pub(super) since: Option<String>,
    /// Only the session whose id begins so
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Most results
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(super) limit: usize,
    /// Show so many passages before and after each result
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) context: usize,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Do not ask which result to open
    #[arg(long)]
    pub(super) no_pick: bool,
}

/// Reads a search from the command line.
pub(super) fn read(desk: &Desk<'_>, args: &SearchArgs) -> Result<Search, Failure> {
    let mut search = of(desk, args.words.join(" "), args.limit)?;
    search.only(&args.kind).map_err(no_kind)?;
    search.scope.since_s = args.since.as_deref().map(|day| since_s(desk, day)).transpose()?;
    search.scope.session = args.session.clone().filter(|id| !id.is_empty());
    // Ids of sessions are written in lower case; whoever copies one from elsewhere may have another.
    search.scope.session = search.scope.session.map(|id| id.to_lowercase());
    Ok(search)
}

/// A search for words of every kind and age, in the projects that the desk names.
pub(super) fn of(desk: &Desk<'_>, typed: String, limit: usize) -> Result<Search, Failure> {
    let mut question = Question::read(&typed);
    question.widen(|character| desk.store.pairs_with(character))?;
    if question.is_empty() {
        return Err(Failure::new("there is no word to look for")
            .hint("`throughline recall parser timeout` finds what was said about both"));
    }
    Ok(Search::new(typed, question, projects(desk)?, limit))
}

/// Why sessions were not looked at, where nothing but words that stand everywhere was asked for.
pub(super) fn too_common(search: &Search) -> Option<&'static str> {
    search.question.is_of_stop_words().then_some(
        "all of these words stand in nearly every text, and the index of the sessions does not keep them: add a \
         word that stands near them",
    )
}

fn no_kind(word: &str) -> Failure {
    let known: Vec<&str> = PassageKind::ALL
        .into_iter()
        .map(PassageKind::word)
        .chain(Kind::ALL.into_iter().map(Kind::word))
        .collect();
    Failure::new(format!("there is no kind `{}`", one_line(word, 40)))
        .hint(format!("one of {}", known.join(", ")))
}

fn since_s(desk: &Desk<'_>, day: &str) -> Result<i64, Failure> {
    let zone = TimeZone::system();
    let today = calendar::date_of(desk.now, &zone);
    let date = calendar::parse(day, today)
        .map_err(|what| Failure::new(what).hint("`--since 30d` means the last thirty days"))?;
    let start = date.to_zoned(zone).map_err(|error| Failure::new(error.to_string()))?;
    Ok(start.timestamp().as_second())
}

/// The projects that `--project` names: a folder, `.` for the one at hand, `all`, or the last part of a folder's name.
pub(super) fn projects(desk: &Desk<'_>) -> Result<Vec<String>, Failure> {
    let Some(named) = desk.named.as_deref() else { return Ok(Vec::new()) };
    if named == Path::new("all") {
        return Ok(Vec::new());
    }
    if named == Path::new(".") {
        let at_hand = desk.at_hand.as_ref().ok_or_else(|| Failure::new("the current folder is gone"))?;
        return Ok(vec![at_hand.to_string_lossy().into_owned()]);
    }
    if named.is_dir() {
        return Ok(vec![place::real(named).to_string_lossy().into_owned()]);
    }
    let name = named.to_string_lossy();
    let found = desk.store.projects_named(name.trim_end_matches('/'))?;
    if found.is_empty() {
        return Err(Failure::new(format!("no project is called `{}`", one_line(&name, 80)))
            .hint("`--project .` is this one, `--project all` all of them; or name a folder"));
    }
    Ok(found)
}
