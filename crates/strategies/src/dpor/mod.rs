//! Optimal dynamic partial order reduction: Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for
//! Optimal Dynamic Partial Order Reduction", J. ACM 2017 (algorithm with wake-up trees), after Flanagan and Godefroid,
//! POPL 2005, and the sleep sets of Godefroid.
//!
//! **Guarantee:** one execution for each Mazurkiewicz trace, that is for each way in which dependent steps can be
//! ordered; when it is done and no bound was hit, every behaviour of the program was executed.
//!
//! **Deviations**
//! - Locks, semaphores and read-write locks block: an acquisition races with the latest operation before which it
//!   would not have been blocked (the previous acquisition, not the release), and threads that are blocked for ever
//!   at the end of an execution take part with the operation that they wait to make.
//! - A race is looked at once, when its second step is first executed, not in every execution that contains it.
//! - Steps with several variants (which waiter a signal wakes) are explored in all of them.
//!
//! **Misses** nothing that brute force on thousands of generated programs has shown. Where several unordered steps could
//! each let a waiting thread go on, a few executions are planned in vain and given up. Its memory grows with the depth of the executions and the wake-up trees along one of them.

mod footprint;
mod history;
mod wakeup;

pub(crate) use footprint::Footprint;
use gordian_base::ThreadId;
use gordian_engine::{End, Ended, Next, Point, Strategy};
use gordian_trace::{Choice, Event, Exploration, Wants};
pub(crate) use history::History;
pub(crate) use history::{Race, Second};
use smallvec::SmallVec;
use std::rc::Rc;
pub(crate) use wakeup::Label;
use wakeup::{Branch, Initial, insert};
pub(crate) use wakeup::{Sequence, weak_initial};

pub const NAME: &str = "dpor";

/// A state on the way of the present execution.
struct Node {
    /// Steps that were explored from here, or from before and are independent of all since.
    sleep: Vec<Label>,
    /// What is to be explored from here, the branch under way first.
    todo: Vec<Branch>,
    /// Branches that were explored to their end.
    n_done: u32,
    choices: SmallVec<[Choice; 8]>,
    n_events: usize,
    /// What the step under way was about to do.
    wants: Option<Wants>,
}

impl Node {
    /// Adds a sequence to what is to be explored from here, unless that has been or will be.
    fn plan(&mut self, sequence: Sequence<'_>) {
        if self.sleep.iter().any(|asleep| self.covers(asleep, &sequence)) {
            return;
        }
        let mut waiting = self.todo.split_off(1);
        insert(&mut waiting, sequence);
        self.todo.append(&mut waiting);
    }

    /// Whether what was explored from here beginning with `asleep` covers the sequence. A step that is wanted in all its
    /// variants is covered only if all of them are asleep.
    fn covers(&self, asleep: &Label, sequence: &[&Label]) -> bool {
        match weak_initial(asleep, sequence) {
            None => false,
            Some(Initial::Apart) => true,
            Some(Initial::At(position)) if sequence[position].variant.is_some() => true,
            Some(Initial::At(_)) => {
                let mut variants = self.choices.iter().filter(|choice| choice.thread == asleep.thread);
                variants.all(|choice| self.sleep.iter().any(|asleep| asleep.matches(*choice)))
            }
        }
    }
}

pub struct Dpor {
    nodes: Vec<Node>,
    history: History,
    /// Of steps that were not executed yet.
    unknown: Rc<Footprint>,
}

impl Default for Dpor {
    fn default() -> Self {
        let unknown = Rc::new(Footprint::unknown());
        Dpor { nodes: Vec::new(), history: History::default(), unknown }
    }
}

impl Dpor {
    /// Takes in the step that was made since it was last asked.
    fn absorb(&mut self, schedule: &[Choice], events: &[Event]) {
        let made = self.history.len();
        if made == schedule.len() {
            return;
        }
        let node = &self.nodes[made];
        self.history.push(schedule[made], &events[node.n_events..], &node.choices, node.wants);
        let label = &mut self.nodes[made].todo[0].label;
        label.variant = Some(schedule[made].variant);
        label.footprint = Rc::clone(&self.history.steps[made].label.footprint);
        self.plan_other_wakings(made);
    }

