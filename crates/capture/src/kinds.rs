//! Kinds: what a command is for, by its program and first words; and which are too small to remember.

use throughline_domain::ledger::CommandKind::{self, Build, Deploy, Git, Lint, Run, Test};

/// What a command is for; nothing where it only looks around or moves things.
pub(crate) fn kind_of(words: &[String]) -> Option<CommandKind> {
    let words = behind_wrappers(words);
    let program = program_of(words.first()?);
    let rest: Vec<&str> = words[1..].iter().map(|word| word.trim_matches(['"', '\''])).collect();
    let is_no_program =
        program.is_empty() || program.starts_with('$') || program.contains('(') || is_assignment(&words[0]);
    if TRIVIAL.contains(&program) || is_no_program {
        return None;
    }
    let sub = rest
        .iter()
        .copied()
        .find(|word| !word.starts_with('-') && !word.starts_with('+'))
        .unwrap_or_default();
    if rest.contains(&"--help") || (sub == "version" && program != "npm") {
        return Some(Run);
    }
    match program {
        "git" => git_kind(&rest),
        "gh" | "glab" => hub_kind(&rest),
        // `pytest -v` runs tests and tells more of them.
        _ if rest == ["-v"] && by_table(program, &[], "") == Some(Test) => Some(Test),
        _ if ASKS_VERSION.contains(rest.first().unwrap_or(&"")) && rest.len() == 1 => Some(Run),
        _ => Some(by_table(program, &rest, sub).unwrap_or_else(|| by_words(program, &rest, sub))),
    }
}

/// Whether a command only looks around or moves things.
pub(crate) fn is_trivial(words: &[String]) -> bool {
    let words = behind_wrappers(words);
    words.first().is_none_or(|word| {
        let program = program_of(word);
        TRIVIAL.contains(&program) || program == "git" || program == "gh"
    })
}

/// The command without assignments and without the programs that only start another.
pub(crate) fn behind_wrappers<W: AsRef<str>>(words: &[W]) -> &[W] {
    let mut words = words;
    let second =
        |words: &[W], is_wanted: &[&str]| words.get(1).is_some_and(|word| is_wanted.contains(&word.as_ref()));
    loop {
        let Some(first) = words.first().map(AsRef::as_ref) else { return words };
        let skip = match program_of(first) {
            _ if is_assignment(first) => 1,
            "sudo" | "rtk" | "env" | "nice" | "nohup" | "command" | "exec" | "npx" | "bunx" | "pnpx"
            | "uvx" | "xvfb-run" | "ionice" | "stdbuf" | "caffeinate" | "time" => 1,
            "timeout" | "gtimeout" => {
                2 + words.iter().skip(1).take_while(|word| word.as_ref().starts_with('-')).count()
            }
            "uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "dotenv" | "direnv"
                if second(words, &["run", "exec"]) =>
            {
                2
            }
            "bundle" | "mise" | "pnpm" | "yarn" | "npm" if second(words, &["exec", "x", "dlx"]) => 2,
            "python" | "python3" | "py" if second(words, &["-m"]) => 2,
            _ => return words,
        };
        if words.len() <= skip {
            return words;
        }
        words = &words[skip..];
        while words.len() > 1 && words[0].as_ref().starts_with('-') {
            words = &words[1..];
        }
    }
}

/// Whether two command lines are the same run, told in more or fewer words: `pytest -q` and `python3 -m pytest -v`.
pub(crate) fn is_same_run(one: &str, other: &str) -> bool {
    let words = |line: &str| -> Vec<String> {
        let all: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mut words: Vec<String> =
            behind_wrappers(&all).iter().filter(|word| !is_manner(word)).cloned().collect();
        // What stood behind it said only how to print.
        if words.last().is_some_and(|word| word == "--") {
            words.pop();
        }
        words
    };
    one == other || words(one) == words(other)
}

