//! The MCP library of the registry that the tests drive our server with.

use std::path::PathBuf;

/// Names the folder in which the library is installed; otherwise the cache that `scripts/test` fills is looked at.
pub const LIBRARY_VARIABLE: &str = "THROUGHLINE_TEST_MCP";

/// The version that the tests are written against.
pub const LIBRARY_VERSION: &str = "1.32.2";

/// The folder that holds the library. Without it the test is skipped and says so; in CI (`CI=true`) that is a failure.
#[must_use]
pub fn find() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    let cached = || Some(cache()?.join("throughline-test").join(format!("mcp-{LIBRARY_VERSION}")));
    let candidate = folder(LIBRARY_VARIABLE).or_else(cached);
    let is_there =
        |path: &PathBuf| path.join("node_modules/@modelcontextprotocol/sdk/package.json").is_file();
    let found = candidate.clone().filter(is_there);
    if found.is_none() {
        let tried = candidate.map_or_else(|| "no cache folder".to_owned(), |path| path.display().to_string());
        let reason = format!("no MCP library ({tried}); set {LIBRARY_VARIABLE} or run scripts/test");
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{reason}");
        eprintln!("skipped: {reason}");
    }
    found
}
