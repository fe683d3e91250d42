//! Real repositories in temporary folders, and programs that only pretend to be git.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can not set up its repository has to stop")]
#![expect(clippy::disallowed_methods, reason = "the repositories under test are written here")]

mod capture;
mod changes;
mod distrust;
mod faults;
mod hidden;
mod names;
mod queries;
mod repo;
mod snapshot;
mod taking;
mod truth;
mod whereabouts;
