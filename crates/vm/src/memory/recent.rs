//! Objects that a thread may access without parking, found again quickly: what the dispatch loop asks at every load and store.

use super::{Memory, Mode, bytes::read_word, mask};
use gordian_ir::address;

/// An object that the running thread may use unseen.
#[derive(Clone, Copy)]
struct Recent {
    /// Its address without the offset.
    name: u64,
    at: usize,
    /// 0 for one with unset bytes, which the short way must not take.
    size: u32,
    writable: bool,
    partly_set: bool,
}

impl Recent {
    /// Where in `Memory::bytes` an access of `size` bytes goes, if it is within the object.
    #[inline]
    fn place(&self, address: u64, size: u8) -> Option<usize> {
        let offset = address::offset(address);
        // An offset before the object is a huge number, and wraps around when the size is added.
        let within = offset <= u64::from(self.size) && offset + u64::from(size) <= u64::from(self.size);
        within.then(|| self.at + offset as usize)
    }
}

const RECENT: usize = 4;

/// What the dispatch loop looked up last. Good for one stretch of the loop only: within it, objects neither come
/// nor go nor change their mode.
pub struct RecentObjects([Recent; RECENT]);

impl RecentObjects {
    #[inline]
    pub fn new() -> Self {
        // The object of this name is empty, and all zeros are made quickly.
        RecentObjects([Recent { name: 0, at: 0, size: 0, writable: false, partly_set: false }; RECENT])
    }
}

impl Memory {
    /// The value at `address` if reading it is no visible operation and no error.
    #[inline]
    pub fn load_invisible(&self, recent: &mut RecentObjects, my_space: u32, address: u64, size: u8) -> Option<u64> {
        let object = self.invisible_object(recent, my_space, address)?;
        match object.place(address, size) {
            Some(at) => Some(read_word(&self.bytes, at) & mask(size)),
            None if object.partly_set => self.load_set(address, size),
            None => None,
        }
    }

    /// The same for an object that has unset bytes, if these are set.
    #[inline(never)]
    fn load_set(&self, address: u64, size: u8) -> Option<u64> {
        let object = self.check(address, u64::from(size), false).ok()?;
        let at = object.at() + address::offset(address) as usize;
        let is_set = self.written[at..at + usize::from(size)].iter().any(|&byte| byte != 0);
        is_set.then(|| read_word(&self.bytes, at) & mask(size))
    }

    /// Writes bytes that were all set before.
    #[inline(never)]
    fn store_set(&mut self, address: u64, size: u8, value: u64) -> bool {
        let Ok(object) = self.check(address, u64::from(size), true) else { return false };
        let at = object.at() + address::offset(address) as usize;
        let is_set = self.written[at..at + usize::from(size)].iter().all(|&byte| byte != 0);
        if is_set {
            self.write_word(at, size, value);
        }
        is_set
    }

    /// Writes if that is no visible operation and no error; tells whether it did. There are several dispatch loops; without a word the compiler
    /// would call this from all of them.
    #[inline(always)]
    pub fn store_invisible(
        &mut self,
        recent: &mut RecentObjects,
        my_space: u32,
        address: u64,
        size: u8,
        value: u64,
    ) -> bool {
        let Some(object) = self.invisible_object(recent, my_space, address) else { return false };
        match object.place(address, size) {
            Some(at) if object.writable => {
                self.write_word(at, size, value);
                true
            }
            None if object.partly_set && object.writable => self.store_set(address, size, value),
            _ => false,
        }
    }

    /// The object at `address` if accesses to it are no visible operations.
    #[inline]
    fn invisible_object(&self, recent: &mut RecentObjects, my_space: u32, address: u64) -> Option<Recent> {
        let name = address >> address::OFFSET_BITS;
        let entry = &mut recent.0[name as usize % RECENT];
        if entry.name != name {
            *entry = self.look_up_invisible(my_space, address)?;
        }
        Some(*entry)
    }

    #[inline(never)]
    fn look_up_invisible(&self, my_space: u32, address: u64) -> Option<Recent> {
        let object = self.object(address)?;
        let foreign = object.mode == Mode::Private && (address::space(address) ^ my_space) > 1;
        let is_noted = self.watches_private && object.mode == Mode::Private;
        let writable = object.mode != Mode::Constant && !is_noted;
        let name = address >> address::OFFSET_BITS;
        let partly_set = object.unset > 0;
        let size = if partly_set { 0 } else { object.size };
        (object.mode <= self.invisible_up_to && !foreign).then(|| Recent {
            name,
            at: object.at(),
            size,
            writable,
            partly_set,
        })
    }
}
