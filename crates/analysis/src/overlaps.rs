//! Which lists of bytes have some in common. Accesses share lists, so each two are compared once.

use crate::accesses::{Access, Bytes};
use crate::facts::Facts;
use crate::sets::Set;
use gordian_base::{FxHashMap, Id};
use std::rc::Rc;

/// Neighbours of all lists that are told apart from others.
const MOST_NEIGHBOURS: u64 = 50_000_000;

/// Bytes of the first list that the second may touch too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlap {
    pub any: Option<Bytes>,
    /// Of an object that escapes its thread.
    pub escaping: Option<Bytes>,
}

/// Remembers which lists overlap.
pub struct Overlaps<'a> {
    facts: &'a Facts,
    lists: Vec<Rc<[Bytes]>>,
    objects: Vec<Set>,
    /// The lists that touch each object.
    touching: Vec<Vec<u32>>,
    /// There are so many neighbours that all lists count as such.
    is_dense: bool,
    /// What comparing has taken so far.
    pub work: u64,
    known: FxHashMap<(u32, u32), Overlap>,
}

impl<'a> Overlaps<'a> {
    pub fn of(facts: &'a Facts, accesses: &[Access]) -> Self {
        let n = accesses.iter().map(|access| access.bytes_id + 1).max().unwrap_or(0) as usize;
        let mut lists: Vec<Rc<[Bytes]>> = (0..n).map(|_| Rc::from([])).collect();
        for access in accesses {
            lists[access.bytes_id as usize] = Rc::clone(&access.bytes);
        }
        let objects: Vec<Set> = lists.iter().map(|list| list.iter().map(|bytes| bytes.object.0).collect()).collect();
        let mut touching = vec![Vec::new(); facts.escapes.len()];
        for (list, objects) in objects.iter().enumerate() {
            objects.iter().for_each(|object| touching[object as usize].push(list as u32));
        }
        let near = |set: &Set| set.iter().map(|object| touching[object as usize].len() as u64).sum::<u64>();
        let is_dense = objects.iter().map(near).sum::<u64>() > MOST_NEIGHBOURS;
        Overlaps { facts, lists, objects, touching, is_dense, work: 0, known: FxHashMap::default() }
    }

    /// The lists that touch an object of this one, itself included unless it is empty, in order.
    pub fn neighbours(&self, list: u32) -> Vec<u32> {
        if self.is_dense {
            return (0..self.n_lists()).collect();
        }
        let touching = self.objects[list as usize].iter().flat_map(|object| &self.touching[object as usize]);
        let mut found: Vec<u32> = touching.copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    pub fn n_lists(&self) -> u32 {
        self.lists.len() as u32
    }

    pub fn escapes(&self, list: u32) -> bool {
        self.lists[list as usize].iter().any(|bytes| self.facts.escapes[bytes.object.index()])
    }

    pub fn of_lists(&mut self, a: u32, b: u32) -> Overlap {
        self.work += 1 + self.objects[a as usize].n_blocks() as u64;
        if !self.objects[a as usize].meets(&self.objects[b as usize]) {
            return Overlap::default();
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        self.work += (self.lists[a as usize].len() + self.lists[b as usize].len()) as u64;
        let overlap = self.compare(&self.lists[a as usize], &self.lists[b as usize]);
        self.known.insert((a, b), overlap);
        overlap
    }

    /// Both are sorted by object.
    fn compare(&self, a: &[Bytes], b: &[Bytes]) -> Overlap {
        let mut overlap = Overlap::default();
        let mut from = 0;
        for bytes in a {
            while from < b.len() && b[from].object < bytes.object {
                from += 1;
            }
            let others = b[from..].iter().take_while(|other| other.object == bytes.object);
            let touches = |other: &Bytes| bytes.offset.overlaps(bytes.size, other.offset, other.size);
            if others.into_iter().any(touches) {
                overlap.any = overlap.any.or(Some(*bytes));
                if self.facts.escapes[bytes.object.index()] {
                    overlap.escaping = Some(*bytes);
                    break;
                }
            }
        }
        overlap
    }
}
