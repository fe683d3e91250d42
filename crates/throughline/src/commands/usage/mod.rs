//! `usage`: what was used and what it cost.

pub(crate) mod intake;

use std::time::Duration;

use throughline_store::usage::UsageStore;

use crate::failure::Failure;
use crate::place::Place;

/// How long a report waits for somebody who writes.
const STORE_WAIT: Duration = Duration::from_secs(10);

/// Opens the store of usage.
pub(crate) fn open_store(place: &Place) -> Result<UsageStore, Failure> {
    Ok(UsageStore::open(&place.home.archive(), STORE_WAIT)?)
}
