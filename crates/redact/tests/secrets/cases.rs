//! Cases as data: texts as people write them, each with the values in it that must not be left.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use throughline_redact as redact;

/// A piece of a value that is left and this long is the value, left.
const PIECE_BYTES: usize = 8;
/// So many words of a phrase, in a row.
const PIECE_WORDS: usize = 4;

/// Values that were masked, of how many.
pub(crate) type Count = (usize, usize);

/// What was found of a file of cases.
#[derive(Default)]
pub(crate) struct Measured {
    /// By class and kind.
    pub(crate) by_kind: BTreeMap<(String, String), Count>,
    /// Ids of the cases of which a value is left or, without values, that were changed; with the text and its mask.
    pub(crate) misses: Vec<(String, String, String)>,
}

impl Measured {
    /// All values of a class, or of all.
    pub(crate) fn count(&self, class: Option<&str>) -> Count {
        let of_class = self.by_kind.iter().filter(|((it, _), _)| class.is_none_or(|class| class == it));
        of_class.fold((0, 0), |sum, (_, count)| (sum.0 + count.0, sum.1 + count.1))
    }

    /// The table, a line for each kind.
    pub(crate) fn table(&self) -> String {
        let mut table = String::new();
        for ((class, kind), (good, all)) in &self.by_kind {
            let sign = if good < all { "  <" } else { "" };
            let _ = writeln!(table, "  {class:<10} {kind:<40} {good:>4} of {all:>4}{sign}");
        }
        for class in ["everyday", "awkward", "harmless"] {
            let (good, all) = self.count(Some(class));
            if all > 0 {
                let _ = writeln!(
                    table,
                    "  {class:<10} {:<40} {good:>4} of {all:>4}  {:.4}",
                    "",
                    share((good, all))
                );
            }
        }
        table
    }
}

#[expect(clippy::cast_precision_loss, reason = "some thousands")]
pub(crate) fn share((good, all): Count) -> f64 {
    if all == 0 { 1.0 } else { good as f64 / all as f64 }
}

/// Measures a file: a line for each case, `secrets` where it holds some.
pub(crate) fn measured(lines: &str) -> Measured {
    let mut all = Measured::default();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
        let text = field("text");
        let clean = redact::text(&text).into_owned();
        assert_eq!(redact::text(&clean), clean, "{}: masked once is masked for good", field("id"));
        let secrets = case["secrets"].as_array().map(|all| all.iter().filter_map(Value::as_str).collect());
        let is_harmless = secrets.is_none();
        let values: Vec<&str> = secrets.unwrap_or_default();
        let good = values.iter().filter(|value| !leaves(&clean, value)).count();
        let count = if is_harmless { (usize::from(clean == text), 1) } else { (good, values.len()) };
        let class = if is_harmless { "harmless".to_owned() } else { field("class") };
        let sum = all.by_kind.entry((class, field("kind"))).or_default();
        *sum = (sum.0 + count.0, sum.1 + count.1);
        if count.0 < count.1 {
            all.misses.push((field("id"), text, clean));
        }
    }
    all
}

/// Whether a value, or a piece of it that would do, is left.
pub(crate) fn leaves(text: &str, secret: &str) -> bool {
    if text.contains(secret) {
        return true;
    }
    let words: Vec<&str> = secret.split_whitespace().collect();
    if words.len() >= PIECE_WORDS && words.windows(PIECE_WORDS).any(|row| text.contains(&row.join(" "))) {
        return true;
    }
    words.iter().any(|word| {
        let bytes = word.as_bytes();
        // A well-known beginning is no piece of the secret.
        let tail = &bytes[bytes.len() / 3..];
        let holds = |piece: &[u8]| std::str::from_utf8(piece).is_ok_and(|piece| text.contains(piece));
        bytes.len() >= 2 * PIECE_BYTES && tail.windows(PIECE_BYTES).any(holds)
    })
}
