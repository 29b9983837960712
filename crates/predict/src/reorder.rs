//! Looks for a reordering: asks for a line, plays it through, and says what it violates until nothing is left.
//!
//! Constraints are said only once a line violates them, so a question about a long run says little of most of it. Every clause that is
//! added holds of all reorderings (each names the rule that it comes from), so clauses stay for the next question.

use crate::line::{Atom, END, Line, NoLine};
use crate::run::{Op, Run, Section};
use crate::values::Values;
use gordian_base::FxHashMap;
use gordian_solve::Budget;
use std::collections::BTreeMap;

/// A reordering: instants in their order.
#[derive(Clone, Debug, Default)]
pub struct Reordering {
    pub instants: Vec<u32>,
    /// Signals, by event, and the threads that they wake.
    pub wakes: Vec<(u32, u32)>,
    /// Threads that wait at the end and were woken.
    pub woken: Vec<u32>,
}

impl Reordering {
    /// The run itself.
    pub fn of_run(run: &Run) -> Self {
        Reordering { instants: (0..run.instants.len() as u32).collect(), ..Reordering::default() }
    }

    /// Whether the thread of this event, which waits at the end, was woken.
    pub fn is_woken(&self, run: &Run, event: u32) -> bool {
        self.woken.contains(&run.events[event as usize].thread)
    }
}

/// Whom each signal wakes, and who waits at the end and was woken.
type Woken = (Vec<(u32, u32)>, Vec<u32>);

/// What a question came to.
#[derive(Clone, Debug)]
pub enum Answer {
    Found(Reordering),
    Impossible,
    GivenUp,
}

/// What a target demands of values at the end of a reordering, if anything: this decision goes another way than in the run.
pub type Deviation = Option<u32>;

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
        Reorderer { run, line, values, sections_of, signals, posts, has_waits, n_questions: 0, n_lines: 0 }
    }

    /// A reordering in which all of these hold.
    pub fn find(&mut self, assumed: &[Atom], deviation: Deviation) -> Answer {
        self.n_questions += 1;
        for _ in 0..MOST_LINES {
            self.n_lines += 1;
            let instants = match self.line.solve(assumed, &BUDGET) {
                Ok(instants) => instants,
                Err(NoLine::Impossible) => return Answer::Impossible,
                Err(NoLine::GivenUp) => return Answer::GivenUp,
            };
            match self.play(&instants, assumed, deviation) {
                Ok((wakes, woken)) => return Answer::Found(Reordering { instants, wakes, woken }),
                Err(Refused::Learnt) => {}
                Err(Refused::Unknown) => return Answer::GivenUp,
            }
        }
        Answer::GivenUp
    }

    /// The atom that an instant is the next of its thread when the reordering ends.
    pub fn is_next(&mut self, instant: u32) -> Atom {
        let enabled_by = self.run.instants[instant as usize].enabled_by;
        let before = enabled_by.map_or(Atom::True, |before| self.line.within(before));
        let not_made = self.line.within(instant).not();
        self.line.all(&[before, not_made])
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
    fn play(&mut self, instants: &[u32], assumed: &[Atom], deviation: Deviation) -> Result<Woken, Refused> {
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
        if let Some(mut values) = self.values.take() {
            let checked = values.check(self.run, &mut self.line, instants, assumed, deviation);
            self.values = Some(values);
            checked?;
        }
        let woken = state.conds.values().flatten().filter(|waiter| waiter.is_woken).map(|waiter| waiter.thread);
        let mut woken: Vec<u32> = woken.collect();
        woken.sort_unstable();
        Ok((state.wakes, woken))
    }

    fn play_event(&mut self, state: &mut Played, event: u32) {
        let run = self.run;
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
                state.begin_wait(run, cond, event);
            }
            Op::AcquireFails { lock, shared } => self.fail_to_acquire(state, event, lock, shared),
            Op::Signal(cond) => state.signal(cond, event),
            Op::Broadcast(cond) => state.broadcast(cond),
            Op::SemInit { semaphore, value } => {
                state.semaphores.entry(semaphore).or_default().initial = value;
            }
            Op::SemPost(semaphore) => state.semaphores.entry(semaphore).or_default().posts.push(event),
            Op::SemWait(semaphore) => self.take(state, event, semaphore),
            Op::Read(span) if run.sources.is_some() => self.read(state, event, span.address),
            Op::Write(span) if run.sources.is_some() => {
                state.written.insert(span.address, event);
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
        let mut clause = vec![self.left_out(event)];
        if signals.iter().any(is_between) {
            // They woke others: the order of all that concerns this condition has to change, or another signal has to come.
            let run = self.run;
            let concerns = |event: &u32| matches!(run.events[*event as usize].op, Op::Wait { cond: c, .. } | Op::Woken { cond: c, .. } | Op::Signal(c) | Op::Broadcast(c) if c == cond);
            let order: Vec<u32> = state
                .instants
                .iter()
                .flat_map(|&instant| {
                    let (from, to) = run.instants[instant as usize].events;
                    from..to
                })
                .filter(concerns)
                .collect();
            for pair in order.windows(2) {
                let reversed = self.before(pair[1], pair[0]);
                clause.push(reversed);
            }
            for signal in signals.into_iter().filter(|&signal| position(signal).is_none()) {
                let instant = run.instant(signal);
                clause.push(self.line.within(instant));
            }
        } else {
            let (wait, woken) = (self.run.instant(waiter.wait), self.run.instant(event));
            for signal in signals {
                let signal = self.run.instant(signal);
                clause.push(self.line.in_row(wait, signal, woken));
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

    fn begin_wait(&mut self, run: &Run, cond: u64, wait: u32) {
        let thread = run.events[wait as usize].thread;
        let is_its_end = |event: &u32| {
            let event = &run.events[*event as usize];
            event.thread == thread && matches!(event.op, Op::Woken { .. })
        };
        let woken = (wait + 1..run.events.len() as u32).find(is_its_end);
        let wakes_at = woken.and_then(|woken| self.position.get(&run.instant(woken))).copied().unwrap_or(usize::MAX);
        self.conds.entry(cond).or_default().push(Waiter { thread, wait, is_woken: false, wakes_at });
    }

    /// Wakes whoever has to go on first. Lemma: if any choice of waiters serves all of them, this one does, since exchanging a waiter with
    /// one that goes on later leaves both served.
    fn signal(&mut self, cond: u64, event: u32) {
        let waiting = self.conds.entry(cond).or_default();
        let first =
            waiting.iter_mut().filter(|waiter| !waiter.is_woken).min_by_key(|waiter| (waiter.wakes_at, waiter.thread));
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
