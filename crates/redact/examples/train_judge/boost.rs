//! Boosted trees for numbers of one byte, four questions deep.

use std::fmt::Write as _;

use crate::data::Row;
use throughline_redact::{FEATURES, SORTS};

const DEPTH: usize = 5;
const NODES_EACH: usize = (1 << DEPTH) - 1;
const LEAVES_EACH: usize = 1 << DEPTH;
/// Shares of rows and of numbers that a tree sees, in 256ths.
const ROWS_SEEN: u64 = 180;
const NUMBERS_SEEN: u64 = 110;
/// Trees after which what is hopeless is given up.
const STEPS: [usize; 6] = [10, 25, 60, 120, 220, 400];
/// One secret of so many is given up, too: asking on for its sake would cost more than all others.
const GIVEN_UP: usize = 1_000;
/// How much less than any other secret one may have then, in fine steps.
const MARGIN: i32 = 100;
/// How finely leaves are written.
const FINE: f64 = 1_000.0;

/// How trees are grown.
pub(crate) struct Params {
    pub(crate) trees: usize,
    pub(crate) rate: f64,
    pub(crate) least: f64,
    pub(crate) lambda: f64,
}

struct Tree {
    nodes: [(u8, u8); NODES_EACH],
    leaves: [f64; LEAVES_EACH],
}

/// Trees whose answers are added up.
pub(crate) struct Model {
    first: f64,
    trees: Vec<Tree>,
}

impl Tree {
    fn leaf(&self, row: &[u8; 256]) -> usize {
        let mut at = 0;
        for _ in 0..DEPTH {
            let (number, limit) = self.nodes[at];
            at = 2 * at + 1 + usize::from(row[usize::from(number)] > limit);
        }
        at - NODES_EACH
    }
}

impl Model {
    pub(crate) fn score(&self, row: &[u8; 256]) -> f64 {
        self.first + self.trees.iter().map(|tree| tree.leaves[tree.leaf(row)]).sum::<f64>()
    }

    /// What a row has after the first trees.
    fn early(&self, row: &[u8; 256], trees: usize) -> f64 {
        self.trees.iter().take(trees).map(|tree| tree.leaves[tree.leaf(row)]).sum()
    }

    /// The answers as they stand in the code.
    pub(crate) fn leaves_in_rust(&self) -> String {
        let leaves: Vec<String> = self
            .trees
            .iter()
            .flat_map(|tree| tree.leaves.iter().map(|leaf| ((leaf * FINE).round() as i16).to_string()))
            .collect();
        format!(
            "//! The answers of the judge's trees, as `examples/train_judge.rs` wrote them.\n\n/// Answers.\n#[rustfmt::skip]\npub(super) static LEAVES: [i16; {}] = [{}];\n",
            leaves.len(),
            wrapped(&leaves)
        )
    }

    /// The questions as they stand in the code.
    pub(crate) fn rust(&self, (mask, leave): ([f64; SORTS], f64), rows: &[&Row]) -> String {
        let fine = |score: f64| ((score - self.first) * FINE).round() as i32;
        let nodes: Vec<String> = self
            .trees
            .iter()
            .flat_map(|tree| {
                tree.nodes.iter().flat_map(|(number, limit)| [number.to_string(), limit.to_string()])
            })
            .collect();
        let mut text = String::from("//! The judge's trees, as `examples/train_judge.rs` wrote them.\n\n");
        let mut constant = |about: &str, name: &str, value: i32| {
            let _ = writeln!(text, "/// {about}\npub(super) const {name}: i32 = {value};");
        };
        let least = mask.iter().copied().fold(leave, f64::min);
        let kept: Vec<&&Row> =
            rows.iter().filter(|row| row.is_secret && self.score(&row.numbers) >= least).collect();
        let hopeless = STEPS.map(|trees| {
            let mut early: Vec<f64> = kept.iter().map(|row| self.early(&row.numbers, trees)).collect();
            early.sort_by(f64::total_cmp);
            let least = early.get(kept.len() / GIVEN_UP).copied().unwrap_or_default();
            (trees, (least * FINE) as i32 - MARGIN)
        });
        constant("Below it stays what a rule found.", "LEAVE", fine(leave));
        let _ = writeln!(
            text,
            "/// After so many trees what has less is given up: hardly a secret that was learnt from had.\npub(super) const HOPELESS: [(usize, i32); {}] = {hopeless:?};",
            STEPS.len()
        );
        let _ = writeln!(
            text,
            "/// From here on a value is masked though no rule found it, by its sort.\npub(super) const MASK: [i32; {SORTS}] = {:?};",
            mask.map(fine)
        );
        let _ = writeln!(
            text,
            "/// Questions: which number, and whether it is more than this.\n#[rustfmt::skip]\npub(super) static NODES: [u8; {}] = [{}];",
            nodes.len(),
            wrapped(&nodes)
        );
        text
    }
}

