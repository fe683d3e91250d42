//! Capture: transcript lines into the ledger: what matters, in its own words. Pure.
