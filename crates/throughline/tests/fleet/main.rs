//! Fleet: many machines' usage in one PostgreSQL, against a real server that is cut, stopped, raced and refused.
#![expect(clippy::expect_used, reason = "a scene that cannot be set stops the test")]
#![expect(clippy::disallowed_methods, reason = "tests prepare files")]

mod analysis;
mod exposure;
mod faults;
mod passwords;
mod safety;
mod scene;
mod schema;
mod sending;
mod verb;
