//! Two steps that can be made in one state, in both orders.

use gordian_base::{Rng, ThreadId};
use gordian_engine::End;
use gordian_ir::Program;
use gordian_strategies::happens_before::relation::{Made, Relation};
use gordian_trace::{Choice, Objection, OpKind, Test, Wants};
use gordian_vm::{Machine, Mark};
use std::collections::{BTreeMap, BTreeSet};

/// Steps that a thread which was left alone makes without a choice before it is looked at again.
const STEPS_ALONE: usize = 300;

/// What the order of two independent steps must not change.
#[derive(Clone, PartialEq)]
struct Outcome {
    end: Option<String>,
    findings: BTreeSet<String>,
    choices: Vec<Choice>,
    wants: Vec<Option<Wants>>,
    parts: Vec<(&'static str, String)>,
}

impl Outcome {
    /// Who is left alone goes on to the end without a step: both orders are brought there.
    fn of(machine: &mut Machine<'_>) -> Outcome {
        for _ in 0..STEPS_ALONE {
            if machine.end().is_some() || !machine.is_alone() || machine.choices().len() != 1 {
                break;
            }
            let only = machine.choices()[0];
            machine.step(only);
        }
        let threads = 0..machine.thread_numbers() as u32;
        let mut wants: Vec<_> = threads.map(|thread| machine.wants(ThreadId(thread)).map(without_key)).collect();
        // Numbers that other executions gave stay.
        while wants.last().is_some_and(Option::is_none) {
            wants.pop();
        }
        Outcome {
            end: end_of(machine),
            findings: findings_of(machine),
            choices: machine.choices().to_vec(),
            wants,
            parts: machine.state_parts().into_iter().map(without_order).collect(),
        }
    }

    /// Whether the execution came to something that gordian does not support.
    fn is_unsupported(&self) -> bool {
        self.end.as_deref().is_some_and(|end| end.starts_with("Unsupported"))
    }

