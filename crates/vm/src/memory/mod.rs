//! Objects and their bytes.
//!
//! All bytes live in one flat vector; the object tables say where. A pointer is looked up in the table
//! of its space, so out of bounds, use after free and the like are seen at the access itself. The place
//! of an object's bytes in the vector is of no consequence to the program.

mod bytes;
mod recent;

use crate::journal::{Journal, Undo};
use crate::symbolic::ByteTerms;
use bytes::read_word;
use gordian_ir::address;
use gordian_trace::{CodePoint, NO_CODE};
pub use recent::RecentObjects;

/// Who may use an object. The order matters: see [`Memory::invisible_up_to`].
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
    pub invisible_up_to: Mode,
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
            invisible_up_to: if track_written { Mode::Constant } else { Mode::Shared },
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

/// The low `size` bytes, 1 to 8.
#[inline]
pub fn mask(size: u8) -> u64 {
    u64::MAX >> (64 - 8 * u32::from(size))
}