/// Options that say how a run tells of itself, not what is run.
fn is_manner(word: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "-v", "-vv", "-vvv", "--verbose", "-q", "-qq", "--quiet", "--silent", "-s", "--no-color", "--color", "--nocapture",
        "--no-capture", "--show-output", "-x", "--exitfirst", "--fail-fast", "--failfast", "--bail", "-ra", "-rA", "-count=1",
        "--no-header", "--no-summary",
    ];
    const STARTS: &[&str] = &["--color=", "--tb=", "--reporter=", "--verbosity=", "--progress=", "--format="];
    WORDS.contains(&word) || STARTS.iter().any(|start| word.starts_with(start))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.as_bytes()[0].is_ascii_digit()
    })
}

fn program_of(word: &str) -> &str {
    let word = word.trim_matches(['"', '\'']);
    let word = word.rsplit(['/', '\\']).next().unwrap_or(word);
    [".exe", ".bat", ".cmd", ".ps1"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word)
}

const ASKS_VERSION: &[&str] = &["--version", "-V", "-v", "version", "--help", "-h", "help"];

/// Looking, moving, waiting: nobody needs to know these again.
#[rustfmt::skip]
const TRIVIAL: &[&str] = &[
    "ls", "ll", "cat", "bat", "cd", "pwd", "echo", "printf", "head", "tail", "less", "more", "wc", "find",
    "fd", "grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "which", "where", "whereis", "type",
    "sleep", "wait", "mkdir", "rmdir", "rm", "cp", "mv", "ln", "touch", "chmod", "chown", "true", "false",
    "tree", "stat", "top", "date", "whoami", "id",
    "hostname", "uname", "unset", "set", "alias", ".", "exit", "return", "break",
    "continue", "read", "clear", "history", "man", "sort", "uniq", "cut", "tr", "tee", "xargs", "basename",
    "dirname", "realpath", "readlink", "xxd", "od", "hexdump", "popd", "dirs", "local", "declare", "shift",
    "trap", "eval", "pbcopy", "env", "printenv", "jobs", "fg", "bg", "ulimit", "umask", "seq",
    "column", "Get-Content", "Get-ChildItem", "Select-String", "Get-Item", "Test-Path", "Remove-Item",
    "Copy-Item", "Move-Item", "New-Item", "Write-Output", "Write-Host", "Set-Content", "Get-Process",
    "Stop-Process", "Start-Sleep", "Out-Null", "dir", "findstr",
];

fn git_kind(rest: &[&str]) -> Option<CommandKind> {
    let mut words = rest.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => {
                words.next();
            }
            _ if word.starts_with('-') => {}
            "push" | "pull" | "merge" | "rebase" | "cherry-pick" | "revert" | "tag" | "worktree"
            | "bisect" | "submodule" | "clone" | "am" | "apply" | "filter-branch" | "filter-repo"
            | "subtree" => return Some(Git),
            _ => return None,
        }
    }
    None
}

fn hub_kind(rest: &[&str]) -> Option<CommandKind> {
    match rest {
        ["release", "create" | "upload" | "edit" | "delete", ..] | ["workflow", "run", ..] => Some(Deploy),
        ["pr" | "mr" | "issue", "create" | "merge" | "close" | "edit" | "ready", ..]
        | ["repo", "create" | "clone", ..] => Some(Git),
        ["api", ..] => Some(Run),
        _ => None,
    }
}

