//! The shell's frame: what the client writes around a command's output, and what it tells about how the command ended.

use std::sync::LazyLock;

/// What a command's answer came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Framed<'a> {
    /// What the command printed, still as the line spells it.
    pub(super) output: &'a str,
    /// Its exit code, where the client names one: it names none for 0.
    pub(super) exit: Option<u8>,
    /// Whether a signal ended it.
    pub(super) is_signalled: bool,
}

/// `Exit code 1` to `Exit code 255`: the sign by which capture knows a run that failed.
static EXIT_SIGNS: LazyLock<Vec<String>> =
    LazyLock::new(|| (0..=u8::MAX).map(|code| format!("Exit code {code}")).collect());

/// The sign of an exit code.
pub(super) fn exit_sign(code: u8) -> &'static str {
    EXIT_SIGNS.get(usize::from(code)).map_or("Exit code 1", String::as_str)
}

/// Takes the frame off. `shown` is what the user was shown, which is the output alone: its last line is no line of the frame.
pub(super) fn read<'a>(text: &'a str, shown: Option<&str>) -> Framed<'a> {
    let Some(mut rest) = text.strip_prefix("Output: ") else {
        return Framed { output: text, ..Framed::default() };
    };
    let mut framed = Framed::default();
    for name in ["Process Group PGID: ", "Background PIDs: ", "Signal: ", "Exit Code: "] {
        let (before, last) = rest.rsplit_once("\\n").unwrap_or(("", rest));
        let Some(value) = last.strip_prefix(name) else { continue };
        // A command may print such a line itself.
        if shown.is_some_and(|shown| shown.trim_end_matches("\\n").ends_with(last)) {
            break;
        }
        match name {
            "Exit Code: " => framed.exit = Some(value.parse().unwrap_or(1)),
            "Signal: " => framed.is_signalled = true,
            _ => {}
        }
        rest = before;
    }
    framed.output = if rest == "(empty)" { "" } else { rest };
    framed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_tells_how_it_ended_and_the_output_stays() {
        let read = |text| super::read(text, None);
        let whole = read("Output: hi\\nthere\\nExit Code: 2\\nProcess Group PGID: 692");
        assert_eq!(whole, Framed { output: "hi\\nthere", exit: Some(2), is_signalled: false });
        assert_eq!(read("Output: (empty)\\nProcess Group PGID: 692"), Framed::default());
        let killed = read("Output: x\\nSignal: SIGKILL\\nBackground PIDs: 1, 2\\nProcess Group PGID: 692");
        assert_eq!(killed, Framed { output: "x", exit: None, is_signalled: true });
        assert_eq!(read("no frame at all").output, "no frame at all");
        assert_eq!(read("Output: x\\nExit Code: 300").exit, Some(1));
        assert_eq!(exit_sign(7), "Exit code 7");
    }

    #[test]
    fn a_line_that_the_command_printed_is_no_line_of_the_frame() {
        let text = "Output: a\\nExit Code: 3\\nProcess Group PGID: 692";
        let framed = super::read(text, Some("a\\nExit Code: 3"));
        assert_eq!(framed, Framed { output: "a\\nExit Code: 3", exit: None, is_signalled: false });
        assert_eq!(super::read(text, Some("a")).exit, Some(3));
    }
}
