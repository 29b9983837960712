//! Reads off events what a step touches, and what it needed before it could happen.

mod enabling;
mod pending;

use super::footprint::{Effect, Footprint, FootprintId, Footprints};
use super::location::{Access, Class, Location, Mode};
use super::operation::{Object, Operation, WRITER, is_blocked_section};
use super::tie::Tie;
use crate::Observers;
use gordian_base::ThreadId;
use gordian_trace::{Choice, Event, Hidden, OpKind, Wants, words};
use smallvec::SmallVec;

/// The key of a descriptor that is not open.
const CLOSED: u64 = u64::MAX;

/// What an operation needs of its location's level before it can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EnabledIf {
    Nothing,
    /// A lock that nobody holds.
    Free,
    /// A lock that no writer holds.
    NoWriter,
    /// A semaphore above zero.
    Unit,
    /// A value that lets a waiting loop end: which ones do is known for those that stood there, see [`Touches::awaits`].
    Value,
}

impl EnabledIf {
    #[inline]
    pub fn met_by(self, level: i32) -> bool {
        match self {
            EnabledIf::Nothing | EnabledIf::Value => true,
            EnabledIf::Free => level == 0,
            EnabledIf::NoWriter => level < WRITER,
            EnabledIf::Unit => level > 0,
        }
    }
}

/// An access with what else it says of its location.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub access: Access,
    pub needs: EnabledIf,
    pub about: AccessEffect,
}

impl Touch {
    /// Of a mutex that its holder takes for the first time, without a limit of time, or gives up.
    #[inline]
    pub fn of_mutex(event: &Event) -> Option<Touch> {
        let (needs, before, change) = match (event.kind, event.other, event.value) {
            (OpKind::Lock, 0, 1) => (EnabledIf::Free, 0, WRITER),
            (OpKind::Unlock, 0, 0) => (EnabledIf::Nothing, WRITER, -WRITER),
            _ => return None,
        };
        let about = AccessEffect::Level { before, change, tries: None };
        Some(Touch { access: object_access(event.address, event.size, Mode::Write), needs, about })
    }
}

/// The largest object that a library function is taken to read anywhere. In larger ones it is taken to read what it read.
const MOST_GUESSED: u32 = 1024;

/// What an access found, which decides how it and others would have turned out at another time.
#[derive(Clone, Copy, Debug)]
pub enum AccessEffect {
    /// The level of the location before it, and by how much it changed that.
    Level { before: i32, change: i32, tries: Option<Try> },
    /// The value at an address before it, if that is `known`; `expects` for compare-and-swap.
    Value { address: u64, size: u32, before: u64, expects: Option<u64>, known: bool },
}

/// What lets a step happen that would have to wait otherwise. If there are several of these, each is enough.
#[derive(Clone, Copy, Debug)]
pub enum EnabledBy {
    /// What the touch of this number looks at was changed; `already` if that held before the first step, unless a step changed it.
    Change { nth: usize, already: bool },
    /// The semaphore of the touch of this number has a unit.
    Unit { nth: usize, already: bool },
}

impl AccessEffect {
    /// Of an access that says nothing of its location.
    pub(crate) fn nothing(address: u64) -> AccessEffect {
        AccessEffect::Value { address, size: 0, before: 0, expects: None, known: true }
    }

    /// Of an access that may be another one at another time.
    fn unsure(address: u64) -> AccessEffect {
        AccessEffect::Value { address, size: 0, before: 0, expects: Some(0), known: false }
    }

    /// The level of the location before it.
    #[inline]
    pub fn level(&self) -> Option<i32> {
        match *self {
            AccessEffect::Level { before, .. } => Some(before),
            AccessEffect::Value { .. } => None,
        }
    }

    /// Whether the access could turn out otherwise at another time.
    #[inline]
    pub fn depends_on_time(&self) -> bool {
        matches!(self, AccessEffect::Level { tries: Some(_), .. } | AccessEffect::Value { expects: Some(_), .. })
    }
}

