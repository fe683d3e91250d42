//! The real Claude Code client with our hooks in it: what it then sends to the model, and what it survives.
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests look at files behind the product's back")
)]

#[cfg(test)]
mod checkpoints;
#[cfg(test)]
mod coming_back;
#[cfg(test)]
mod compaction;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod governance;
mod hand_over;
#[cfg(test)]
mod instructions;
#[cfg(test)]
mod late_results;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod odd_compactions;
#[cfg(test)]
mod plugin;
#[cfg(test)]
mod purity;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod statusline;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod threshold;
#[cfg(test)]
mod transcripts;
#[cfg(test)]
mod window;