/// Program, its first word (empty: whatever it is), kind. The first row that fits counts.
#[rustfmt::skip]
const TABLE: &[(&str, &str, CommandKind)] = &[
    ("go", "test", Test), ("go", "build", Build), ("go", "install", Build), ("go", "generate", Build),
    ("go", "mod", Build), ("go", "vet", Lint), ("go", "fmt", Lint), ("go", "", Run), ("gofmt", "", Lint),
    ("gofumpt", "", Lint), ("goimports", "", Lint), ("golangci-lint", "", Lint), ("staticcheck", "", Lint),
    ("gotestsum", "", Test), ("goreleaser", "", Deploy), ("cargo", "test", Test),
    ("cargo", "nextest", Test), ("cargo", "bench", Test), ("cargo", "build", Build), ("cargo", "b", Build),
    ("cargo", "check", Lint), ("cargo", "clippy", Lint), ("cargo", "fmt", Lint), ("cargo", "deny", Lint),
    ("cargo", "publish", Deploy), ("rustc", "", Build), ("rustfmt", "", Lint), ("pytest", "", Test),
    ("py.test", "", Test), ("tox", "", Test), ("nox", "", Test), ("unittest", "", Test),
    ("coverage", "", Test), ("ruff", "", Lint), ("mypy", "", Lint), ("pyright", "", Lint),
    ("flake8", "", Lint), ("black", "", Lint), ("isort", "", Lint), ("pylint", "", Lint),
    ("pip", "", Build), ("pip3", "", Build), ("twine", "", Deploy), ("uv", "sync", Build),
    ("uv", "build", Build), ("jest", "", Test), ("vitest", "", Test), ("mocha", "", Test),
    ("ava", "", Test), ("playwright", "", Test), ("cypress", "", Test), ("tsc", "", Lint),
    ("vue-tsc", "", Lint), ("eslint", "", Lint), ("prettier", "", Lint), ("biome", "", Lint),
    ("oxlint", "", Lint), ("stylelint", "", Lint), ("vite", "build", Build), ("webpack", "", Build),
    ("rollup", "", Build), ("esbuild", "", Build), ("tsup", "", Build), ("next", "build", Build),
    ("next", "lint", Lint), ("deno", "test", Test), ("deno", "check", Lint), ("deno", "lint", Lint),
    ("bun", "test", Test), ("npm", "test", Test), ("npm", "t", Test), ("npm", "ci", Build),
    ("npm", "install", Build), ("npm", "i", Build), ("npm", "publish", Deploy), ("pnpm", "install", Build),
    ("pnpm", "i", Build), ("yarn", "install", Build), ("bun", "install", Build), ("bun", "build", Build),
    ("mvn", "", Build), ("mvnw", "", Build), ("javac", "", Build), ("ktlint", "", Lint),
    ("detekt", "", Lint), ("dotnet", "test", Test), ("dotnet", "build", Build),
    ("dotnet", "publish", Build), ("dotnet", "format", Lint), ("msbuild", "", Build),
    ("swift", "test", Test), ("swift", "build", Build), ("xcodebuild", "", Build), ("swiftlint", "", Lint),
    ("flutter", "test", Test), ("flutter", "build", Build), ("flutter", "analyze", Lint),
    ("dart", "test", Test), ("dart", "analyze", Lint), ("dart", "format", Lint), ("rspec", "", Test),
    ("minitest", "", Test), ("rubocop", "", Lint), ("rails", "test", Test), ("bundle", "install", Build),
    ("standardrb", "", Lint), ("phpunit", "", Test), ("pest", "", Test), ("phpstan", "", Lint),
    ("psalm", "", Lint), ("php-cs-fixer", "", Lint), ("pint", "", Lint), ("composer", "install", Build),
    ("artisan", "test", Test), ("mix", "test", Test), ("mix", "compile", Build), ("mix", "format", Lint),
    ("mix", "credo", Lint), ("mix", "dialyzer", Lint), ("rebar3", "eunit", Test), ("rebar3", "ct", Test),
    ("stack", "test", Test), ("stack", "build", Build), ("cabal", "test", Test), ("cabal", "build", Build),
    ("hlint", "", Lint), ("sbt", "test", Test), ("lein", "test", Test), ("zig", "test", Test),
    ("zig", "build", Build), ("zig", "fmt", Lint), ("ctest", "", Test), ("cmake", "", Build),
    ("ninja", "", Build), ("meson", "test", Test), ("meson", "", Build), ("gcc", "", Build),
    ("g++", "", Build), ("clang", "", Build), ("clang++", "", Build), ("cc", "", Build),
    ("clang-tidy", "", Lint), ("clang-format", "", Lint), ("bazel", "test", Test),
    ("bazel", "build", Build), ("buck2", "test", Test), ("buck2", "build", Build), ("forge", "test", Test),
    ("forge", "build", Build), ("hardhat", "test", Test), ("anchor", "test", Test),
    ("terraform", "apply", Deploy), ("terraform", "validate", Lint), ("terraform", "fmt", Lint),
    ("terraform", "", Run), ("tflint", "", Lint), ("kubectl", "apply", Deploy), ("helm", "upgrade", Deploy),
    ("helm", "install", Deploy), ("helm", "lint", Lint), ("ansible-playbook", "", Deploy),
    ("docker", "build", Build), ("docker", "push", Deploy), ("podman", "build", Build),
    ("buildah", "", Build), ("shellcheck", "", Lint), ("shfmt", "", Lint), ("hadolint", "", Lint),
    ("actionlint", "", Lint), ("yamllint", "", Lint), ("markdownlint", "", Lint), ("pre-commit", "", Lint),
    ("bats", "", Test), ("busted", "", Test), ("luacheck", "", Lint), ("vercel", "", Deploy),
    ("netlify", "deploy", Deploy), ("fly", "deploy", Deploy), ("flyctl", "deploy", Deploy),
    ("wrangler", "deploy", Deploy), ("firebase", "deploy", Deploy), ("serverless", "deploy", Deploy),
    ("sam", "deploy", Deploy), ("cdk", "deploy", Deploy), ("nix", "build", Build), ("nix", "flake", Lint),
    ("nix-build", "", Build), ("buf", "lint", Lint), ("buf", "", Build), ("protoc", "", Build),
    ("R", "CMD", Build),
];

