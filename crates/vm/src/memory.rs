//! Objects and their bytes.
//!
//! All bytes live in one flat vector; the object tables say where. A pointer is looked up in the table
//! of its space, so out of bounds, use after free and the like are seen at the access itself. The place
//! of an object's bytes in the vector is of no consequence to the program.

use crate::fault::Fault;
use crate::journal::{Journal, Undo};
use crate::symbolic::ByteTerms;
use gordian_ir::address;
use gordian_trace::{CodePoint, NO_CODE};

/// Who may use an object. The order matters: see [`Memory::quiet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Mode {
    /// Read-only for everybody.
    Constant = 0,
    /// No other thread has a pointer to it.
    Private = 1,
    /// More than one thread can reach it.
    Shared = 2,
    /// A local variable outside its scope.
    OutOfScope = 3,
    Freed = 4,
    Absent = 5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    Global,
    Stack,
    Heap,
    /// The machine's own: thread-specific data, arguments, streams.
    Hidden,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// First byte, in units of 16.
    pub start: u32,
    pub size: u32,
    pub mode: Mode,
    pub kind: Kind,
    /// Of stack objects: index of the thread's stack object before this one.
    pub previous: u32,
    /// How it became shared: index into the machine's publications plus one, 0 if it always was.
    pub published: u32,
    /// Bytes that were never set and are looked for when they are read (see [`Memory::look_for_unset`]).
    pub unset: u32,
}

impl Object {
    /// Whether more than one thread can reach it.
    pub fn is_shared(&self) -> bool {
        self.mode == Mode::Shared
    }

    pub const ABSENT: Object =
        Object { start: 0, size: 0, mode: Mode::Absent, kind: Kind::Hidden, previous: 0, published: 0, unset: 0 };

    #[inline]
    pub fn at(&self) -> usize {
        self.start as usize * 16
    }
}

/// What reports say of an object; never read by the program. Who freed it, and where, goes back with the journal; the rest is set anew by the next
/// allocation.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub allocated: CodePoint,
    pub freed: CodePoint,
    /// Of stack objects: index into the function's variables.
    pub variable: u32,
    pub freed_by: u32,
}

impl Origin {
    pub const NONE: Origin = Origin { allocated: NO_CODE, freed: NO_CODE, variable: u32::MAX, freed_by: 0 };
}

#[derive(Debug)]
pub struct Memory {
    /// Always 16 bytes longer than what objects use, so that eight bytes can be read anywhere.
    pub(crate) bytes: Vec<u8>,
    /// Beside `bytes` where reads of uninitialised memory are looked for, else empty: 1 for each byte written. Good for all objects if `reports_unset`,
    /// and else for those that have unset bytes.
    written: Vec<u8>,
    /// Reads of uninitialised memory are findings.
    reports_unset: bool,
    spaces: Vec<Vec<Object>>,
    origins: Vec<Vec<Origin>>,
    /// First unused unit of 16 bytes.
    top: u32,
    /// Free regions of `2^class` units.
    free: [Vec<u32>; 32],
    /// Accesses to objects up to this mode are no visible operations: `Shared` while there is one thread,
    /// `Private` with more; `Constant` where every access must be looked at.
    pub quiet: Mode,
    /// Plain writes to private objects are no matter of the dispatch loop (see `Machine::notes_private_writes`).
    pub watches_private: bool,
    /// The running thread is alone, and it is noted what it looks at (see `memo`).
    pub listens: bool,
    /// Every access is looked at, also where nobody else can see it.
    pub looks_at_all: bool,
    /// Counts what changed: stores of another value, objects that came or went.
    pub changes: u64,
    pub journal: Journal,
    /// What bytes stand for that inputs decide.
    pub terms: ByteTerms,
    /// There are symbolic inputs, so that every access must be looked at.
    pub has_inputs: bool,
}

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

/// Addresses below this are taken for fields of a null pointer.
pub const NULL_PAGE: u64 = 1 << 16;

/// Bytes that a program may have at a time. Gordian itself must not die of a program that allocates for ever.
pub const MOST_MEMORY: u64 = 2 << 30;

/// Marks positions in the journal that are about `Memory::written`.
const WRITTEN_MAP: usize = 1 << 63;

fn class_of(size: u64) -> u32 {
    let units = size.div_ceil(16).max(1);
    units.next_power_of_two().trailing_zeros()
}