    /// The parts in which two outcomes differ, with a few lines of each.
    ///
    /// Lemma: where both orders end as unsupported, nothing else counts. Either makes the verdict inconclusive, and nothing comes after.
    fn differences(&self, other: &Outcome) -> Vec<String> {
        let mut all = Vec::new();
        if self.is_unsupported() && other.is_unsupported() {
            return all;
        }
        let mut compare = |what: &str, is_same: bool, text: &dyn Fn() -> String| {
            if !is_same {
                all.push(format!("{what}: {}", text()));
            }
        };
        compare("end", self.end == other.end, &|| format!("{:?} | {:?}", self.end, other.end));
        compare("findings", self.findings == other.findings, &|| format!("{:?} | {:?}", self.findings, other.findings));
        compare("choices", self.choices == other.choices, &|| format!("{:?} | {:?}", self.choices, other.choices));
        compare("wants", self.wants == other.wants, &|| format!("{:?} | {:?}", self.wants, other.wants));
        for (a, b) in self.parts.iter().zip(&other.parts) {
            compare(a.0, a.1 == b.1, &|| {
                let lines = |text: &str, without: &str| -> Vec<String> {
                    let known: BTreeSet<&str> = without.lines().collect();
                    let new = text.lines().filter(|line| !known.contains(line)).take(3);
                    new.map(|line| line.chars().take(260).collect()).collect()
                };
                format!("{:?} | {:?}", lines(&a.1, &b.1), lines(&b.1, &a.1))
            });
        }
        all
    }
}

/// Output without its order.
///
/// Lemma: the order of what different threads print is no state. No operation reads it back, and no finding depends on it; reports show the output of one
/// execution alone.
fn without_order((name, text): (&'static str, String)) -> (&'static str, String) {
    if !matches!(name, "stdout" | "stderr") {
        return (name, text);
    }
    let mut characters: Vec<char> = text.chars().collect();
    characters.sort_unstable();
    (name, characters.into_iter().collect())
}

/// A wish without the key of the file that it is for.
///
/// Lemma: the key in a wish decides nothing. Which file a descriptor names is looked up again when the operation is made, and whether it would block is
/// asked by descriptor. So who opens or closes a descriptor commutes with who comes to stand before an operation on it.
fn without_key(wants: Wants) -> Wants {
    Wants { address: if wants.kind == OpKind::File { 0 } else { wants.address }, ..wants }
}

fn end_of(machine: &Machine<'_>) -> Option<String> {
    machine.end().map(|end| format!("{end:?}"))
}

pub fn findings_of(machine: &Machine<'_>) -> BTreeSet<String> {
    machine.findings().iter().map(|raw| format!("{:?}", raw.finding.key())).collect()
}

/// A state after one step, and what follows it.
struct After {
    made: Made,
    kinds: String,
    end: Option<String>,
    findings: BTreeSet<String>,
    choices: Vec<Choice>,
    next: Vec<Second>,
}

/// A step after another.
struct Second {
    choice: Choice,
    made: Made,
    /// It happens after the first.
    is_ordered: bool,
    outcome: Outcome,
}

impl After {
    fn next(&self, choice: Choice) -> Option<&Second> {
        self.next.iter().find(|second| second.choice == choice)
    }

    fn n_variants(&self, thread: ThreadId) -> usize {
        n_variants(&self.choices, thread)
    }
}

fn n_variants(choices: &[Choice], thread: ThreadId) -> usize {
    choices.iter().filter(|choice| choice.thread == thread).count()
}

/// Pairs that were looked at, and what is wrong with them.
#[derive(Default)]
pub struct Totals {
    pub pairs: u64,
    /// Those that the relation calls independent.
    pub independent: u64,
    /// Those of them in whose state a thread awaits something.
    pub awaiting: u64,
    /// By what is wrong and by the kinds of steps: how often, and an example.
    pub violations: BTreeMap<(String, String), (u64, String)>,
    /// Kinds of independent pairs.
    pub kinds: BTreeSet<String>,
}

impl Totals {
    fn violation(&mut self, what: &str, a: &After, b: &str, example: impl FnOnce() -> String) {
        let mut pair = [a.kinds.as_str(), b];
        pair.sort_unstable();
        let entry = self.violations.entry((what.to_owned(), pair.join(" / "))).or_insert_with(|| (0, example()));
        entry.0 += 1;
    }

    pub fn add(&mut self, other: Totals) {
        self.pairs += other.pairs;
        self.independent += other.independent;
        self.awaiting += other.awaiting;
        self.kinds.extend(other.kinds);
        for (pair, (n, example)) in other.violations {
            self.violations.entry(pair).or_insert_with(|| (0, example)).0 += n;
        }
    }

    pub fn assert_none(&self, what: &str) {
        // `cargo xtask soak` reads this.
        let (pairs, independent, kinds) = (self.pairs, self.independent, self.kinds.len());
        println!("commuted pairs={pairs} independent={independent} kinds={kinds} of {what}");
        let lines: Vec<String> = self
            .violations
            .iter()
            .map(|((what, pair), (n, example))| format!("{what} | {pair} | {n} times, such as\n{example}"))
            .collect();
        assert!(lines.is_empty(), "steps that are called independent do not commute:\n{}", lines.join("\n"));
    }
}

/// An execution under way, on the machine and in the relation.
struct Walk<'p> {
    machine: Machine<'p>,
    relation: Relation,
    name: String,
}

impl Walk<'_> {
    fn step(&mut self, choice: Choice) -> (Made, String) {
        let Walk { machine, relation, .. } = self;
        let wants = machine.wants(choice.thread);
        let n_events = machine.events().len();
        machine.step(choice);
        let fails = matches!(machine.end(), Some(End::Failed)) && !machine.is_stuck();
        let made = relation.push(choice, machine.events(), wants, fails);
        let own = machine.events()[n_events..].iter().filter(|event| event.thread == choice.thread);
        let mut kinds: Vec<String> =
            own.filter(|event| event.kind != OpKind::Watch).take(3).map(|event| format!("{:?}", event.kind)).collect();
        if kinds.is_empty() {
            kinds.push(format!("{:?}?", wants.map(|wants| wants.kind)));
        }
        kinds.dedup();
        let marks = format!("{}{}", if choice.variant > 0 { "'" } else { "" }, if fails { "!" } else { "" });
        (made, kinds.join("+") + &marks)
    }

    /// What each choice leads to, and each choice after it.
    fn look_ahead(&mut self, choices: &[Choice]) -> Vec<After> {
        let depth = self.relation.len();
        let mark = self.machine.mark();
        let mut afters = Vec::new();
        for &choice in choices {
            let (made, kinds) = self.step(choice);
            let (end, findings) = (end_of(&self.machine), findings_of(&self.machine));
            let after = self.machine.choices().to_vec();
            let mut next = Vec::new();
            if end.is_none() {
                self.relation.push_state(&after, self.machine.events().len());
                let mark = self.machine.mark();
                for &second in after.iter().filter(|second| second.thread != choice.thread) {
                    let (made, _) = self.step(second);
                    let is_ordered = self.relation.is_ordered(depth, depth + 1);
                    let outcome = Outcome::of(&mut self.machine);
                    next.push(Second { choice: second, made, is_ordered, outcome });
                    self.machine.undo_to(mark);
                    self.relation.truncate(depth + 1);
                }
            }
            self.machine.undo_to(mark);
            self.relation.truncate(depth);
            afters.push(After { made, kinds, end, findings, choices: after, next });
        }
        afters
    }

