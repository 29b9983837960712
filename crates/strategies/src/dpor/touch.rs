//! Reads off events what a step touches, and what it needed before it could happen.

use super::footprint::{Access, Class, Effect, Footprint, FootprintId, Footprints, Location, Mode};
use super::operation::{OBJECT_BYTES, Object, Operation, WRITER, is_blocked_section};
use super::plain::word_access;
use super::symmetry::Tie;
use crate::Observers;
use gordian_base::ThreadId;
use gordian_engine::Ended;
use gordian_trace::{Choice, CodePoint, Event, Hidden, OpKind, Wants, words};

/// The key of a descriptor that is not open.
const CLOSED: u64 = u64::MAX;

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
        let about = About::Level { before, change, tries: None };
        Some(Touch { access: object_access(event.address, event.size, Mode::Write)?, needs, about })
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

/// A step that joins a thread, or tries to.
#[derive(Clone, Copy, Debug)]
pub struct Joining {
    pub target: ThreadId,
    pub has_ended: bool,
}

impl About {
    /// Of an access that may be another one at another time.
    fn unsure(address: u64) -> About {
        About::Value { address, size: 0, before: 0, expects: Some(0), known: false }
    }

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
    /// A thread is about to run the routine of a once control, or waits until it has run.
    pub is_once: bool,
    /// The step is a join of this thread, and comes after its end.
    pub awaits_end_of: Option<ThreadId>,
    /// The step is a join of this thread, or an attempt at one: it could have come before others if the thread had ended by then.
    pub joins: Option<Joining>,
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
        self.is_once = false;
        self.awaits_end_of = None;
        self.joins = None;
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
        // How many accesses the operation itself made; what follows it in an atomic section was not waited for.
        let mut n_awaited = None;
        if wants.is_some_and(|wants| wants.kind == OpKind::Join)
            && let Some(event) = events.iter().find(|event| event.thread == choice.thread && event.kind == OpKind::Look)
            && let Some(Hidden::Thread(target)) = Hidden::of(event.address)
        {
            self.joins = Some(Joining { target, has_ended: event.value != 0 });
        }
        for (position, event) in events.iter().enumerate() {
            if n_awaited.is_none() && position > 0 && events[position - 1].kind != OpKind::Watch {
                n_awaited = Some(self.list.len());
            }
            match Operation::of(event, self.wants_to_read) {
                // As an operation of its own it comes after what it has waited for.
                Operation::Effect(Effect::Join { joiner, target })
                    if position == 0 && joiner == choice.thread && !event.alone =>
                {
                    self.awaits_end_of = Some(target);
                    self.joins = Some(Joining { target, has_ended: true });
                    self.add_joins(std::iter::once(target));
                }
                Operation::Effect(effect) => self.effect(effect),
                Operation::ProcessExit => {
                    // Behind another operation of its thread it comes only in an atomic section, or when nobody is left.
                    let is_within_section = event.thread == choice.thread && !event.alone;
                    self.footprint.ends_process = position == 0 || is_within_section;
                    self.says_more = true;
                }
                _ if event.alone => {}
                // Without the beginning of the section, its end or what it is blocked by is there.
                Operation::Section => self.is_section = true,
                Operation::Unlogged => {
                    if let Some(wants) = wants {
                        self.add_failed(choice.thread, wants);
                    }
                }
                operation => self.add(event, operation),
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
        let reads = self.list.iter().any(|touch| in_memory(touch) && touch.access.mode != Mode::Blind);
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
        let Some(Wants { kind, address, size, at }) = ended.wants(thread) else { return };
        for (address, size, value) in ended.watched(thread) {
            self.add_watched(thread, at, address, size, value);
        }
        self.is_once = kind == OpKind::OnceEnter;
        let (mode, needs) = match kind {
            OpKind::Lock | OpKind::Woken | OpKind::OnceEnter => (Mode::Write, Needs::Free),
            OpKind::ReadLock => (Mode::Share, Needs::NoWriter),
            OpKind::SemWait => (Mode::Write, Needs::Unit),
            _ => return,
        };
        self.add_object(Object { address, size }, mode, needs, About::Level { before: 0, change: 0, tries: None });
    }

    fn add_watched(&mut self, thread: ThreadId, at: CodePoint, address: u64, size: u32, value: u64) {
        let (alone, unsure, other) = (false, false, 0);
        self.add_event(&Event { thread, kind: OpKind::Watch, alone, unsure, size, at, address, value, other });
    }

    /// What a thread that can go on would touch, in the worst way.
    pub fn of_waiting(&mut self, thread: ThreadId, ended: &Ended<'_>) {
        self.clear();
        if let Some(wants) = ended.wants(thread) {
            self.is_once = wants.kind == OpKind::OnceEnter;
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
                let about = About::Level { before: WRITER, change: 0, tries: None };
                self.add_object(Object { address, size }, Mode::Write, Needs::Nothing, about);
            }
            _ => self.add_event(&Event {
                thread,
                kind,
                alone: false,
                unsure: false,
                size,
                at,
                address,
                value: 1,
                other: 1,
            }),
        }
    }

