//! Looks for a reordering: asks for a line, plays it through, and says what it violates until nothing is left.
//!
//! Constraints are said only once a line violates them, so a question about a long run says little of most of it. Every clause that is
//! added holds of all reorderings (each names the rule that it comes from), so clauses stay for the next question.

use crate::line::{Atom, END, Line, NoLine};
use crate::run::{Op, Run, Section, Span};
use crate::values::Values;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_expr::ExprId;
use gordian_solve::Budget;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A reordering: instants in their order.
#[derive(Clone, Debug, Default)]
pub struct Reordering {
    pub instants: Vec<u32>,
    /// Signals, by event, and the threads that they wake.
    pub wakes: Vec<(u32, u32)>,
    /// Threads that wait at the end and were woken.
    pub woken: Vec<u32>,
    /// Events at which threads go another way than in the run; each is the last of its thread.
    pub deviates: Vec<u32>,
}

impl Reordering {
    /// The run itself.
    pub fn of_run(run: &Run) -> Self {
        Reordering { instants: (0..run.instants.len() as u32).collect(), ..Reordering::default() }
    }

    /// Decisions that go another way before the reordering is over. The execution may fail there, and then it does not go on.
    pub fn early_deviations(&self, run: &Run) -> Vec<u32> {
        let is_deviating = |instant: u32| self.deviates.iter().any(|&event| run.instant(event) == instant);
        let last = self.instants.iter().rposition(|&instant| !is_deviating(instant)).unwrap_or(0);
        let early = |event: &u32| self.instants[..last].contains(&run.instant(*event));
        self.deviates.iter().copied().filter(early).collect()
    }

    /// Whether the thread of this event, which waits at the end, was woken.
    pub fn is_woken(&self, run: &Run, event: u32) -> bool {
        self.woken.contains(&run.events[event as usize].thread)
    }
}

/// What a line that violates nothing comes to.
struct End {
    /// Whom each signal wakes.
    wakes: Vec<(u32, u32)>,
    /// Who waits at the end and was woken.
    woken: Vec<u32>,
    deviates: Vec<u32>,
}

/// What a question came to.
#[derive(Clone, Debug)]
pub enum Answer {
    Found(Reordering),
    Impossible,
    GivenUp,
}

/// What a target demands of values at the end of a reordering, if anything: of this decision, by its number, another condition holds than in the run.
pub type Deviation = Option<(u32, ExprId)>;

/// SAT conflicts of one question.
static BUDGET: Budget = Budget { conflicts: Some(100_000), decisions: None, stop: None };

/// Lines that one question may try.
const MOST_LINES: u32 = 5_000;

/// Answers questions about the reorderings of one run.
pub struct Reorderer<'a> {
    pub run: &'a Run,
    pub line: Line,
    pub values: Option<Values>,
    sections_of: FxHashMap<u64, Vec<u32>>,
    /// Signals and broadcasts, waits, posts, by object.
    pub signals: FxHashMap<u64, Vec<u32>>,
    posts: FxHashMap<u64, Vec<u32>>,
    has_waits: bool,
    /// By wait: the event that ends it, and whether without a signal.
    wait_ends: FxHashMap<u32, (u32, bool)>,
    /// By object: the events that make and end it.
    lives: FxHashMap<u64, (Option<u32>, Option<u32>)>,
    pub n_questions: u64,
    pub n_lines: u64,
}

