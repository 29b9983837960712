//! The bytes of objects: checked accesses, loads, stores, and which bytes were ever written.

use super::{Memory, Mode, NULL_PAGE, Object, WRITTEN_MAP, mask};
use crate::fault::Fault;
use gordian_ir::address;

#[inline]
pub(crate) fn read_word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

impl Memory {
    /// Puts back `len` bytes from the end of the journal's pool.
    pub fn put_back_bytes(&mut self, at: usize, len: usize) {
        let map = if at & WRITTEN_MAP == 0 { &mut self.bytes } else { &mut self.written };
        let at = at & !WRITTEN_MAP;
        let pool = &mut self.journal.bytes;
        let saved = pool.len() - len;
        map[at..at + len].copy_from_slice(&pool[saved..]);
        pool.truncate(saved);
    }

    #[inline]
    pub fn put_back_word(&mut self, at: usize, old: u64) {
        self.bytes[at..at + 8].copy_from_slice(&old.to_le_bytes());
    }

    /// What stands at a place in `bytes` that an access was allowed to.
    #[inline]
    pub fn load_at(&self, at: usize, size: u8) -> u64 {
        read_word(&self.bytes, at) & mask(size)
    }

    /// Four bytes so far behind `address`, of an object that was looked up.
    #[inline]
    pub fn field_at(&self, object: Object, address: u64, field: u64) -> u32 {
        self.load_at(object.at() + (address::offset(address) + field) as usize, 4) as u32
    }

    /// Writes there. Only where nobody looks for reads of uninitialised memory.
    #[inline]
    pub fn store_at(&mut self, at: usize, size: u8, value: u64) {
        debug_assert!(!self.tracks_written(), "the written bytes must be noted");
        self.write_word(at, size, value);
    }

    #[inline]
    pub(crate) fn write_word(&mut self, at: usize, size: u8, value: u64) {
        let old = read_word(&self.bytes, at);
        self.journal.word(at, old);
        let mask = mask(size);
        let new = (old & !mask) | (value & mask);
        self.changes += u64::from(old != new);
        self.bytes[at..at + 8].copy_from_slice(&new.to_le_bytes());
    }

    /// The object for an access of `size` bytes, or what is wrong with it.
    #[inline]
    pub fn check(&self, address: u64, size: u64, write: bool) -> Result<Object, Fault> {
        let offset = address::offset(address);
        match self.object(address) {
            Some(object)
                if object.mode <= Mode::Shared
                    && !(write && object.mode == Mode::Constant)
                    && address >= NULL_PAGE
                    && offset <= u64::from(object.size)
                    && size <= u64::from(object.size) - offset =>
            {
                Ok(*object)
            }
            _ => Err(self.wrong_with(address, size, write)),
        }
    }

    #[cold]
    fn wrong_with(&self, address: u64, size: u64, write: bool) -> Fault {
        if address < NULL_PAGE {
            return Fault::Null { address };
        }
        match self.object(address).map(|object| object.mode) {
            None | Some(Mode::Absent) => Fault::Wild { address },
            Some(Mode::Freed) => Fault::Freed { address },
            Some(Mode::OutOfScope) => Fault::OutOfScope { address },
            Some(Mode::Constant) if write => Fault::ReadOnly { address },
            Some(_) => Fault::OutOfBounds { address, size },
        }
    }

    /// Whether the bytes, all of one live object, were ever written. One written byte is enough: a value
    /// may have padding.
    pub fn initialised(&self, address: u64, size: u64) -> bool {
        let Some(object) = self.object(address) else { return true };
        if size == 0 || !self.reports_unset && object.unset == 0 {
            return true;
        }
        let at = object.at() + address::offset(address) as usize;
        self.written[at..at + size as usize].iter().any(|&byte| byte != 0)
    }

    #[inline]
    pub fn set_written(&mut self, address: u64, size: u64, written: bool) {
        if self.reports_unset {
            self.note_written(address, size, written);
        } else if written && !self.written.is_empty() {
            self.note_set(address, size);
        }
    }

    /// From here on these bytes of an object are unset until they are written.
    pub fn look_for_unset(&mut self, address: u64, ranges: &[(u32, u32)]) {
        if self.reports_unset || ranges.is_empty() {
            return;
        }
        if self.written.is_empty() {
            self.written = vec![0; self.bytes.len()];
        }
        let object = *self.object(address).expect("the object was made before");
        self.note_written(address, u64::from(object.size), true);
        let inside = ranges.iter().map(|&(from, to)| (from.min(object.size), to.min(object.size)));
        let mut unset = 0;
        for (from, to) in inside {
            self.note_written(address + u64::from(from), u64::from(to - from), false);
            unset += to - from;
        }
        self.set_object(address, Object { unset, ..object });
    }

