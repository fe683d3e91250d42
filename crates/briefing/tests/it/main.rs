//! What the agent and people are told: under every cap, between our marks, and readable.

#[cfg(test)]
mod arbitrary;
#[cfg(test)]
mod caps;
#[cfg(test)]
mod continuation;
#[cfg(test)]
mod continuation_forms;
#[cfg(test)]
mod diff_stat;
#[cfg(test)]
mod example;
#[cfg(test)]
mod focus;
#[cfg(test)]
mod hand_over;
#[cfg(test)]
mod notes;
#[cfg(test)]
mod ranking;
#[cfg(test)]
mod resume;
#[cfg(test)]
mod session;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod trust;
