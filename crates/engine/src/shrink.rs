//! Making a schedule short enough to read.
//!
//! Each move changes the schedule from one of its blocks on (a block is a longest run of steps of one thread)
//! and runs the result *tolerantly*: steps that cannot be made are left out, and after the last the default
//! schedule goes on. If a finding with the same key shows at a lower [`Cost`], the choices that were really made
//! become the new schedule. This repeats until no move helps, so the result is minimal with respect to the
//! moves. No time is measured and no random number drawn: the same test shrinks to the same test everywhere.

use crate::collect::same_key;
use crate::default_schedule::default_choice;
use crate::replay::{finish, follow, shown};
use crate::{Cost, EngineError, Evidence, Executor, Observer, ShrinkProgress, Stepping, Subject};
use gordian_base::ThreadId;
use gordian_trace::{Choice, Finding, Schedule, Test};
use std::ops::Range;

/// How much shrinking may do, in counts and not in time, so that its result is the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    pub attempts: u64,
    pub steps: u64,
}

impl Effort {
    pub const UNLIMITED: Effort = Effort { attempts: u64::MAX, steps: u64::MAX };

    /// Nothing is to be made shorter.
    pub const NONE: Effort = Effort { attempts: 0, steps: 0 };

    /// About a second for all findings of a search together.
    pub(crate) fn shared_by(n_findings: usize) -> Effort {
        let n = n_findings.max(1) as u64;
        Effort { attempts: (10_000 / n).clamp(20, 1_000), steps: (1_000_000 / n).min(200_000) }
    }
}

/// Removes context switches and choices from the test while its finding remains, until no move helps.
pub fn shrink<S: Subject>(subject: &S, test: &Test, observer: &mut dyn Observer) -> Result<Test, EngineError> {
    shrink_within(subject, test, Effort::UNLIMITED, observer)
}

/// Like [`shrink`], and stops with what it has when the effort is spent.
pub fn shrink_within<S: Subject>(
    subject: &S,
    test: &Test,
    effort: Effort,
    observer: &mut dyn Observer,
) -> Result<Test, EngineError> {
    let mut machine = subject.start(test, false)?;
    let start = machine.mark();
    if let Some(divergence) = follow(&mut machine, &test.schedule.0) {
        return Err(EngineError::Diverged(divergence));
    }
    let target = target(&mut machine, test)?;
    let raw = machine.findings().iter().find(|raw| same_key(&raw.finding, &target)).expect("the target has shown");
    let best = machine.schedule()[..raw.steps].to_vec();
    let mut shrinker = Shrinker {
        machine,
        target,
        cost: Cost::of(&best),
        best,
        starts: Vec::new(),
        block: 0,
        mark: start,
        prefix: Cost::of(&[]),
        tail: Vec::new(),
        effort,
        attempts: 0,
        observer,
    };
    shrinker.run(start);
    let Shrinker { target, best, .. } = shrinker;
    // On a fresh machine: one that has objected may object to the best schedule as well.
    let mut machine = subject.start(test, false)?;
    assert!(follow(&mut machine, &best).is_none(), "the best schedule was executed before");
    let threads = machine.thread_origins();
    Ok(Test { schedule: Schedule(best), threads, finding: Some(target), ..test.clone() })
}

/// The finding to keep: what the test claims; without a claim what ended the execution, or else the first.
fn target<E: Executor>(machine: &mut E, test: &Test) -> Result<Finding, EngineError> {
    if test.finding.as_ref().is_none_or(|claim| !shown(machine, claim)) {
        finish(machine);
    }
    match &test.finding {
        Some(claim) if shown(machine, claim) => Ok(claim.clone()),
        Some(_) => Err(EngineError::NothingToShrink("another behaviour than the finding it claims")),
        None => match (machine.end(), machine.findings()) {
            (Some(crate::End::Failed), [.., fatal]) => Ok(fatal.finding.clone()),
            (_, [first, ..]) => Ok(first.finding.clone()),
            (_, []) => Err(EngineError::NothingToShrink("no finding")),
        },
    }
}

