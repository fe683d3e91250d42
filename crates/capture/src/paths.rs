//! Paths: which words name a file, and the one form in which a file of the project is known.

use throughline_domain::ledger::Ledger;

const FOLDERS_MAX: usize = 16;
/// A longer path is no path.
const PATH_BYTES_MAX: usize = 220;

/// Endings of files that people work on. A word with another ending is a file only where a tool was given it.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "adoc", "astro", "bash", "bat", "bicep", "c", "cc", "cfg", "cjs", "clj", "cljs", "cmake", "conf", "cpp",
    "cr", "cs", "csproj", "css", "csv", "cts", "cxx", "d", "dart", "ddl", "edn", "ejs", "el", "elm", "env",
    "erb", "erl", "ex", "exs", "feature", "fish", "fs", "fsproj", "gleam", "go", "gql", "gradle", "graphql",
    "groovy", "h", "hbs", "hcl", "hh", "hpp", "hrl", "hs", "html", "hxx", "ini", "ipynb", "java", "jinja",
    "jl", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "liquid", "lock", "lua", "m",
    "md", "mdx", "mjs", "mk", "ml", "mli", "mm", "mod", "mts", "nim", "nix", "nu", "odin", "pen", "php",
    "pl", "plist", "pm", "po", "prisma", "properties", "proto", "ps1", "psm1", "pug", "py", "pyi", "pyx",
    "r", "rb", "rego", "rkt", "rs", "rst", "sass", "sbt", "scala", "scm", "scss", "sh", "sln", "snap",
    "sol", "sql", "sum", "sv", "svelte", "svg", "swift", "tcl", "tex", "tf", "tfvars", "toml", "ts", "tsv",
    "tsx", "txt", "v", "vb", "vhd", "vim", "vue", "wgsl", "xml", "yaml", "yml", "zig", "zsh",
];
/// Files that have no ending.
const PLAIN_NAMES: &[&str] = &[
    "Dockerfile",
    "Containerfile",
    "Makefile",
    "Justfile",
    "justfile",
    "Gemfile",
    "Rakefile",
    "Procfile",
    "Vagrantfile",
    "Jenkinsfile",
];
/// Products that are called like a file.
const PRODUCTS: &[&str] = &[
    "Node.js",
    "Next.js",
    "Vue.js",
    "React.js",
    "Nuxt.js",
    "Express.js",
    "Three.js",
    "Nest.js",
    "Chart.js",
    "Ember.js",
    "Backbone.js",
    "Alpine.js",
    "Discord.js",
    "node.js",
    "next.js",
    "vue.js",
    "process.env",
    "import.meta.env",
];

/// Remembers a folder the agent works in. The first is the project's and stays.
pub(crate) fn note_folder(ledger: &mut Ledger, cwd: &str) {
    if ledger.folders.last().is_some_and(|last| last == cwd) || cwd.len() > PATH_BYTES_MAX {
        return;
    }
    let cwd = slashes(cwd);
    let cwd = cwd.trim_end_matches('/');
    if cwd.is_empty() || ledger.folders.iter().any(|folder| folder == cwd) {
        return;
    }
    if ledger.folders.len() >= FOLDERS_MAX {
        ledger.folders.remove(1);
    }
    ledger.folders.push(cwd.to_owned());
}

/// A path that a tool was given, as the project knows it; nothing for what is no file of anybody's project.
pub(crate) fn of_tool(folders: &[String], cwd: Option<&str>, raw: &str) -> Option<String> {
    let path = relative(folders, cwd, raw)?;
    (!is_foreign(&path)).then_some(path)
}

/// A word of a text or a command line, as the project knows it; nothing where it names no file.
pub(crate) fn of_word(folders: &[String], cwd: Option<&str>, word: &str) -> Option<String> {
    if !names_a_file(word) {
        return None;
    }
    of_tool(folders, cwd, word)
}

/// The words of a text that look like files, without the marks around them and the line numbers behind them.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            // A file's name has a dot before its ending: jump from dot to dot, and look around each.
            let dot = from + memchr::memchr(b'.', bytes.get(from..)?)?;
            let start = bytes[from..dot]
                .iter()
                .rposition(|byte| !is_path_byte(*byte))
                .map_or(from, |at| from + at + 1);
            let end =
                bytes[dot..].iter().position(|byte| !is_path_byte(*byte)).map_or(bytes.len(), |at| dot + at);
            from = end.max(dot + 1);
            // A call, an address's query, a template: not a file.
            if start > 0 && matches!(bytes[start - 1], b'$' | b'*' | b'}' | b'?') {
                continue;
            }
            if matches!(bytes.get(end), Some(b'(' | b'?' | b'<' | b'$' | b'*' | b'{')) {
                continue;
            }
            if let Some(word) =
                text.get(start..end).map(|word| trim_word(out_of_script(word))).filter(|word| word.len() >= 4)
            {
                return Some(word);
            }
        }
    })
    .filter(|word| names_a_file(word))
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'.' | b'/' | b'\\' | b'_' | b'-' | b'+' | b'@' | b'~' | b':' | b'%' | b'#')
}

