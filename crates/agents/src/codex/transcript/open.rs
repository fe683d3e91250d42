//! Open: what earlier lines left open, in the one text that a reader may carry on. Ids and marks, never anybody's words.

use crate::transcript::Carried;

/// Parts the fields; no id holds it.
const BETWEEN: char = '\u{1f}';
/// Longest id that is carried on.
const ID_BYTES_MAX: usize = 120;
/// Commands that go on in the background and are waited for.
const RUNNING_MAX: usize = 8;

/// What is true of a rollout, or of the turn it is at.
#[derive(Clone, Copy)]
pub(in crate::codex) enum Flag {
    /// A subagent's.
    Sidechain,
    /// A prompt began the turn.
    Prompted,
    /// Responses report their use by themselves.
    Recorded,
}

impl Flag {
    fn letter(self) -> char {
        match self {
            Self::Sidechain => 's',
            Self::Prompted => 'p',
            Self::Recorded => 'u',
        }
    }
}

/// What is open.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::codex) struct Open {
    flags: String,
    /// The first item of the response that goes on.
    response: String,
    /// The script that runs, and the print of a command in it that was told already.
    script: String,
    asked: String,
    /// Commands that went on in the background, by their calls.
    running: Vec<String>,
}

impl Open {
    fn of(text: &str) -> Self {
        let mut fields = text.split(BETWEEN);
        let mut next = || fields.next().unwrap_or_default().to_owned();
        let [flags, response, script, asked, running] = [next(), next(), next(), next(), next()];
        let running = running.split(' ').filter(|id| !id.is_empty()).map(str::to_owned).collect();
        Self { flags, response, script, asked, running }
    }

    fn text(&self) -> String {
        let running = self.running.join(" ");
        let fields = [&self.flags, &self.response, &self.script, &self.asked, &running];
        fields.map(String::as_str).join(&BETWEEN.to_string())
    }

    /// Changes what is open.
    pub(in crate::codex) fn change<T>(carried: &mut Carried, change: impl FnOnce(&mut Self) -> T) -> T {
        let mut open = Self::of(&carried.message);
        let changed = change(&mut open);
        carried.message = open.text();
        changed
    }

    fn field(carried: &Carried, number: usize) -> &str {
        carried.message.split(BETWEEN).nth(number).unwrap_or_default()
    }

    /// Whether something is true.
    pub(in crate::codex) fn has(carried: &Carried, flag: Flag) -> bool {
        Self::field(carried, 0).contains(flag.letter())
    }

    /// The name of the response that goes on.
    pub(super) fn response(carried: &Carried) -> &str {
        Self::field(carried, 1)
    }

    /// The script that runs.
    pub(super) fn script(carried: &Carried) -> &str {
        Self::field(carried, 2)
    }

    /// Notes whether something is true.
    pub(in crate::codex) fn set(&mut self, flag: Flag, is_true: bool) {
        self.flags.retain(|letter| letter != flag.letter());
        if is_true {
            self.flags.push(flag.letter());
        }
    }

    /// Another response begins, known by this id.
    pub(super) fn begin_response(&mut self, id: &str) {
        self.response = bounded(id);
    }

    /// A script begins, with a command in it that was told (as its print).
    pub(super) fn begin_script(&mut self, id: &str, asked: Option<u64>) {
        self.script = bounded(id);
        self.asked = asked.map_or_else(String::new, |print| format!("{print:x}"));
    }

    /// The script is over; says whether a command of it that was told is still waited for.
    pub(super) fn end_script(&mut self) -> bool {
        self.script.clear();
        !std::mem::take(&mut self.asked).is_empty()
    }

    /// The script in whose name this command was told; it is waited for no more then.
    pub(super) fn take_asked(&mut self, print: u64) -> Option<String> {
        let is_it = self.asked == format!("{print:x}");
        is_it.then(|| {
            self.asked.clear();
            self.script.clone()
        })
    }

    /// A command goes on in the background.
    pub(super) fn runs_on(&mut self, id: &str) {
        self.running.push(bounded(id));
        if self.running.len() > RUNNING_MAX {
            self.running.remove(0);
        }
    }

    /// Whether this command went on in the background; it is waited for no more then.
    pub(super) fn take_running(&mut self, id: &str) -> bool {
        let before = self.running.len();
        self.running.retain(|known| known != id);
        self.running.len() < before
    }
}

/// An id, unless it is too long for one or would be taken for several.
fn bounded(id: &str) -> String {
    let is_id = id.len() <= ID_BYTES_MAX && !id.contains([BETWEEN, ' ']);
    if is_id { id.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_survives_being_written_down() {
        let mut carried = Carried::default();
        assert!(!Open::has(&carried, Flag::Sidechain));
        Open::change(&mut carried, |open| {
            open.set(Flag::Sidechain, true);
            open.begin_response("msg_1");
            open.begin_script("call_2", Some(7));
            open.runs_on("call_3");
        });
        assert!(Open::has(&carried, Flag::Sidechain) && !Open::has(&carried, Flag::Prompted));
        assert_eq!((Open::response(&carried), Open::script(&carried)), ("msg_1", "call_2"));
        assert_eq!(Open::change(&mut carried, |open| open.take_asked(8)), None);
        assert_eq!(Open::change(&mut carried, |open| open.take_asked(7)), Some("call_2".to_owned()));
        assert!(!Open::change(&mut carried, Open::end_script));
        assert!(Open::change(&mut carried, |open| open.take_running("call_3")));
        assert!(!Open::change(&mut carried, |open| open.take_running("call_3")));
    }

    #[test]
    fn odd_ids_are_not_carried_and_lists_stay_short() {
        let mut carried = Carried::default();
        Open::change(&mut carried, |open| {
            open.begin_response(&"x".repeat(500));
            (0..99).for_each(|number| open.runs_on(&format!("call_{number}")));
        });
        assert_eq!(Open::response(&carried), "");
        assert!(carried.message.len() < 200, "{}", carried.message);
    }
}
