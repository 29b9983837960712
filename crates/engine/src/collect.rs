//! Findings of a search: one for each key, with the cheapest schedule that showed it.

use crate::{Executor, Observer};
use gordian_base::{FxHashMap, FxHasher};
use gordian_trace::{Choice, Finding, FindingKind, InputValue, Place, ThreadOrigin};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// How hard a schedule is to read; less is better, the fields in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cost {
    pub switches: usize,
    /// Steps in an unusual variant: time-outs, spurious wake-ups and the like.
    pub variants: usize,
    pub steps: usize,
}

impl Cost {
    pub fn of(schedule: &[Choice]) -> Cost {
        let switches = schedule.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count();
        let variants = schedule.iter().filter(|choice| choice.variant > 0).count();
        Cost { switches, variants, steps: schedule.len() }
    }
}

/// A finding that has shown, not yet confirmed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub finding: Finding,
    pub cost: Cost,
    /// Up to the step in which it showed.
    pub schedule: Vec<Choice>,
    pub threads: Vec<ThreadOrigin>,
    pub inputs: Vec<InputValue>,
}

impl Candidate {
    /// Whether another schedule can be kept instead. Races are told of once in a search, so their first one stays.
    fn may_give_way(&self) -> bool {
        self.finding.kind != FindingKind::DataRace
    }

    /// Whether a schedule of this cost is kept instead.
    fn gives_way_to(&self, cost: Cost) -> bool {
        self.may_give_way() && cost < self.cost
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Candidate>", into = "Vec<Candidate>")]
pub(crate) struct Collector {
    /// In the order of first sight.
    candidates: Vec<Candidate>,
    /// A hash of the key, moved on by one for each collision. Never iterated.
    by_hash: FxHashMap<u64, usize>,
}

impl Collector {
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    pub fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    pub fn has_more_than_races(&self) -> bool {
        self.candidates.iter().any(|candidate| candidate.finding.kind != FindingKind::DataRace)
    }

    pub fn into_candidates(self) -> Vec<Candidate> {
        self.candidates
    }

    /// Takes in the findings of an execution from the `from`-th on. Most are old acquaintances in a dearer
    /// schedule, and those cost no allocation.
    pub fn collect<E: Executor>(&mut self, machine: &E, from: usize, observer: &mut dyn Observer) {
        for raw in &machine.findings()[from..] {
            let known = self.lookup(&raw.finding);
            // A long execution may show one race at thousands of steps, and the schedule up to each is long.
            if let Ok(known) = known
                && !self.candidates[known].may_give_way()
            {
                continue;
            }
            let schedule = &machine.fixed_schedule(raw.steps);
            let cost = Cost::of(schedule);
            let candidate = || Candidate {
                finding: raw.finding.clone(),
                cost,
                schedule: schedule.to_vec(),
                threads: machine.thread_origins(),
                inputs: machine.inputs(),
            };
            match known {
                Ok(known) if !self.candidates[known].gives_way_to(cost) => {}
                Ok(known) => self.candidates[known] = candidate(),
                Err(hash) => {
                    self.add(hash, candidate());
                    observer.sighted(&raw.finding);
                }
            }
        }
    }

    fn add(&mut self, hash: u64, candidate: Candidate) {
        self.by_hash.insert(hash, self.candidates.len());
        self.candidates.push(candidate);
    }

    /// Takes in what was found later, as if it had been collected here.
    pub fn append(&mut self, later: Collector) {
        for candidate in later.candidates {
            match self.lookup(&candidate.finding) {
                Ok(known) if !self.candidates[known].gives_way_to(candidate.cost) => {}
                Ok(known) => self.candidates[known] = candidate,
                Err(hash) => self.add(hash, candidate),
            }
        }
    }

    /// Its index, or the free place for it.
    fn lookup(&self, finding: &Finding) -> Result<usize, u64> {
        let mut hash = key_hash(finding);
        loop {
            match self.by_hash.get(&hash) {
                None => return Err(hash),
                Some(&known) if same_key(&self.candidates[known].finding, finding) => return Ok(known),
                Some(_) => hash = hash.wrapping_add(1),
            }
        }
    }
}

impl From<Vec<Candidate>> for Collector {
    fn from(candidates: Vec<Candidate>) -> Self {
        let mut collector = Collector::default();
        collector.append(Collector { candidates, ..Collector::default() });
        collector
    }
}

impl From<Collector> for Vec<Candidate> {
    fn from(collector: Collector) -> Self {
        collector.candidates
    }
}

fn position(place: &Place) -> (&str, u32, u32) {
    (&place.file, place.line, place.column)
}

/// Whether `a.key() == b.key()`, without allocating.
pub(crate) fn same_key(a: &Finding, b: &Finding) -> bool {
    let within = |a: &Finding, b: &Finding| {
        a.places.iter().all(|place| b.places.iter().any(|other| position(place) == position(other)))
    };
    a.kind == b.kind && within(a, b) && within(b, a)
}

/// Equal for findings with the same key: neither the order nor the repetition of places changes it.
fn key_hash(finding: &Finding) -> u64 {
    let (mut least, mut most) = (u64::MAX, 0);
    for place in &finding.places {
        let mut hasher = FxHasher::default();
        position(place).hash(&mut hasher);
        least = least.min(hasher.finish());
        most = most.max(hasher.finish());
    }
    let mut hasher = FxHasher::default();
    (finding.kind, least, most).hash(&mut hasher);
    hasher.finish()
}
