//! Executions that the model grows from.

use crate::model::{Follows, Looks, Model, Moves, Transition};
use crate::places::{Cell, LocalId, LocalName, Marking, TransitionId, UNBORN, ValueId};
use crate::run::{decides, is_always_possible, is_blocking, takes_lock_unseen, unsupported};
use gordian_base::ThreadId;
use gordian_engine::{End, Executor};
use gordian_strategies::happens_before::steps::{Effect, Mode, StepReader, Touch, Touched};
use gordian_trace::{Choice, Event, OpKind, Wants, words};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Who goes on then depends on what everybody waits for, which places do not tell.
const WITHIN_SECTION: &str =
    "a thread waits within an atomic section, which the stateful strategies do not explore; use `--strategy unfold`";

/// A machine, and the markings that it went through.
pub struct Prober<E: Executor> {
    pub machine: E,
    reader: StepReader,
    choices: Vec<Choice>,
    marks: Vec<E::Mark>,
    /// One more than steps.
    trail: Vec<Marking>,
    /// By depth: who stands within an atomic section.
    within: Vec<SmallVec<[ThreadId; 2]>>,
    pub looks_at_ends: bool,
    pub unsupported: Option<&'static str>,
    /// Locks were taken in no step, by a thread that was alone.
    pub takes_locks_unseen: bool,
}

/// A step that has just been made.
struct Seen<'s> {
    before: &'s Marking,
    choice: Choice,
    wants: Option<Wants>,
    events: &'s [Event],
    touched: &'s Touched,
    has_robust_mutexes: bool,
}

impl Seen<'_> {
    /// What its own thread did as a step.
    fn own(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|event| event.thread == self.choice.thread && !event.alone)
    }

    /// The result of a thread that ended in it.
    fn end_of(&self, thread: ThreadId) -> Option<u64> {
        let ends = |event: &&Event| event.kind == OpKind::Exit && event.thread == thread;
        self.events.iter().find(ends).map(|event| event.value)
    }

    fn has_tail(&self) -> bool {
        self.events.iter().any(|event| event.alone)
    }

    /// The operations on a location.
    fn on<'a>(&'a self, touch: &'a Touch) -> impl Iterator<Item = &'a Event> {
        let address = touch.location.address;
        self.own().filter(move |event| is_on(event, address))
    }
}

/// Whether it is an operation on that word.
fn is_on(event: &Event, address: u64) -> bool {
    let also = matches!(event.kind, OpKind::Wait | OpKind::Woken) && event.other & !7 == address;
    also || event.address & !7 == address
        || words(event.address, u64::from(event.size)).any(|(word, _)| word == address)
}

impl<E: Executor> Prober<E> {
    /// The machine stands before its first step.
    pub fn begin(machine: E, model: &mut Model, looks_at_ends: bool) -> Prober<E> {
        let mut prober = Prober {
            machine,
            reader: StepReader::default(),
            choices: Vec::new(),
            marks: Vec::new(),
            trail: Vec::new(),
            within: vec![SmallVec::new()],
            looks_at_ends,
            unsupported: None,
            takes_locks_unseen: false,
        };
        let choice = Choice { thread: ThreadId::MAIN, variant: 0 };
        let events = prober.machine.events().to_vec();
        prober.takes_locks_unseen = takes_lock_unseen(&events, ThreadId::MAIN, None);
        let touched = prober.reader.of_step(choice, &events, None, false, false);
        let main = model.local(LocalName::Main);
        let (origin, _) = model.name_transition(main, u32::MAX, &Looks::At([].into()));
        // No step of main has this variant, so that the model does not take what happened before for main's first one.
        let origin_choice = Choice { variant: u32::MAX, ..choice };
        model.add_transition(main, Looks::At([].into()), Transition::none(origin_choice, main));
        let mut marking = Marking::default();
        marking.set_thread(ThreadId::MAIN, main);
        let has_robust_mutexes = prober.machine.has_robust_mutexes();
        let before = &marking.clone();
        let seen = Seen { before, choice, wants: None, events: &events, touched: &touched, has_robust_mutexes };
        prober.follow(model, &seen, origin, &mut marking);
        prober.see_variants(model, &marking);
        prober.trail.push(marking);
        prober
    }