    /// A step woke a thread that could also have stopped waiting by itself: by time-out, or for no reason. That it does so
    /// before is a behaviour of its own, which no race will show because the thread does something else now.
    fn plan_other_wakings(&mut self, depth: usize) {
        let footprint = Rc::clone(&self.history.steps[depth].label.footprint);
        for thread in footprint.released() {
            let node = &mut self.nodes[depth];
            let others = node.choices.clone();
            for choice in others.iter().filter(|choice| choice.thread == thread) {
                let label = Label { thread, variant: Some(choice.variant), footprint: Rc::clone(&self.unknown) };
                node.plan(std::iter::once(&label).collect());
            }
        }
    }

    /// The node for the state that the execution has just reached.
    fn arrive(&mut self, point: &Point<'_>) {
        let (sleep, todo) = match self.nodes.last_mut() {
            None => (Vec::new(), Vec::new()),
            Some(parent) => {
                let under_way = &mut parent.todo[0];
                let label = &under_way.label;
                let sleep = parent.sleep.iter().filter(|asleep| !asleep.depends(label)).cloned().collect();
                (sleep, std::mem::take(&mut under_way.children))
            }
        };
        let choices = point.choices.into();
        self.nodes.push(Node { sleep, todo, n_done: 0, choices, n_events: point.events.len(), wants: None });
    }

    /// A thread that is not asleep, the one that made the last step if possible: going on is cheapest.
    fn pick(&self, point: &Point<'_>) -> Option<Choice> {
        let node = self.nodes.last().expect("the node was made");
        let awake = |choice: &&Choice| !node.sleep.iter().any(|asleep| asleep.matches(**choice));
        let last = point.last();
        let own = point.choices.iter().filter(awake).find(|choice| Some(choice.thread) == last);
        own.or_else(|| point.choices.iter().find(awake)).copied()
    }

    /// The index of the choice that the branch under way wants. Its thread's other variants are put behind it, unless
    /// just this one is wanted: where that was seen first, they were put behind it as well.
    fn follow(&mut self, point: &Point<'_>) -> Option<usize> {
        let node = self.nodes.last_mut().expect("the node was made");
        let wanted = node.todo.first()?.label.clone();
        let found = point.choices.iter().position(|choice| wanted.matches(*choice));
        // The variant that was seen may not exist in this order of things.
        let index = found.or_else(|| point.choices.iter().position(|choice| choice.thread == wanted.thread))?;
        node.todo[0].label.variant = Some(point.choices[index].variant);
        node.wants = point.wants(wanted.thread);
        if wanted.variant.is_none() || found.is_none() {
            self.add_variants(wanted.thread);
        }
        Some(index)
    }

    /// What `thread` can do besides what is planned or done already.
    fn add_variants(&mut self, thread: ThreadId) {
        let node = self.nodes.last_mut().expect("the node was made");
        for choice in node.choices.iter().filter(|choice| choice.thread == thread) {
            let known = node.todo.iter().any(|branch| branch.label.matches(*choice))
                || node.sleep.iter().any(|asleep| asleep.matches(*choice));
            if !known {
                let label = Label { thread, variant: Some(choice.variant), footprint: Rc::clone(&self.unknown) };
                node.todo.push(Branch { label, children: Vec::new() });
            }
        }
    }

    /// Plans the executions in which the two steps of a race come in the other order; `second` is as it may be then.
    fn reverse(&mut self, race: Race, second: Label) {
        let sequence = self.history.without(race, &second);
        self.nodes[race.first as usize].plan(sequence);
    }

