//! Who reads which of several writes that are not ordered.

use crate::happens_before::{Access, Class, History, Step};
use gordian_base::{FxHashMap, FxHashSet, Id};

/// In place of a step: the end of the execution, which reads everything.
pub const END: u32 = u32::MAX;

/// Somebody reads bytes that several steps have written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// A step, or [`END`].
    pub reader: u32,
    /// Words and their bytes.
    pub places: Vec<(u64, u8)>,
    /// The steps that wrote them, in their order; what others have overwritten for sure is not among them.
    pub writes: Vec<u32>,
}

impl Look {
    /// The write that is seen.
    pub fn seen(&self) -> u32 {
        *self.writes.last().expect("a look is at several writes")
    }
}

/// By byte of a word: the steps that wrote it.
type Writers = [Vec<u32>; 8];

/// All looks of an execution, by reader, those of the end last. Where only one write can be seen there is none.
pub fn looks(history: &History) -> Vec<Look> {
    let mut written: FxHashMap<u64, Writers> = FxHashMap::default();
    let mut blind: FxHashSet<(u32, u64)> = FxHashSet::default();
    let mut looks = Vec::new();
    for (index, step) in history.steps.iter().enumerate() {
        let index = index as u32;
        let from = looks.len();
        let accesses = &history.footprints.get(step.label.footprint).accesses;
        let in_memory = accesses.iter().filter(|access| access.location.class == Class::Memory);
        for access in in_memory.flat_map(|access| access.each_word()) {
            let word = access.location.address;
            if !access.is_blind()
                && let Some(writers) = written.get(&word)
            {
                look(&mut looks, from, index, word, access.bytes, writers, &blind);
            }
            if access.writes() {
                note(&mut written, index, &access);
                if access.is_blind() {
                    blind.insert((index, word));
                }
            }
        }
    }
    let from = looks.len();
    let mut words: Vec<u64> = written.keys().copied().collect();
    words.sort_unstable();
    for word in words {
        look(&mut looks, from, END, word, 0xff, &written[&word], &blind);
    }
    looks
}

fn note(written: &mut FxHashMap<u64, Writers>, step: u32, access: &Access) {
    let writers = written.entry(access.location.address).or_default();
    for (byte, writers) in writers.iter_mut().enumerate() {
        if access.bytes & 1 << byte != 0 {
            // One that is not blind is ordered with all others.
            if !access.is_blind() {
                writers.clear();
            }
            writers.push(step);
        }
    }
}

fn look(
    looks: &mut Vec<Look>,
    from: usize,
    reader: u32,
    word: u64,
    bytes: u8,
    writers: &Writers,
    blind: &FxHashSet<(u32, u64)>,
) {
    for (byte, writes) in writers.iter().enumerate().filter(|(byte, _)| bytes & 1 << byte != 0) {
        if writes.len() < 2 || !blind.contains(&(writes[writes.len() - 1], word)) {
            continue;
        }
        let known = looks[from..].iter_mut().find(|look| look.writes == *writes);
        let look = match known {
            Some(look) => look,
            None => {
                looks.push(Look { reader, places: Vec::new(), writes: writes.clone() });
                looks.last_mut().expect("it was just added")
            }
        };
        match look.places.iter_mut().find(|place| place.0 == word) {
            Some(place) => place.1 |= 1 << byte,
            None => look.places.push((word, 1 << byte)),
        }
    }
}

/// Steps of an execution in an order in which somebody sees another write.
pub struct Arrangement {
    /// The steps, in an order that is close to that of the execution.
    pub steps: Vec<u32>,
    /// The looks of the reader that stay as they are.
    pub stays: Vec<usize>,
}