    /// Whether two steps touch the same.
    ///
    /// Lemma: what they touch of variables that only the main thread uses does not count. If main waits for the end of a thread, that thread's last step also writes
    /// the result; if main comes to the join later, its own step does. Nobody but main can depend on that, and main does so after the join alone.
    fn is_alike(&self, a: Made, b: Made) -> bool {
        self.relation.is_alike(a, b, |address| self.machine.is_used_by_main_alone(address))
    }

    /// Whether a thread stands before a look that lets it leave its loop, or would not.
    fn somebody_awaits(&self) -> bool {
        let awaits =
            |thread| self.machine.watched(ThreadId(thread)).any(|(_, _, place)| place & 0xff == OpKind::WATCHES_AWAIT);
        (0..self.machine.thread_numbers() as u32).any(awaits)
    }

    /// Looks at all pairs of steps that can be made in the present state.
    fn examine(&mut self, totals: &mut Totals) {
        let choices = self.machine.choices().to_vec();
        if choices.iter().all(|choice| choice.thread == choices[0].thread) {
            return;
        }
        let afters = self.look_ahead(&choices);
        for i in 0..choices.len() {
            for j in i + 1..choices.len() {
                if choices[i].thread != choices[j].thread {
                    self.compare(&choices, &afters, i, j, totals);
                }
            }
            self.compare_unordered(&choices, &afters, i, totals);
        }
    }

    fn example(&self, a: (Choice, Made), b: (Choice, Made), more: &[String]) -> String {
        let schedule: Vec<(u32, u32)> =
            self.machine.schedule().iter().map(|choice| (choice.thread.0, choice.variant)).collect();
        let describe = |(choice, made): (Choice, Made)| {
            format!("    {}.{}: {}", choice.thread.0, choice.variant, self.relation.describe(made))
        };
        format!("    {} after {schedule:?}\n{}\n{}\n    {}", self.name, describe(a), describe(b), more.join("\n    "))
    }

    /// Two steps that the relation calls independent as each would be made at once.
    fn compare(&self, choices: &[Choice], afters: &[After], i: usize, j: usize, totals: &mut Totals) {
        let (a, b) = (choices[i], choices[j]);
        let (of_a, of_b) = (&afters[i], &afters[j]);
        totals.pairs += 1;
        if self.relation.depends(of_a.made, of_b.made) {
            return;
        }
        totals.independent += 1;
        totals.awaiting += u64::from(self.somebody_awaits());
        let mut kinds = [of_a.kinds.as_str(), of_b.kinds.as_str()];
        kinds.sort_unstable();
        totals.kinds.insert(kinds.join(" / "));
        let example = |more: &[String]| self.example((a, of_a.made), (b, of_b.made), more);
        match (&of_a.end, &of_b.end) {
            (Some(_), Some(_)) => return,
            (Some(_), None) => return self.compare_ending((of_a, a), of_b, &example, totals),
            (None, Some(_)) => return self.compare_ending((of_b, b), of_a, &example, totals),
            (None, None) => {}
        }
        let (Some(ab), Some(ba)) = (of_a.next(b), of_b.next(a)) else {
            let more = format!("after the first {:?}, after the second {:?}", of_a.choices, of_b.choices);
            return totals.violation("disables", of_a, &of_b.kinds, || example(&[more]));
        };
        let differences = ab.outcome.differences(&ba.outcome);
        if !differences.is_empty() {
            totals.violation(&differing(&differences), of_a, &of_b.kinds, || example(&differences));
        }
        let is_alike = || self.is_alike(ab.made, of_b.made) && self.is_alike(ba.made, of_a.made);
        if !ab.outcome.is_unsupported() && !is_alike() {
            let more = [self.relation.describe(ab.made), self.relation.describe(ba.made)];
            totals.violation("touches otherwise", of_a, &of_b.kinds, || example(&more));
        }
        if ab.is_ordered || ba.is_ordered {
            totals.violation("clocks order what labels do not", of_a, &of_b.kinds, || example(&[]));
        }
        if of_a.n_variants(b.thread) != n_variants(choices, b.thread)
            || of_b.n_variants(a.thread) != n_variants(choices, a.thread)
        {
            totals.violation("changes variants", of_a, &of_b.kinds, || example(&[]));
        }
    }