    /// An execution that a step cut short: whoever could have stepped before it must be given the chance, since
    /// nothing that they would have done was seen to race.
    fn plan_before_the_end(&mut self) {
        let Some(depth) = self.nodes.len().checked_sub(1) else { return };
        let ender = self.history.steps[depth].choice.thread;
        let choices = self.nodes[depth].choices.clone();
        for &choice in choices.iter().filter(|choice| choice.thread != ender) {
            let (thread, variant) = (choice.thread, Some(choice.variant));
            let node = &mut self.nodes[depth];
            let mut planned = node.sleep.iter().chain(node.todo.iter().map(|branch| &branch.label));
            if !planned.any(|label| label.matches(choice)) {
                let label = Label { thread, variant, footprint: Rc::clone(&self.unknown) };
                node.todo.push(Branch { label, children: Vec::new() });
            }
        }
    }

    fn analyse(&mut self, ended: &Ended<'_>) {
        self.absorb(ended.schedule, ended.events);
        // Whoever is blocked at the end takes part with what it waits to do.
        for thread in (0..ended.thread_numbers as u32).map(ThreadId) {
            let footprint = Rc::new(self.history.locations.pending(thread, ended));
            let found = self.history.races.len();
            self.history.find_races_of_blocked(thread, &footprint.accesses);
            for index in found..self.history.races.len() {
                let second = Label { thread, variant: None, footprint: Rc::clone(&footprint) };
                self.reverse(self.history.races[index], second);
            }
            self.history.races.truncate(found);
        }
        let mut races = std::mem::take(&mut self.history.races);
        for &race in &races {
            let Second::Step(second) = race.second else { unreachable!("those of blocked threads were reversed") };
            let Label { thread, variant, footprint } = &self.history.steps[second as usize].label;
            // Which variants there are may depend on what came before.
            let variant = variant.filter(|_| footprint.keeps_variants);
            let second = Label { thread: *thread, variant, footprint: footprint.pessimistic() };
            self.reverse(race, second);
        }
        races.clear();
        self.history.races = races;
        let cut_short = match ended.end {
            Some(End::Exit(_)) => self.history.steps.last().is_some_and(|step| step.label.footprint.ends_process),
            Some(End::Failed) => !ended.stuck,
            Some(End::Dropped) => true,
            None | Some(End::Bound(_) | End::Unsupported(_)) => false,
        };
        if cut_short {
            self.plan_before_the_end();
        }
    }
}

impl Strategy for Dpor {
    fn exploration(&self) -> Exploration {
        let guarantee = "executes every order of dependent steps within the bounds, each once".to_owned();
        Exploration { strategy: NAME.to_owned(), guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth == self.nodes.len() {
            self.absorb(point.schedule, point.events);
            self.arrive(point);
        }
        if self.nodes[point.depth].todo.is_empty() {
            let choice = self.pick(point)?;
            let label =
                Label { thread: choice.thread, variant: Some(choice.variant), footprint: Rc::clone(&self.unknown) };
            self.nodes[point.depth].todo.push(Branch { label, children: Vec::new() });
            self.add_variants(choice.thread);
        }
        self.follow(point)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.analyse(ended);
        while let Some(node) = self.nodes.last_mut() {
            if !node.todo.is_empty() {
                let done = node.todo.remove(0);
                node.n_done += 1;
                node.sleep.push(done.label);
            }
            if !node.todo.is_empty() {
                let depth = self.nodes.len() - 1;
                self.history.truncate(depth);
                return Next::Backtrack(depth);
            }
            self.nodes.pop();
        }
        Next::Done
    }

    fn exhaustive(&self) -> bool {
        true
    }

    fn backtracks(&self) -> bool {
        true
    }

    fn sees_every_step(&self) -> bool {
        true
    }

    /// As `exhaustive` estimates it, over the branches known so far: those that races will add are not counted, so it
    /// promises too much at first.
    fn done(&self) -> Option<f64> {
        let (mut weight, mut done) = (1.0, 0.0);
        for node in &self.nodes {
            let n_done = f64::from(node.n_done);
            weight /= n_done + node.todo.len().max(1) as f64;
            done += weight * n_done;
        }
        Some(done)
    }
}