/// An operation that can turn out in two ways: with what it needs it touches its location in this mode, otherwise it only reads.
#[derive(Clone, Copy, Debug)]
pub struct Try {
    pub needs: EnabledIf,
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
    /// The step is a join, or acts on a cancellation where it would have to wait otherwise. Empty for others.
    pub enabled_by: SmallVec<[EnabledBy; 2]>,
    /// The step's operation is an await: one more than the number of the last event before which it could have happened, 0 if there is none.
    pub awaits: Option<u64>,
    /// The step ends the process, and could not have come before others.
    pub has_waited_to_exit: bool,
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
        self.enabled_by.clear();
        self.awaits = None;
        self.has_waited_to_exit = false;
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
        // What it waited for before it failed is no more than that.
        let waited = |event: &Event| event.kind == OpKind::Watch && !is_blocked_section(event);
        if let Some(wants) = wants
            && !events.iter().any(|event| event.thread == choice.thread && !waited(event))
        {
            self.add_failed(choice.thread, wants);
        }
        self.footprint.keeps_variants = events
            .iter()
            .find(|event| event.kind != OpKind::Watch)
            .is_some_and(|event| matches!(event.kind, OpKind::CasOk | OpKind::CasFail) && !event.unsure);
        // How many accesses the operation itself made; what follows it in an atomic section was not waited for.
        let mut n_awaited = None;
        for (position, event) in events.iter().enumerate() {
            if n_awaited.is_none() && position > 0 && events[position - 1].kind != OpKind::Watch {
                n_awaited = Some(self.list.len());
            }
            if event.kind == OpKind::Watch && event.value == OpKind::WATCHES_AWAIT {
                self.awaits = Some(event.other);
            }
            match Operation::of(event, self.wants_to_read) {
                // As an operation of its own it looks at the end of the thread, as others do.
                Operation::Effect(Effect::Join { joiner, target })
                    if event.size == 1 && joiner == choice.thread && !event.alone =>
                {
                    self.add_hidden(Hidden::End(target), Mode::Read);
                }
                Operation::Effect(effect) => self.effect(effect),
                Operation::ProcessExit => {
                    // Behind another operation of its thread it comes only in an atomic section, or when nobody is left.
                    let is_within_section = event.thread == choice.thread && !event.alone;
                    self.has_waited_to_exit = event.other == 1;
                    self.footprint.ends_process = !self.has_waited_to_exit && (position == 0 || is_within_section);
                    self.says_more = true;
                    // With a handler left it would have run that instead.
                    if self.footprint.ends_process {
                        self.add_hidden(Hidden::ExitHandlers, Mode::Read);
                    }
                }
                _ if event.alone => {}
                // Without the beginning of the section, its end or what it is blocked by is there.
                Operation::Section => self.is_section = true,
                Operation::Unlogged if event.other == OpKind::PUBLISHED_AGAIN => {
                    self.add_memory(event, Mode::Write, None);
                }
                Operation::Unlogged => {
                    if let Some(wants) = wants {
                        self.add_failed(choice.thread, wants);
                    }
                    if event.other == OpKind::FAILED_AT {
                        self.add_memory(event, Mode::Read, None);
                    }
                }
                operation => self.add(event, operation),
            }
        }
        if !self.is_section {
            self.find_what_enables(choice.thread, events);
            if let Some(wants) = wants {
                self.add_what_might_be_read(choice.thread, wants, events);
            }
        }
        // An exchange that fails for no reason does so at any time.
        if choice.variant > 0
            && self.footprint.keeps_variants
            && let Some(Touch { about: AccessEffect::Value { expects, .. }, .. }) = self.list.first_mut()
        {
            *expects = None;
        }
        for touch in self.list.iter_mut().skip(n_awaited.unwrap_or(usize::MAX)) {
            touch.needs = EnabledIf::Nothing;
        }
        if self.awaits.is_some() {
            self.need_values();
        }
        if self.observers != Observers::Unused {
            self.see(events.iter().any(|event| event.thread == choice.thread));
        }
        let is_end = |event: &Event| event.kind == OpKind::AtomicEnd && event.thread == choice.thread;
        self.stays_within = (is_within || self.is_section) && !events.iter().any(is_end);
    }

    /// How much a library function reads may depend on what it finds, as `strlen` does: with other values it would have read other bytes of the object.
    fn add_what_might_be_read(&mut self, thread: ThreadId, wants: Wants, events: &[Event]) {
        let mut own = events.iter().filter(|event| event.thread == thread && event.kind.is_access()).peekable();
        let is_read = own.peek().is_some() && own.all(|event| event.kind.reads_only() && event.varies);
        if !is_read || !wants.varies || wants.kind != OpKind::Write || wants.size > MOST_GUESSED {
            return;
        }
        for (word, bytes) in words(wants.address, u64::from(wants.size)) {
            let access = Access::new(Location { address: word, class: Class::Memory }, bytes, Mode::Read);
            self.push(Touch { access, needs: EnabledIf::Nothing, about: AccessEffect::unsure(word) });
        }
    }

    /// The operation of the step is an await: it is not a try that could fail, but has to wait.
    fn need_values(&mut self) {
        if let Some(touch) = self.list.first_mut() {
            match &mut touch.about {
                AccessEffect::Value { .. } => touch.needs = EnabledIf::Value,
                AccessEffect::Level { tries, .. } if touch.access.mode == Mode::Write => {
                    (touch.needs, *tries) = (EnabledIf::Free, None);
                }
                AccessEffect::Level { .. } => {}
            }
        }
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
                let about = AccessEffect::Level { before: WRITER, change: -WRITER, tries: None };
                self.add_object(mutex, Mode::Write, EnabledIf::Nothing, about);
                let about = AccessEffect::Level { before: 0, change: 0, tries: None };
                self.add_object(Object { address: condition, size }, Mode::Write, EnabledIf::Nothing, about);
            }
            Operation::Hidden { what, mode } => self.add_hidden(what, mode),
            // Before it was asked for, the thread would have done something else.
            Operation::Cancelled => self.add_unsure(Hidden::Cancellation(event.thread).address(), Class::Hidden),
            // Key 0 is the table of all open files, which every operation on one of them looks at. One that has nothing behind it that others could see
            // looks at the entry of its own alone; who changes that names it.
            Operation::File(0) => {
                self.add_plain(0, Class::File, Mode::Write);
                if event.value > 0 {
                    self.add_plain(OpKind::DESCRIPTORS + event.value - 1, Class::File, Mode::Write);
                }
            }
            // Before it was closed it would have used the file as well.
            Operation::File(CLOSED) => self.add_unsure(place_of_file(CLOSED), Class::File),
            Operation::File(key) if key >= OpKind::DESCRIPTORS => self.add_unsure(key, Class::File),
            Operation::File(key) => {
                self.add_plain(0, Class::File, Mode::Read);
                self.add_plain(place_of_file(key), Class::File, Mode::Write);
            }
            Operation::Random(address) => self.add_plain(address, Class::Random, Mode::Write),
            Operation::Section => self.is_section = true,
            Operation::Effect(_) | Operation::ProcessExit | Operation::Unlogged => unreachable!("handled before"),
            Operation::Nothing => {}
        }
    }

    fn add_hidden(&mut self, what: Hidden, mode: Mode) {
        // Who finds that a thread is joined or detached would have joined or detached it itself, and who looks for the next exit handler would have
        // found another.
        let is_sure = match what {
            Hidden::Thread(_) => mode != Mode::Read,
            Hidden::ExitHandlers => false,
            Hidden::Keys | Hidden::Key(_) | Hidden::Clock | Hidden::Cancellation(_) | Hidden::End(_) => true,
        };
        if is_sure {
            self.add_plain(what.address(), Class::Hidden, mode);
        } else {
            let access = plain_access(what.address(), Class::Hidden, mode);
            self.push(Touch { access, needs: EnabledIf::Nothing, about: AccessEffect::unsure(what.address()) });
        }
    }

    /// A look by who would have done something else at another time.
    fn add_unsure(&mut self, address: u64, class: Class) {
        let access = plain_access(address, class, Mode::Read);
        self.push(Touch { access, needs: EnabledIf::Nothing, about: AccessEffect::unsure(address) });
    }

    fn add_plain(&mut self, address: u64, class: Class, mode: Mode) {
        let access = plain_access(address, class, mode);
        let about = AccessEffect::Level { before: 0, change: 0, tries: None };
        self.push(Touch { access, needs: EnabledIf::Nothing, about });
    }

    fn add_object(&mut self, Object { address, size }: Object, mode: Mode, needs: EnabledIf, about: AccessEffect) {
        self.push(Touch { access: object_access(address, size, mode), needs, about });
    }

    fn add_memory(&mut self, event: &Event, mode: Mode, expects: Option<u64>) {
        let Event { address, size, other: before, .. } = *event;
        let about = AccessEffect::Value { address, size, before, expects, known: !event.unsure };
        // Words of one event differ from each other: large ones are held against what was there before alone.
        let n_known = self.list.len();
        for (word, bytes) in words(address, u64::from(size)) {
            let location = Location { address: word, class: Class::Memory };
            let access = Access::new(location, bytes, mode);
            self.push_beside(n_known, Touch { access, needs: EnabledIf::Nothing, about });
        }
    }

    /// Adds an access; a location touched twice is touched in the stronger mode, as it was the first time.
    fn push(&mut self, touch: Touch) {
        self.push_beside(self.list.len(), touch);
    }

    /// The same where the location is touched by the first `n_known` accesses, or by none.
    fn push_beside(&mut self, n_known: usize, touch: Touch) {
        for known in &mut self.list[..n_known] {
            if known.access.is_same_place(&touch.access) {
                if let (AccessEffect::Level { change, .. }, AccessEffect::Level { change: more, .. }) =
                    (&mut known.about, touch.about)
                {
                    *change += more;
                }
                match (&mut known.about, touch.about) {
                    // The thread looked there before, in a loop: what its operation finds and expects is said by the operation.
                    (AccessEffect::Value { expects: None, .. }, AccessEffect::Value { .. })
                        if known.access.mode == Mode::Read =>
                    {
                        known.about = touch.about;
                    }
                    (AccessEffect::Value { expects, .. }, _) => *expects = None,
                    // An atomic section took the lock and overwrote it.
                    (AccessEffect::Level { .. }, AccessEffect::Value { .. }) if touch.access.mode != Mode::Read => {
                        known.about = touch.about;
                    }
                    (AccessEffect::Level { .. }, _) => {}
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

/// The access to what is no memory.
#[inline]
pub(crate) fn plain_access(address: u64, class: Class, mode: Mode) -> Access {
    Access::new(Location { address, class }, 1, mode)
}

/// Where an operation on a file looks, and what it may have to wait for stands: a descriptor that is not open, at the table that would have it.
#[inline]
fn place_of_file(key: u64) -> u64 {
    if key == CLOSED { 0 } else { key }
}

/// The access to a synchronisation object, which takes up at least a byte. Of a word behind the first it touches all.
#[inline]
pub(crate) fn object_access(address: u64, size: u32, mode: Mode) -> Access {
    let from = address % 8;
    let (size, location) = (u64::from(size.max(1)), Location { address: address - from, class: Class::Memory });
    let bytes = ((0xffu64 >> 8u64.saturating_sub(size)) << from) as u8;
    Access { location, bytes, mode, words: (from + size).div_ceil(8).min(u64::from(u8::MAX)) as u8 }
}
