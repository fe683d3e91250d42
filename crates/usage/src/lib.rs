//! What was used and what it cost: prices, reports, plots. Pure: rows in, figures out.

pub mod report;
pub mod trail;
