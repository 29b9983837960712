//! Reads off events what a step touches, and what it needed before it could happen.

use super::footprint::{Access, Class, Effect, Footprint, FootprintId, Footprints, Location, Mode};
use super::symmetry::Tie;
use crate::Observers;
use gordian_base::ThreadId;
use gordian_engine::Ended;
use gordian_trace::{Choice, CodePoint, Event, OpKind, Wants, words};

/// What an operation needs of its location's level before it can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Needs {
    Nothing,
    /// A lock that nobody holds.
    Free,
    /// A lock that no writer holds.
    NoWriter,
    /// A semaphore above zero.
    Unit,
}

/// The level of a lock while a writer, or the owner of a mutex, holds it. Readers count one each, so do the units of a
/// semaphore.
const WRITER: i32 = 1 << 24;

impl Needs {
    #[inline]
    pub fn met_by(self, level: i32) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Free => level == 0,
            Needs::NoWriter => level < WRITER,
            Needs::Unit => level > 0,
        }
    }
}

/// An access with what else it says of its location.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub access: Access,
    pub needs: Needs,
    pub about: About,
}

impl Touch {
    /// Of a mutex that its holder takes for the first time, without a limit of time, or gives up.
    #[inline]
    pub fn of_mutex(event: &Event) -> Option<Touch> {
        let (needs, before, change) = match (event.kind, event.other, event.value) {
            (OpKind::Lock, 0, 1) => (Needs::Free, 0, WRITER),
            (OpKind::Unlock, 0, 0) => (Needs::Nothing, WRITER, -WRITER),
            _ => return None,
        };
        let location = Location { address: event.address, class: Class::Lock };
        let about = About::Level { before, change, tries: None };
        Some(Touch { access: Access { location, bytes: 1, mode: Mode::Write }, needs, about })
    }
}

/// What an access found, which decides how it and others would have turned out at another time.
#[derive(Clone, Copy, Debug)]
pub enum About {
    /// The level of the location before it, and by how much it changed that.
    Level { before: i32, change: i32, tries: Option<Try> },
    /// The value at an address before it, if that is `known`; `expects` for compare-and-swap.
    Value { address: u64, size: u32, before: u64, expects: Option<u64>, known: bool },
}

impl About {
    /// The level of the location before it.
    #[inline]
    pub fn level(&self) -> Option<i32> {
        match *self {
            About::Level { before, .. } => Some(before),
            About::Value { .. } => None,
        }
    }

    /// Whether the access could turn out otherwise at another time.
    #[inline]
    pub fn depends_on_time(&self) -> bool {
        matches!(self, About::Level { tries: Some(_), .. } | About::Value { expects: Some(_), .. })
    }
}

/// An operation that can turn out in two ways: with what it needs it touches its location in this mode, otherwise it only reads.
#[derive(Clone, Copy, Debug)]
pub struct Try {
    pub needs: Needs,
    pub mode: Mode,
}

/// What one step does: filled anew for each, so that nothing is allocated.
#[derive(Default)]
pub struct Touches {
    footprint: Footprint,
    /// The footprint says more than `list` and `keeps_variants` do.
    says_more: bool,
    /// One for each access of the footprint, which gets them in [`Touches::intern`].
    pub list: Vec<Touch>,
    /// What follows it without being a step, in order.
    pub effects: Vec<Effect>,
    /// The step began as an attempt to take a lock for reading.
    wants_to_read: bool,
    /// The step is an atomic section or a part of one.
    pub is_section: bool,
    /// Its thread stands within an atomic section after it.
    pub stays_within: bool,
    /// Which writes are blind: see the strategy `observers`.
    pub observers: Observers,
}

impl Touches {
    #[inline]
    fn clear(&mut self) {
        self.list.clear();
        self.effects.clear();
        self.footprint.keeps_variants = false;
        self.is_section = false;
        if self.says_more {
            let Footprint { accesses, effects, joins, ends_process, unknown, keeps_variants: _, is_guess: _ } =
                &mut self.footprint;
            (*ends_process, *unknown) = (false, false);
            accesses.clear();
            effects.clear();
            joins.clear();
            self.says_more = false;
        }
    }

