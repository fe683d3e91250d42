//! The nouns of Throughline: entries, the state that holds them, budgets, times. Pure: no files, no clock, no environment.

pub mod git_state;
