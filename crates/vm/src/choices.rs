//! What can be chosen, kept up to date: after a step or on the way back only those threads are asked again that
//! changed themselves or whose pending operation depends on something that changed.
//!
//! Nearly every pending operation is possible whatever others do. Of the rest, those for locks and the like depend on a few
//! words of memory, which the journal tells the changes of.

use crate::journal::Undo;
use crate::machine::Machine;
use crate::memory::Object;
use crate::sync::{MUTEX_FIELDS, MUTEX_SIZE};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_ir::address;
use gordian_trace::{Choice, OpKind, Wants};

/// A set of things that pending operations depend on, folded into 64 bits: two sets that share something have a bit in common,
/// and seldom otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places(u64);

impl Places {
    pub const NONE: Places = Places(0);
    pub const ALL: Places = Places(u64::MAX);
    /// What threads stand at, and the file system. It changes with every step, so nothing else has its bit.
    const THREADS_AND_FILES: Places = Places(1 << 63);

    fn of(name: u64) -> Places {
        let hash = name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        Places(1 << hash.min(62))
    }

    /// `len` bytes of physical memory, in words.
    fn bytes(at: u64, len: u64) -> Places {
        if len > 64 {
            return Places::ALL;
        }
        (at / 8..=(at + len.max(1) - 1) / 8).fold(Places::NONE, |places, word| places.and(Places::of(word)))
    }

    /// The entry of an object table. Told apart from words, of which there are fewer.
    fn object(address: u64) -> Places {
        Places::of(!(address >> address::OFFSET_BITS))
    }

    fn and(self, other: Places) -> Places {
        Places(self.0 | other.0)
    }

    fn meets(self, other: Places) -> bool {
        self.0 & other.0 != 0
    }

    /// What a change or its taking back touches.
    fn of_change(undo: Undo) -> Places {
        match undo {
            Undo::Word { at, .. } => Places::bytes(at, 8),
            Undo::Bytes { at, len } => Places::bytes(at, len),
            Undo::Object { address } | Undo::Mode { address, .. } | Undo::Freed { address, .. } => {
                Places::object(address)
            }
            Undo::Thread { .. } | Undo::Joined { .. } | Undo::Files => Places::THREADS_AND_FILES,
            Undo::Untake { .. } | Undo::Grown { .. } | Undo::Frame { .. } | Undo::Origin { .. } => Places::NONE,
            Undo::Cell { .. } | Undo::Released { .. } | Undo::Knowledge { .. } => Places::NONE,
            Undo::ByteTerm { .. } | Undo::Term { .. } => Places::NONE,
        }
    }
}

/// What choices a thread has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// None.
    Out,
    /// The ordinary one alone.
    Ready,
    /// There may be others; see [`Machine::options`].
    Other,
}

#[derive(Debug, Default)]
pub struct Choices {
    /// By thread and variant; up to date after [`Machine::update_choices`].
    pub list: Vec<Choice>,
    /// The list has those who wait to exit, and nobody else.
    pub has_exits: bool,
    /// Threads that may have other choices than the list says, each once (see `is_stale`).
    stale: Vec<ThreadId>,
    /// By thread.
    is_stale: Vec<bool>,
    /// By thread, as the list has it.
    standings: Vec<Standing>,
    /// By thread: what its choices depend on besides itself.
    depends_on: Vec<Places>,
    /// Threads that depend on anything.
    n_dependent: usize,
    /// What changed since the list was made.
    touched: Places,
    /// The choices of one thread, while they are found out.
    found: Vec<Choice>,
}

impl Choices {
    /// There is one more thread.
    pub fn admit(&mut self) {
        self.is_stale.push(false);
        self.depends_on.push(Places::NONE);
        self.standings.push(Standing::Out);
        // A number in a lock may now be somebody's.
        self.touched = Places::ALL;
    }

    /// The thread has changed.
    #[inline]
    pub fn doubt(&mut self, thread: ThreadId) {
        if !std::mem::replace(&mut self.is_stale[thread.index()], true) {
            self.stale.push(thread);
        }
    }

