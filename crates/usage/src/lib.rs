//! What was used and what it cost: prices, reports, plots; which drop is a compaction. Pure: rows in, figures out.

pub mod bar;
pub mod calendar;
pub mod compaction;
pub mod money;
pub mod plot;
pub mod prices;
pub mod report;
pub mod table;
pub mod track;
pub mod trail;