fn by_table(program: &str, rest: &[&str], sub: &str) -> Option<CommandKind> {
    let row = TABLE.iter().find(|row| row.0 == program && (row.1 == sub || row.1.is_empty()))?;
    if row.2 == Build && program == "zig" && rest.contains(&"test") {
        return Some(Test);
    }
    // `mvn test`, `cmake --build`: a builder that was told to test.
    if row.2 == Build && row.1.is_empty() && !sub.is_empty() {
        return Some(by_word(sub).filter(|kind| *kind != Lint).unwrap_or(Build));
    }
    Some(row.2)
}

/// Runners of scripts and scripts themselves: their names say it.
fn by_words(program: &str, rest: &[&str], sub: &str) -> CommandKind {
    #[rustfmt::skip]
    const RUNNERS: &[&str] = &[
        "npm", "pnpm", "yarn", "bun", "make", "gmake", "just", "mise", "task", "rake", "composer", "gradle",
        "gradlew", "nx", "turbo", "lerna", "moon", "invoke", "inv", "bin", "deno", "ant", "sbt", "lein",
        "mix", "rails", "artisan", "php", "node", "python", "python3", "ruby", "bash", "sh", "zsh", "pwsh",
        "powershell", "perl", "tsx", "hatch", "pdm", "poetry", "dune", "gleam", "crystal", "julia", "Rscript", "bazelisk",
        "rebar3", "scons", "waf", "earthly", "dagger", "vp", "rush", "ts-node", "docker", "docker-compose", "docker compose", "cargo",
    ];
    if RUNNERS.contains(&program) {
        let told = rest.iter().copied().filter(|word| {
            !word.starts_with('-') && *word != "run" && *word != "run-script" && *word != "exec"
        });
        let found = told.take(3).find_map(by_word);
        return found.unwrap_or(
            if matches!(program, "make" | "gmake" | "gradle" | "gradlew" | "ant" | "just") && sub.is_empty() {
                Build
            } else {
                Run
            },
        );
    }
    by_word(program).unwrap_or(Run)
}

