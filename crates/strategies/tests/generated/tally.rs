//! What came of comparing many cases, as lines that people and `cargo xtask soak` read.

use crate::compare::{Compare, Comparison};
use crate::features::Feature;
use crate::generator::{Case, source};
use crate::shrink;
use gordian_ir::Program;
use std::collections::BTreeMap;

/// So many cases are shrunk: there are few causes, and compiling takes its time.
const SHRUNK: usize = 12;

/// What a case without features is counted under.
const NO_FEATURE: &str = "plain";

#[derive(Default)]
pub struct Tally {
    pub compared: usize,
    pub different: usize,
    /// By feature.
    compared_with: BTreeMap<&'static str, usize>,
    /// By feature and reason.
    left_out: BTreeMap<(&'static str, String), usize>,
}

impl Tally {
    /// Compares the case that is the `nth` of a program, and shows it as this number if there is a difference.
    pub fn take_in(&mut self, compare: Compare, program: &Program, case: &Case, nth: usize, number: usize) {
        match shrink::caught(compare, program, case, nth) {
            Comparison::Equal => self.count_compared(&case.features),
            Comparison::LeftOut(why) => self.count_left_out(&case.features, why),
            Comparison::Refused(why) => self.count_left_out(&case.features, &why),
            Comparison::Different(what) => {
                self.different += 1;
                let shrinks = self.different <= SHRUNK;
                let (small, what) = if shrinks { shrink::shrink(compare, case, what) } else { (case.clone(), what) };
                println!("different case={number}: {what}\n{}", source(&[small]));
            }
        }
    }

    fn count_compared(&mut self, features: &[Feature]) {
        self.compared += 1;
        for name in names(features) {
            *self.compared_with.entry(name).or_default() += 1;
        }
    }

    fn count_left_out(&mut self, features: &[Feature], why: &str) {
        for name in names(features) {
            *self.left_out.entry((name, why.to_owned())).or_default() += 1;
        }
    }

    /// Prints lines that begin with what they tell, with a value behind each `=`.
    pub fn print(&self) {
        println!("total cases={}", self.compared);
        for (feature, number) in &self.compared_with {
            println!("compared feature={feature} cases={number}");
        }
        for ((feature, why), number) in &self.left_out {
            println!("left-out feature={feature} cases={number} why={why}");
        }
    }
}

fn names(features: &[Feature]) -> Vec<&'static str> {
    if features.is_empty() { vec![NO_FEATURE] } else { features.iter().map(|feature| feature.name()).collect() }
}
