//! A repository that somebody prepared: whatever stands at our names in it, nothing outside changes or is opened.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test sets its scene with files and programs of its own, behind the product's back"
)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops there, loudly")]

mod catalogued;
mod clone;
mod names;
mod scene;
mod swapped;