/// Scripts without spaces run into a name: `次に、Header.astroを` names `Header.astro`, and `文档/a.md` is a path.
fn out_of_script(word: &str) -> &str {
    if word.is_ascii() {
        return word;
    }
    let is_wide =
        |c: char| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}');
    let is_mark = |c: char| matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '…' | '—' | '“' | '”' | '‘' | '’' | '•' | '→');
    let word = word.rsplit(is_mark).find(|part| part.contains('.')).unwrap_or(word);
    let name_at = word.rfind('/').map_or(0, |at| at + 1);
    let Some(dot) = word[name_at..].rfind('.').map(|at| name_at + at) else { return word };
    let end = word[dot..].find(is_wide).map_or(word.len(), |at| dot + at);
    let word = &word[..end];
    // Only where what stands before is no folder.
    let start = word[..dot].char_indices().rfind(|(_, c)| is_wide(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let is_folder = word[start..].starts_with('/') || word[..start].contains('/') || start == dot;
    if is_folder { word } else { &word[start..] }
}

/// `src/a.rs:12:3:` is `src/a.rs`, `@src/a.rs.` too.
fn trim_word(word: &str) -> &str {
    let mut word = word
        .trim_end_matches(['.', ':', '-', '#', '@', '/', '\\', '%'])
        .trim_start_matches(['@', ':', '#', '-', '+', '%']);
    while let Some((before, after)) = word.rsplit_once([':', '#']) {
        // `:12`, `#L10`, and the colon of `HEAD:src/a.rs`, but not that of `c:/`.
        let number = after.trim_start_matches('L');
        if number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') || !number.contains('.') {
            if before.len() == 1 {
                break;
            }
            word = before;
        } else if before.len() > 1 {
            return after;
        } else {
            break;
        }
    }
    word
}

fn names_a_file(word: &str) -> bool {
    if word.len() < 4 || word.len() > PATH_BYTES_MAX || word.contains("//") || word.contains("...") {
        return false;
    }
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    if PLAIN_NAMES.contains(&name) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    if stem.is_empty() {
        return ending == "env" || ending == "gitignore";
    }
    if PRODUCTS.contains(&name)
        || stem == "_test"
        || !stem.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
    {
        return false;
    }
    if name.contains('@') && !word.contains('/') {
        return false;
    }
    ENDINGS.binary_search(&ending).is_ok() && !is_web_address(word)
}

/// `example.com/a.html`, `www.x.org/b.js`: the first part is a host.
fn is_web_address(word: &str) -> bool {
    const HOSTS: &[&str] = &[".com", ".org", ".net", ".io", ".dev", ".app", ".ai"];
    word.split_once('/')
        .is_some_and(|(host, _)| !host.starts_with('.') && HOSTS.iter().any(|end| host.ends_with(end)))
}

/// Devices, temporary files and the client's own are nobody's project; nor is a pattern one file.
fn is_foreign(path: &str) -> bool {
    const FOREIGN: &[&str] = &[
        "/dev/",
        "/proc/",
        "/sys/",
        "/tmp/",
        "/private/tmp/",
        "/var/folders/",
        "/private/var/",
        "/var/tmp/",
    ];
    path.is_empty()
        || path.len() > PATH_BYTES_MAX
        || FOREIGN.iter().any(|start| path.starts_with(start))
        || path.contains(['*', '?', '{', '}', '$', '<', '>', '|', '\n', '\0', '"', '`'])
        || path.contains("://")
        || ((path.starts_with('/') || path.starts_with('~') || is_drive(path))
            && (path.contains("/.claude/") || path.contains("/AppData/Local/Temp/")))
}

fn relative(folders: &[String], cwd: Option<&str>, raw: &str) -> Option<String> {
    let raw = raw.trim().trim_matches(['"', '\'', '`']);
    if raw.is_empty() || raw.len() > PATH_BYTES_MAX * 2 {
        return None;
    }
    let is_windows = folders.first().is_some_and(|folder| is_drive(folder));
    let path = if is_windows || is_drive(raw) { slashes(raw) } else { raw.to_owned() };
    if path.starts_with('/') || is_drive(&path) {
        let root = roots(folders).filter(|root| is_inside(&path, root)).max_by_key(|root| root.len());
        return Some(
            root.map_or(path.as_str(), |root| &path[root.len() + 1..]).trim_start_matches('/').to_owned(),
        )
        .filter(|_| root.is_some())
        .or(Some(path));
    }
    let path = path.trim_start_matches("./");
    Some(below(folders, cwd, path).unwrap_or_else(|| path.to_owned()))
}

