//! Reports: the question that a store of responses is asked, and its answer laid out.

pub use throughline_domain::slice::{Dimension, Query, SLOT_MS, Slice};