    pub fn marking(&self) -> &Marking {
        self.trail.last().expect("there is one at the beginning")
    }

    pub fn initial(&self) -> &Marking {
        &self.trail[0]
    }

    /// Makes these choices, from as far as the present execution made the same. Whether that was possible.
    pub fn go_to(&mut self, model: &mut Model, choices: &[Choice]) -> bool {
        let common = choices.iter().zip(&self.choices).take_while(|(a, b)| a == b).count();
        if common < self.choices.len() {
            self.machine.undo_to(self.marks[common]);
            self.choices.truncate(common);
            self.marks.truncate(common);
            self.trail.truncate(common + 1);
            self.within.truncate(common + 1);
        }
        for &choice in &choices[common..] {
            while !self.machine.choices().contains(&choice) && self.step_urgent(model, choice.thread) {}
            if self.machine.end().is_some() || !self.machine.choices().contains(&choice) {
                return false;
            }
            self.step(model, choice);
        }
        true
    }

    /// Makes the step of another thread that comes before all others, if there is one.
    pub fn step_urgent(&mut self, model: &mut Model, thread: ThreadId) -> bool {
        let Some(&first) = self.machine.choices().first() else { return false };
        let decides = self.machine.wants(first.thread).is_some_and(|wants| wants.kind == OpKind::Branch);
        if !decides || first.thread == thread {
            return false;
        }
        self.step(model, first);
        true
    }

    /// Goes on to the end, preferably with steps that the model does not know.
    pub fn next(&self, model: &mut Model) -> Choice {
        let marking = self.marking();
        let choices = self.machine.choices();
        let is_news = |choice: &&Choice| {
            let place = marking.thread(choice.thread);
            model.predict(place, choice.variant, marking).is_none()
        };
        choices.iter().find(is_news).copied().unwrap_or(choices[0])
    }

    pub fn step(&mut self, model: &mut Model, choice: Choice) {
        let thread = choice.thread;
        let (wants, n_events) = (self.machine.wants(thread), self.machine.events().len());
        let mut within = self.within[self.choices.len()].clone();
        let is_within = within.contains(&thread);
        self.marks.push(self.machine.mark());
        self.machine.watch_ending();
        self.machine.step(choice);
        let fails = matches!(self.machine.end(), Some(End::Failed));
        let events = self.machine.events()[n_events..].to_vec();
        self.unsupported = self.unsupported.or_else(|| unsupported(&events));
        self.takes_locks_unseen |= takes_lock_unseen(&events, thread, wants);
        let touched = self.reader.of_step(choice, &events, wants, is_within, fails);
        within.retain(|other| *other != thread);
        if touched.stays_within {
            self.unsupported = self.unsupported.or((!fails).then_some(WITHIN_SECTION));
            within.push(thread);
        }
        let before = self.marking().clone();
        let has_robust_mutexes = self.machine.has_robust_mutexes();
        let seen = Seen { before: &before, choice, wants, events: &events, touched: &touched, has_robust_mutexes };
        self.within.push(within);
        let after = self.learn(model, &seen);
        self.choices.push(choice);
        self.trail.push(after);
    }

    /// Whether the step itself ended the execution.
    fn ends(&self, seen: &Seen<'_>) -> bool {
        match self.machine.end() {
            None => false,
            Some(_) if self.machine.is_stuck() => false,
            Some(End::Exit(_)) => seen.own().any(|event| event.kind == OpKind::ProcessExit),
            Some(End::Failed | End::Dropped | End::Bound(_) | End::Unsupported(_)) => true,
        }
    }