impl Memory {
    pub fn new(track_written: bool) -> Self {
        Memory {
            bytes: vec![0; 16],
            written: if track_written { vec![1; 16] } else { Vec::new() },
            reports_unset: track_written,
            spaces: Vec::new(),
            origins: Vec::new(),
            top: 0,
            free: Default::default(),
            quiet: if track_written { Mode::Constant } else { Mode::Shared },
            watches_private: false,
            listens: false,
            looks_at_all: false,
            changes: 0,
            journal: Journal::default(),
            terms: ByteTerms::default(),
            has_inputs: false,
        }
    }

    #[inline]
    pub fn tracks_written(&self) -> bool {
        self.reports_unset
    }

    /// Whether no access may be made unseen.
    #[inline]
    pub fn is_all_looked_at(&self) -> bool {
        self.tracks_written() || self.has_inputs || self.looks_at_all
    }

    pub fn byte_at(&self, at: usize) -> u8 {
        self.bytes[at]
    }

    #[inline]
    pub fn object(&self, address: u64) -> Option<&Object> {
        self.spaces.get(address::space(address) as usize)?.get(address::index(address) as usize)
    }

    pub fn origin(&self, address: u64) -> Origin {
        let table = self.origins.get(address::space(address) as usize);
        table.and_then(|table| table.get(address::index(address) as usize)).copied().unwrap_or(Origin::NONE)
    }

    #[inline]
    fn table_entry(&mut self, address: u64) -> &mut Object {
        let (space, index) = (address::space(address) as usize, address::index(address) as usize);
        if self.spaces.get(space).is_none_or(|table| table.len() <= index) {
            self.make_room(space, index);
        }
        &mut self.spaces[space][index]
    }

    #[cold]
    fn make_room(&mut self, space: usize, index: usize) {
        if self.spaces.len() <= space {
            self.spaces.resize_with(space + 1, Vec::new);
            self.origins.resize_with(space + 1, Vec::new);
        }
        self.spaces[space].resize(index + 1, Object::ABSENT);
        self.origins[space].resize(index + 1, Origin::NONE);
    }

    pub fn set_object(&mut self, address: u64, object: Object) {
        let entry = self.table_entry(address);
        let old = std::mem::replace(entry, object);
        self.changes += 1;
        self.journal.object(address, old);
    }

    pub fn put_back_object(&mut self, address: u64, old: Object) {
        *self.table_entry(address) = old;
    }

    pub fn set_mode(&mut self, address: u64, mode: Mode) {
        let mode = std::mem::replace(&mut self.table_entry(address).mode, mode);
        self.changes += 1;
        if self.journal.on {
            self.journal.log.push(Undo::Mode { address, mode });
        }
    }

    pub fn put_back_mode(&mut self, address: u64, mode: Mode) {
        self.table_entry(address).mode = mode;
    }

    fn origin_mut(&mut self, address: u64) -> &mut Origin {
        &mut self.origins[address::space(address) as usize][address::index(address) as usize]
    }

    pub fn set_origin(&mut self, address: u64, allocated: CodePoint, variable: u32) {
        *self.origin_mut(address) = Origin { allocated, variable, ..Origin::NONE };
    }

    pub fn set_freed(&mut self, address: u64, freed: CodePoint, by: u32) {
        let origin = self.origin_mut(address);
        let (old, old_by) = (origin.freed, origin.freed_by);
        (origin.freed, origin.freed_by) = (freed, by);
        if self.journal.on {
            self.journal.log.push(Undo::Origin { address, freed: old, by: old_by });
        }
    }

    pub fn put_back_freed(&mut self, address: u64, freed: CodePoint, by: u32) {
        let origin = self.origin_mut(address);
        (origin.freed, origin.freed_by) = (freed, by);
    }

    /// Bytes that all objects so far took.
    pub fn used(&self) -> u64 {
        u64::from(self.top) * 16
    }

    /// Whether an object of this size fits into what a program may have.
    pub fn has_room(&self, size: u64) -> bool {
        let class = class_of(size);
        !self.free[class as usize].is_empty() || u64::from(self.top) + (1 << class) <= MOST_MEMORY / 16
    }

