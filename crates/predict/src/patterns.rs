//! Ways in which one other thread can violate a region, before anybody asks whether a reordering has them.
//!
//! Of all pairs of interrupting accesses at two places only the tightest are kept. Lemma: if a reordering has first < enters' and leaves' < last, and the
//! other thread makes enters' before enters and leaves before leaves', then it has first < enters and leaves < last, too. So for causal atomicity
//! (enters before leaves) the last access that enters before each that leaves is enough, and for mutual atomicity (leaves before enters) the first that leaves and
//! the last that enters of each region.

use crate::atomicity::{Pattern, Violation, conflicts};
use crate::regions::{Instance, Region};
use crate::run::{Run, Span};
use gordian_base::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Patterns of one violation that are asked about.
pub const MOST_PATTERNS: usize = 2_000;

/// Pairs of accesses that are looked at for one region.
const MOST_TRIED: usize = 2_000_000;

/// Accesses by aligned word, and the critical sections that they are in.
pub struct Accesses {
    by_word: FxHashMap<u64, Vec<u32>>,
    /// By access: sections that are open there. Nothing if locks are not looked at.
    sections: FxHashMap<u32, SmallVec<[u32; 2]>>,
}

impl Accesses {
    /// Without `locks` no pattern is ruled out by critical sections.
    pub fn new(run: &Run, locks: bool) -> Self {
        let mut by_word: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (number, event) in (0u32..).zip(&run.events) {
            if let Some((span, _)) = event.op.access() {
                for word in span.address >> 3..(span.end() + 7) >> 3 {
                    by_word.entry(word).or_default().push(number);
                }
            }
        }
        let sections = if locks { open_sections(run) } else { FxHashMap::default() };
        Accesses { by_word, sections }
    }

    pub fn in_conflict_with(&self, run: &Run, access: u32) -> Vec<u32> {
        let Some((span, _)) = run.events[access as usize].op.access() else { return Vec::new() };
        let words = span.address >> 3..(span.end() + 7) >> 3;
        let mut all: Vec<u32> = words.filter_map(|word| self.by_word.get(&word)).flatten().copied().collect();
        all.retain(|&other| conflicts(run, access, other));
        all.sort_unstable();
        all.dedup();
        all
    }

    fn sections_at(&self, access: u32) -> &[u32] {
        self.sections.get(&access).map_or(&[], |sections| sections)
    }

    /// Whether locks keep accesses of another thread, the first of which comes after `region.0` and the last before `region.1`, away from a region.
    /// Lemma: a section that has both ends of the region is open all the time between them; one of the other thread for the same lock is then open at
    /// none of the accesses that come between. If the other thread leaves before it enters, a section that has both would have to come before and after.
    pub fn is_locked_out(&self, run: &Run, region: (u32, u32), (enters, leaves): (u32, u32)) -> bool {
        let section = |number: u32| &run.sections[number as usize];
        let both = |a: u32, b: u32| {
            let of_b = self.sections_at(b);
            self.sections_at(a).iter().copied().filter(move |section| of_b.contains(section))
        };
        let excludes = |mine: u32, other: u32| {
            let (mine, other) = (section(mine), section(other));
            mine.lock == other.lock && !(mine.shared && other.shared)
        };
        both(region.0, region.1).any(|mine| {
            if leaves < enters {
                return both(enters, leaves).any(|other| excludes(mine, other));
            }
            [enters, leaves].into_iter().any(|at| self.sections_at(at).iter().any(|&other| excludes(mine, other)))
        })
    }
}

/// By access: the sections of its thread that are open there.
fn open_sections(run: &Run) -> FxHashMap<u32, SmallVec<[u32; 2]>> {
    let mut open: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); run.n_threads as usize];
    let mut at = FxHashMap::default();
    for (number, event) in (0u32..).zip(&run.events) {
        let open = &mut open[event.thread as usize];
        open.retain(|section| run.sections[*section as usize].release != Some(number));
        if event.op.access().is_some() && !open.is_empty() {
            at.insert(number, open.clone());
        }
        open.extend(run.begins.get(&number).copied());
    }
    at
}

/// What patterns of one violation have in common: region, whether mutual, the other region, the interrupting places.
type Key = (usize, bool, Option<usize>, u32, u32);

/// Accesses in conflict with one, by thread and place, in the order of the run.
type Grouped = BTreeMap<(u32, u32), Vec<u32>>;

/// All ways to violate regions, those of CA first.
pub fn violations(
    run: &Run,
    regions: &[Region],
    accesses: &Accesses,
    is_open: impl Fn(usize) -> bool,
) -> Vec<Violation> {
    let mut search = Search { run, accesses, region_of: region_of(regions), grouped: FxHashMap::default() };
    let mut found: BTreeMap<Key, (Vec<Pattern>, bool)> = BTreeMap::new();
    for (number, region) in regions.iter().enumerate().filter(|(number, _)| is_open(*number)) {
        let mut n_tried = 0;
        for instance in &region.instances {
            search.of_instance(instance, &mut n_tried, |pattern, other| {
                let place = |event: u32| run.events[event as usize].place;
                let key = (number, other.is_some(), other, place(pattern.enters), place(pattern.leaves));
                let patterns = found.entry(key).or_default();
                match patterns.0.len() < MOST_PATTERNS {
                    true => patterns.0.push(pattern),
                    false => patterns.1 = true,
                }
            });
        }
        if n_tried >= MOST_TRIED {
            // There may be violations of which no pattern was looked at.
            found.entry((number, false, None, 0, 0)).or_default();
            let of_region = (number, false, None, 0, 0)..(number + 1, false, None, 0, 0);
            found.range_mut(of_region).for_each(|(_, patterns)| patterns.1 = true);
        }
    }
    let violation = |((region, is_mutual, other, ..), (patterns, is_cut)): (Key, _)| Violation {
        region,
        is_mutual,
        other,
        patterns,
        is_cut,
    };
    let mut all: Vec<Violation> = found.into_iter().map(violation).collect();
    all.sort_by_key(|violation| (violation.is_mutual, violation.region));
    all
}