impl<'a> Reorderer<'a> {
    pub fn new(run: &'a Run, values: Option<Values>) -> Self {
        let chains: Vec<u32> = run.instants.iter().map(|instant| instant.thread).collect();
        let mut sections_of: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (number, section) in (0..).zip(&run.sections) {
            sections_of.entry(section.lock).or_default().push(number);
        }
        let (mut signals, mut posts): (FxHashMap<u64, Vec<u32>>, FxHashMap<u64, Vec<u32>>) = Default::default();
        for (number, event) in (0..).zip(&run.events) {
            match event.op {
                Op::Signal(cond) | Op::Broadcast(cond) => signals.entry(cond).or_default().push(number),
                Op::SemPost(semaphore) => posts.entry(semaphore).or_default().push(number),
                _ => {}
            }
        }
        let line = Line::new(&chains, &run.certain);
        let has_waits = run.events.iter().any(|event| matches!(event.op, Op::Wait { .. }));
        Reorderer {
            run,
            line,
            values,
            sections_of,
            signals,
            posts,
            has_waits,
            wait_ends: wait_ends(run),
            lives: lives(run),
            n_questions: 0,
            n_lines: 0,
        }
    }

    /// A reordering in which all of these hold.
    pub fn find(&mut self, assumed: &[Atom], deviation: Deviation) -> Answer {
        self.n_questions += 1;
        for _ in 0..MOST_LINES {
            self.n_lines += 1;
            let instants = match self.line.solve(assumed, self.event_of(deviation), &BUDGET) {
                Ok(instants) => instants,
                Err(NoLine::Impossible) => return Answer::Impossible,
                Err(NoLine::GivenUp) => return Answer::GivenUp,
            };
            match self.play(&instants, assumed, deviation) {
                Ok(End { wakes, woken, deviates }) => {
                    let instants = postpone(self.run, instants, &deviates);
                    return Answer::Found(Reordering { instants, wakes, woken, deviates });
                }
                Err(Refused::Learnt) => {}
                Err(Refused::Unknown) => return Answer::GivenUp,
            }
        }
        Answer::GivenUp
    }

    /// The event of the decision that is to go another way.
    pub fn event_of(&self, deviation: Deviation) -> Option<u32> {
        let named = deviation.zip(self.values.as_ref());
        named.map(|((number, _), values)| values.decisions[number as usize].event)
    }

    /// Waits on a condition variable, each with what ends it.
    pub fn waits_on(&self, cond: u64) -> Vec<(u32, Option<u32>)> {
        let waits = (0u32..)
            .zip(&self.run.events)
            .filter(|(_, event)| matches!(event.op, Op::Wait { cond: on, .. } if on == cond));
        waits.map(|(wait, _)| (wait, self.wait_ends.get(&wait).map(|&(end, _)| end))).collect()
    }

    /// The atom that an instant is the next of its thread when the reordering ends: all of its decisions so far are those of the run.
    pub fn is_next(&mut self, instant: u32) -> Atom {
        let enabled_by = self.run.instants[instant as usize].enabled_by;
        let mut atoms: SmallVec<[Atom; 4]> = SmallVec::new();
        if let Some(before) = enabled_by {
            atoms.push(self.line.within(before));
            if self.run.instants[before as usize].thread == self.run.instants[instant as usize].thread {
                let (_, end) = self.run.instants[before as usize].events;
                self.keep_decisions(before, end, &mut atoms);
            }
        }
        atoms.push(self.line.within(instant).not());
        self.line.all(&atoms)
    }

    /// Adds that the decisions of an instant before this event go as in the run.
    pub fn keep_decisions(&mut self, instant: u32, before: u32, atoms: &mut SmallVec<[Atom; 4]>) {
        let Some(values) = &self.values else { return };
        for (number, event) in self.run.events_of(instant).filter(|(number, _)| *number < before) {
            if matches!(event.op, Op::Decide(_)) {
                atoms.push(values.keeps(self.run, &mut self.line, number));
            }
        }
    }

    /// The atom that another thread holds a lock when the reordering ends, so that it cannot be taken.
    pub fn is_held_by_others(&mut self, thread: u32, lock: u64, shared: bool) -> Atom {
        let one = self.line.fresh();
        let mut holds = Vec::new();
        for section in self.sections_of_others(thread, lock, shared) {
            let acquired = self.line.within(self.run.instant(section.acquire));
            let kept = section.release.map_or(Atom::True, |release| self.line.within(self.run.instant(release)).not());
            holds.push(self.line.all(&[acquired, kept]));
        }
        self.line.add_when(one, &holds);
        one
    }

