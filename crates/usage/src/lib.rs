//! Usage: what was used and what it cost: prices, reports, plots; which drop is a compaction. Pure.