fn wrapped(numbers: &[String]) -> String {
    let mut text = String::from("\n");
    for row in numbers.chunks(96) {
        let _ = writeln!(text, "    {},", row.join(","));
    }
    text
}

/// Grows trees.
pub(crate) fn train(rows: &[&Row], params: &Params) -> Model {
    let positive: f64 = rows.iter().filter(|row| row.is_secret).map(|row| row.weight).sum();
    let all: f64 = rows.iter().map(|row| row.weight).sum();
    let first = (positive / (all - positive)).ln();
    let mut scores = vec![first; rows.len()];
    let mut model = Model { first, trees: Vec::new() };
    let columns: Vec<Vec<u8>> =
        (0..FEATURES).map(|number| rows.iter().map(|row| row.numbers[number]).collect()).collect();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut draw = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 20 & 0xFF
    };
    for _ in 0..params.trees {
        let numbers: Vec<usize> = (0..FEATURES).filter(|_| draw() < NUMBERS_SEEN).collect();
        let mut seen: Vec<u32> = Vec::new();
        let mut slopes: Vec<(f32, f32)> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            if draw() >= ROWS_SEEN {
                continue;
            }
            let share = 1.0 / (1.0 + (-scores[at]).exp());
            // What is settled teaches nothing.
            let slope = f64::from(u8::from(row.is_secret)) - share;
            if slope.abs() < 0.000_5 && draw() > 25 {
                continue;
            }
            seen.push(at as u32);
            slopes.push(((slope * row.weight) as f32, (share * (1.0 - share) * row.weight).max(1e-6) as f32));
        }
        let tree = grow(&columns, &seen, &slopes, &numbers, params);
        for (score, row) in scores.iter_mut().zip(rows) {
            *score += tree.leaves[tree.leaf(&row.numbers)];
        }
        model.trees.push(tree);
    }
    model
}

fn grow(
    columns: &[Vec<u8>],
    seen: &[u32],
    slopes: &[(f32, f32)],
    numbers: &[usize],
    params: &Params,
) -> Tree {
    let mut tree = Tree { nodes: [(0, 255); NODES_EACH], leaves: [0.0; LEAVES_EACH] };
    let mut node_of = vec![0_usize; seen.len()];
    for depth in 0..DEPTH {
        let begin = (1 << depth) - 1;
        let width = 1 << depth;
        let mut best: Vec<(f64, usize, u8)> = vec![(1e-3, 0, 255); width];
        // A sheet for each node and value of one number.
        let mut sheet = vec![(0.0_f64, 0.0_f64); width * 256];
        for number in numbers {
            sheet.fill((0.0, 0.0));
            for ((at, node), slope) in seen.iter().zip(&node_of).zip(slopes) {
                let cell = &mut sheet[(node - begin) * 256 + usize::from(columns[*number][*at as usize])];
                cell.0 += f64::from(slope.0);
                cell.1 += f64::from(slope.1);
            }
            for node in 0..width {
                let cells = &sheet[node * 256..(node + 1) * 256];
                let whole = cells.iter().fold((0.0, 0.0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1));
                let worth = |sum: (f64, f64)| sum.0 * sum.0 / (sum.1 + params.lambda);
                let mut left = (0.0, 0.0);
                for (limit, cell) in cells.iter().enumerate().take(255) {
                    if cell.1 == 0.0 {
                        continue;
                    }
                    left = (left.0 + cell.0, left.1 + cell.1);
                    let right = (whole.0 - left.0, whole.1 - left.1);
                    if left.1 < params.least || right.1 < params.least {
                        continue;
                    }
                    let gain = worth(left) + worth(right) - worth(whole);
                    if gain > best[node].0 {
                        best[node] = (gain, *number, limit as u8);
                    }
                }
            }
        }
        for (node, (_, number, limit)) in best.into_iter().enumerate() {
            tree.nodes[begin + node] = (number as u8, limit);
        }
        for (at, node) in seen.iter().zip(&mut node_of) {
            let (number, limit) = tree.nodes[*node];
            *node = 2 * *node + 1 + usize::from(columns[usize::from(number)][*at as usize] > limit);
        }
    }
    let mut sums = [(0.0_f64, 0.0_f64); LEAVES_EACH];
    for (node, slope) in node_of.iter().zip(slopes) {
        let sum = &mut sums[node - NODES_EACH];
        *sum = (sum.0 + f64::from(slope.0), sum.1 + f64::from(slope.1));
    }
    for (leaf, sum) in tree.leaves.iter_mut().zip(sums) {
        *leaf = (params.rate * sum.0 / (sum.1 + params.lambda)).clamp(-3.0, 3.0);
    }
    tree
}
