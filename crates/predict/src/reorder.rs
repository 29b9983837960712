//! Looks for a reordering: asks for a line, plays it through, and says what it violates until nothing is left.
//!
//! Constraints are said only once a line violates them, so a question about a long run says little of most of it. Every clause that is
//! added holds of all reorderings (each names the rule that it comes from), so clauses stay for the next question.

use crate::line::{Atom, END, Line, NoLine};
use crate::played::Played;
use crate::run::{Op, Run, Section, Span};
use crate::values::Values;
use gordian_base::FxHashMap;
use gordian_expr::ExprId;
use gordian_solve::{Budget, Interrupt};
use smallvec::SmallVec;

/// A reordering: instants in their order.
#[derive(Clone, Debug, Default)]
pub struct Reordering {
    pub instants: Vec<u32>,
    /// Signals and broadcasts, by event, and the threads that they wake.
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

    /// The first of these instants of one thread, in their order, that is left out.
    pub fn first_left_out(&self, run: &Run, instants: &[u32]) -> Option<u32> {
        let thread = |instant: u32| run.instants[instant as usize].thread;
        let own = thread(*instants.first()?);
        let last = self.instants.iter().rev().copied().find(|&instant| thread(instant) == own);
        instants.iter().copied().find(|&instant| last.is_none_or(|last| instant > last))
    }

    /// The same with the access of an instant that is next at the end made as early as its thread can make it. What follows it may differ, and is not made.
    pub fn with_early(&self, run: &Run, instant: u32) -> Reordering {
        let enabled_by = run.instants[instant as usize].enabled_by;
        let at = enabled_by.and_then(|before| self.instants.iter().position(|&made| made == before));
        let mut early = self.clone();
        early.instants.insert(at.map_or(0, |at| at + 1), instant);
        early
            .deviates
            .extend(run.events_of(instant).find(|(_, event)| event.op.access().is_some()).map(|(event, _)| event));
        early
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
const MOST_CONFLICTS: u64 = 100_000;

/// Lines that one question may try.
const MOST_LINES: u32 = 5_000;

/// Answers questions about the reorderings of one run.
pub struct Reorderer<'a> {
    pub run: &'a Run,
    pub line: Line,
    pub values: Option<Values>,
    pub(crate) sections_of: FxHashMap<u64, Vec<u32>>,
    /// Signals and broadcasts, waits, posts, by object.
    pub signals: FxHashMap<u64, Vec<u32>>,
    pub(crate) posts: FxHashMap<u64, Vec<u32>>,
    has_waits: bool,
    /// By wait: the event that ends it, and whether without a signal.
    pub(crate) wait_ends: FxHashMap<u32, (u32, bool)>,
    /// By object: the events that make and end it.
    pub(crate) lives: FxHashMap<u64, (Option<u32>, Option<u32>)>,
    /// What one question may cost, and who may want it to end.
    budget: Budget,
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
            budget: Budget::conflicts(MOST_CONFLICTS),
            n_questions: 0,
            n_lines: 0,
        }
    }

    /// Questions are given up once this is raised.
    pub fn stop_by(&mut self, interrupt: Interrupt) {
        self.budget.stop = Some(interrupt);
    }

    /// A reordering in which all of these hold.
    pub fn find(&mut self, assumed: &[Atom], deviation: Deviation) -> Answer {
        self.n_questions += 1;
        for _ in 0..MOST_LINES {
            if self.budget.is_stopped() {
                return Answer::GivenUp;
            }
            self.n_lines += 1;
            let instants = match self.line.solve(assumed, self.event_of(deviation), &self.budget) {
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

    /// What the questions so far cost: literals that were assigned, pairs and instants that were looked at.
    pub fn work(&self) -> u64 {
        self.line.work
    }

    /// Questions are given up once they cost more than this in addition to those so far.
    pub fn limit_work(&mut self, most: u64) {
        self.line.most_work = self.line.work.saturating_add(most);
    }

    /// Whether they did.
    pub fn is_out_of_work(&self) -> bool {
        self.line.work > self.line.most_work
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

    pub(crate) fn before(&mut self, a: u32, b: u32) -> Atom {
        let (a, b) = (self.run.instant(a), self.run.instant(b));
        self.line.before(a, b)
    }

    pub(crate) fn left_out(&mut self, event: u32) -> Atom {
        let instant = self.run.instant(event);
        self.line.before(END, instant)
    }

    /// Plays a line through. What it violates is said; if it violates nothing, whom signals wake.
    fn play(&mut self, instants: &[u32], assumed: &[Atom], deviation: Deviation) -> Result<End, Refused> {
        self.line.work += instants.len() as u64;
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
        let woken = state.woken();
        Ok(End { wakes: state.wakes, woken, deviates })
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
