//! Makes a case smaller as long as it still shows a disagreement of the same strategy.

use crate::compare::{Compare, Comparison};
use crate::compile;
use crate::generator::{Case, Node};
use gordian_ir::Program;
use std::panic::AssertUnwindSafe;

/// Gives the smaller case and what is wrong with it.
pub fn shrink(compare: Compare, case: &Case, what: String) -> (Case, String) {
    let (mut best, mut what) = (case.clone(), what);
    let strategy = |what: &str| what.split(':').next().unwrap_or_default().to_owned();
    let mut nth = 0;
    // Each removal is tried in turn; after a success the same number names the next one.
    while let Some(smaller) = removal(&best, nth) {
        let program = compile(std::slice::from_ref(&smaller), &format!("shrunk-{}", std::process::id()));
        match caught(compare, &program, &smaller, 0) {
            Comparison::Different(still) if strategy(&still) == strategy(&what) => (best, what) = (smaller, still),
            _ => nth += 1,
        }
    }
    (best, what)
}

/// The case without its `nth` node, or with only what is inside it; none if there are fewer.
fn removal(case: &Case, nth: usize) -> Option<Case> {
    let mut smaller = case.clone();
    let mut left = nth / 2;
    let bodies = smaller.bodies.iter_mut();
    for body in bodies {
        if remove(body, &mut left, nth % 2 == 1) {
            return Some(smaller);
        }
    }
    None
}

fn remove(nodes: &mut Vec<Node>, left: &mut usize, keep_inner: bool) -> bool {
    for index in 0..nodes.len() {
        if *left == 0 {
            let node = nodes.remove(index);
            if keep_inner && let Node::Block(_, inner, _) = node {
                nodes.splice(index..index, inner);
            }
            return true;
        }
        *left -= 1;
        if let Node::Block(_, inner, _) = &mut nodes[index]
            && remove(inner, left, keep_inner)
        {
            return true;
        }
    }
    false
}

/// A panic is a difference, too.
pub fn caught(compare: Compare, program: &Program, case: &Case, nth: usize) -> Comparison {
    let compared = std::panic::catch_unwind(AssertUnwindSafe(|| compare(program, case, nth)));
    compared.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        Comparison::Different(format!("panic: {}", text.unwrap_or_default()))
    })
}
