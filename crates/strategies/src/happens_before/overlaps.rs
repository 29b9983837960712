//! Which locations overlap: a synchronisation object takes up several words and is known by the first of them, so that its operations are one access each.
//! That others touch a word behind the first is rare; then its slot and that of the object are looked at together.

use super::location::{Access, Class, Location};
use gordian_base::FxHashMap;
use smallvec::SmallVec;

#[derive(Default)]
pub struct Overlaps {
    /// By slot: the others.
    of: Vec<SmallVec<[u32; 1]>>,
    /// Accesses to several words: the first and the last word, and the slot.
    wide: Vec<(u64, u64, u32)>,
}

impl Overlaps {
    #[inline]
    pub fn of(&self, slot: u32) -> &[u32] {
        self.of.get(slot as usize).map_or(&[], |others| others)
    }

    /// An access with this slot, which may be new; `slots` are those of all locations so far.
    pub fn add(&mut self, access: &Access, slot: u32, is_new: bool, slots: &FxHashMap<Location, u32>) {
        let Location { address, class } = access.location;
        if class != Class::Memory {
            return;
        }
        if is_new {
            let around = self.wide.iter().filter(|(first, last, _)| *first < address && address <= *last);
            let around: Vec<u32> = around.map(|wide| wide.2).collect();
            around.into_iter().for_each(|other| self.link(slot, other));
        }
        let last = address + 8 * u64::from(access.words - 1);
        if access.words > 1 && !self.wide.contains(&(address, last, slot)) {
            self.wide.push((address, last, slot));
            for word in access.each_word().skip(1) {
                if let Some(&other) = slots.get(&word.location) {
                    self.link(slot, other);
                }
            }
        }
    }

    fn link(&mut self, a: u32, b: u32) {
        for (from, to) in [(a, b), (b, a)] {
            let needed = self.of.len().max(from as usize + 1);
            self.of.resize(needed, SmallVec::new());
            if !self.of[from as usize].contains(&to) {
                self.of[from as usize].push(to);
            }
        }
    }
}
