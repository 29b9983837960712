//! What came of comparing many cases, as lines that people and `cargo xtask soak` read.

use crate::features::Feature;
use std::collections::BTreeMap;

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
    pub fn count_compared(&mut self, features: &[Feature]) {
        self.compared += 1;
        for name in names(features) {
            *self.compared_with.entry(name).or_default() += 1;
        }
    }

    pub fn count_left_out(&mut self, features: &[Feature], why: &str) {
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
