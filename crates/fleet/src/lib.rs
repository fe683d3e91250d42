//! Fleet: many machines' usage in one PostgreSQL: schema, sync, the same questions asked of all of them.
//!
//! Everything is one transaction at a time in the simple protocol: no prepared statement, no setting and no lock
//! outlives a transaction, so a pooler in transaction mode may stand in between.

pub mod address;
pub mod authorities;
pub mod error;
mod literal;
pub mod read;
pub mod resolve;
mod rows;
pub mod schema;
mod stream;
pub mod sync;
mod tls;
mod url;
mod wire;

pub use address::{Address, Login};
pub use error::Error;
pub use wire::{Connection, Row};