    /// Atoms that all hold if a lock can be taken when the reordering ends.
    pub fn is_free_of_others(&mut self, thread: u32, lock: u64, shared: bool) -> Vec<Atom> {
        let mut all = Vec::new();
        for section in self.sections_of_others(thread, lock, shared) {
            let mut either = vec![self.left_out(section.acquire)];
            either.extend(section.release.map(|release| self.line.within(self.run.instant(release))));
            let over = self.line.fresh();
            self.line.add_when(over, &either);
            all.push(over);
        }
        all
    }

    fn sections_of_others(&self, thread: u32, lock: u64, shared: bool) -> Vec<Section> {
        let sections = self.sections_of.get(&lock).into_iter().flatten();
        let sections = sections.map(|&number| self.run.sections[number as usize]);
        sections.filter(|section| section.thread != thread && !(shared && section.shared)).collect()
    }

    /// The atom that one of these instants is the next of its thread.
    pub fn one_is_next(&mut self, instants: &[u32]) -> Atom {
        let next: Vec<Atom> = instants.iter().map(|&instant| self.is_next(instant)).collect();
        if let [only] = next[..] {
            return only;
        }
        let one = self.line.fresh();
        self.line.add_when(one, &next);
        one
    }

    /// Whether `b` can be the next of its thread only after `a`. What `b` itself reads does not matter: it need not be made.
    pub fn is_ordered(&self, a: u32, b: u32) -> bool {
        let enabled_by = self.run.instants[b as usize].enabled_by;
        enabled_by.is_some_and(|before| before == a || self.line.is_certain(a, before))
    }

    fn before(&mut self, a: u32, b: u32) -> Atom {
        let (a, b) = (self.run.instant(a), self.run.instant(b));
        self.line.before(a, b)
    }

    fn left_out(&mut self, event: u32) -> Atom {
        let instant = self.run.instant(event);
        self.line.before(END, instant)
    }

    /// Plays a line through. What it violates is said; if it violates nothing, whom signals wake.
    fn play(&mut self, instants: &[u32], assumed: &[Atom], deviation: Deviation) -> Result<End, Refused> {
        let mut state = Played::new(self.has_waits, instants);
        for &instant in instants {
            let (from, to) = self.run.instants[instant as usize].events;
            for event in from..to {
                self.play_event(&mut state, event);
            }
        }
        if state.is_violated {
            return Err(Refused::Learnt);
        }
        let mut deviates = Vec::new();
        if let Some(mut values) = self.values.take() {
            let checked = values.check(self.run, &mut self.line, instants, assumed, deviation);
            self.values = Some(values);
            deviates = checked?;
        }
        let woken = state.conds.values().flatten().filter(|waiter| waiter.is_woken).map(|waiter| waiter.thread);
        let mut woken: Vec<u32> = woken.collect();
        woken.sort_unstable();
        Ok(End { wakes: state.wakes, woken, deviates })
    }