    /// The step's thread had waited for the ends of these.
    pub fn add_joins(&mut self, joined: impl Iterator<Item = ThreadId>) {
        self.footprint.joins.extend(joined);
        self.says_more |= !self.footprint.joins.is_empty();
    }

    /// Adds what orders the step with others of its group.
    pub fn add_tie(&mut self, tie: Tie) {
        if let Some(name) = tie.name {
            self.add_plain(name, Class::Tie, Mode::Write);
        }
        if let Some((name, _)) = tie.after {
            self.add_plain(name, Class::Tie, Mode::Read);
        }
    }

    /// The footprint's number.
    #[inline]
    pub fn intern(&mut self, footprints: &mut Footprints) -> FootprintId {
        if let [Touch { access, .. }] = self.list[..]
            && !self.says_more
        {
            return footprints.intern_single(access, self.footprint.keeps_variants).0;
        }
        self.says_more = true;
        self.footprint.accesses.clear();
        self.footprint.accesses.extend(self.list.iter().map(|touch| touch.access));
        footprints.intern(&self.footprint)
    }

    fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
        if !matches!(effect, Effect::Join { .. }) {
            self.footprint.effects.push(effect);
            self.says_more = true;
        }
    }

    /// The step that made `choice` and these events, its own and those of threads that it let go on; `is_within` if its thread stood
    /// within an atomic section before.
    pub fn of_step(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>, is_within: bool) {
        self.clear();
        self.wants_to_read = wants.is_some_and(|wants| wants.kind == OpKind::ReadLock);
        if let Some(wants) = wants
            && !events.iter().any(|event| event.thread == choice.thread)
        {
            self.add_failed(choice.thread, wants);
        }
        self.footprint.keeps_variants = events
            .iter()
            .find(|event| event.kind != OpKind::Watch)
            .is_some_and(|event| matches!(event.kind, OpKind::CasOk | OpKind::CasFail) && !event.unsure);
        // The variants of these say what inputs decide.
        let decides = events.first().is_some_and(|event| matches!(event.kind, OpKind::Branch | OpKind::AtomicBegin));
        let mut cancellable = choice.variant > 0 && !decides;
        // How many accesses the operation itself made; what follows it in an atomic section was not waited for.
        let mut n_awaited = None;
        for (position, event) in events.iter().enumerate() {
            if n_awaited.is_none() && position > 0 && events[position - 1].kind != OpKind::Watch {
                n_awaited = Some(self.list.len());
            }
            let other = ThreadId(event.address as u32);
            match event.kind {
                // A join comes behind the operation of its step and orders what follows, not that operation.
                OpKind::Join => self.effect(Effect::Join { joiner: event.thread, target: other }),
                OpKind::Create => self.effect(Effect::Create { creator: event.thread, child: other }),
                OpKind::Wake => self.effect(Effect::Release(other)),
                OpKind::BarrierLeave => self.effect(Effect::Release(event.thread)),
                OpKind::ProcessExit => {
                    // Behind another operation of its thread it comes only in an atomic section, or when nobody is left.
                    let is_within_section = event.thread == choice.thread && !event.alone;
                    self.footprint.ends_process = position == 0 || is_within_section;
                    self.says_more = true;
                }
                _ if event.alone => {}
                // Without the beginning of the section, its end or what it is blocked by is there.
                OpKind::AtomicBegin | OpKind::AtomicEnd => self.is_section = true,
                _ => {
                    cancellable |= is_cancellation_point(event.kind);
                    self.add(event);
                }
            }
        }
        // An exchange that fails for no reason does so at any time.
        if choice.variant > 0
            && self.footprint.keeps_variants
            && let Some(Touch { about: About::Value { expects, .. }, .. }) = self.list.first_mut()
        {
            *expects = None;
        }
        for touch in self.list.iter_mut().skip(n_awaited.unwrap_or(usize::MAX)) {
            touch.needs = Needs::Nothing;
        }
        if self.observers != Observers::Unused {
            self.see(events.iter().any(|event| event.thread == choice.thread));
        }
        if cancellable {
            self.add_plain(u64::from(choice.thread.0), Class::Cancellation, Mode::Read);
        }
        let is_end = |event: &Event| event.kind == OpKind::AtomicEnd && event.thread == choice.thread;
        self.stays_within = (is_within || self.is_section) && !events.iter().any(is_end);
    }

    /// The step failed within an atomic section, at an operation that was not logged: it may have depended on anything.
    #[cold]
    pub fn depend_on_all(&mut self) {
        self.footprint.unknown = true;
        self.says_more = true;
    }

    /// Whether it may have depended on anything that others did.
    pub fn depends_on_all(&self) -> bool {
        self.footprint.ends_process || self.footprint.unknown
    }

    /// Where the step reads as well, or is a section, or failed, its writes are not blind.
    #[cold]
    fn see(&mut self, succeeded: bool) {
        let in_memory = |touch: &Touch| touch.access.location.class == Class::Memory;
        let reads = self.list.iter().any(|touch| in_memory(touch) && touch.access.mode != Mode::Share);
        let sees = reads || self.is_section || !succeeded;
        for Touch { access, .. } in &mut self.list {
            if access.is_blind() && sees {
                access.mode = Mode::Write;
            }
        }
    }

    /// What a blocked thread would touch if it could: orders with those who block it that could be reversed. Nothing
    /// for operations that block in other ways.
    pub fn of_blocked(&mut self, thread: ThreadId, ended: &Ended<'_>) {
        self.clear();
        let Some(Wants { kind, address, at, .. }) = ended.wants(thread) else { return };
        for (address, size, value) in ended.watched(thread) {
            self.add_watched(thread, at, address, size, value);
        }
        let (class, mode, needs) = match kind {
            OpKind::Lock | OpKind::Woken => (Class::Lock, Mode::Write, Needs::Free),
            OpKind::ReadLock => (Class::Lock, Mode::Share, Needs::NoWriter),
            OpKind::SemWait => (Class::Semaphore, Mode::Write, Needs::Unit),
            OpKind::OnceEnter => (Class::Once, Mode::Write, Needs::Free),
            _ => return,
        };
        self.add_sync(address, class, mode, needs, 0, 0);
    }

    fn add_watched(&mut self, thread: ThreadId, at: CodePoint, address: u64, size: u32, value: u64) {
        let (alone, unsure, other) = (false, false, 0);
        self.add(&Event { thread, kind: OpKind::Watch, alone, unsure, size, at, address, value, other });
    }

    /// What a thread that can go on would touch, in the worst way.
    pub fn of_waiting(&mut self, thread: ThreadId, ended: &Ended<'_>) {
        self.clear();
        if let Some(wants) = ended.wants(thread) {
            self.add_failed(thread, wants);
        }
    }

    /// What a thread that stands before `wants` would touch, in the worst way, with the places that it watches.
    pub fn of_wants(&mut self, thread: ThreadId, wants: Wants, watched: &[(u64, u32, u64)]) {
        self.clear();
        for &(address, size, value) in watched {
            self.add_watched(thread, wants.at, address, size, value);
        }
        self.add_failed(thread, wants);
    }

    /// The operation failed before it could be logged: it touches what it was about to touch, in the worst way.
    fn add_failed(&mut self, thread: ThreadId, wants: Wants) {
        let Wants { kind, size, address, at } = wants;
        match kind {
            OpKind::Join | OpKind::Create | OpKind::Wake | OpKind::BarrierLeave | OpKind::ProcessExit => {}
            // The mutex behind a wait is not known here.
            OpKind::Wait | OpKind::Woken => {
                self.footprint.unknown = true;
                self.says_more = true;
            }
            // Nobody could have come before it by way of the lock: it was held, or was none.
            OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock | OpKind::Unlock => {
                self.add_sync(address, Class::Lock, Mode::Write, Needs::Nothing, WRITER, 0);
            }
            _ => self.add(&Event { thread, kind, alone: false, unsure: false, size, at, address, value: 1, other: 1 }),
        }
    }

    fn add(&mut self, event: &Event) {
        use OpKind::*;
        let Event { address, value, other, .. } = *event;
        match event.kind {
            Read | AtomicRead | CasFail => self.add_memory(event, Mode::Read),
            // Whether a read-modify-write changes anything depends on when it comes.
            AtomicWrite if self.observers != Observers::Unused => self.add_memory(event, Mode::Share),
            Write if self.observers == Observers::All => self.add_memory(event, Mode::Share),
            Write | AtomicWrite | Rmw | RmwSame | CasOk | Free => self.add_memory(event, Mode::Write),
            Watch => self.add_watch(event),
            Lock | TryLock | Woken | Unlock | ReadLock | TryReadLock | TryLockFail | TryReadLockFail | LockTimeout => {
                self.add_lock(event);
            }
            MutexInit | MutexDestroy => self.add_plain(address, Class::Lock, Mode::Write),
            Wait => {
                self.add_sync(other, Class::Lock, Mode::Write, Needs::Nothing, WRITER, -WRITER);
                self.add_plain(address, Class::Condition, Mode::Write);
            }
            WaitEnd | Signal | Broadcast | CondInit | CondDestroy => {
                self.add_plain(address, Class::Condition, Mode::Write);
            }
            SemWait | SemTryWait | SemPost | SemTryWaitFail | SemGet | SemTimeout | SemInit | SemDestroy => {
                self.add_semaphore(event);
            }
            BarrierInit | BarrierArrive | BarrierDestroy => self.add_plain(address, Class::Barrier, Mode::Write),
            // Who comes second waits until the routine has run.
            OnceEnter if value == 0 => {
                let tries = Some(Try { needs: Needs::Free, mode: Mode::Write });
                let about = About::Level { before: 0, change: 0, tries };
                self.add_level(address, Class::Once, Mode::Read, Needs::Free, about);
            }
            OnceEnter => self.add_sync(address, Class::Once, Mode::Write, Needs::Free, 0, WRITER),
            OnceDone => self.add_sync(address, Class::Once, Mode::Write, Needs::Nothing, WRITER, -WRITER),
            // Key 0 is the table of all open files, which every operation on one of them looks at.
            File if address == 0 => self.add_plain(address, Class::File, Mode::Write),
            File => {
                self.add_plain(0, Class::File, Mode::Read);
                self.add_plain(address, Class::File, Mode::Write);
            }
            Random => self.add_plain(address, Class::Random, Mode::Write),
            Cancel => self.add_plain(address, Class::Cancellation, Mode::Write),
            Join | Create | Wake | BarrierLeave | ProcessExit => unreachable!("handled before"),
            Exit | Cancelled | Detach | Fence | Yield | Sleep | AtomicBegin | AtomicEnd | Branch => {}
        }
    }

    fn add_watch(&mut self, event: &Event) {
        // `other` tells an atomic section that blocked, and how many readers were in its way, from a loop that waited.
        let is_section = event.other > 0 && event.value != OpKind::WATCHES_MEMORY;
        self.is_section |= is_section;
        let (class, level) = match event.value {
            OpKind::WATCHES_LOCK if event.other > 1 => (Class::Lock, event.other as i32 - 1),
            OpKind::WATCHES_LOCK if is_section => (Class::Lock, WRITER),
            OpKind::WATCHES_LOCK => (Class::Lock, 0),
            OpKind::WATCHES_SEMAPHORE if is_section => (Class::Semaphore, 0),
            OpKind::WATCHES_SEMAPHORE => (Class::Semaphore, 1),
            OpKind::WATCHES_ONCE => (Class::Once, WRITER),
            _ => return self.add_memory(event, Mode::Read),
        };
        self.add_sync(event.address, class, Mode::Read, Needs::Nothing, level, 0);
    }

    fn add_lock(&mut self, event: &Event) {
        use OpKind::*;
        let n = event.value as i32;
        // `other` tells a timed attempt, which gives up instead of waiting.
        let waits_for = |needs| if event.other == 1 { Needs::Nothing } else { needs };
        // Of a failed attempt, `value` tells how many readers were in the way, if no writer was.
        let held = if n > 0 { n } else { WRITER };
        let (mode, needs, before, change) = match event.kind {
            Woken => (Mode::Write, Needs::Free, 0, WRITER),
            // Its holder takes it again.
            Lock | TryLock if n > 1 => (Mode::Write, Needs::Nothing, WRITER, 0),
            Lock => (Mode::Write, waits_for(Needs::Free), 0, WRITER),
            TryLock => (Mode::Write, Needs::Nothing, 0, WRITER),
            ReadLock => (Mode::Share, waits_for(Needs::NoWriter), n - 1, 1),
            TryReadLock => (Mode::Share, Needs::Nothing, n - 1, 1),
            // `other` tells a reader's unlock from a writer's.
            Unlock if event.other == 1 => (Mode::Share, Needs::Nothing, n + 1, -1),
            Unlock if n == 0 => (Mode::Write, Needs::Nothing, WRITER, -WRITER),
            Unlock => (Mode::Write, Needs::Nothing, WRITER, 0),
            _ => (Mode::Read, Needs::Nothing, held, 0),
        };
        let tries = match event.kind {
            Lock if event.other == 1 => Some(Try { needs: Needs::Free, mode: Mode::Write }),
            ReadLock if event.other == 1 => Some(Try { needs: Needs::NoWriter, mode: Mode::Share }),
            LockTimeout if self.wants_to_read => Some(Try { needs: Needs::NoWriter, mode: Mode::Share }),
            LockTimeout => Some(Try { needs: Needs::Free, mode: Mode::Write }),
            TryLock | TryLockFail => Some(Try { needs: Needs::Free, mode: Mode::Write }),
            TryReadLock | TryReadLockFail => Some(Try { needs: Needs::NoWriter, mode: Mode::Share }),
            _ => None,
        };
        let address = if event.kind == Woken { event.other } else { event.address };
        self.add_level(address, Class::Lock, mode, needs, About::Level { before, change, tries });
    }

    fn add_semaphore(&mut self, event: &Event) {
        use OpKind::*;
        let n = event.value as i32;
        let (mode, needs, before, change) = match event.kind {
            SemWait if event.other == 0 => (Mode::Write, Needs::Unit, n + 1, -1),
            SemWait | SemTryWait => (Mode::Write, Needs::Nothing, n + 1, -1),
            SemPost => (Mode::Share, Needs::Nothing, n - 1, 1),
            SemInit | SemDestroy => (Mode::Write, Needs::Nothing, n, 0),
            _ => (Mode::Read, Needs::Nothing, n, 0),
        };
        let tries =
            matches!(event.kind, SemTryWait | SemTryWaitFail | SemTimeout) || (event.kind, event.other) == (SemWait, 1);
        let tries = tries.then_some(Try { needs: Needs::Unit, mode: Mode::Write });
        self.add_level(event.address, Class::Semaphore, mode, needs, About::Level { before, change, tries });
    }

    fn add_plain(&mut self, address: u64, class: Class, mode: Mode) {
        self.add_sync(address, class, mode, Needs::Nothing, 0, 0);
    }

    fn add_sync(&mut self, address: u64, class: Class, mode: Mode, needs: Needs, before: i32, change: i32) {
        self.add_level(address, class, mode, needs, About::Level { before, change, tries: None });
    }

    fn add_level(&mut self, address: u64, class: Class, mode: Mode, needs: Needs, about: About) {
        let access = Access { location: Location { address, class }, bytes: 1, mode };
        self.push(Touch { access, needs, about });
    }

    fn add_memory(&mut self, event: &Event, mode: Mode) {
        let Event { address, size, other: before, .. } = *event;
        let expects = match event.kind {
            OpKind::CasOk | OpKind::CasFail => Some(event.other),
            _ => None,
        };
        let about = About::Value { address, size, before, expects, known: !event.unsure };
        for (word, bytes) in words(address, u64::from(size)) {
            let location = Location { address: word, class: Class::Memory };
            self.push(Touch { access: Access { location, bytes, mode }, needs: Needs::Nothing, about });
        }
    }

    /// Adds an access; a location touched twice is touched in the stronger mode, as it was the first time.
    fn push(&mut self, touch: Touch) {
        for known in &mut self.list {
            if known.access.location == touch.access.location && known.access.bytes == touch.access.bytes {
                if let (About::Level { change, .. }, About::Level { change: more, .. }) =
                    (&mut known.about, touch.about)
                {
                    *change += more;
                }
                if let About::Value { expects, .. } = &mut known.about {
                    *expects = None;
                }
                if known.access.mode != touch.access.mode {
                    known.access.mode = Mode::Write;
                }
                return;
            }
        }
        self.list.push(touch);
    }
}

fn is_cancellation_point(kind: OpKind) -> bool {
    matches!(kind, OpKind::Yield | OpKind::Sleep | OpKind::Wait | OpKind::WaitEnd | OpKind::SemWait | OpKind::Cancelled)
}
