//! The real clients of other agents with our hooks in them: what they then send to the model, and what they survive.
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests look at files behind the product's back")
)]

#[cfg(test)]
mod codex_compaction;
#[cfg(test)]
mod codex_faults;
#[cfg(test)]
mod codex_scene;
#[cfg(test)]
mod codex_sessions;
#[cfg(test)]
mod codex_work;
#[cfg(test)]
mod crossing;
#[cfg(test)]
mod gemini_compression;
#[cfg(test)]
mod gemini_faults;
#[cfg(test)]
mod gemini_scene;
#[cfg(test)]
mod gemini_sessions;
#[cfg(test)]
mod gemini_terminal;
#[cfg(test)]
mod opencode_compaction;
#[cfg(test)]
mod opencode_faults;
#[cfg(test)]
mod opencode_rows;
#[cfg(test)]
mod opencode_scene;
#[cfg(test)]
mod opencode_sessions;
#[cfg(test)]
mod opencode_terminal;
#[cfg(test)]
mod set_up;