    fn play_event(&mut self, state: &mut Played, event: u32) {
        let run = self.run;
        if !self.lives.is_empty() {
            self.live(state, event);
        }
        match run.events[event as usize].op {
            Op::Acquire { lock, .. } | Op::Woken { mutex: lock, .. } => {
                if let Op::Woken { cond, .. } = run.events[event as usize].op {
                    self.wake(state, event, cond);
                }
                let section = run.begins[&event];
                self.acquire(state, section);
                state.open.entry(lock).or_default().push(section);
            }
            Op::Release { lock } => state.release(run, event, lock),
            Op::Wait { cond, mutex } => {
                state.release(run, event, mutex);
                let ends = self.wait_ends.get(&event).copied();
                state.begin_wait(run, cond, event, ends);
            }
            Op::AcquireFails { lock, shared } => self.fail_to_acquire(state, event, lock, shared),
            Op::Signal(cond) => state.signal(cond, event),
            Op::Broadcast(cond) => state.broadcast(cond),
            Op::SemInit { semaphore, value } => {
                state.semaphores.entry(semaphore).or_default().initial = value;
            }
            Op::SemPost(semaphore) => state.semaphores.entry(semaphore).or_default().posts.push(event),
            Op::SemWait(semaphore) => self.take(state, event, semaphore),
            Op::SemFails(semaphore) => self.fail_to_take(state, event, semaphore),
            Op::GiveUp { cond } => self.give_up(state, event, cond),
            Op::Read(span) if run.sources.is_some() => self.read(state, event, run.variable(span.address)),
            Op::Write(span) if run.sources.is_some() => {
                let variable = run.variable(span.address);
                // A read-modify-write reads first.
                if run.sources.as_ref().is_some_and(|sources| sources[event as usize].is_some()) {
                    self.read(state, event, variable);
                }
                state.written.insert(variable, event);
            }
            _ => {}
        }
    }

    /// Rule: sections of a lock do not overlap.
    fn acquire(&mut self, state: &mut Played, section: u32) {
        let mine = self.run.sections[section as usize];
        let others: Vec<Section> =
            state.open.get(&mine.lock).into_iter().flatten().map(|&other| self.run.sections[other as usize]).collect();
        for other in others.into_iter().filter(|other| other.thread != mine.thread && !(other.shared && mine.shared)) {
            let mut clause = vec![self.left_out(mine.acquire), self.left_out(other.acquire)];
            if let Some(release) = other.release {
                clause.push(self.before(release, mine.acquire));
            }
            if let Some(release) = mine.release {
                clause.push(self.before(release, other.acquire));
            }
            self.line.add(&clause);
            state.is_violated = true;
        }
    }

    /// Rule: an attempt fails only while somebody else holds the lock.
    fn fail_to_acquire(&mut self, state: &mut Played, event: u32, lock: u64, shared: bool) {
        let run = self.run;
        let thread = run.events[event as usize].thread;
        let excludes = |section: &Section| section.thread != thread && !(shared && section.shared);
        let held = state.open.get(&lock).into_iter().flatten().any(|&other| excludes(&run.sections[other as usize]));
        if held {
            return;
        }
        let mut clause = vec![self.left_out(event)];
        let sections = self.sections_of.get(&lock).cloned().unwrap_or_default();
        for section in sections.into_iter().map(|number| run.sections[number as usize]).filter(excludes) {
            let acquired = self.before(section.acquire, event);
            let not_released = section.release.map_or(Atom::True, |release| self.before(event, release));
            let holds = self.line.all(&[acquired, not_released]);
            clause.push(holds);
        }
        self.line.add(&clause);
        state.is_violated = true;
    }

    /// Rule: whoever wakes was woken, by a signal of its own or by a broadcast, since it began to wait.
    fn wake(&mut self, state: &mut Played, event: u32, cond: u64) {
        let thread = self.run.events[event as usize].thread;
        let waiting = state.conds.entry(cond).or_default();
        let Some(at) = waiting.iter().position(|waiter| waiter.thread == thread) else { return };
        let waiter = waiting.remove(at);
        if waiter.is_woken {
            return;
        }
        state.is_violated = true;
        let signals = self.signals.get(&cond).cloned().unwrap_or_default();
        let position = |event: u32| state.position.get(&self.run.instant(event)).copied();
        let is_between = |&signal: &u32| {
            let at = position(signal);
            at.is_some() && at > position(waiter.wait) && at < position(event)
        };
        if signals.iter().any(is_between) {
            // They woke others.
            return self.refuse_order(state, event, cond);
        }
        let mut clause = vec![self.left_out(event)];
        let (wait, woken) = (self.run.instant(waiter.wait), self.run.instant(event));
        for signal in signals {
            let signal = self.run.instant(signal);
            clause.push(self.line.in_row(wait, signal, woken));
        }
        self.line.add(&clause);
    }

