//! Texts as people write them, a set for each writer: what is found of them, and what of their look-alikes stays.
//!
//! No writer had seen the rules. Every set but the last four was held back once, measured, and learnt from since; `blind` is what
//! was found that first time. Nobody learns from the last four.

use std::sync::Mutex;

use crate::cases;

/// Most look-alikes that may be changed.
const CHANGED_MAX: f64 = 0.001;

/// What was found of everyday and of awkward values, and the share of look-alikes that was changed.
type Shares = (f64, f64, f64);

struct Set {
    name: &'static str,
    texts: &'static str,
    look_alikes: &'static str,
    /// The first time; `None` where the rules were made with it.
    blind: Option<Shares>,
    /// Now: at least so much found, at most so much changed.
    bounds: Shares,
}

macro_rules! set {
    ($name:literal, $blind:expr, $bounds:expr) => {
        Set {
            name: $name,
            texts: include_str!(concat!("cases/", $name, ".jsonl")),
            look_alikes: include_str!(concat!("cases/harmless_", $name, ".jsonl")),
            blind: $blind,
            bounds: $bounds,
        }
    };
}

const SETS: [Set; 24] = [
    set!("tune", None, (0.98, 0.98, CHANGED_MAX)),
    set!("second", Some((0.90, 0.68, 0.005)), (0.99, 0.97, CHANGED_MAX)),
    set!("third", Some((0.93, 0.72, 0.014)), (0.98, 0.95, CHANGED_MAX)),
    set!("fourth", Some((0.95, 0.88, 0.001)), (0.98, 0.96, CHANGED_MAX)),
    // Three of its look-alikes, and most of the eighth's and the eleventh's that are changed, are ids of AWS keys, which
    // are masked on purpose: they stand beside the keys.
    set!("fifth", Some((0.96, 0.75, 0.008)), (0.98, 0.96, 2.5 * CHANGED_MAX)),
    set!("sixth", Some((0.93, 0.65, 0.002)), (0.98, 0.94, CHANGED_MAX)),
    set!("seventh", Some((0.978, 0.898, 0.0025)), (0.98, 0.92, 1.5 * CHANGED_MAX)),
    set!("eighth", Some((1.0, 0.933, 0.0094)), (0.99, 0.95, 4.0 * CHANGED_MAX)),
    set!("ninth", Some((0.983, 0.826, 0.0163)), (0.98, 0.92, 4.0 * CHANGED_MAX)),
    // Its writer was asked for look-alikes that a careless program masks by mistake, as were those of the last three.
    set!("tenth", Some((0.947, 0.783, 0.046)), (0.96, 0.88, 6.0 * CHANGED_MAX)),
    set!("eleventh", Some((0.975, 0.928, 0.010)), (0.97, 0.93, 7.0 * CHANGED_MAX)),
    set!("twelfth", Some((0.990, 0.887, 0.012)), (0.98, 0.92, CHANGED_MAX)),
    set!("thirteenth", Some((1.0, 0.938, 0.0025)), (0.98, 0.96, CHANGED_MAX)),
    // Awkward texts alone.
    set!("fourteenth", Some((1.0, 0.882, 0.022)), (1.0, 0.94, 2.5 * CHANGED_MAX)),
    set!("fifteenth", Some((1.0, 0.888, 0.006)), (1.0, 0.93, 3.0 * CHANGED_MAX)),
    set!("sixteenth", Some((1.0, 0.801, 0.006)), (1.0, 0.88, 3.5 * CHANGED_MAX)),
    // Writers who were asked for a week's usual mix of look-alikes. A good part of what is changed of those are hashes of
    // passwords, which are masked on purpose: who has one can guess on.
    set!("seventeenth", Some((0.983, 0.580, 0.0156)), (0.98, 0.60, 16.0 * CHANGED_MAX)),
    set!("eighteenth", Some((1.0, 0.698, 0.0244)), (1.0, 0.69, 24.5 * CHANGED_MAX)),
    set!("nineteenth", Some((0.967, 0.540, 0.0167)), (0.96, 0.56, 11.5 * CHANGED_MAX)),
    set!("twentieth", Some((0.967, 0.545, 0.0189)), (0.96, 0.55, 19.0 * CHANGED_MAX)),
    // Held back, of two writers.
    set!("held_back_one", Some((1.0, 0.929, 0.00125)), (0.99, 0.92, 1.5 * CHANGED_MAX)),
    set!("held_back_two", Some((0.983, 0.80, 0.0063)), (0.97, 0.79, 6.5 * CHANGED_MAX)),
    // Two more, asked for values that no word beside them tells: far from their name, said in passing, of plain words. Of
    // the 32 look-alikes that are changed 25 are hashes of passwords, which are masked on purpose.
    set!("held_back_three", Some((0.986, 0.566, 0.0075)), (0.98, 0.55, 8.0 * CHANGED_MAX)),
    set!("held_back_four", Some((0.986, 0.552, 0.0125)), (0.98, 0.54, 13.0 * CHANGED_MAX)),
];

fn shares(set: &Set) -> (Shares, String) {
    let texts = cases::measured(set.texts);
    let look_alikes = cases::measured(set.look_alikes);
    let mut said = format!("{}:\n{}{}", set.name, texts.table(), look_alikes.table());
    if std::env::var_os("SHOW").is_some() {
        for (id, text, clean) in texts.misses.iter().chain(&look_alikes.misses) {
            said.push_str(&format!("MISSED {id}: {text}\n    -> {clean}\n"));
        }
    }
    let found = |class| cases::share(texts.count(Some(class)));
    let changed = 1.0 - cases::share(look_alikes.count(None));
    ((found("everyday"), found("awkward"), changed), said)
}

#[test]
fn of_every_writers_texts_as_much_is_found_as_before_and_look_alikes_stay() {
    let waiting = Mutex::new(SETS.iter());
    let below = Mutex::new(Vec::new());
    let work = || {
        loop {
            let next = waiting.lock().unwrap().next();
            let Some(set) = next else { return };
            let ((everyday, awkward, changed), said) = shares(set);
            let blind = set.blind.map_or_else(String::new, |it| {
                format!("  the first time: everyday {:.3}, awkward {:.3}, changed {:.4}\n", it.0, it.1, it.2)
            });
            println!("{said}{blind}");
            let (everyday_least, awkward_least, changed_max) = set.bounds;
            if everyday < everyday_least || awkward < awkward_least || changed > changed_max {
                let name = set.name;
                below.lock().unwrap().push(format!("{name}: {everyday:.4} {awkward:.4} {changed:.4}"));
            }
        }
    };
    std::thread::scope(|scope| {
        (0..2).for_each(|_| {
            scope.spawn(work);
        });
    });
    let below = below.into_inner().unwrap();
    assert!(below.is_empty(), "everyday, awkward, changed: {below:?}");
}