    fn learn(&mut self, model: &mut Model, seen: &Seen<'_>) -> Marking {
        let from = seen.before.thread(seen.choice.thread);
        let ends = self.ends(seen);
        let lets_others_go_on =
            !seen.touched.effects.is_empty() || seen.events.iter().any(|event| event.kind == OpKind::Exit);
        let goes_on_alone = seen.has_tail() && self.machine.end().is_none();
        let is_whole = matches!(self.machine.end(), Some(End::Bound(_) | End::Unsupported(_) | End::Dropped));
        let exits = matches!(self.machine.end(), Some(End::Exit(_)));
        let looks_at_all =
            seen.touched.depends_on_all || ends && (lets_others_go_on || is_whole || exits) || goes_on_alone;
        let looks = if looks_at_all {
            Looks::Everything(Box::new(seen.before.clone()))
        } else {
            Looks::At(looks_at(model, seen).into_iter().collect())
        };
        let (transition, is_new) = model.name_transition(from, seen.choice.variant, &looks);
        let is_branch = decides(seen.wants, seen.events);
        let to = model.local_after(transition, is_branch);
        if is_new {
            let writes = writes(model, seen, transition);
            let touches = seen.touched.touches.clone();
            model.expect(from, &touches, seen.touched.depends_on_all);
            let made = Transition {
                choice: seen.choice,
                to,
                writes,
                follows: follows(model, seen, transition, goes_on_alone),
                touches,
                depends_on_all: seen.touched.depends_on_all,
                is_branch,
                ends,
            };
            model.add_transition(from, looks, made);
        }
        let mut after = seen.before.clone();
        if ends {
            return after;
        }
        for (cell, value) in model.transitions[transition].writes.clone() {
            after.set_cell(cell, value);
        }
        after.set_thread(seen.choice.thread, to);
        self.follow(model, seen, transition, &mut after);
        self.see_ending(model, &after);
        self.see_variants(model, &after);
        after
    }

    /// Sees where threads stand after a step.
    fn follow(&mut self, model: &mut Model, seen: &Seen<'_>, transition: TransitionId, after: &mut Marking) {
        let effects = &seen.touched.effects;
        let thread = seen.choice.thread;
        self.see(model, seen, thread, after.thread(thread), effects);
        for target in joined(seen) {
            model.bury(after, target);
        }
        for (position, &effect) in effects.iter().enumerate() {
            let later = &effects[position + 1..];
            match effect {
                Effect::Create { child, .. } => {
                    let place = model.local(LocalName::Begin(child, transition));
                    after.set_thread(child, place);
                    self.see(model, seen, child, place, later);
                }
                Effect::Release(released) => {
                    let place = model.local(LocalName::Released(after.thread(released)));
                    after.set_thread(released, place);
                    self.see(model, seen, released, place, later);
                }
                Effect::Join { joiner, target } => {
                    let awaits = model.locals[after.thread(joiner)].awaits;
                    if awaits == Some(target) {
                        self.join(model, seen, joiner, target, later, after);
                    }
                }
            }
        }
        if seen.has_tail()
            && self.machine.end().is_none()
            && let Some(alone) = seen.events.iter().rev().find(|event| event.alone)
        {
            let place = model.local(LocalName::Alone(alone.thread, transition));
            after.set_thread(alone.thread, place);
            self.see(model, seen, alone.thread, place, &[]);
        }
    }

    fn join(
        &mut self,
        model: &mut Model,
        seen: &Seen<'_>,
        joiner: ThreadId,
        target: ThreadId,
        later: &[Effect],
        after: &mut Marking,
    ) {
        let place = after.thread(joiner);
        let of_join = |event: &&Event| {
            event.kind == OpKind::Join && event.thread == joiner && event.address == u64::from(target.0)
        };
        let asks = seen.events.iter().find(of_join).is_some_and(|event| event.other != 0);
        model.note_join(place, asks);
        let result = model.locals[after.thread(target)].ended;
        let joined = model.local(LocalName::Joined(place, target, result.filter(|_| asks)));
        after.set_thread(joiner, joined);
        model.bury(after, target);
        self.see(model, seen, joiner, joined, later);
    }