    /// Rule: who gives up waiting was not woken.
    fn give_up(&mut self, state: &mut Played, event: u32, cond: u64) {
        let thread = self.run.events[event as usize].thread;
        let waiting = state.conds.entry(cond).or_default();
        let Some(at) = waiting.iter().position(|waiter| waiter.thread == thread) else { return };
        if waiting.remove(at).is_woken {
            state.is_violated = true;
            self.refuse_order(state, event, cond);
        }
    }

    /// Without the event, or all that concerns the condition comes in another order, or there is more of it.
    fn refuse_order(&mut self, state: &Played, event: u32, cond: u64) {
        let run = self.run;
        let concerns = |event: &u32| run.events[*event as usize].op.object() == Some(cond);
        let events = |&instant: &u32| {
            let (from, to) = run.instants[instant as usize].events;
            from..to
        };
        let order: Vec<u32> = state.instants.iter().flat_map(events).filter(concerns).collect();
        let mut clause = vec![self.left_out(event)];
        for pair in order.windows(2) {
            clause.push(self.before(pair[1], pair[0]));
        }
        for other in (0..run.events.len() as u32).filter(concerns) {
            if !state.position.contains_key(&run.instant(other)) {
                clause.push(self.line.within(run.instant(other)));
            }
        }
        self.line.add(&clause);
    }

    /// Rule: objects are used while they live; it would fail there, and so it is the last event of its thread. A lock is destroyed only while
    /// nobody holds it.
    fn live(&mut self, state: &mut Played, event: u32) {
        let op = self.run.events[event as usize].op;
        if let Some(object) = op.makes() {
            state.begun.insert(object);
        }
        if let Some(object) = op.ends() {
            state.ended.insert(object);
            self.end(state, event, object);
        }
        for object in op.uses().into_iter().flatten() {
            let Some(&(made, ended)) = self.lives.get(&object) else { continue };
            if let Some(made) = made.filter(|_| !state.begun.contains(&object)) {
                let clause = [self.left_out(event), self.before(made, event)];
                self.line.add(&clause);
                state.is_violated = true;
            }
            if let Some(ended) = ended.filter(|_| state.ended.contains(&object)) {
                let clause = [self.left_out(event), self.before(event, ended)];
                self.line.add(&clause);
                state.is_violated = true;
            }
        }
    }

    fn end(&mut self, state: &mut Played, event: u32, object: u64) {
        let (run, thread) = (self.run, self.run.events[event as usize].thread);
        let open: Vec<Section> =
            state.open.get(&object).into_iter().flatten().map(|&open| run.sections[open as usize]).collect();
        for section in open.into_iter().filter(|section| section.thread != thread) {
            let mut clause = vec![self.left_out(event), self.left_out(section.acquire)];
            clause.push(self.before(event, section.acquire));
            clause.extend(section.release.map(|release| self.before(release, event)));
            self.line.add(&clause);
            state.is_violated = true;
        }
        let waits: Vec<u32> = state.conds.get(&object).into_iter().flatten().map(|waiter| waiter.wait).collect();
        for wait in waits {
            let mut clause = vec![self.left_out(event), self.left_out(wait), self.before(event, wait)];
            let ends = self.wait_ends.get(&wait).copied();
            clause.extend(ends.map(|(end, _)| self.before(end, event)));
            self.line.add(&clause);
            state.is_violated = true;
        }
    }

    /// Rule: an attempt fails only while the semaphore is zero.
    fn fail_to_take(&mut self, state: &mut Played, event: u32, semaphore: u64) {
        let counts = state.semaphores.entry(semaphore).or_default();
        if counts.initial + counts.posts.len() as u64 <= counts.waits.len() as u64 {
            return;
        }
        state.is_violated = true;
        let (posted, made) = (counts.posts.clone(), counts.waits.clone());
        let mut clause = vec![self.left_out(event)];
        for post in posted {
            clause.push(self.before(event, post));
        }
        let run = self.run;
        for (wait, _) in (0u32..).zip(&run.events).filter(|(_, event)| event.op == Op::SemWait(semaphore)) {
            if !made.contains(&wait) {
                clause.push(self.before(wait, event));
            }
        }
        self.line.add(&clause);
    }