    #[inline]
    pub fn touch(&mut self, undo: Undo) {
        if self.n_dependent > 0 {
            self.touched = self.touched.and(Places::of_change(undo));
        }
    }

    #[inline]
    fn doubt_dependents(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        if self.n_dependent > 0 && touched != Places::NONE {
            self.doubt_dependents_on(touched);
        }
    }

    #[inline(never)]
    fn doubt_dependents_on(&mut self, touched: Places) {
        for index in 0..self.depends_on.len() {
            if self.depends_on[index].meets(touched) {
                self.doubt(ThreadId(index as u32));
            }
        }
    }

    #[inline]
    fn set_dependence(&mut self, thread: ThreadId, on: Places) {
        let old = std::mem::replace(&mut self.depends_on[thread.index()], on);
        self.n_dependent -= usize::from(old != Places::NONE);
        self.n_dependent += usize::from(on != Places::NONE);
    }

    /// The thread's only choice appears or disappears.
    fn flip(&mut self, thread: ThreadId, standing: Standing) {
        let start = self.list.partition_point(|choice| choice.thread < thread);
        if standing == Standing::Ready {
            self.list.insert(start, Choice { thread, variant: 0 });
        } else {
            self.list.remove(start);
        }
    }

    /// Replaces the choices of one thread by those in `found`.
    fn set(&mut self, thread: ThreadId) {
        let start = self.list.partition_point(|choice| choice.thread < thread);
        let n = self.list[start..].iter().take_while(|choice| choice.thread == thread).count();
        match (n, &self.found[..]) {
            (1, []) => {
                self.list.remove(start);
            }
            (0, &[choice]) => self.list.insert(start, choice),
            (_, found) if self.list[start..start + n] != *found => {
                self.list.splice(start..start + n, found.iter().copied());
            }
            _ => {}
        }
        self.found.clear();
    }
}

/// Changes of one step that are looked at singly.
const MANY_CHANGES: usize = 64;

