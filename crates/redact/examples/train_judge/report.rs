//! Report: what is found, and what is changed wrongly, by trees that have not seen the writer.

use crate::data::{Set, Text};
use crate::{LEAVE, MASK, cases};
use throughline_redact::SORTS;

/// Most look-alikes that may be changed.
const CHANGED_MAX: f64 = 0.001;
/// How many of the look-alikes that come nearest are listed.
const WORST_SHOWN: usize = 90;

/// Prints all.
pub(crate) fn print(set: &Set, scores: &[f64], writers: &[String], is_shown: bool) {
    println!("everyday and awkward values found, look-alikes changed");
    for add in [-1.0, -0.5, 0.0, 0.5, 1.0, 99.0] {
        let (everyday, awkward, changed) = shares(set, scores, writers, MASK.map(|it| it + add));
        println!("at {add:+}: {everyday:.4} {awkward:.4} {changed:.4}");
    }
    for writer in writers {
        let (everyday, awkward, changed) = shares(set, scores, std::slice::from_ref(writer), MASK);
        println!("{writer}: {everyday:.4} {awkward:.4} {changed:.4}");
    }
    let worst = print_limits(set, scores);
    if is_shown {
        print_worst(set, &worst);
        print_missed(set, scores);
        print_guesses(set, scores);
    }
}

fn shares(set: &Set, scores: &[f64], writers: &[String], mask: [f64; SORTS]) -> (f64, f64, f64) {
    let (mut found, mut all) = ([0_usize; 2], [0_usize; 2]);
    let (mut changed, mut harmless) = (0.0, 0.0);
    for text in set.texts.iter().filter(|it| !it.is_copy && writers.contains(&it.writer)) {
        let spans = masked(text, set, scores, mask);
        if text.secrets.is_empty() {
            harmless += 1.0;
            changed += f64::from(u8::from(!spans.is_empty()));
            continue;
        }
        let clean = cleaned(text, &spans);
        let class = usize::from(text.is_awkward);
        all[class] += text.secrets.len();
        found[class] += text.secrets.iter().filter(|secret| !cases::leaves(&clean, secret)).count();
    }
    let share = |class: usize| found[class] as f64 / all[class].max(1) as f64;
    (share(0), share(1), changed / f64::max(harmless, 1.0))
}

/// The thresholds that look-alikes allow, by sort; returns the values of look-alikes, the worst first.
fn print_limits(set: &Set, scores: &[f64]) -> Vec<(f64, usize)> {
    let mut worst: Vec<(f64, usize)> = Vec::new();
    for sort in 0..SORTS {
        let mut bests: Vec<f64> = Vec::new();
        for text in
            set.texts.iter().filter(|it| it.secrets.is_empty() && it.writer != "real" && it.writer != "drawn")
        {
            let of_sort = text.rows.clone().filter(|row| {
                let it = &set.rows[*row];
                !it.is_ruled && !it.is_barred && it.sort == sort
            });
            let best = of_sort.max_by(|left, right| scores[*left].total_cmp(&scores[*right]));
            bests.push(best.map_or(-99.0, |row| scores[row]));
            worst.extend(best.map(|row| (scores[row], row)));
        }
        bests.sort_by(|left, right| right.total_cmp(left));
        let place =
            |share: f64| bests.get((bests.len() as f64 * share) as usize).copied().unwrap_or_default();
        println!("sort {sort}: {:.2} changes as many as may be, {:.2} none", place(CHANGED_MAX), place(0.0));
    }
    worst.sort_by(|left, right| right.0.total_cmp(&left.0));
    worst
}

fn print_worst(set: &Set, worst: &[(f64, usize)]) {
    for (score, row) in worst.iter().take(WORST_SHOWN) {
        let row = &set.rows[*row];
        let text = &set.texts[row.place];
        let value = &text.content[row.span.0..row.span.1];
        println!("LOOK-ALIKE {score:.2} {} {} {value:?} in {:?}", row.sort, text.id, text.content);
    }
}

fn print_missed(set: &Set, scores: &[f64]) {
    for text in set.texts.iter().filter(|it| !it.is_copy && !it.secrets.is_empty()) {
        let clean = cleaned(text, &masked(text, set, scores, MASK));
        for secret in text.secrets.iter().filter(|secret| cases::leaves(&clean, secret)) {
            let of_secret = text.rows.clone().filter(|row| {
                let (start, end) = set.rows[*row].span;
                set.rows[*row].is_secret && text.content[start..end].contains(secret.as_str())
            });
            let best = of_secret.map(|row| scores[row]).fold(-99.0, f64::max);
            println!("MISSED {best:.2} {} {secret:?} in {:?}", text.id, text.content);
        }
    }
}

fn print_guesses(set: &Set, scores: &[f64]) {
    for (row, score) in set.rows.iter().zip(scores) {
        let text = &set.texts[row.place];
        let is_odd = if row.is_secret { *score < LEAVE + 1.0 } else { text.writer != "real" };
        if row.is_ruled && is_odd && !text.is_copy {
            let said = if row.is_secret { "DOUBTED" } else { "GUESSED" };
            println!("{said} {score:.2} {} {:?}", text.id, &text.content[row.span.0..row.span.1]);
        }
    }
}

/// What would be masked.
fn masked(text: &Text, set: &Set, scores: &[f64], mask: [f64; SORTS]) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let vetoed: Vec<(usize, usize)> = text
        .rows
        .clone()
        .filter(|row| set.rows[*row].is_ruled && (set.rows[*row].is_barred || scores[*row] < LEAVE))
        .map(|row| set.rows[row].span)
        .collect();
    spans.extend(
        text.rules.iter().filter(|it| !(it.2 && vetoed.contains(&(it.0, it.1)))).map(|it| (it.0, it.1)),
    );
    for row in text.rows.clone() {
        let it = &set.rows[row];
        if !it.is_ruled && !it.is_barred && scores[row] >= mask[it.sort] {
            spans.push(it.span);
        }
    }
    spans
}

fn cleaned(text: &Text, spans: &[(usize, usize)]) -> String {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let mut clean = String::new();
    let mut at = 0;
    for (start, end) in &spans {
        if *start >= at {
            clean.push_str(&text.content[at..*start]);
            clean.push('\u{1}');
        }
        at = at.max(*end);
    }
    clean.push_str(&text.content[at..]);
    for (start, end) in spans {
        if end - start >= 6 {
            clean = clean.replace(&text.content[start..end], "\u{1}");
        }
    }
    clean
}