    /// Rule: a semaphore stays at zero or above.
    fn take(&mut self, state: &mut Played, event: u32, semaphore: u64) {
        let counts = state.semaphores.entry(semaphore).or_default();
        let has_one = counts.initial + counts.posts.len() as u64 > counts.waits.len() as u64;
        let (posted, waits) = (counts.posts.clone(), counts.waits.clone());
        counts.waits.push(event);
        if has_one {
            return;
        }
        state.is_violated = true;
        let mut clause = vec![self.left_out(event)];
        let posts = self.posts.get(&semaphore).cloned().unwrap_or_default();
        for post in posts.into_iter().filter(|post| !posted.contains(post)) {
            clause.push(self.before(post, event));
        }
        for wait in waits {
            clause.push(self.before(event, wait));
        }
        self.line.add(&clause);
    }

    /// Rule, where values are not known: a read takes its write of the run.
    fn read(&mut self, state: &mut Played, event: u32, address: u64) {
        let source = self.run.sources.as_ref().expect("reads have sources")[event as usize];
        let found = state.written.get(&address).copied();
        let Some(found) = found.filter(|_| found != source) else { return };
        let mut clause = vec![self.left_out(event), self.before(event, found)];
        if let Some(source) = source {
            clause.push(self.before(found, source));
        }
        self.line.add(&clause);
        state.is_violated = true;
    }
}

/// Moves instants whose decisions go another way to the end, as far as nothing is in conflict with them. That is an equivalent order, since nothing of
/// their threads comes after them.
fn postpone(run: &Run, mut instants: Vec<u32>, deviates: &[u32]) -> Vec<u32> {
    let accesses = |instant: u32| -> Vec<(Span, bool)> {
        let of = |op: Op| match op {
            Op::Publish(span) | Op::Free(span) => Some((span, true)),
            _ => op.access(),
        };
        run.events_of(instant).filter_map(|(_, event)| of(event.op)).collect()
    };
    let mut deviating: Vec<u32> = deviates.iter().map(|&event| run.instant(event)).collect();
    deviating.sort_by_key(|instant| std::cmp::Reverse(instants.iter().position(|other| other == instant)));
    for instant in deviating {
        let is_access = |op: Op| matches!(op, Op::Read(_) | Op::Write(_) | Op::Decide(_) | Op::Nothing);
        let Some(at) = instants.iter().position(|&other| other == instant) else { continue };
        if !run.events_of(instant).all(|(_, event)| is_access(event.op)) {
            continue;
        }
        let mine = accesses(instant);
        let is_in_conflict = |other: u32| {
            let others = accesses(other);
            mine.iter().any(|&(span, writes)| others.iter().any(|&(at, also)| (writes || also) && span.overlaps(at)))
        };
        let to = (at + 1..instants.len()).find(|&next| is_in_conflict(instants[next])).unwrap_or(instants.len());
        instants[at..to].rotate_left(1);
    }
    instants
}

/// Why a line is no reordering.
pub enum Refused {
    /// A clause says it.
    Learnt,
    Unknown,
}

#[derive(Default)]
struct Semaphore {
    initial: u64,
    posts: Vec<u32>,
    waits: Vec<u32>,
}

struct Waiter {
    thread: u32,
    wait: u32,
    is_woken: bool,
    /// Where in the line it wakes, if it does.
    wakes_at: usize,
    /// It ends without a signal.
    gives_up: bool,
}

