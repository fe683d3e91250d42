//! The frame: head, chosen lines and tail between our marks. The whole is never over the cap.

use throughline_domain::text::utf16_len;

use crate::fit::{Cap, Chosen, Section, fit};
use crate::fragment::{self, FragmentKind};

/// Puts a text together; `None` when no line finds room: head and tail alone say nothing.
///
/// Under a tight cap the lines matter more than what stands around them: head and tail each take at most half of
/// what is left.
pub(crate) fn framed(
    kind: FragmentKind,
    head: &str,
    sections: &[Section],
    tail: &str,
    cap: Cap,
) -> Option<Chosen> {
    let mut room = cap.units.checked_sub(fragment::wrap_units(kind))?;
    let mut text = String::new();
    let mut end = "";
    let head_units = utf16_len(head) + 1;
    if !head.is_empty() && head_units <= room / 2 {
        room -= head_units;
        text.push_str(head);
        text.push('\n');
    }
    let tail_units = utf16_len(tail) + 1;
    if !tail.is_empty() && tail_units <= room / 2 {
        room -= tail_units;
        end = tail;
    }
    let mut chosen = fit(sections, Cap { units: room });
    if chosen.reasons.is_empty() {
        return None;
    }
    text.push_str(&chosen.text);
    text.push_str(end);
    chosen.text = fragment::wrap(kind, &text);
    Some(chosen)
}
