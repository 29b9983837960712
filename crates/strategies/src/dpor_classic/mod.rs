//! Dynamic partial order reduction as it began: Flanagan and Godefroid, "Dynamic Partial-Order Reduction for Model
//! Checking Software", POPL 2005, with the sleep sets of Godefroid, LNCS 1032, 1996. It stands beside `dpor` to show
//! what source sets and wake-up trees gain.
//!
//! **Guarantee:** at least one execution for each Mazurkiewicz trace; when it is done and no bound was hit, every
//! behaviour of the program was executed. Executions in which everybody that could step sleeps are abandoned and
//! counted as blocked.
//!
//! **Deviations**
//! - Which steps race is found when the second is executed, not at each state at which it is pending; only what is
//!   still pending when an execution is abandoned or stuck is looked at as the paper looks at everything.
//! - All immediate races of a step add to backtrack sets, not only the latest one.
//! - A thread that sleeps since before a state is not explored from there, so that the races of its step are not seen
//!   there; if what leads to the race would have to come before that step, all enabled threads are added instead.
//!   Without this, backtrack sets and sleep sets together miss traces.
//! - Nor are the races of a variant seen that sleeps while another variant of the same step is explored. Where a thread is
//!   half asleep like that, all enabled threads are added instead of it alone, and no race is left to what sleeps.
//! - Blocking and steps with several variants are as in `dpor`.
//! - Where a bound cuts an execution off, threads that could have gone on and never did are explored as well: the others may have waited for them.
//!
//! **Misses** nothing.

use crate::dpor::{has_failed, is_cut_short, last_decided, weak_initial};
use crate::happens_before::{Footprints, History, Race, Second, Transition};
use gordian_base::ThreadId;
use gordian_engine::{Capabilities, End, Ended, Next, Point, Strategy};
use gordian_trace::{Bound, Choice, Event, Exploration, Wants};
use smallvec::SmallVec;

pub const NAME: &str = "dpor-classic";

/// A state on the way of the present execution.
struct Node {
    /// What could be chosen here.
    enabled: SmallVec<[Choice; 8]>,
    /// What is to be explored from here. What is explored already sleeps.
    backtrack: Vec<Choice>,
    /// Steps that were explored from here, or from before and are independent of all since.
    sleep: Vec<Transition>,
    /// The first so many of them are from before.
    n_inherited: usize,
    /// The step under way.
    under_way: Transition,
    /// What the step under way was about to do.
    wants: Option<Wants>,
    /// Threads that are explored from here because they never came to step in an execution that was cut off.
    starved: Vec<ThreadId>,
}

impl Node {
    /// Plans the other order of a race whose first step was made from here: adds every variant of what `thread`, which
    /// makes the second, can do here, or, if that is nothing, all that others can. `sequence` leads from here to the
    /// second without the first; `is_whole` unless the execution was cut short, and the sequence with it.
    fn race(&mut self, footprints: &Footprints, thread: ThreadId, sequence: &[Transition], is_whole: bool) {
        let inherited = self.sleep[..self.n_inherited].iter().find(|asleep| asleep.thread == thread);
        match inherited {
            // What it would do first was explored elsewhere, and from there the sequence as well. That says nothing of a
            // variant that is awake, which the second perhaps did not have where it was made.
            Some(asleep)
                if is_whole && !self.is_half_asleep(thread) && weak_initial(footprints, asleep, sequence).is_some() => {
            }
            // It will not be explored from here, so its races with what the sequence begins with will not be seen here.
            Some(_) => self.add_enabled(),
            None if self.enabled.iter().any(|choice| choice.thread == thread) => self.add_thread(thread),
            None => self.add_enabled(),
        }
    }

    fn add_thread(&mut self, thread: ThreadId) {
        if self.is_half_asleep(thread) {
            // What is awake of it may be independent of others that its sleeping variants depend on. Only a step of those
            // others wakes these, and no race will ask for that step.
            return self.add_enabled();
        }
        for choice in &self.enabled {
            if choice.thread == thread && !self.backtrack.contains(choice) {
                self.backtrack.push(*choice);
            }
        }
    }

    fn add_enabled(&mut self) {
        self.backtrack = self.enabled.to_vec();
    }

    /// Whether the thread can go several ways here, some of which sleep since before and some of which do not.
    fn is_half_asleep(&self, thread: ThreadId) -> bool {
        let inherited = &self.sleep[..self.n_inherited];
        let sleeps = |choice: &Choice| inherited.iter().any(|asleep| asleep.matches(*choice));
        let mut variants = self.enabled.iter().filter(|choice| choice.thread == thread).map(sleeps);
        variants.next().is_some_and(|first| variants.any(|other| other != first))
    }

    fn sleeps(&self, choice: Choice) -> bool {
        self.sleep.iter().any(|asleep| asleep.matches(choice))
    }

    /// What to explore next from here.
    fn next(&self) -> Option<Choice> {
        self.backtrack.iter().copied().find(|choice| !self.sleeps(*choice))
    }
}

#[derive(Default)]
pub struct DporClassic {
    nodes: Vec<Node>,
    history: History,
    /// The sequence that leads to the second step of a race.
    sequence: Vec<Transition>,
}