    fn add_event(&mut self, event: &Event) {
        self.add(event, Operation::of(event, self.wants_to_read));
    }

    fn add(&mut self, event: &Event, operation: Operation) {
        self.is_section |= event.kind == OpKind::Watch && is_blocked_section(event);
        match operation {
            Operation::Memory { mode, expects } => {
                let is_blind = match event.kind {
                    OpKind::AtomicWrite => self.observers != Observers::Unused,
                    OpKind::Write => self.observers == Observers::All,
                    _ => false,
                };
                self.add_memory(event, if is_blind { Mode::Blind } else { mode }, expects);
            }
            Operation::Object { address, size, mode, needs, about } => {
                self.add_object(Object { address, size }, mode, needs, about);
            }
            Operation::Wait { condition, size, mutex } => {
                let about = About::Level { before: WRITER, change: -WRITER, tries: None };
                self.add_object(mutex, Mode::Write, Needs::Nothing, about);
                let about = About::Level { before: 0, change: 0, tries: None };
                self.add_object(Object { address: condition, size }, Mode::Write, Needs::Nothing, about);
            }
            Operation::Hidden { what, mode } => self.add_hidden(what, mode),
            // Key 0 is the table of all open files, which every operation on one of them looks at.
            Operation::File(0) => self.add_plain(0, Class::File, Mode::Write),
            // Before it was closed it would have used the file as well.
            Operation::File(CLOSED) => {
                let location = Location { address: 0, class: Class::File };
                let access = Access { location, bytes: 1, mode: Mode::Read };
                self.push(Touch { access, needs: Needs::Nothing, about: About::unsure(0) });
            }
            Operation::File(key) => {
                self.add_plain(0, Class::File, Mode::Read);
                self.add_plain(key, Class::File, Mode::Write);
            }
            Operation::Random(address) => self.add_plain(address, Class::Random, Mode::Write),
            Operation::Effect(_) | Operation::ProcessExit | Operation::Section | Operation::Unlogged => {
                unreachable!("handled before")
            }
            Operation::Nothing => {}
        }
    }

    fn add_hidden(&mut self, what: Hidden, mode: Mode) {
        let address = what.address();
        let access = Access { location: Location { address, class: Class::Hidden }, bytes: 1, mode };
        // Who finds that a thread is joined or detached would have joined or detached it itself, and who looks for the next exit handler would have
        // found another.
        let is_sure = match what {
            Hidden::Thread(_) => mode != Mode::Read,
            Hidden::ExitHandlers => false,
            Hidden::Keys | Hidden::Key(_) | Hidden::Clock | Hidden::Cancellation(_) => true,
        };
        let about = if is_sure { About::Level { before: 0, change: 0, tries: None } } else { About::unsure(address) };
        self.push(Touch { access, needs: Needs::Nothing, about });
    }

    fn add_plain(&mut self, address: u64, class: Class, mode: Mode) {
        let access = Access { location: Location { address, class }, bytes: 1, mode };
        let about = About::Level { before: 0, change: 0, tries: None };
        self.push(Touch { access, needs: Needs::Nothing, about });
    }

    fn add_object(&mut self, Object { address, size }: Object, mode: Mode, needs: Needs, about: About) {
        if let Some(access) = object_access(address, size, mode) {
            return self.push(Touch { access, needs, about });
        }
        for (word, bytes) in words(address, u64::from(size.min(OBJECT_BYTES))) {
            let location = Location { address: word, class: Class::Memory };
            self.push(Touch { access: Access { location, bytes, mode }, needs, about });
        }
    }

    fn add_memory(&mut self, event: &Event, mode: Mode, expects: Option<u64>) {
        let Event { address, size, other: before, .. } = *event;
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

/// The access to a synchronisation object, unless its bytes lie in two words.
#[inline]
pub(super) fn object_access(address: u64, size: u32, mode: Mode) -> Option<Access> {
    word_access(address, size.min(OBJECT_BYTES), mode)
}