fn by_word(word: &str) -> Option<CommandKind> {
    #[rustfmt::skip]
    const WORDS: &[(&str, CommandKind)] = &[
        ("test", Test), ("spec", Test), ("verify", Test), ("runtest", Test), ("pester", Test), ("e2e", Test), ("coverage", Test), ("lint", Lint), ("fmt", Lint),
        ("format", Lint), ("typecheck", Lint), ("type-check", Lint), ("check", Lint), ("vet", Lint),
        ("clippy", Lint), ("build", Build), ("compile", Build), ("bundle", Build), ("assemble", Build), ("all", Build), ("install", Build),
        ("deploy", Deploy), ("release", Deploy), ("publish", Deploy),
    ];
    let name = word.rsplit('/').next().unwrap_or(word).to_ascii_lowercase();
    let mut parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let by_part = |part: &str| {
        WORDS
            .iter()
            .find(|(known, _)| part == *known || part.strip_suffix('s') == Some(known))
            .map(|(_, kind)| *kind)
    };
    WORDS.iter().find(|(known, _)| name == *known).map(|(_, kind)| *kind).or_else(|| parts.find_map(by_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[(&str, Option<CommandKind>)] = &[
        ("go test ./...", Some(Test)),
        ("CGO_ENABLED=0 go build ./cmd/x", Some(Build)),
        ("cargo clippy --all-targets", Some(Lint)),
        ("python3 -m pytest -q", Some(Test)),
        ("uv run pytest", Some(Test)),
        ("npx vitest run", Some(Test)),
        ("npm run test:unit", Some(Test)),
        ("pnpm lint", Some(Lint)),
        ("yarn build", Some(Build)),
        ("mise run lint", Some(Lint)),
        ("make", Some(Build)),
        ("make test", Some(Test)),
        ("./gradlew assemble", Some(Build)),
        ("mvn -q test", Some(Test)),
        ("dotnet test", Some(Test)),
        ("bundle exec rspec", Some(Test)),
        ("mix test", Some(Test)),
        ("swift build", Some(Build)),
        ("flutter analyze", Some(Lint)),
        ("timeout 60 ctest", Some(Test)),
        ("./scripts/run_tests.sh", Some(Test)),
        ("bash scripts/deploy.sh prod", Some(Deploy)),
        ("terraform apply", Some(Deploy)),
        ("./server --port 80", Some(Run)),
        ("./gradlew test --tests FooTest", Some(Test)),
        ("mvn verify", Some(Test)),
        ("xcodebuild test -scheme App", Some(Test)),
        ("xcodebuild -scheme App build", Some(Build)),
        ("vendor/bin/pest", Some(Test)),
        ("php artisan test", Some(Test)),
        ("bundle exec rake spec", Some(Test)),
        ("bin/rails test", Some(Test)),
        ("zig build test", Some(Test)),
        ("bazel test //...", Some(Test)),
        ("bazelisk test //...", Some(Test)),
        ("just test", Some(Test)),
        ("task build", Some(Build)),
        ("nx test api", Some(Test)),
        ("npx nx run api:test", Some(Test)),
        ("turbo run build", Some(Build)),
        ("deno task test", Some(Test)),
        ("deno test", Some(Test)),
        ("bun test", Some(Test)),
        ("pnpm -r test", Some(Test)),
        ("pnpm --filter web build", Some(Build)),
        ("yarn workspace web test", Some(Test)),
        ("poetry run pytest", Some(Test)),
        ("uv run ruff check .", Some(Lint)),
        ("hatch test", Some(Test)),
        ("tox -e py312", Some(Test)),
        ("python manage.py test", Some(Test)),
        ("ctest --test-dir build", Some(Test)),
        ("cmake --build build", Some(Build)),
        ("meson test -C build", Some(Test)),
        ("swift test", Some(Test)),
        ("swiftlint", Some(Lint)),
        ("sbt test", Some(Test)),
        ("lein test", Some(Test)),
        ("stack test", Some(Test)),
        ("dune runtest", Some(Test)),
        ("dune build", Some(Build)),
        ("gleam test", Some(Test)),
        ("crystal spec", Some(Test)),
        ("julia --project test/runtests.jl", Some(Test)),
        ("Rscript -e devtools::test()", Some(Test)),
        ("forge test", Some(Test)),
        ("npx hardhat test", Some(Test)),
        ("Invoke-Pester", Some(Test)),
        ("dotnet run", Some(Run)),
        ("gradle.bat build", Some(Build)),
        ("ruff check --fix", Some(Lint)),
        ("kubectl apply -f x.yml", Some(Deploy)),
        ("git push origin main", Some(Git)),
        ("git -C sub rebase main", Some(Git)),
        ("gh pr create", Some(Git)),
        ("git status", None),
        ("ls -la", None),
        ("node --version", Some(Run)),
        ("latest --x", Some(Run)),
        ("$X run", None),
        ("vendor/bin/phpunit", Some(Test)),
        ("X=$(date)", None),
        ("gh release view v1", None),
        ("rtk cargo test", Some(Test)),
        ("cargo test --help", Some(Run)),
        ("ps aux", Some(Run)),
    ];

    #[test]
    fn many_ecosystems_are_known() {
        for (line, kind) in KNOWN {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(kind_of(&words), *kind, "{line}");
        }
    }
}