    /// Bytes of an object were written, which may have been unset.
    fn note_set(&mut self, address: u64, size: u64) {
        let Some(&object) = self.object(address).filter(|object| object.unset > 0) else { return };
        let at = object.at() + address::offset(address) as usize;
        let n_unset = self.written[at..at + size as usize].iter().filter(|&&byte| byte == 0).count() as u32;
        if n_unset > 0 {
            self.note_written(address, size, true);
            self.set_object(address::object_start(address), Object { unset: object.unset - n_unset, ..object });
        }
    }

    fn note_written(&mut self, address: u64, size: u64, written: bool) {
        if let Some(object) = self.object(address) {
            let at = object.at() + address::offset(address) as usize;
            let range = at..at + size as usize;
            self.journal.bytes(at | WRITTEN_MAP, &self.written[range.clone()]);
            self.written[range].fill(u8::from(written));
        }
    }

    /// Which of these bytes were written; empty where that is not looked at.
    pub fn written_view(&self, address: u64, size: u64) -> &[u8] {
        let at = self.object(address).expect("the access was checked").at() + address::offset(address) as usize;
        let is_known = self.reports_unset || self.object(address).is_some_and(|object| object.unset > 0);
        if is_known { &self.written[at..at + size as usize] } else { &[] }
    }

    /// Bytes of an access that [`Memory::check`] has allowed.
    pub fn view(&self, address: u64, size: u64) -> &[u8] {
        let object = self.object(address).expect("the access was checked");
        let at = object.at() + address::offset(address) as usize;
        &self.bytes[at..at + size as usize]
    }

    pub fn load(&self, address: u64, size: u8) -> u64 {
        let object = self.object(address).expect("the access was checked");
        read_word(&self.bytes, object.at() + address::offset(address) as usize) & mask(size)
    }

    pub fn store(&mut self, address: u64, size: u8, value: u64) {
        let object = self.object(address).expect("the access was checked");
        let at = object.at() + address::offset(address) as usize;
        self.write_word(at, size, value);
        self.forget_terms(at, usize::from(size));
        self.set_written(address, u64::from(size), true);
    }

    pub fn store_bytes(&mut self, address: u64, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        let at = self.overwrite(address, data.len());
        self.changes += u64::from(self.bytes[at..at + data.len()] != *data);
        self.bytes[at..at + data.len()].copy_from_slice(data);
        self.forget_terms(at, data.len());
        self.set_written(address, data.len() as u64, true);
    }

    pub fn fill(&mut self, address: u64, len: u64, value: u8) {
        if len == 0 {
            return;
        }
        let at = self.overwrite(address, len as usize);
        let bytes = &mut self.bytes[at..at + len as usize];
        self.changes += u64::from(bytes.iter().any(|&byte| byte != value));
        bytes.fill(value);
        self.forget_terms(at, len as usize);
        self.set_written(address, len, true);
    }

    /// Copies within memory, overlap allowed; what was uninitialised stays so.
    pub fn copy(&mut self, dst: u64, src: u64, len: u64) {
        if len == 0 {
            return;
        }
        let len = len as usize;
        let from = self.object(src).expect("the access was checked").at() + address::offset(src) as usize;
        let to = self.overwrite(dst, len);
        self.changes += u64::from(self.bytes[from..from + len] != self.bytes[to..to + len]);
        self.bytes.copy_within(from..from + len, to);
        self.copy_terms(from, to, len);
        if !self.reports_unset {
            self.copy_unset(dst, src, len as u64);
        } else {
            self.changes += u64::from(self.written[from..from + len] != self.written[to..to + len]);
            self.journal.bytes(to | WRITTEN_MAP, &self.written[to..to + len]);
            self.written.copy_within(from..from + len, to);
        }
    }

    /// What is copied to a place with unset bytes sets those that are set where it comes from. Elsewhere a copy counts as set.
    fn copy_unset(&mut self, dst: u64, src: u64, len: u64) {
        let has_unset = |memory: &Self, address: u64| memory.object(address).is_some_and(|object| object.unset > 0);
        if self.written.is_empty() || !has_unset(self, dst) {
            return;
        }
        if !has_unset(self, src) {
            return self.note_set(dst, len);
        }
        let from = self.object(src).expect("the access was checked").at() + address::offset(src) as usize;
        let is_set: Vec<bool> = self.written[from..from + len as usize].iter().map(|&byte| byte != 0).collect();
        for (nth, _) in is_set.into_iter().enumerate().filter(|&(_, is_set)| is_set) {
            self.note_set(dst + nth as u64, 1);
        }
    }

    /// Saves what stands at a place that is about to be overwritten. Who overwrites it counts the change.
    fn overwrite(&mut self, address: u64, len: usize) -> usize {
        let object = self.object(address).expect("the access was checked");
        let at = object.at() + address::offset(address) as usize;
        let Memory { bytes, journal, .. } = self;
        if len <= 8 {
            journal.word(at, read_word(bytes, at));
        } else {
            journal.bytes(at, &bytes[at..at + len]);
        }
        at
    }
}