/// What can be tried at a block. Those that change most come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// Leave the rest to the default schedule.
    Finish,
    /// Leave the block out.
    Drop,
    /// Let the thread before go on with its next block first.
    Pull,
    /// Put the block off until its thread's next one.
    Put,
    /// Take the ordinary variant in the n-th step of the block that has another.
    Ordinary(usize),
    /// Leave out the last `1/2^n` of the block.
    Shorten(u32),
}

impl Move {
    const ALL: [Move; 6] = [Move::Finish, Move::Drop, Move::Pull, Move::Put, Move::Ordinary(0), Move::Shorten(1)];

    /// What to try at the same block if this did not help.
    fn otherwise(self) -> Option<Move> {
        match self {
            Move::Finish | Move::Drop | Move::Pull | Move::Put => None,
            Move::Ordinary(n) => Some(Move::Ordinary(n + 1)),
            Move::Shorten(n) => Some(Move::Shorten(n + 1)),
        }
    }
}

struct Shrinker<'o, E: Executor> {
    machine: E,
    target: Finding,
    best: Vec<Choice>,
    cost: Cost,
    /// Where the blocks of `best` start.
    starts: Vec<usize>,
    /// The block that moves are tried at, the way back to its start, and the cost of what comes before. The machine is
    /// always at a descendant of `mark`. It is not at one of later blocks' starts: moves have led it elsewhere.
    block: usize,
    mark: E::Mark,
    prefix: Cost,
    /// The choices to try after the prefix; kept to save allocations.
    tail: Vec<Choice>,
    /// What is left of it.
    effort: Effort,
    attempts: u64,
    observer: &'o mut dyn Observer,
}