/// How a look could be at another write: the steps that can come before the reader then. Where a look of another reader stands in the way, that reader is
/// left out.
pub fn arrange(history: &History, looks: &[Look], of: usize, write: u32) -> Vec<Arrangement> {
    let look = &looks[of];
    let is_kept = |step: u32| look.reader == END || !history.comes_after(look.reader, step);
    let kept: Vec<bool> = (0..history.len() as u32).map(is_kept).collect();
    let holds = |other: &Look| match other.reader {
        END => look.reader == END,
        reader => reader == look.reader || kept[reader as usize],
    };
    let held: Vec<usize> = (0..looks.len()).filter(|&other| other != of && holds(&looks[other])).collect();
    let mut open = vec![(kept, held)];
    let mut tried: FxHashSet<Vec<usize>> = FxHashSet::default();
    let mut found = Vec::new();
    while let Some((kept, held)) = open.pop() {
        let arranging = Arranging { history, looks, of, write, kept: &kept, held: &held };
        let Some(in_the_way) = arranging.in_the_way() else {
            let stays = held.iter().copied().filter(|&other| looks[other].reader == look.reader).collect();
            found.push(Arrangement { steps: arranging.order(), stays });
            continue;
        };
        for other in in_the_way {
            let reader = looks[other].reader;
            let without = if reader == look.reader {
                (kept.clone(), held.iter().copied().filter(|&held| held != other).collect())
            } else if look.reader == END || history.comes_after(reader, look.reader) {
                continue;
            } else {
                let kept: Vec<bool> = kept
                    .iter()
                    .enumerate()
                    .map(|(step, &is_kept)| is_kept && !history.comes_after(reader, step as u32))
                    .collect();
                let stays = |other: &usize| looks[*other].reader == look.reader || kept[looks[*other].reader as usize];
                let held: Vec<usize> = held.iter().copied().filter(stays).collect();
                (kept, held)
            };
            if tried.insert(without.1.clone()) {
                open.push(without);
            }
        }
    }
    found
}

struct Arranging<'a> {
    history: &'a History,
    looks: &'a [Look],
    of: usize,
    write: u32,
    kept: &'a [bool],
    held: &'a [usize],
}

impl Arranging<'_> {
    fn kept(&self) -> impl Iterator<Item = u32> {
        (0..self.kept.len() as u32).filter(|&step| self.kept[step as usize])
    }

    /// The looks because of which the write must come before another that it is to come after; none if it need not.
    fn in_the_way(&self) -> Option<Vec<usize>> {
        let goals = &self.looks[self.of].writes;
        let mut from: FxHashMap<u32, (u32, Option<usize>)> = FxHashMap::default();
        let mut open = vec![self.write];
        while let Some(step) = open.pop() {
            if step != self.write && goals.contains(&step) {
                let mut looks = Vec::new();
                let mut at = step;
                while at != self.write {
                    let (before, look) = from[&at];
                    looks.extend(look);
                    at = before;
                }
                return Some(looks);
            }
            let after = self.kept().filter(|&other| other != step && self.history.comes_after(step, other));
            let seen = self.held.iter().filter(|&&look| self.looks[look].writes.contains(&step));
            let seen = seen.map(|&look| (self.looks[look].seen(), Some(look)));
            for (next, look) in after.map(|other| (other, None)).chain(seen) {
                if next != self.write && next != step && !from.contains_key(&next) {
                    from.insert(next, (step, look));
                    open.push(next);
                }
            }
        }
        None
    }

    /// The steps in an order in which all looks are as they should be.
    fn order(&self) -> Vec<u32> {
        let mut overwritten: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let held = self.held.iter().map(|&look| (&self.looks[look].writes, self.looks[look].seen()));
        for (writes, seen) in held.chain([(&self.looks[self.of].writes, self.write)]) {
            let others = writes.iter().copied().filter(|&write| write != seen);
            overwritten.entry(seen).or_default().extend(others);
        }
        let mut left: Vec<u32> = self.kept().collect();
        let mut order = Vec::with_capacity(left.len());
        let mut is_made = vec![false; self.history.len()];
        let mut n_made: FxHashMap<usize, u32> = FxHashMap::default();
        while !left.is_empty() {
            let can_come = |&step: &u32| {
                let Step { choice, clock, .. } = self.history.steps[step as usize];
                let is_known = |(thread, &time): (usize, &u32)| {
                    time <= n_made.get(&thread).copied().unwrap_or(0) + u32::from(thread == choice.thread.index())
                };
                self.history.clocks.get(clock).iter().enumerate().all(is_known)
                    && overwritten.get(&step).is_none_or(|writes| writes.iter().all(|&write| is_made[write as usize]))
            };
            let next = left.iter().position(can_come).expect("nothing is in the way");
            let step = left.remove(next);
            is_made[step as usize] = true;
            *n_made.entry(self.history.steps[step as usize].choice.thread.index()).or_default() += 1;
            order.push(step);
        }
        order
    }
}