    /// Sees what a thread is about to do at a place that it has come to.
    fn see(&mut self, model: &mut Model, seen: &Seen<'_>, thread: ThreadId, place: LocalId, later: &[Effect]) {
        if model.locals[place].is_seen {
            return;
        }
        if let Some(result) = seen.end_of(thread) {
            model.see(place, None, Vec::new(), false);
            model.locals[place].ended = Some(result);
            return;
        }
        let joins = |effect: &Effect| match *effect {
            Effect::Join { joiner, target } if joiner == thread => Some(target),
            Effect::Join { .. } | Effect::Create { .. } | Effect::Release(_) => None,
        };
        if let Some(target) = later.iter().find_map(joins) {
            let at = gordian_trace::NO_CODE;
            let wants = Wants { kind: OpKind::Join, size: 0, address: u64::from(target.0), at, varies: false };
            model.see(place, Some(wants), Vec::new(), false);
            return;
        }
        // Who is left alone does not stop before its operations.
        if seen.has_tail() && self.machine.end().is_some() {
            return;
        }
        let Some(wants) = self.machine.wants(thread) else {
            model.see(place, None, Vec::new(), false);
            return;
        };
        let watched = self.machine.watched(thread);
        let touches = self.reader.about_to(thread, wants, &watched).touches;
        let can_step = self.machine.choices().iter().any(|choice| choice.thread == thread);
        let can_block = is_blocking(wants.kind) || !can_step || !watched.is_empty();
        model.see(place, Some(wants), touches, can_block);
        if watched.is_empty() && is_always_possible(wants.kind) {
            model.guard_by_nothing(place);
        }
        let is_within = self.within.last().is_some_and(|within| within.contains(&thread));
        model.locals[place].is_urgent = wants.kind == OpKind::Branch || is_within;
        model.locals[place].is_parked =
            !can_step && matches!(wants.kind, OpKind::WaitEnd | OpKind::BarrierLeave) && self.machine.end().is_none();
    }

    /// The process may have come to its end with one thread that was left alone.
    fn see_ending(&self, model: &mut Model, after: &Marking) {
        if let (Some(End::Exit(_)), [alone]) = (self.machine.end(), &model.present(after)[..]) {
            let asks = |event: &Event| event.kind == OpKind::Join && event.other != 0;
            let is_blind = self.machine.findings().is_empty()
                && !self.looks_at_ends
                && !self.machine.has_looked_alone()
                && !self.machine.events().iter().any(asks);
            if is_blind {
                model.blind.insert(*alone);
            }
            model.endings.insert(after.clone());
        }
    }

    fn see_variants(&self, model: &mut Model, after: &Marking) {
        if self.machine.end().is_some() && !self.machine.is_stuck() {
            return;
        }
        let is_urgent = |thread: &ThreadId| {
            let place = after.thread(*thread);
            place != UNBORN && model.locals[place].is_urgent
        };
        let threads = (0..after.threads.len()).map(|thread| ThreadId(thread as u32));
        let urgent = threads.clone().find(is_urgent);
        for thread in threads.filter(|&thread| urgent.is_none_or(|urgent| urgent == thread)) {
            if let Moves::Unknown(None) = model.moves_of(thread, after) {
                let place = after.thread(thread);
                let own = self.machine.choices().iter().filter(|choice| choice.thread == thread);
                let variants = own.map(|choice| choice.variant).collect();
                model.note_variants(place, after, variants);
            }
        }
    }
}

/// The cells that a step looked at, with what they held. A write that covers a cell does not look at it, only at whether it still exists.
fn looks_at(model: &mut Model, seen: &Seen<'_>) -> BTreeMap<Cell, ValueId> {
    let mut looks = BTreeMap::new();
    for touch in &seen.touched.touches {
        let is_write = |event: &Event| matches!(event.kind, OpKind::Write | OpKind::AtomicWrite);
        let mut operations = seen.on(touch).peekable();
        let is_blind = operations.peek().is_some() && operations.all(is_write);
        for (cell, covers) in model.cells(touch) {
            if !(is_blind && covers) {
                looks.insert(cell, seen.before.cell(cell));
            }
        }
        if is_blind {
            let life = model.life(touch);
            looks.insert(life, seen.before.cell(life));
        }
    }
    looks
}

fn writes(model: &mut Model, seen: &Seen<'_>, transition: TransitionId) -> Vec<(Cell, ValueId)> {
    let mut writes = Vec::new();
    for touch in seen.touched.touches.iter().filter(|touch| touch.mode != Mode::Read) {
        for (cell, _) in model.cells(touch) {
            let value = value_after(model, seen, transition, touch, seen.before.cell(cell));
            writes.push((cell, value));
        }
        if seen.on(touch).any(|event| event.kind == OpKind::Free) {
            writes.push((model.life(touch), model.values.written(transition)));
        }
    }
    writes
}