/// By access: the region that it belongs to, and which instance of it.
fn region_of(regions: &[Region]) -> FxHashMap<u32, (usize, usize)> {
    let mut region_of: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
    for (number, region) in regions.iter().enumerate() {
        for (nth, instance) in region.instances.iter().enumerate() {
            region_of.extend(instance.accesses.iter().map(|&access| (access, (number, nth))));
        }
    }
    region_of
}

struct Search<'a> {
    run: &'a Run,
    accesses: &'a Accesses,
    region_of: FxHashMap<u32, (usize, usize)>,
    /// By thread, bytes and kind of an access: what is in conflict with it.
    grouped: FxHashMap<(u32, Span, bool), Grouped>,
}

impl Search<'_> {
    /// Every pattern of an instance, with the other region if it is one of mutual atomicity. Both interrupting accesses are of one thread.
    fn of_instance(&mut self, instance: &Instance, n_tried: &mut usize, mut tell: impl FnMut(Pattern, Option<usize>)) {
        let keys: Vec<(u32, Span, bool)> = instance.accesses.iter().filter_map(|&access| self.group(access)).collect();
        for (nth, &first) in instance.accesses.iter().enumerate() {
            for (later, &last) in instance.accesses.iter().enumerate().skip(nth + 1) {
                // Two accesses of one instant are interrupted by nobody.
                if self.run.instant(first) == self.run.instant(last) || *n_tried >= MOST_TRIED {
                    continue;
                }
                let (entering, leaving) = (&self.grouped[&keys[nth]], &self.grouped[&keys[later]]);
                for (&(thread, _), enters) in entering {
                    for (_, leaves) in leaving.range((thread, 0)..=(thread, u32::MAX)) {
                        *n_tried += enters.len() + leaves.len();
                        let mut tell = |enters: u32, leaves: u32, other: Option<usize>| {
                            if !self.accesses.is_locked_out(self.run, (first, last), (enters, leaves)) {
                                let (links, wakes) = (Vec::new(), Vec::new());
                                tell(Pattern { first, enters, links, leaves, last, wakes }, other);
                            }
                        };
                        tightest(enters, leaves, |enters, leaves| tell(enters, leaves, None));
                        self.mutual(enters, leaves, |enters, leaves, other| tell(enters, leaves, Some(other)));
                    }
                }
            }
        }
    }

    /// Finds what is in conflict with an access; the key of that.
    fn group(&mut self, access: u32) -> Option<(u32, Span, bool)> {
        let event = &self.run.events[access as usize];
        let (span, writes) = event.op.access()?;
        let key = (event.thread, span, writes);
        if !self.grouped.contains_key(&key) {
            let mut grouped = Grouped::new();
            for other in self.accesses.in_conflict_with(self.run, access) {
                let event = &self.run.events[other as usize];
                grouped.entry((event.thread, event.place)).or_default().push(other);
            }
            self.grouped.insert(key, grouped);
        }
        Some(key)
    }

    /// Of each region the first access that leaves and the last that enters, if they come in this order.
    fn mutual(&self, enters: &[u32], leaves: &[u32], mut tell: impl FnMut(u32, u32, usize)) {
        let mut first: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for &access in leaves {
            if let Some(&region) = self.region_of.get(&access) {
                first.entry(region).or_insert(access);
            }
        }
        let mut last: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        last.extend(enters.iter().filter_map(|&access| Some((*self.region_of.get(&access)?, access))));
        for (region, enters) in last {
            if let Some(&leaves) = first.get(&region).filter(|&&leaves| leaves < enters) {
                tell(enters, leaves, region.0);
            }
        }
    }
}

/// For each access that leaves, the last one before it that enters, or itself, unless another leaves between them.
fn tightest(enters: &[u32], leaves: &[u32], mut tell: impl FnMut(u32, u32)) {
    let mut leaves = leaves.iter().copied().peekable();
    for (nth, &enter) in enters.iter().enumerate() {
        while leaves.next_if(|&leave| leave < enter).is_some() {}
        let Some(&leave) = leaves.peek() else { return };
        if enters.get(nth + 1).is_none_or(|&next| next > leave) {
            tell(enter, leave);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tightest;
    use gordian_base::Rng;

    fn sorted(rng: &mut Rng) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..rng.below(8)).map(|_| rng.below(12) as u32).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    #[test]
    fn every_pair_has_a_tightest_one_within() {
        let mut rng = Rng::new(5);
        for _ in 0..2_000 {
            let (enters, leaves) = (sorted(&mut rng), sorted(&mut rng));
            let mut found = Vec::new();
            tightest(&enters, &leaves, |enter, leave| found.push((enter, leave)));
            let is_real =
                |&(enter, leave): &(u32, u32)| enter <= leave && enters.contains(&enter) && leaves.contains(&leave);
            assert!(found.iter().all(is_real), "{enters:?} {leaves:?}: {found:?}");
            for &enter in &enters {
                for &leave in leaves.iter().filter(|&&leave| leave >= enter) {
                    let is_within = |&(from, to): &(u32, u32)| from >= enter && to <= leave;
                    assert!(found.iter().any(is_within), "{enters:?} {leaves:?}: {found:?} lacks {enter} {leave}");
                }
            }
        }
    }
}