impl DporClassic {
    /// Takes in the step that was made since it was last asked.
    fn record_steps(&mut self, schedule: &[Choice], events: &[Event]) {
        let made = self.history.len();
        if made == schedule.len() {
            return;
        }
        let node = &mut self.nodes[made];
        self.history.push(schedule[made], events, node.wants);
        node.under_way = self.history.steps[made].label;
        // Whom it woke could also have stopped waiting by itself before, which no race will show.
        let footprint = self.history.footprints.get(node.under_way.footprint);
        footprint.released().for_each(|thread| node.add_thread(thread));
    }

    /// The node for the state that the execution has just reached; none if everybody sleeps.
    fn push_state(&mut self, point: &Point<'_>) -> Option<Node> {
        let sleep: Vec<Transition> = self.nodes.last().map_or_else(Vec::new, |parent| {
            let stays = |asleep: &&Transition| !self.history.footprints.depends(asleep, &parent.under_way);
            parent.sleep.iter().filter(stays).copied().collect()
        });
        let awake = |choice: &&Choice| !sleep.iter().any(|asleep| asleep.matches(**choice));
        let own = point.choices.iter().filter(awake).find(|choice| Some(choice.thread) == point.last());
        let choice = *own.or_else(|| point.choices.iter().find(awake))?;
        self.history.push_state(point.choices, point.events.len());
        let (enabled, under_way, n_inherited) =
            (point.choices.into(), Transition::new(choice, point.choices), sleep.len());
        let mut node =
            Node { enabled, backtrack: vec![choice], sleep, n_inherited, under_way, wants: None, starved: Vec::new() };
        node.add_thread(choice.thread);
        Some(node)
    }

    fn backtrack(&mut self, race: Race, second: Transition, is_whole: bool) {
        self.history.without(race, second, &mut self.sequence);
        self.nodes[race.first as usize].race(&self.history.footprints, race.thread, &self.sequence, is_whole);
    }

    fn analyse(&mut self, ended: &Ended<'_>) {
        self.history.fails = has_failed(ended);
        self.record_steps(ended.schedule, ended.events);
        self.history.fails = false;
        let is_cut_short = is_cut_short(ended, &self.history);
        // What is pending races as well: of whom is blocked, or of everybody if the execution was abandoned.
        for thread in (0..ended.thread_numbers as u32).map(ThreadId) {
            let found = self.history.races.len();
            let mut pending = self.history.find_races_of_blocked(thread, ended);
            if ended.end.is_none() && self.history.footprints.get(pending.footprint).accesses.is_empty() {
                pending = self.history.find_races_of_waiting(thread, ended);
            }
            for race in self.history.races.split_off(found) {
                self.backtrack(race, pending, !is_cut_short);
            }
        }
        let failed_at = has_failed(ended).then(|| last_decided(&self.history, self.nodes.len())).flatten();
        for race in std::mem::take(&mut self.history.races) {
            let Second::Step(second) = race.second else { unreachable!("those of blocked threads were seen to") };
            if failed_at.is_some_and(|failed_at| failed_at <= second as usize) {
                // What others would have done behind it was not seen, and where they do it, it is in the sleep set and its races do not show.
                self.nodes[race.first as usize].add_enabled();
            } else {
                self.backtrack(race, self.history.steps[second as usize].label, !is_cut_short);
            }
        }
        if is_cut_short && let Some(last) = last_decided(&self.history, self.nodes.len()) {
            // Nothing that the others would have done was seen to race.
            self.nodes[last].add_enabled();
        }
        if let Some(End::Bound(Bound::Steps | Bound::Instructions)) = ended.end {
            self.add_starved();
        }
    }

    /// An execution that was cut off, perhaps because a thread waits in a loop for another that never came to step: each of those is
    /// explored from where it could first have stepped, once on every path.
    #[cold]
    fn add_starved(&mut self) {
        let Some(last) = self.nodes.last() else { return };
        let mut threads: Vec<ThreadId> = last.enabled.iter().map(|choice| choice.thread).collect();
        threads.dedup();
        for thread in threads {
            if self.nodes.iter().any(|node| node.under_way.thread == thread && node.starved.contains(&thread)) {
                continue;
            }
            let starves = |node: &&mut Node| {
                node.under_way.thread != thread && node.enabled.iter().any(|choice| choice.thread == thread)
            };
            if let Some(node) = self.nodes.iter_mut().rev().take_while(starves).last() {
                node.starved.push(thread);
                node.add_thread(thread);
            }
        }
    }
}

impl Strategy for DporClassic {
    fn exploration(&self) -> Exploration {
        let guarantee = "executes every order of dependent steps within the bounds".to_owned();
        Exploration { strategy: NAME.to_owned(), guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth == self.nodes.len() {
            self.record_steps(point.schedule, point.events);
            let node = self.push_state(point)?;
            self.nodes.push(node);
        }
        let node = &mut self.nodes[point.depth];
        node.wants = point.wants(node.under_way.thread);
        let wanted = &node.under_way;
        Some(
            point.choices.iter().position(|choice| wanted.matches(*choice)).expect("the same prefix, the same choices"),
        )
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.analyse(ended);
        while let Some(node) = self.nodes.last_mut() {
            node.sleep.push(node.under_way);
            if let Some(choice) = node.next() {
                node.under_way = Transition::new(choice, &node.enabled);
                let depth = self.nodes.len() - 1;
                self.history.truncate(depth);
                return Next::Backtrack(depth);
            }
            self.nodes.pop();
        }
        Next::Done
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::REDUCTION
    }
}
