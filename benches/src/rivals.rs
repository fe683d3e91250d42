//! Rivals: other people's tools that do the same, at the versions we measure against, from the user's cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;

const CCLINE: &str = "@cometix/ccline-linux-x64@1.1.2";
const CCSTATUSLINE: &str = "ccstatusline@2.2.30";
const CCUSAGE: &str = "@ccusage/ccusage-linux-x64@20.0.24";

/// Where they are; `None` for one that is not there.
#[derive(Default)]
pub(crate) struct Rivals {
    pub(crate) ccline: Option<PathBuf>,
    pub(crate) ccstatusline: Option<PathBuf>,
    pub(crate) ccusage: Option<PathBuf>,
}

impl Rivals {
    pub(crate) fn find() -> Self {
        let at = |package: &str, file: &str| {
            Some(folder(package)?.join("node_modules").join(name(package)).join(file))
                .filter(|it| it.is_file())
        };
        Self {
            ccline: at(CCLINE, "ccline"),
            ccstatusline: at(CCSTATUSLINE, "dist/ccstatusline.js"),
            ccusage: at(CCUSAGE, "bin/ccusage"),
        }
    }

    /// Says which ones do not take part.
    pub(crate) fn missing(&self) -> Vec<String> {
        [(&self.ccline, CCLINE), (&self.ccstatusline, CCSTATUSLINE), (&self.ccusage, CCUSAGE)]
            .into_iter()
            .filter(|(found, _)| found.is_none())
            .map(|(_, package)| format!("skipped: {package} is not installed (--install-rivals)"))
            .collect()
    }
}

/// Installs those that are missing. Their own install scripts, which write into the user's home, do not run.
pub(crate) fn install() -> Result<(), Failure> {
    for package in [CCLINE, CCSTATUSLINE, CCUSAGE] {
        let folder = folder(package).ok_or("neither XDG_CACHE_HOME nor HOME names a folder")?;
        let there = folder.join("node_modules").join(name(package));
        if there.is_dir() {
            continue;
        }
        std::fs::create_dir_all(&folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"]);
        npm.arg("--prefix").arg(&folder).arg(package);
        if !npm.status()?.success() {
            return Err(format!("npm could not install {package}").into());
        }
        make_executable(&there.join("bin/ccusage"))?;
    }
    Ok(())
}

/// The package's own launcher would do it at its first start.
fn make_executable(file: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    if file.is_file() {
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn folder(package: &str) -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
    Some(cache.join("throughline-bench").join(package.trim_start_matches('@').replace('/', "-")))
}

/// A package's name, without its version.
fn name(package: &str) -> &str {
    package.rsplit_once('@').map_or(package, |(name, _)| name)
}