/// What a location holds after a step that changed it.
fn value_after(model: &mut Model, seen: &Seen<'_>, transition: TransitionId, touch: &Touch, old: ValueId) -> ValueId {
    let value = value_of_use(model, seen, touch, old);
    value.unwrap_or_else(|| model.values.written(transition))
}

/// What a synchronisation object holds after one operation on it, if that follows from what it held before. Of several operations the last one does not tell
/// what those before it left.
fn value_of_use(model: &mut Model, seen: &Seen<'_>, touch: &Touch, old: ValueId) -> Option<ValueId> {
    let thread = seen.choice.thread;
    let operations: SmallVec<[&Event; 2]> = seen.on(touch).filter(|event| event.kind != OpKind::Watch).collect();
    let [event] = operations[..] else { return None };
    let is_used_alone = seen.events.iter().any(|event| event.alone && is_on(event, touch.location.address));
    // Of a robust mutex, who holds it does not tell whether it is consistent, or lost for good.
    let is_of_lock = match event.kind {
        OpKind::Lock | OpKind::TryLock | OpKind::Unlock | OpKind::Woken => true,
        OpKind::Wait => event.other & !7 == touch.location.address,
        _ => false,
    };
    if is_used_alone || is_of_lock && seen.has_robust_mutexes {
        return None;
    }
    let released: SmallVec<[ThreadId; 2]> = seen.touched.effects.iter().filter_map(released).collect();
    let values = &mut model.values;
    match event.kind {
        OpKind::Lock | OpKind::TryLock => values.taken(old, thread, event.value),
        OpKind::Woken => values.taken(old, thread, 1),
        OpKind::ReadLock | OpKind::TryReadLock => values.with_reader(old, thread),
        OpKind::Unlock if event.other == 1 => values.without_reader(old, thread),
        OpKind::Unlock => values.given_back(old, thread, event.value),
        OpKind::Wait if event.other & !7 == touch.location.address => values.given_back(old, thread, 0),
        OpKind::Wait => values.waiters(old, Some(thread), &[], None),
        OpKind::WaitEnd => values.waiters(old, None, &[thread], None),
        OpKind::Signal | OpKind::Broadcast => values.waiters(old, None, &released, Some(event.value == 0)),
        OpKind::SemWait | OpKind::SemTryWait | OpKind::SemPost => values.units(old, event.value),
        OpKind::BarrierArrive => values.arrived(old, thread, !released.is_empty()),
        _ => None,
    }
}

/// The thread that a step of its own joined.
fn joined(seen: &Seen<'_>) -> impl Iterator<Item = ThreadId> {
    let joins = seen.own().filter(|event| event.kind == OpKind::Join && event.size == 1);
    joins.map(|event| ThreadId(event.address as u32))
}

fn released(effect: &Effect) -> Option<ThreadId> {
    match *effect {
        Effect::Release(thread) => Some(thread),
        Effect::Create { .. } | Effect::Join { .. } => None,
    }
}

fn follows(
    model: &mut Model,
    seen: &Seen<'_>,
    transition: TransitionId,
    goes_on_alone: bool,
) -> SmallVec<[Follows; 1]> {
    let mut follows = SmallVec::new();
    for effect in &seen.touched.effects {
        match *effect {
            Effect::Create { child, .. } => {
                follows.push(Follows::Begins(child, model.local(LocalName::Begin(child, transition))));
            }
            Effect::Release(thread) => follows.push(Follows::IsReleased(thread)),
            Effect::Join { .. } => {}
        }
    }
    follows.extend(joined(seen).map(Follows::IsJoined));
    let alone = seen.events.iter().rev().find(|event| event.alone);
    if let Some(alone) = alone.filter(|_| goes_on_alone) {
        follows.push(Follows::GoesOn(alone.thread, model.local(LocalName::Alone(alone.thread, transition))));
    }
    follows
}
