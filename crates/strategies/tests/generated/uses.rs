//! What a case makes the machine take care of in all cases of its file, since that is found out from the functions that a program calls.
//!
//! A case that cancels threads would switch plans from trimmed to whole for all others, and those would be compared in one way only. So cases stand in a file
//! with those that use the same.

use crate::generator::{Case, Node};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uses {
    cancels: bool,
    shares_threads: bool,
    robust: bool,
    closes: bool,
}

impl Uses {
    pub fn of(case: &Case) -> Uses {
        let any = |words: &[&str]| case.bodies.iter().any(|body| mentions(body, words));
        Uses {
            cancels: any(&["pthread_cancel("]),
            shares_threads: any(&["pthread_detach("])
                || case.bodies[1..].iter().any(|body| mentions(body, &["pthread_join("])),
            robust: any(&["robust", "init_mutex("]),
            closes: any(&["close(", "dup2("]),
        }
    }
}

fn mentions(nodes: &[Node], words: &[&str]) -> bool {
    let has = |text: &str| words.iter().any(|word| text.contains(word));
    nodes.iter().any(|node| match node {
        Node::Line(text) => has(text),
        Node::Block(before, inner, after) => has(before) || has(after) || mentions(inner, words),
    })
}
