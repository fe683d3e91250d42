//! The usage log: whether a status line can write it.

use throughline_store::usage_log;

use super::Check;
use super::context::Context;

const NAME: &str = "usage log";

pub(super) fn check(context: &Context) -> Vec<Check> {
    let project = &context.memory.project;
    if !context.config.usage.log {
        return vec![Check::skip(NAME, "switched off in the configuration")];
    }
    let path = usage_log::folder(project).join(usage_log::FILE_NAME);
    vec![match usage_log::is_writable(project) {
        Ok(()) => Check::ok(NAME, format!("a line per change in {}", path.display())),
        Err(error) => Check::warn(
            NAME,
            format!("how full the context is cannot be logged: {error}"),
            "check who owns the project's .claude folder, or set `log = false` under [usage] in throughline.toml",
        ),
    }]
}
