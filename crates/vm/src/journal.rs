//! The undo journal: what to put back, in reverse order, to return to an earlier state.
//!
//! Going back costs what changed since, not the size of the program. Nothing is logged until somebody
//! asks for a mark, so a single run pays nothing.

use crate::files::Files;
use crate::memo::Knowledge;
use crate::memory::{Mode, Object};
use crate::thread::{Core, Frame};
use gordian_base::{ClockId, ThreadId};
use gordian_expr::ExprId;
use gordian_trace::CodePoint;

/// In place of a position in the log.
pub const NEVER: u32 = u32::MAX;

/// One thing to put back. The larger ones keep their data in the journal's pools, in the same order.
#[derive(Clone, Copy, Debug)]
pub enum Undo {
    /// Eight bytes of physical memory.
    Word { at: u64, old: u64 },
    /// `len` bytes of physical memory, from the byte pool.
    Bytes { at: u64, len: u64 },
    /// An entry of an object table, from the object pool.
    Object { address: u64 },
    /// A region was taken from this free list and goes back to it.
    Untake { class: u32, start: u32 },
    /// A region was added behind all others, from this unit of 16 bytes on.
    Grown { start: u32 },
    /// An object that only had another mode.
    Mode { address: u64, mode: Mode },
    /// An object that was freed: its region was given to this free list and leaves it again.
    Freed { address: u64, mode: Mode, class: u32 },
    /// Where and by whom the life of an object was ended before, if it was.
    Origin { address: u64, freed: CodePoint, by: u32 },
    /// The thread as it was before its step: core, depth of its stack, top frame with its registers. `before` is where in the
    /// log it was saved the last time before, or [`NEVER`].
    Thread { thread: ThreadId, depth: u32, before: u32 },
    /// A thread that was not joined yet, and had ended.
    Joined { thread: ThreadId },
    /// A frame that a return exposed.
    Frame { thread: ThreadId, index: u32 },
    /// The accesses to a word that the race detector knew, by the number of the word.
    Cell { number: u32, newest: u32 },
    /// What acquiring a synchronisation object teaches, by its number.
    Released { number: u32, old: ClockId },
    /// What a thread knows of the others, from the pool of knowledge.
    Knowledge { thread: ThreadId },
    /// The file system, from the pool of file systems.
    Files,
    /// What a byte of physical memory stood for, from the pool of terms.
    ByteTerm { at: u64 },
    /// What a register stood for, from the pool of terms.
    Term { thread: ThreadId, index: u32 },
}

#[derive(Debug, Default)]
pub struct Journal {
    pub on: bool,
    pub log: Vec<Undo>,
    pub bytes: Vec<u8>,
    pub objects: Vec<Object>,
    pub cores: Vec<Core>,
    pub frames: Vec<Frame>,
    pub registers: Vec<u64>,
    pub files: Vec<Files>,
    pub knowledge: Vec<Knowledge>,
    pub terms: Vec<Option<ExprId>>,
}

/// How much a journal holds.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub log: usize,
    bytes: usize,
    objects: usize,
    cores: usize,
    frames: usize,
    registers: usize,
    files: usize,
    knowledge: usize,
    terms: usize,
}

impl Journal {
    pub fn extent(&self) -> Extent {
        Extent {
            log: self.log.len(),
            bytes: self.bytes.len(),
            objects: self.objects.len(),
            cores: self.cores.len(),
            frames: self.frames.len(),
            registers: self.registers.len(),
            files: self.files.len(),
            knowledge: self.knowledge.len(),
            terms: self.terms.len(),
        }
    }

    /// Forgets what was added since.
    pub fn truncate(&mut self, extent: Extent) {
        self.log.truncate(extent.log);
        self.bytes.truncate(extent.bytes);
        self.objects.truncate(extent.objects);
        self.cores.truncate(extent.cores);
        self.frames.truncate(extent.frames);
        self.registers.truncate(extent.registers);
        self.files.truncate(extent.files);
        self.knowledge.truncate(extent.knowledge);
        self.terms.truncate(extent.terms);
    }

    #[inline]
    pub fn word(&mut self, at: usize, old: u64) {
        if self.on {
            self.log.push(Undo::Word { at: at as u64, old });
        }
    }

    pub fn bytes(&mut self, at: usize, old: &[u8]) {
        if self.on {
            self.bytes.extend_from_slice(old);
            self.log.push(Undo::Bytes { at: at as u64, len: old.len() as u64 });
        }
    }

    pub fn term(&mut self, thread: ThreadId, index: usize, old: Option<ExprId>) {
        if self.on {
            self.terms.push(old);
            self.log.push(Undo::Term { thread, index: index as u32 });
        }
    }

    pub fn object(&mut self, address: u64, old: Object) {
        if self.on {
            self.objects.push(old);
            self.log.push(Undo::Object { address });
        }
    }
}
