//! Reports: the question that a store of responses is asked, and its answer added up and priced.

pub mod analyze;
pub mod blocks;
pub mod totals;

pub use throughline_domain::slice::{Dimension, Query, SLOT_MS, Slice};
pub use totals::{Cost, Totals, grouped};
