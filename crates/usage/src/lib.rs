//! What was used and what it cost: prices, reports, plots; which drop is a compaction. Pure: rows in, figures out.

pub mod compaction;
pub mod report;
pub mod track;
pub mod trail;
