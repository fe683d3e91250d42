//! Testkit: what the tests of every room share. Development only; no room depends on it at run time.
//!
//! Two scenes are offered. [`TempHome`] is a home, a project and a data folder that vanish with the test; programs
//! started in it see nothing of the machine's own settings. [`ClientLab`] adds the real Claude Code client, which
//! talks to a [`MockApi`] on the loopback interface that answers as a [`Script`] says. What the client sent is kept,
//! so a test can assert on what a model would really have read. [`CodexLab`], [`GeminiLab`] and [`OpenCodeLab`] do the same for
//! their clients, with a [`ResponsesApi`], a [`GeminiApi`] and a [`ChatApi`].
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::print_stderr,
    reason = "a test that cannot set its scene must stop there, loudly"
)]
#![expect(clippy::must_use_candidate, reason = "programs are run and files written for their effect, too")]

pub mod chat_api;
pub mod client;
pub mod codex;
mod codex_server;
pub mod cut_proxy;
pub mod gemini;
pub mod gemini_api;
pub mod home;
mod http;
pub mod live;
pub mod mcp_library;
pub mod mock_api;
pub mod opencode;
pub mod opencode_rows;
pub mod payload;
pub mod postgres;
pub mod process;
pub mod request;
pub mod responses_api;
pub mod responses_request;
pub mod retell;
pub mod script;
mod sse;
pub mod transcript;

pub use chat_api::ChatApi;
pub use client::ClientLab;
pub use codex::{CodexLab, CodexRun};
pub use codex_server::CodexServer;
pub use cut_proxy::CutProxy;
pub use gemini::GeminiLab;
pub use gemini_api::{GeminiApi, GeminiRequest};
pub use home::TempHome;
pub use live::{LiveClient, TurnResult};
pub use mock_api::MockApi;
pub use opencode::OpenCodeLab;
pub use opencode_rows::OpenCodeRows;
pub use postgres::{Pooler, Postgres};
pub use process::Output;
pub use request::{HookText, Kind, Request};
pub use responses_api::ResponsesApi;
pub use responses_request::ResponsesRequest;
pub use script::{Script, Step, Usage};
pub use transcript::Transcript;
