//! The fleet at hand: its address from the environment or the configuration, with a password that is never shown.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use throughline_agents::agent::USUAL;
use throughline_engine::place::Place;
use throughline_fleet::sync::{ProjectForm, Sender};
use throughline_fleet::{Address, Error};
use throughline_store::config::{Allowed, Config, Fleet};
use throughline_store::door::{Spot, outside};
use throughline_store::machine;

use crate::cli::VERSION;
use crate::failure::Failure;
use crate::surroundings;

/// The address, instead of the configuration's.
const URL_VARIABLE: &str = "THROUGHLINE_FLEET_URL";
const URL_BYTES_MAX: u64 = throughline_domain::limits::FLEET_URL_BYTES_MAX;
const PGPASS_BYTES_MAX: u64 = throughline_domain::limits::PGPASS_BYTES_MAX;
/// The server could not be reached: nothing is lost, and the next sync sends it.
pub(crate) const OFFLINE: u8 = 75;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let mut failure = Self::new(error.to_string());
        if let Some(remedy) = error.remedy() {
            failure = failure.hint(remedy);
        }
        if error.is_offline() {
            failure.code = OFFLINE;
        }
        failure
    }
}

/// The user's own configuration: a project has no say in where usage goes.
pub(crate) fn config(place: &Place) -> Fleet {
    let file = place.config_folder.as_ref().map(|folder| folder.join("throughline.toml"));
    Config::load(file.as_deref(), &Spot::root("/nonexistent"), &Allowed::default()).0.fleet
}

/// Where the fleet's database is.
pub(crate) fn address(place: &Place, fleet: &Fleet) -> Result<Address, Failure> {
    let url = match place.around.text(URL_VARIABLE).filter(|url| !url.trim().is_empty()) {
        Some(url) => url,
        None if !fleet.url.is_empty() => fleet.url.clone(),
        // Errors about a file name it, and this would be no file's name.
        None if fleet.url_file.contains("://") || fleet.url_file.contains(['@', '=']) => {
            return Err(Failure::new("[fleet] url_file does not name a file but looks like an address")
                .hint("an address stands under `url`; `url_file` names a file that holds one"));
        }
        None if !fleet.url_file.is_empty() => url_in(&expanded(place, &fleet.url_file))?,
        None => {
            return Err(Failure::new("no fleet is configured").hint(format!(
                "set {URL_VARIABLE}, or `url` or `url_file` under [fleet] in {}",
                place.config_folder.as_ref().map_or_else(
                    || "throughline.toml".to_owned(),
                    |it| it.join("throughline.toml").display().to_string()
                )
            )));
        }
    };
    address_of(place, &url)
}

/// The fleet that `--from` names: a URL, or the configured one.
pub(crate) fn named(place: &Place, fleet: &Fleet, from: &str) -> Result<Address, Failure> {
    if !from.contains("://") {
        return match from {
            "fleet" => address(place, fleet),
            // What stands there may be an address in another form, with a password in it.
            _ => Err(Failure::new("--from is neither `fleet` nor a postgresql:// address")
                .hint("say `--from fleet`, or `--from postgresql://user@host:5432/database`")),
        };
    }
    if Address::parse(from)?.login.password.is_some() {
        return Err(Failure::new("--from has a password in it, which everybody on this machine can read there")
            .hint(format!("leave it out and set PGPASSWORD, keep it in ~/.pgpass, or set {URL_VARIABLE} and say `--from fleet`")));
    }
    address_of(place, from)
}

/// The server that a URL names, with the password from wherever PostgreSQL's own programs look for it.
pub(crate) fn address_of(place: &Place, url: &str) -> Result<Address, Failure> {
    let mut address = Address::parse(url)?;
    address.named_authorities = surroundings::named_authorities();
    if address.login.password.is_none() {
        address.login.password = place.around.text("PGPASSWORD").filter(|password| !password.is_empty());
    }
    let pgpass = (place.around.var)("PGPASSFILE")
        .map(PathBuf::from)
        .or_else(|| place.user_home.as_ref().map(|home| home.join(".pgpass")));
    if let Some(Ok(Some(text))) = pgpass.map(|file| outside::read_limited(&file, PGPASS_BYTES_MAX)) {
        address.take_password_from(&String::from_utf8_lossy(&text));
    }
    Ok(address)
}

fn url_in(file: &Path) -> Result<String, Failure> {
    let text = outside::read_limited(file, URL_BYTES_MAX)?.ok_or_else(|| {
        Failure::new(format!("there is no {}, which [fleet] url_file names", file.display()))
    })?;
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

fn expanded(place: &Place, path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), &place.user_home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Who sends: this machine, and as much about it as the user wants told.
pub(crate) fn sender(place: &Place, fleet: &Fleet) -> Result<Sender, Failure> {
    let project = match fleet.project.as_str() {
        "path" => ProjectForm::Path,
        "name" => ProjectForm::Name,
        "hash" => ProjectForm::Hash,
        other => {
            return Err(Failure::new(format!("[fleet] project = \"{other}\" is not known"))
                .hint("it is \"path\", \"name\" or \"hash\""));
        }
    };
    let told = |is_sent: bool, set: &str, found: &dyn Fn() -> Option<String>| {
        if !is_sent {
            None
        } else if set.is_empty() {
            found()
        } else {
            Some(set.to_owned())
        }
    };
    Ok(Sender {
        machine: machine::id(&place.home)?,
        machine_name: told(fleet.send_machine, &fleet.machine, &host_name),
        user_name: told(fleet.send_user, &fleet.user, &|| {
            place.around.text("USER").or_else(|| place.around.text("LOGNAME"))
        }),
        agent: USUAL.id.to_owned(),
        agents: HashMap::new(),
        project,
        schema: fleet.schema.clone(),
        version: VERSION.to_owned(),
    })
}

fn host_name() -> Option<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Some(name).filter(|name| !name.is_empty())
}
