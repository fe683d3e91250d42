//! Config text: takes the text of a git configuration apart, as git does. Nothing is included, nothing is looked up.

/// Hands every setting to `each`: its key as `section.name` or `section.Subsection.name`, and its value (`None` when
/// only the name stands there). The number of the line when the text is none that git would read.
pub(crate) fn each_setting(text: &[u8], mut each: impl FnMut(&[u8], Option<&[u8]>)) -> Result<(), usize> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut source = Source { text, at: 0, line: 1 };
    let mut section: Option<Vec<u8>> = None;
    let mut key = Vec::new();
    while let Some(byte) = source.next() {
        match byte {
            b'#' | b';' => source.skip_line(),
            b'[' => section = Some(source.section().ok_or(source.line)?),
            _ if is_space(byte) => {}
            _ if byte.is_ascii_alphabetic() => {
                key.clear();
                key.extend_from_slice(section.as_ref().ok_or(source.line)?);
                key.push(b'.');
                key.push(byte.to_ascii_lowercase());
                let line = source.line;
                let value = source.name_and_value(&mut key).map_err(|Malformed| line)?;
                each(&key, value.as_deref());
            }
            _ => return Err(source.line),
        }
    }
    Ok(())
}

/// Git would not read it either.
struct Malformed;

struct Source<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl Source<'_> {
    /// The next byte; a line end of two bytes is one.
    fn next(&mut self) -> Option<u8> {
        let mut byte = *self.text.get(self.at)?;
        self.at += 1;
        if byte == b'\r' && self.text.get(self.at) == Some(&b'\n') {
            self.at += 1;
            byte = b'\n';
        }
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    /// `name]`, `name.sub]` or `name "Sub \"section\""]`
    fn section(&mut self) -> Option<Vec<u8>> {
        let mut section = Vec::new();
        loop {
            match self.next()? {
                b']' => return Some(section).filter(|section| !section.is_empty()),
                b'\n' => return None,
                byte if is_space(byte) => break,
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    section.push(byte.to_ascii_lowercase());
                }
                _ => return None,
            }
        }
        loop {
            match self.next()? {
                b'"' => break,
                b'\n' => return None,
                byte if is_space(byte) => {}
                _ => return None,
            }
        }
        section.push(b'.');
        loop {
            match self.next()? {
                b'"' => break,
                b'\n' => return None,
                b'\\' => section.push(self.next().filter(|byte| *byte != b'\n')?),
                byte => section.push(byte),
            }
        }
        (self.next()? == b']').then_some(section)
    }

    /// The rest of a name goes into `key`; then nothing or a value.
    fn name_and_value(&mut self, key: &mut Vec<u8>) -> Result<Option<Vec<u8>>, Malformed> {
        loop {
            match self.next() {
                None | Some(b'\n') => return Ok(None),
                Some(b'=') => return self.value().map(Some).ok_or(Malformed),
                Some(byte) if byte.is_ascii_alphanumeric() || byte == b'-' => {
                    key.push(byte.to_ascii_lowercase());
                }
                Some(b' ' | b'\t') => break,
                Some(_) => return Err(Malformed),
            }
        }
        loop {
            match self.next() {
                None | Some(b'\n') => return Ok(None),
                Some(b'=') => return self.value().map(Some).ok_or(Malformed),
                Some(b' ' | b'\t') => {}
                Some(_) => return Err(Malformed),
            }
        }
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let (mut value, mut is_quoted, mut kept) = (Vec::new(), false, 0);
        loop {
            match self.next() {
                None | Some(b'\n') if is_quoted => return None,
                None | Some(b'\n') => break,
                Some(b'#' | b';') if !is_quoted => {
                    self.skip_line();
                    break;
                }
                Some(byte) if is_space(byte) && !is_quoted => {
                    // Spaces count when something comes behind them.
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                Some(b'"') => is_quoted = !is_quoted,
                Some(b'\\') => match self.next() {
                    // The value goes on, maybe with nothing; spaces before count.
                    None | Some(b'\n') => {}
                    Some(b't') => value.push(b'\t'),
                    Some(b'b') => value.push(8),
                    Some(b'n') => value.push(b'\n'),
                    Some(byte @ (b'\\' | b'"')) => value.push(byte),
                    Some(_) => return None,
                },
                Some(byte) => value.push(byte),
            }
            kept = value.len();
        }
        value.truncate(kept);
        Some(value)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

#[cfg(test)]
mod tests {
    use super::each_setting;

    fn read(text: &str) -> Result<Vec<String>, usize> {
        let mut told = Vec::new();
        each_setting(text.as_bytes(), |key, value| {
            let value = value.map_or("-".to_owned(), |value| format!("={}", String::from_utf8_lossy(value)));
            told.push(format!("{}{value}", String::from_utf8_lossy(key)));
        })?;
        Ok(told)
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "\u{feff}# a comment\n[Core] FileMode = TRUE ; so\r\n\tbare\n[filter \"A=b\\\" c\"]\n  clean = \"x # y\"  z  \n\
                    [a.B]k=one \\\n two\n[x]\n\ty = \n\tz = \"  \\t\"\n";
        let told = [
            "core.filemode=TRUE",
            "core.bare-",
            "filter.A=b\" c.clean=x # y  z",
            "a.b.k=one  two",
            "x.y=",
            "x.z=  \t",
        ];
        assert_eq!(read(text).unwrap(), told);
        assert_eq!(read("").unwrap(), Vec::<String>::new());
    }

    /// What git makes of a text; spaces in values differ between its versions.
    fn read_by_git(text: &str) -> Option<Vec<String>> {
        use std::io::Write as _;
        use std::process::{Command, Stdio};
        let mut command = Command::new("git");
        command.args(["config", "--file", "-", "--no-includes", "--list", "-z"]).current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let listed = String::from_utf8(output.stdout).unwrap();
        let told = listed.split_terminator('\0').map(|it| match it.split_once('\n') {
            Some((key, value)) => format!("{key}={value}"),
            None => format!("{it}-"),
        });
        output.status.success().then(|| told.collect())
    }

    #[test]
    fn texts_at_random_are_read_as_git_reads_them() {
        const PIECES: [&str; 30] = [
            "[a]",
            "[A.b]",
            "[c \"D\"]",
            "[c \"",
            "\"]",
            "[",
            "]",
            "\n",
            "\n",
            "\n",
            "\r\n",
            "\r",
            "k",
            "Key-1",
            "=",
            " = ",
            "v",
            "\"",
            "\\",
            "\\\n",
            "\\t",
            "\\\"",
            "#",
            ";",
            " ",
            "\t",
            "true",
            "9",
            "-",
            "\u{e4}",
        ];
        let (mut seed, mut read_whole) = (7_u64, 0);
        for _ in 0..400 {
            let mut text = "[a]\nk = ".to_owned();
            for _ in 0..8 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let piece = usize::try_from(seed >> 33).unwrap() % PIECES.len();
                text.push_str(PIECES[piece]);
            }
            let spaced = |told: Vec<String>| -> Vec<String> {
                told.into_iter().map(|it| it.replace(['\t', '\r'], " ")).collect()
            };
            let (ours, theirs) = (read(&text).ok().map(spaced), read_by_git(&text).map(spaced));
            assert_eq!(ours, theirs, "{text:?}");
            read_whole += usize::from(ours.is_some());
        }
        assert!(read_whole > 20, "{read_whole}");
    }

    #[test]
    fn what_git_would_not_read_is_told_by_its_line() {
        for (text, line) in [
            ("a = 1\n", 1),
            ("[core]\n9 = 1\n", 2),
            ("[core\n", 2),
            ("[co re]\n", 1),
            ("[a \"b]\n", 2),
            ("[a]\nb = \"open\n", 2),
            ("[a]\nb = \\x\n", 2),
            ("[a]\n\nb ! c\n", 3),
            ("[a", 1),
        ] {
            assert_eq!(read(text).unwrap_err(), line, "{text:?}");
        }
    }
}
