//! Nothing false: small sessions told in a few lines, what may be said of them and what may not, and a check that reads
//! every text back against what really happened.
#![expect(
    clippy::disallowed_methods,
    reason = "a test sets its scene with files and programs of its own, behind the product's back"
)]
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on stops there, loudly"
)]

mod check;
mod checking;
mod play;
mod record;
mod sample;
#[path = "../it/scene.rs"]
#[expect(dead_code, reason = "the scene of the other tests, of which a part is used here")]
mod scene;
mod scenes;