    /// A step that ends the execution must do so after the other one, too, and with the same findings.
    fn compare_ending(
        &self,
        (ending, choice): (&After, Choice),
        going: &After,
        example: &dyn Fn(&[String]) -> String,
        totals: &mut Totals,
    ) {
        let Some(then) = going.next(choice) else {
            return totals.violation("prevents a failure", ending, &going.kinds, || example(&[]));
        };
        if then.outcome.end != ending.end || !ending.findings.is_subset(&then.outcome.findings) {
            let more =
                format!("{:?} {:?} | {:?} {:?}", ending.end, ending.findings, then.outcome.end, then.outcome.findings);
            totals.violation("changes a failure", ending, &going.kinds, || example(&[more]));
        } else if !self.is_alike(then.made, ending.made) {
            let more = self.relation.describe(then.made);
            totals.violation("changes what a failure touches", ending, &going.kinds, || example(&[more]));
        }
    }

    /// Steps that are made after another without being ordered after it, although they would depend on each other if both were made at once.
    fn compare_unordered(&self, choices: &[Choice], afters: &[After], i: usize, totals: &mut Totals) {
        let (a, of_a) = (choices[i], &afters[i]);
        for second in of_a.next.iter().filter(|second| !second.is_ordered) {
            let b = second.choice;
            let example = |more: &[String]| self.example((a, of_a.made), (b, second.made), more);
            let Some(j) = choices.iter().position(|choice| *choice == b) else {
                let kind = format!("{:?}?", self.machine.wants(b.thread).map(|wants| wants.kind));
                totals.violation("enables, unordered", of_a, &kind, || example(&[]));
                continue;
            };
            let of_b = &afters[j];
            if !self.relation.depends(of_a.made, of_b.made) {
                continue;
            }
            if of_b.end.is_some() {
                let more = [self.relation.describe(of_b.made)];
                totals.violation("fails at once, unordered", of_a, &of_b.kinds, || example(&more));
                continue;
            }
            match of_b.next(a) {
                None => totals.violation("disables, unordered", of_a, &of_b.kinds, || example(&[])),
                Some(other) => {
                    let differences = second.outcome.differences(&other.outcome);
                    if !differences.is_empty() {
                        let what = format!("{}, unordered", differing(&differences));
                        totals.violation(&what, of_a, &of_b.kinds, || example(&differences));
                    }
                }
            }
        }
    }
}

/// The names of the parts that differ.
fn differing(differences: &[String]) -> String {
    let names: Vec<&str> = differences.iter().map(|text| text.split(':').next().unwrap_or_default()).collect();
    format!("differs in {}", names.join(", "))
}

/// How a program is walked through.
#[derive(Clone, Copy)]
pub struct Plan {
    pub n_walks: u64,
    pub n_steps: u64,
    /// Of so many states one is looked at.
    pub every: usize,
    /// Pairs after which the program is left.
    pub most_pairs: u64,
}

/// Checks pairs along random walks through a program. Gives why a search with these settings would have to be made with others, if so.
pub fn walk(
    name: &str,
    program: &Program,
    test: &Test,
    rng: &mut Rng,
    plan: Plan,
    totals: &mut Totals,
) -> Option<Objection> {
    let before = totals.pairs;
    for _ in 0..plan.n_walks {
        let machine = Machine::new(program, test).expect("it can be set up");
        let mut walk = Walk { machine, relation: Relation::default(), name: name.to_owned() };
        walk.machine.mark();
        for _ in 0..plan.n_steps {
            if walk.machine.end().is_some() {
                break;
            }
            if totals.pairs - before > plan.most_pairs {
                return None;
            }
            walk.relation.push_state(walk.machine.choices(), walk.machine.events().len());
            if rng.below(plan.every) == 0 {
                walk.examine(totals);
            }
            if walk.machine.objection().is_some() {
                return walk.machine.objection();
            }
            let choice = walk.machine.choices()[rng.below(walk.machine.choices().len())];
            walk.step(choice);
        }
    }
    None
}

/// Checks the pairs in every state that a program can reach, until so many executions have ended.
pub fn search(name: &str, program: &Program, test: &Test, mut n_executions: u64, totals: &mut Totals) {
    let machine = Machine::new(program, test).expect("it can be set up");
    let mut walk = Walk { machine, relation: Relation::default(), name: name.to_owned() };
    // By state on the way: how to go back to it, and the choices that are still to be made there.
    let mut open: Vec<(Mark, Vec<Choice>)> = Vec::new();
    while n_executions > 0 {
        if walk.machine.end().is_none() {
            walk.relation.push_state(walk.machine.choices(), walk.machine.events().len());
            walk.examine(totals);
            open.push((walk.machine.mark(), walk.machine.choices().to_vec()));
        } else {
            n_executions -= 1;
        }
        while open.pop_if(|(_, choices)| choices.is_empty()).is_some() {}
        let depth = open.len();
        let Some((mark, choices)) = open.last_mut() else { return };
        walk.machine.undo_to(*mark);
        walk.relation.truncate(depth - 1);
        let choice = choices.pop().expect("a choice is left");
        walk.step(choice);
    }
}