/// A relative path said in a folder below the project's, from the project's folder.
fn below(folders: &[String], cwd: Option<&str>, path: &str) -> Option<String> {
    let cwd = slashes(cwd?);
    let cwd = cwd.trim_end_matches('/');
    let root = roots(folders).filter(|root| is_inside(cwd, root)).max_by_key(|root| root.len())?;
    let inner = &cwd[root.len() + 1..];
    if is_inside(path, inner) {
        return None;
    }
    let mut parts: Vec<&str> = inner.split('/').collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folders that paths are told from: a folder inside an earlier one is no root of its own, or a file would have two
/// names; a worktree is, since it holds the same files again.
fn roots(folders: &[String]) -> impl Iterator<Item = &str> {
    folders.iter().enumerate().filter_map(|(at, folder)| {
        let nested = folders[..at]
            .iter()
            .any(|outer| is_inside(folder, outer) && !folder[outer.len()..].contains("worktrees/"));
        (!nested).then_some(folder.as_str())
    })
}

fn is_inside(path: &str, folder: &str) -> bool {
    path.len() > folder.len() + 1 && path.as_bytes()[folder.len()] == b'/' && path.starts_with(folder)
}

fn is_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Windows paths in one form: forward slashes, lower-case drive.
fn slashes(path: &str) -> String {
    let mut path = path.replace('\\', "/");
    if is_drive(&path)
        && let Some(drive) = path.get_mut(..1)
    {
        drive.make_ascii_lowercase();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(folders: &[&str], word: &str, expected: Option<&str>) {
        let folders: Vec<String> = folders.iter().map(|folder| (*folder).to_owned()).collect();
        let found = words(word).find_map(|word| of_word(&folders, None, word));
        assert_eq!(found.as_deref(), expected, "{word}");
    }

    #[test]
    fn endings_are_sorted_for_the_search() {
        assert!(ENDINGS.is_sorted());
    }

    #[test]
    fn a_file_has_one_name_however_it_is_spelled() {
        let repo = &["/home/dev/repo"];
        check(repo, "/home/dev/repo/src/a.rs", Some("src/a.rs"));
        check(repo, "see `./src/a.rs:12:3`.", Some("src/a.rs"));
        check(repo, "(src/a.rs#L10)", Some("src/a.rs"));
        check(repo, "@src/a.rs, please", Some("src/a.rs"));
        check(repo, "git show HEAD:src/a.rs", Some("src/a.rs"));
        check(repo, "/home/dev/other/b.rs", Some("/home/dev/other/b.rs"));
        check(
            &["C:\\Users\\ann\\repo"].map(|it| Box::leak(slashes(it).into_boxed_str()) as &str),
            "C:\\Users\\ann\\repo\\src\\a.cs",
            Some("src/a.cs"),
        );
    }

    #[test]
    fn a_folder_inside_the_project_is_no_second_root_but_a_worktree_is() {
        let folders = &["/r", "/r/cmd/tool", "/r/.worktrees/x", "/s"];
        check(folders, "/r/cmd/tool/main.go", Some("cmd/tool/main.go"));
        check(folders, "/r/.worktrees/x/cmd/main.go", Some("cmd/main.go"));
        check(folders, "/s/lib.go", Some("lib.go"));
        let folders: Vec<String> = folders.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(of_word(&folders, Some("/r/cmd/tool"), "main.go").as_deref(), Some("cmd/tool/main.go"));
        assert_eq!(
            of_word(&folders, Some("/r/cmd/tool"), "cmd/tool/main.go").as_deref(),
            Some("cmd/tool/main.go")
        );
        assert_eq!(of_word(&folders, Some("/r/cmd/tool"), "../../go.mod").as_deref(), Some("go.mod"));
    }

    #[test]
    fn what_only_looks_like_a_file_is_none() {
        for word in [
            "https://example.com/a.html",
            "example.com/index.html",
            "v1.2.3",
            "e.g.",
            "github.com",
            "/dev/null.txt",
            "/tmp/x.rs",
            "src/*.rs",
            "src/{a,b}.rs",
            "Node.js",
            "process.env",
            "mutex.lock()",
            "$HOME/a.rs",
            "./...",
            "ann@mail.md",
            "fmt.Println",
        ] {
            check(&["/r"], word, None);
        }
    }

    #[test]
    fn a_script_without_spaces_is_no_part_of_a_name() {
        for (text, expected) in [
            ("次に、Header.astroを直します。", "Header.astro"),
            ("自動的に変わります。src/global.css です", "src/global.css"),
            ("修改 文档/说明.md 即可", "文档/说明.md"),
            ("请看README.md。", "README.md"),
            ("siehe docs/überblick.md", "docs/überblick.md"),
        ] {
            assert_eq!(words(text).collect::<Vec<_>>(), [expected], "{text}");
        }
    }
}