    /// Makes the object that `address` names, all zero. Its table entry must be free.
    pub fn allocate(&mut self, address: u64, size: u64, kind: Kind, mode: Mode, previous: u32) {
        let class = class_of(size);
        let start = match self.free[class as usize].pop() {
            Some(start) => {
                if self.journal.on {
                    self.journal.log.push(Undo::Untake { class, start });
                }
                start
            }
            None => {
                let start = self.top;
                self.top = start.checked_add(1 << class).expect("callers ask whether there is room");
                let len = (self.top as usize + 1) * 16;
                if self.bytes.len() < len {
                    self.bytes.resize(len.max(self.bytes.len() + self.bytes.len() / 2), 0);
                    if !self.written.is_empty() {
                        self.written.resize(self.bytes.len(), 0);
                    }
                }
                if self.journal.on {
                    self.journal.log.push(Undo::Grown { start });
                }
                start
            }
        };
        let object = Object { start, size: size as u32, mode, kind, previous, published: 0, unset: 0 };
        let at = object.at();
        let range = at..at + size as usize;
        if self.journal.on {
            let Memory { bytes, journal, .. } = self;
            if size <= 8 {
                let old = read_word(bytes, at);
                journal.word(at, old);
            } else {
                journal.bytes(at, &bytes[range.clone()]);
            }
        }
        self.bytes[range].fill(0);
        self.forget_terms(at, size as usize);
        self.set_object(address, object);
        self.set_written(address, size, kind == Kind::Global || kind == Kind::Hidden);
    }

    /// Ends the object's life: its bytes may serve another, its name stays taken.
    pub fn release(&mut self, address: u64) {
        let entry = self.table_entry(address);
        let (start, class) = (entry.start, class_of(u64::from(entry.size)));
        let mode = std::mem::replace(&mut entry.mode, Mode::Freed);
        self.free[class as usize].push(start);
        self.changes += 1;
        if self.journal.on {
            self.journal.log.push(Undo::Freed { address, mode, class });
        }
    }

    pub fn untake(&mut self, class: u32, start: u32) {
        self.free[class as usize].push(start);
    }

    /// Takes back the last region that was added. Going back undoes everything in reverse order, so nothing behind it is in use or in a free
    /// list, and what room there is never depends on executions before.
    pub fn shrink(&mut self, start: u32) {
        debug_assert!(start < self.top && self.free.iter().all(|free| free.last().is_none_or(|&last| last < start)));
        self.top = start;
    }

    pub fn unrelease(&mut self, address: u64, mode: Mode, class: u32) {
        self.free[class as usize].pop().expect("a region was given before");
        self.put_back_mode(address, mode);
    }

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

    /// The value at `address` if reading it is no visible operation and no error.
    #[inline]
    pub fn load_quiet(&self, recent: &mut RecentObjects, my_space: u32, address: u64, size: u8) -> Option<u64> {
        let object = self.quiet_object(recent, my_space, address)?;
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
    pub fn store_quiet(
        &mut self,
        recent: &mut RecentObjects,
        my_space: u32,
        address: u64,
        size: u8,
        value: u64,
    ) -> bool {
        let Some(object) = self.quiet_object(recent, my_space, address) else { return false };
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
    fn quiet_object(&self, recent: &mut RecentObjects, my_space: u32, address: u64) -> Option<Recent> {
        let name = address >> address::OFFSET_BITS;
        let entry = &mut recent.0[name as usize % RECENT];
        if entry.name != name {
            *entry = self.look_up_quiet(my_space, address)?;
        }
        Some(*entry)
    }

    #[inline(never)]
    fn look_up_quiet(&self, my_space: u32, address: u64) -> Option<Recent> {
        let object = self.object(address)?;
        let foreign = object.mode == Mode::Private && (address::space(address) ^ my_space) > 1;
        let is_noted = self.watches_private && object.mode == Mode::Private;
        let writable = object.mode != Mode::Constant && !is_noted;
        let name = address >> address::OFFSET_BITS;
        let partly_set = object.unset > 0;
        let size = if partly_set { 0 } else { object.size };
        (object.mode <= self.quiet && !foreign).then(|| Recent { name, at: object.at(), size, writable, partly_set })
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
    fn write_word(&mut self, at: usize, size: u8, value: u64) {
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
        for &(from, to) in ranges {
            self.note_written(address + u64::from(from), u64::from(to - from), false);
        }
        let unset = ranges.iter().map(|(from, to)| to - from).sum();
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

    /// Every live object of a space with its address.
    pub fn objects_in(&self, space: u32) -> impl Iterator<Item = (u64, &Object)> {
        let table = self.spaces.get(space as usize).map_or(&[][..], Vec::as_slice);
        table
            .iter()
            .enumerate()
            .filter(|(_, object)| object.mode < Mode::OutOfScope)
            .map(move |(index, object)| (address::make(space, index as u32, 0), object))
    }

    pub fn n_spaces(&self) -> u32 {
        self.spaces.len() as u32
    }
}

#[inline]
fn read_word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The low `size` bytes, 1 to 8.
#[inline]
pub fn mask(size: u8) -> u64 {
    u64::MAX >> (64 - 8 * u32::from(size))
}
