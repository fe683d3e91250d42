//! Trees: small ones, whose answers are added up.

use crate::judge_leaves::LEAVES;
use crate::judge_table::{HOPELESS, NODES};

/// Nodes and leaves of a tree: each is five questions deep.
const DEPTH: usize = 5;
const NODES_EACH: usize = (1 << DEPTH) - 1;
const LEAVES_EACH: usize = 1 << DEPTH;

/// At or above it a value is masked that no rule found.
pub(super) use crate::judge_table::{LEAVE, MASK};

/// What every sort needs.
pub(super) const MASK_LEAST: i32 = {
    let (mut least, mut at) = (MASK[0], 1);
    while at < MASK.len() {
        if MASK[at] < least {
            least = MASK[at];
        }
        at += 1;
    }
    least
};

/// How much speaks for a secret.
pub(super) fn sum(row: &[u8; 256]) -> i32 {
    let mut sum = 0;
    let mut first = 0;
    // The later trees say little.
    for (trees, least) in HOPELESS {
        sum += sum_of(row, first, trees);
        if sum < least {
            return sum;
        }
        first = trees;
    }
    sum + sum_of(row, first, LEAVES.len() / LEAVES_EACH)
}

/// What the trees from one on say, up to another.
fn sum_of(row: &[u8; 256], first: usize, end: usize) -> i32 {
    let nodes = NODES[2 * NODES_EACH * first..2 * NODES_EACH * end].chunks_exact(2 * NODES_EACH);
    let leaves = LEAVES[LEAVES_EACH * first..LEAVES_EACH * end].chunks_exact(LEAVES_EACH);
    let mut sum = 0;
    for (nodes, leaves) in nodes.zip(leaves) {
        let mut at = 0;
        for _ in 0..DEPTH {
            let is_more = row[usize::from(nodes[2 * at])] > nodes[2 * at + 1];
            at = 2 * at + 1 + usize::from(is_more);
        }
        sum += i32::from(leaves[at - NODES_EACH]);
    }
    sum
}