/// The state that a line has come to.
struct Played {
    instants: Vec<u32>,
    position: FxHashMap<u32, usize>,
    /// Sections that are open, by lock.
    open: FxHashMap<u64, Vec<u32>>,
    conds: BTreeMap<u64, Vec<Waiter>>,
    semaphores: FxHashMap<u64, Semaphore>,
    written: FxHashMap<u64, u32>,
    /// Objects that were made and that were ended.
    begun: FxHashSet<u64>,
    ended: FxHashSet<u64>,
    wakes: Vec<(u32, u32)>,
    is_violated: bool,
}

impl Played {
    /// Where instants stand matters to waits alone.
    fn new(has_waits: bool, instants: &[u32]) -> Self {
        let position = if has_waits { instants.iter().copied().zip(0..).collect() } else { FxHashMap::default() };
        Played {
            instants: instants.to_vec(),
            position,
            open: FxHashMap::default(),
            conds: BTreeMap::new(),
            semaphores: FxHashMap::default(),
            written: FxHashMap::default(),
            begun: FxHashSet::default(),
            ended: FxHashSet::default(),
            wakes: Vec::new(),
            is_violated: false,
        }
    }

    fn release(&mut self, run: &Run, event: u32, lock: u64) {
        let thread = run.events[event as usize].thread;
        if let Some(open) = self.open.get_mut(&lock) {
            open.retain(|&section| run.sections[section as usize].thread != thread);
        }
    }

    fn begin_wait(&mut self, run: &Run, cond: u64, wait: u32, ends: Option<(u32, bool)>) {
        let thread = run.events[wait as usize].thread;
        let position = ends.and_then(|(end, _)| self.position.get(&run.instant(end))).copied();
        let gives_up = ends.is_some_and(|(_, gives_up)| gives_up && position.is_some());
        let wakes_at = position.filter(|_| !gives_up).unwrap_or(usize::MAX);
        self.conds.entry(cond).or_default().push(Waiter { thread, wait, is_woken: false, wakes_at, gives_up });
    }

    /// Wakes whoever has to go on first. Lemma: if any choice of waiters serves all of them, this one does, since exchanging a waiter with
    /// one that goes on later leaves both served.
    fn signal(&mut self, cond: u64, event: u32) {
        let waiting = self.conds.entry(cond).or_default();
        let first = waiting
            .iter_mut()
            .filter(|waiter| !waiter.is_woken)
            .min_by_key(|waiter| (waiter.gives_up, waiter.wakes_at, waiter.thread));
        if let Some(first) = first {
            first.is_woken = true;
            self.wakes.push((event, first.thread));
        }
    }

    fn broadcast(&mut self, cond: u64) {
        for waiter in self.conds.entry(cond).or_default() {
            waiter.is_woken = true;
        }
    }
}

/// By wait: the event that ends it, and whether without a signal.
fn wait_ends(run: &Run) -> FxHashMap<u32, (u32, bool)> {
    let mut open: FxHashMap<u32, u32> = FxHashMap::default();
    let mut ends = FxHashMap::default();
    for (number, event) in (0u32..).zip(&run.events) {
        match event.op {
            Op::Wait { .. } => {
                open.insert(event.thread, number);
            }
            Op::Woken { .. } | Op::GiveUp { .. } => {
                let wait = open.remove(&event.thread);
                ends.extend(wait.map(|wait| (wait, (number, matches!(event.op, Op::GiveUp { .. })))));
            }
            _ => {}
        }
    }
    ends
}

/// By object: the events that make and end it, of those that are made or ended at all.
fn lives(run: &Run) -> FxHashMap<u64, (Option<u32>, Option<u32>)> {
    let mut lives: FxHashMap<u64, (Option<u32>, Option<u32>)> = FxHashMap::default();
    for (number, event) in (0u32..).zip(&run.events) {
        if let Some(object) = event.op.makes() {
            lives.entry(object).or_default().0.get_or_insert(number);
        }
        if let Some(object) = event.op.ends() {
            lives.entry(object).or_default().1.get_or_insert(number);
        }
    }
    lives
}
