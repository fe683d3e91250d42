//! What a report is asked for: which stretch of time, whose days, which project and model, and in which form.

use std::path::Path;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use throughline_agents::agent::{AGENTS, Agent};
use throughline_domain::Timestamp;
use throughline_engine::place::{self, Place};
use throughline_usage::calendar::{self, Days};
use throughline_usage::prices::Table;
use throughline_usage::report::Query;

use super::prices;
use crate::failure::Failure;
use crate::output;

/// Before this no agent wrote anything.
const FIRST_DATE: Date = date(2022, 1, 1);

/// Options that every report has.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Filter {
    /// From this day on: 2026-01-31, 20260131, today, yesterday, 7d, 2w, 3mo, 1y (so long back, today included)
    #[arg(long, global = true, value_name = "DAY")]
    pub(super) since: Option<String>,
    /// Up to this day, which is included; the same spellings
    #[arg(long, global = true, value_name = "DAY")]
    pub(super) until: Option<String>,
    /// The time zone of the days, such as Europe/Berlin or UTC (default: the system's)
    #[arg(long, global = true, value_name = "ZONE")]
    pub(super) zone: Option<String>,
    /// Only models whose id contains this
    #[arg(long, global = true, value_name = "TEXT")]
    pub(super) model: Option<String>,
    /// Only sessions of this agent: claude-code, codex, gemini, opencode
    #[arg(long, global = true, value_name = "AGENT")]
    pub(super) agent: Option<String>,
    /// As JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// As CSV
    #[arg(long, global = true, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Ask a fleet instead of this machine: `fleet` for the configured one, or postgresql://user@host/database
    #[arg(long, global = true, value_name = "FLEET")]
    pub(super) from: Option<String>,
    /// Do not look for what the agent wrote since the last report
    #[arg(long, global = true)]
    pub(super) no_update: bool,
}

/// The form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Table,
    Json,
    Csv,
}

/// A report's question, understood.
#[derive(Clone)]
pub(super) struct Ask {
    pub(super) now: Timestamp,
    pub(super) today: Date,
    pub(super) zone: TimeZone,
    pub(super) since: Option<Date>,
    pub(super) until: Option<Date>,
    pub(super) form: Form,
    pub(super) prices: Table,
    pub(super) project: Option<String>,
    pub(super) model: Option<String>,
    pub(super) agent: Option<String>,
}

impl Ask {
    pub(super) fn new(place: &Place, project: Option<&Path>, filter: &Filter) -> Result<Self, Failure> {
        let zone = zone(filter.zone.as_deref())?;
        let now = Timestamp::now();
        let today = calendar::date_of(now, &zone);
        let day = |text: &Option<String>, option: &str| {
            let parsed = text.as_deref().map(|text| calendar::parse(text, today)).transpose();
            parsed
                .map_err(|what| Failure::new(what).hint(format!("`--{option} 7d` means the last seven days")))
        };
        let (since, until) = (day(&filter.since, "since")?, day(&filter.until, "until")?);
        if since.zip(until).is_some_and(|(since, until)| since > until) {
            return Err(Failure::new("--since is a later day than --until"));
        }
        let form = match (filter.json, filter.csv) {
            (true, _) => Form::Json,
            (_, true) => Form::Csv,
            _ => Form::Table,
        };
        let project = project.map(|folder| {
            // A folder that is there is named by its real path; any other word is a name or a path of old.
            let real = if folder.is_dir() { place::real(folder) } else { folder.to_owned() };
            real.to_string_lossy().into_owned()
        });
        let prices = prices::table(place);
        let agent = filter.agent.as_deref().map(agent).transpose()?;
        let model = filter.model.clone();
        Ok(Self { now, today, zone, since, until, form, prices, project, model, agent })
    }

    /// The question, without what it is grouped by.
    pub(super) fn query(&self) -> Query {
        Query {
            since: self.since.map(|date| calendar::start_of(date, &self.zone)),
            until: self.until.map(|date| calendar::start_of(date.tomorrow().unwrap_or(date), &self.zone)),
            project: self.project.clone(),
            model: self.model.clone(),
            agent: self.agent.clone(),
            ..Query::default()
        }
    }

    /// The days that are asked for; up to tomorrow, since clocks differ.
    pub(super) fn days(&self) -> Days {
        let last = self.until.unwrap_or_else(|| self.today.tomorrow().unwrap_or(self.today));
        calendar::days(self.since.unwrap_or(FIRST_DATE), last, &self.zone)
    }

    /// The zone's name, as far as it has one.
    pub(super) fn zone_name(&self) -> String {
        self.zone.iana_name().map_or_else(|| "local".to_owned(), str::to_owned)
    }

    /// An instant in the zone: `2026-01-31 15:04`.
    pub(super) fn local(&self, at: Timestamp) -> String {
        at.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
    }
}

/// An agent, by its name in what is stored or its name for people.
fn agent(named: &str) -> Result<String, Failure> {
    let is_it = |agent: &&&Agent| agent.id == named || agent.title.eq_ignore_ascii_case(named);
    AGENTS.iter().find(is_it).map(|agent| agent.id.to_owned()).ok_or_else(|| {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.id).collect();
        Failure::new(format!("there is no agent `{named}`")).hint(format!("known are {}", known.join(", ")))
    })
}

fn zone(named: Option<&str>) -> Result<TimeZone, Failure> {
    if let Some(name) = named {
        if name.eq_ignore_ascii_case("utc") {
            return Ok(TimeZone::UTC);
        }
        return TimeZone::get(name).map_err(|_| no_zone(name));
    }
    Ok(TimeZone::try_system().unwrap_or_else(|_| {
        output::warn(
            "the system's time zone is not known, so days are cut at midnight UTC; `--zone` names another",
        );
        TimeZone::UTC
    }))
}

fn no_zone(name: &str) -> Failure {
    let has_database = TimeZone::get("Europe/Berlin").is_ok();
    let failure = Failure::new(format!("there is no time zone `{name}`"));
    if has_database {
        failure.hint("names are those of the IANA database: Europe/Berlin, America/New_York, UTC")
    } else {
        failure.hint("this system has no database of time zones (usually the package tzdata, in /usr/share/zoneinfo); UTC always works")
    }
}
