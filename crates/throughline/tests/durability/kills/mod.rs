//! Writers killed at random instants, several at once: the state file is always whole, what was acknowledged is there.
//!
//! A life is a new project and some dozens of kills. After a few volleys everything is looked at; in between nobody
//! mends anything, so that one kill can meet what another left behind.

mod ledger;
mod rng;
mod tally;
mod writer;

use std::time::Duration;

use ledger::Ledger;
use rng::Rng;
use tally::Tally;
use writer::{Shot, Writer};

use crate::scene::Scene;

/// Kills in the tests; `cargo xtask torture` asks for more.
const TRIALS: u64 = 400;
/// Kills in one life.
const TRIALS_PER_LIFE: u64 = 40;
/// Writers at once.
const VOLLEY_MAX: u64 = 4;

#[test]
fn writers_killed_at_random_instants_lose_nothing_that_was_acknowledged() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let trials = number("THROUGHLINE_TORTURE_TRIALS").unwrap_or(TRIALS);
    let seed = number("THROUGHLINE_TORTURE_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let mut tally = Tally::default();
    let mut life = 0;
    while tally.trials < trials {
        // Each life has a seed of its own, so that one that failed can be run again alone.
        let life_seed = seed.wrapping_add(life);
        let scene = if life % 2 == 0 { Scene::with_git() } else { Scene::new() };
        let target = (tally.trials + TRIALS_PER_LIFE).min(trials);
        if let Err(violation) = live(&scene, &mut Rng::new(life_seed), target, &mut tally) {
            let trials = tally.trials;
            panic!("trial {trials}, seed {life_seed}: {violation}\n{tally}\n{}", scene.dump());
        }
        life += 1;
        if life % 25 == 0 {
            println!("{} trials, no violation", tally.trials);
        }
    }
    println!("seed {seed}, {life} projects\n{tally}");
    assert!(tally.killed() * 4 > trials, "too few kills hit a living writer to show anything:\n{tally}");
}

/// One project, from nothing to `trials` in the tally.
fn live(scene: &Scene, rng: &mut Rng, trials: u64, tally: &mut Tally) -> Result<(), String> {
    let mut ledger = Ledger::default();
    while tally.trials < trials {
        for _ in 0..rng.between(1, 4) {
            let count = rng.between(1, VOLLEY_MAX);
            let volley: Vec<Writer> = (0..count).map(|_| Writer::any(rng, &mut ledger)).collect();
            for shot in fire(scene, volley, rng, tally)? {
                tally.count(&shot);
                ledger.note(shot)?;
            }
            // Before anybody mends anything.
            scene.state()?;
        }
        tally.temps_left += scene.temps().len() as u64;
        let rows = scene.check()?;
        ledger.compare(&rows, scene.state()?.as_ref(), tally)?;
    }
    leave_nothing_behind(scene)
}

/// Starts writers together and kills each at its own instant.
fn fire(scene: &Scene, volley: Vec<Writer>, rng: &mut Rng, tally: &Tally) -> Result<Vec<Shot>, String> {
    let at_once = volley.len();
    let aimed: Vec<(Writer, Duration, f64)> = volley
        .into_iter()
        .map(|writer| {
            let life = tally.life_of(writer.kind, at_once);
            let part = rng.fraction();
            (writer, life.mul_f64(part), part)
        })
        .collect();
    std::thread::scope(|scope| {
        let running: Vec<_> = aimed
            .into_iter()
            .map(|(writer, delay, part)| {
                scope.spawn(move || writer.run_and_kill(scene, delay, part, at_once))
            })
            .collect();
        running
            .into_iter()
            .map(|shot| shot.join().map_err(|_| "a writer's thread died".to_owned())?)
            .collect()
    })
}

/// After all those kills a single writer waits for nobody, and what the dead left lying about is gone.
fn leave_nothing_behind(scene: &Scene) -> Result<(), String> {
    scene.age_temps();
    let last = scene.verb(&["add", "action", "the last one"]);
    if !last.status.success() || last.took > Duration::from_secs(5) {
        return Err(format!("the last writer took {:?}, {}: {}", last.took, last.status, last.stderr));
    }
    scene.hook(&throughline_testkit::payload::session_start(&scene.home, crate::scene::SESSION, "resume"));
    scene.check()?;
    if scene.home.project().join(".git").exists() {
        let status = scene.home.git(&["status", "--porcelain"]);
        if !status.is_empty() {
            return Err(format!("git sees files of ours: {status}"));
        }
    }
    let temps = scene.temps();
    if temps.is_empty() { Ok(()) } else { Err(format!("temp files pile up: {temps:?}")) }
}