impl<E: Executor> Shrinker<'_, E> {
    fn run(&mut self, start: E::Mark) {
        loop {
            let before = self.cost;
            for mv in Move::ALL {
                self.mark = start;
                self.find_blocks();
                self.go_to(0);
                self.pass(mv);
            }
            if self.cost == before {
                return;
            }
        }
    }

    /// Tries one kind of move at every block, at each as long as it helps.
    fn pass(&mut self, mv: Move) {
        let mut now = mv;
        while self.block < self.starts.len() && !self.is_spent() {
            let applies = self.fill_tail(now);
            if applies && self.attempt() {
                self.observer.shrunk(&ShrinkProgress { attempts: self.attempts, cost: self.cost });
                now = mv;
                continue;
            }
            match now.otherwise() {
                Some(other) if applies => now = other,
                _ => {
                    self.go_to(self.block + 1);
                    now = mv;
                }
            }
        }
    }

    fn find_blocks(&mut self) {
        let begins = |step: usize| step == 0 || self.best[step - 1].thread != self.best[step].thread;
        let starts = (0..self.best.len()).filter(|&step| begins(step));
        self.starts.clear();
        self.starts.extend(starts);
    }

    /// Whether nothing more can be tried. A machine that has objected remembers why across `undo_to`, so that not even the best schedule
    /// may be possible on it any more.
    fn is_spent(&self) -> bool {
        self.effort.attempts == 0 || self.effort.steps == 0 || self.machine.objection().is_some()
    }

    /// Moves on along the best schedule from the present mark to the start of `block`.
    fn go_to(&mut self, block: usize) {
        self.block = block;
        let Some(&start) = self.starts.get(block) else { return };
        if self.is_spent() {
            return;
        }
        self.machine.undo_to(self.mark);
        for step in self.machine.schedule().len()..start {
            if self.is_spent() {
                return;
            }
            self.machine.step(self.best[step]);
        }
        self.mark = self.machine.mark();
        self.prefix = Cost::of(&self.best[..start]);
    }

    fn range(&self, block: usize) -> Range<usize> {
        self.starts[block]..self.starts.get(block + 1).copied().unwrap_or(self.best.len())
    }

    fn thread(&self, block: usize) -> ThreadId {
        self.best[self.starts[block]].thread
    }

    /// The first block of `thread` from `from` on.
    fn next_block_of(&self, thread: ThreadId, from: usize) -> Option<usize> {
        (from..self.starts.len()).find(|&block| self.thread(block) == thread)
    }

    /// Writes down what `mv` makes of the schedule from the present block on. False if it makes nothing new of it.
    fn fill_tail(&mut self, mv: Move) -> bool {
        let block = self.block;
        let own = self.range(block);
        let len = own.len();
        let rest = own.end..self.best.len();
        let mut tail = std::mem::take(&mut self.tail);
        tail.clear();
        let mut add = |range: Range<usize>| tail.extend_from_slice(&self.best[range]);
        let applies = match mv {
            Move::Finish => true,
            Move::Drop => {
                add(rest);
                true
            }
            Move::Pull => {
                let partner =
                    block.checked_sub(1).and_then(|before| self.next_block_of(self.thread(before), block + 1));
                if let Some(partner) = partner {
                    let pulled = self.range(partner);
                    add(pulled.clone());
                    add(own.start..pulled.start);
                    add(pulled.end..rest.end);
                }
                partner.is_some()
            }
            Move::Put => {
                let partner = self.next_block_of(self.thread(block), block + 1);
                if let Some(partner) = partner {
                    let place = self.range(partner).start;
                    add(own.end..place);
                    add(own);
                    add(place..rest.end);
                }
                partner.is_some()
            }
            Move::Ordinary(n) => {
                add(own.start..rest.end);
                let unusual = tail[..len].iter_mut().filter(|choice| choice.variant > 0).nth(n);
                unusual.map(|choice| choice.variant = 0).is_some()
            }
            Move::Shorten(n) => {
                let less = len.checked_shr(n).unwrap_or(0);
                add(own.start..own.end - less);
                add(rest);
                less > 0
            }
        };
        self.tail = tail;
        applies
    }

    /// Runs the tail from the present block on. True if it was better; it is then the best.
    fn attempt(&mut self) -> bool {
        let tail = std::mem::take(&mut self.tail);
        let shown = self.shows_cheaper(&tail);
        self.attempts += 1;
        self.effort.attempts -= 1;
        self.tail = tail;
        let Some(steps) = shown else { return false };
        self.best.clear();
        self.best.extend_from_slice(&self.machine.schedule()[..steps]);
        self.cost = Cost::of(&self.best);
        // The present block may have become part of the one before.
        let kept = self.prefix.steps;
        self.find_blocks();
        self.go_to(self.starts.partition_point(|&start| start < kept));
        true
    }

    /// At which step the target shows if `tail` is run tolerantly and stays cheaper than the best.
    fn shows_cheaper(&mut self, tail: &[Choice]) -> Option<usize> {
        self.machine.undo_to(self.mark);
        let mut cost = self.prefix;
        // Fewer switches may take more steps, but not without end.
        let most_steps = 2 * self.best.len() + 1_000;
        let mut seen = self.machine.findings().len();
        let mut tail = tail.iter();
        while self.machine.end().is_none() && !self.is_spent() {
            let choice = loop {
                match tail.next() {
                    Some(&wanted) => match nearest(self.machine.choices(), wanted) {
                        Some(choice) => break choice,
                        None => continue,
                    },
                    None => break default_choice(&self.machine),
                }
            };
            let last = self.machine.schedule().last().map(|last| last.thread);
            cost.switches += usize::from(last.is_some_and(|thread| thread != choice.thread));
            cost.variants += usize::from(choice.variant > 0);
            cost.steps += 1;
            if cost >= self.cost || cost.steps > most_steps {
                return None;
            }
            self.machine.step(choice);
            self.effort.steps -= 1;
            let findings = self.machine.findings();
            if let Some(raw) = findings[seen..].iter().find(|raw| same_key(&raw.finding, &self.target)) {
                return Some(raw.steps);
            }
            seen = findings.len();
        }
        None
    }
}

/// `wanted` if it can be made, or else another way to step the same thread.
fn nearest(choices: &[Choice], wanted: Choice) -> Option<Choice> {
    let of_thread = || choices.iter().filter(|choice| choice.thread == wanted.thread);
    of_thread().find(|choice| choice.variant == wanted.variant).or_else(|| of_thread().next()).copied()
}