impl Machine<'_> {
    /// Takes note of what the journal says has changed since it had `from` entries.
    pub(crate) fn touch_since(&mut self, from: usize) {
        let journal = &self.memory.journal;
        if !journal.on || journal.log.len() - from > MANY_CHANGES {
            self.choices.touched = Places::ALL;
            return;
        }
        if self.choices.n_dependent > 0 {
            journal.log[from..].iter().for_each(|&undo| self.choices.touch(undo));
        }
    }

    pub(crate) fn update_choices(&mut self) {
        if std::mem::take(&mut self.choices.has_exits) {
            self.choices.list.clear();
        }
        self.choices.doubt_dependents();
        while let Some(thread) = self.choices.stale.pop() {
            self.choices.is_stale[thread.index()] = false;
            if self.threads[thread.index()].core.awaits {
                self.threads[thread.index()].is_let_go = self.is_let_go(thread);
            }
            let (standing, depends_on) = self.standing(thread);
            let before = std::mem::replace(&mut self.choices.standings[thread.index()], standing);
            self.choices.set_dependence(thread, depends_on);
            if standing == Standing::Other || before == Standing::Other {
                let mut found = std::mem::take(&mut self.choices.found);
                self.options(thread, &mut found);
                self.choices.found = found;
                self.choices.set(thread);
            } else if standing != before {
                self.choices.flip(thread, standing);
            }
        }
        if self.memory.has_inputs {
            self.update_forks();
        }
        debug_assert_eq!(self.choices.list, self.choices_afresh(), "a thread's choices changed unnoticed");
        self.add_exits();
    }

    /// What [`Machine::update_choices`] must come to.
    fn choices_afresh(&self) -> Vec<Choice> {
        let mut choices = Vec::new();
        (0..self.threads.len()).for_each(|index| self.options(ThreadId(index as u32), &mut choices));
        choices
    }

    /// What choices the thread has, and what they depend on besides itself.
    fn standing(&self, thread: ThreadId) -> (Standing, Places) {
        let core = &self.threads[thread.index()].core;
        match core.park {
            Park::Before(_) if self.ways(thread).is_some() => (Standing::Other, self.depends_on(thread)),
            Park::Before(_) if self.waits_to_exit(&self.threads[thread.index()]) => (Standing::Out, Places::NONE),
            Park::Before(wants) if core.awaits => {
                let standing = if self.is_awaiting(thread) { Standing::Out } else { Standing::Ready };
                (standing, self.lock_places(wants.address, wants.size))
            }
            Park::Before(wants) if core.n_watching == 0 => match wants.kind {
                OpKind::Lock => self.standing_at_mutex(thread, wants),
                OpKind::ReadLock
                | OpKind::SemWait
                | OpKind::OnceEnter
                | OpKind::Signal
                | OpKind::File
                | OpKind::Join => (Standing::Other, self.depends_on(thread)),
                OpKind::Branch => (Standing::Out, Places::NONE),
                OpKind::CasOk if self.settings.weak_cas_fails => (Standing::Other, Places::NONE),
                _ => (Standing::Ready, Places::NONE),
            },
            Park::AtBarrier { .. } | Park::Unborn | Park::Running | Park::Ended => (Standing::Out, Places::NONE),
            Park::Joining { .. } if !(core.cancel_pending && core.cancel_enabled) => (Standing::Out, Places::NONE),
            _ => (Standing::Other, self.depends_on(thread)),
        }
    }

    /// As [`Machine::options`] and [`Machine::depends_on`] have it, for who wants to lock an ordinary mutex: many do at a
    /// time, and all of them are asked whenever it changes hands.
    fn standing_at_mutex(&self, thread: ThreadId, wants: Wants) -> (Standing, Places) {
        if wants.size != MUTEX_SIZE {
            return (Standing::Other, self.depends_on(thread));
        }
        let Ok(object) = self.memory.check(wants.address, u64::from(MUTEX_SIZE), true) else {
            return (Standing::Other, Places::ALL);
        };
        let (holder, is_robust) = self.mutex_state(object, wants.address);
        if is_robust {
            return (Standing::Other, Places::ALL);
        }
        let places = mutex_places(object, wants.address);
        match holder {
            Some(holder) if holder == thread || self.is_timed(thread) => (Standing::Other, places),
            Some(_) => (Standing::Out, places),
            None => (Standing::Ready, places),
        }
    }

    /// What the thread's choices depend on besides itself. Must name all that `options` looks at.
    fn depends_on(&self, thread: ThreadId) -> Places {
        let core = &self.threads[thread.index()].core;
        match core.park {
            Park::Before(_) if core.n_watching > 0 => Places::ALL,
            Park::Before(wants) => match wants.kind {
                OpKind::Lock | OpKind::ReadLock | OpKind::SemWait | OpKind::OnceEnter => {
                    self.lock_places(wants.address, wants.size)
                }
                OpKind::Signal | OpKind::File | OpKind::Join => Places::ALL,
                _ => Places::NONE,
            },
            Park::Woken { mutex, .. } => self.lock_places(mutex, MUTEX_SIZE),
            _ => Places::NONE,
        }
    }

    fn lock_places(&self, lock: u64, size: u32) -> Places {
        let Ok(object) = self.memory.check(lock, u64::from(size), true) else { return Places::ALL };
        if size != MUTEX_SIZE {
            let at = object.at() as u64 + address::offset(lock);
            return Places::object(lock).and(Places::bytes(at, u64::from(size)));
        }
        // Only a robust mutex depends on whether its holder has ended.
        if self.mutex_state(object, lock).1 { Places::ALL } else { mutex_places(object, lock) }
    }
}

/// What it depends on whether an ordinary mutex can be locked.
fn mutex_places(object: Object, mutex: u64) -> Places {
    let at = object.at() as u64 + address::offset(mutex);
    let [owner, kind] = MUTEX_FIELDS;
    Places::object(mutex).and(Places::bytes(at + owner, 4)).and(Places::bytes(at + kind, 4))
}
