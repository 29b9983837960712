//! Spike: steps that are called independent must commute.
//! Environment: COMMUTE_DIR (folder of C programs; default tests/programs), COMMUTE_ONLY (part of a name), WALKS, STEPS, EVERY,
//! SEED, ALL_OPTIONS.

#[path = "common/c_programs.rs"]
#[allow(dead_code)]
mod c_programs;

use c_programs::{CProgram, folder, load};
use gordian_base::{Rng, ThreadId};
use gordian_engine::End;
use gordian_engine::toy::template;
use gordian_strategies::axiom::{Axiom, Made};
use gordian_trace::{Choice, Event, OpKind, Wants};
use gordian_vm::Machine;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

#[derive(Clone, PartialEq)]
struct Outcome {
    end: Option<String>,
    findings: BTreeSet<String>,
    choices: Vec<Choice>,
    wants: Vec<Option<Wants>>,
    parts: Vec<(&'static str, String)>,
}

impl Outcome {
    fn differs(&self, other: &Outcome) -> Vec<&'static str> {
        let mut all = Vec::new();
        if self.end != other.end {
            all.push("end");
        }
        if self.findings != other.findings {
            all.push("findings");
        }
        if self.choices != other.choices {
            all.push("choices");
        }
        if self.wants != other.wants {
            all.push("wants");
        }
        all.extend(self.parts.iter().zip(&other.parts).filter(|(a, b)| a.1 != b.1).map(|(a, _)| a.0));
        all
    }

    fn show(&self, other: &Outcome) -> String {
        let mut text = String::new();
        if self.end != other.end {
            writeln!(text, "      end: {:?} | {:?}", self.end, other.end).unwrap();
        }
        if self.findings != other.findings {
            writeln!(text, "      findings: {:?} | {:?}", self.findings, other.findings).unwrap();
        }
        if self.choices != other.choices {
            writeln!(text, "      choices: {:?} | {:?}", self.choices, other.choices).unwrap();
        }
        if self.wants != other.wants {
            writeln!(text, "      wants: {:?} | {:?}", self.wants, other.wants).unwrap();
        }
        for (a, b) in self.parts.iter().zip(&other.parts).filter(|(a, b)| a.1 != b.1) {
            let (la, lb): (BTreeSet<&str>, BTreeSet<&str>) = (a.1.lines().collect(), b.1.lines().collect());
            let only_a: Vec<_> = la.difference(&lb).take(3).map(|t| t.chars().take(260).collect::<String>()).collect();
            let only_b: Vec<_> = lb.difference(&la).take(3).map(|t| t.chars().take(260).collect::<String>()).collect();
            writeln!(text, "      {}: {only_a:?}\n         | {only_b:?}", a.0).unwrap();
        }
        text
    }
}

fn end_of(machine: &Machine) -> Option<String> {
    machine.end().map(|end| format!("{end:?}"))
}

fn findings_of(machine: &Machine) -> BTreeSet<String> {
    machine.findings().iter().map(|raw| format!("{:?}", raw.finding.key())).collect()
}

/// Who is left alone goes on to the end without a step: both orders are brought there.
fn outcome(machine: &mut Machine) -> Outcome {
    for _ in 0..300 {
        if machine.end().is_some() || !machine.is_alone() || machine.choices().len() != 1 {
            break;
        }
        let only = machine.choices()[0];
        machine.step(only);
    }
    let mut wants: Vec<_> =
        (0..machine.thread_numbers() as u32).map(|thread| machine.wants(ThreadId(thread))).collect();
    // Numbers that other executions gave stay.
    while wants.last().is_some_and(Option::is_none) {
        wants.pop();
    }
    Outcome {
        end: end_of(machine),
        findings: findings_of(machine),
        choices: machine.choices().to_vec(),
        wants,
        parts: machine.commute_parts(),
    }
}

struct After {
    made: Made,
    kinds: String,
    end: Option<String>,
    findings: BTreeSet<String>,
    choices: Vec<Choice>,
    next: Vec<(Choice, Made, bool, Outcome)>,
}

fn kinds(choice: Choice, events: &[Event], wants: Option<Wants>, fails: bool) -> String {
    let own = events.iter().filter(|event| event.thread == choice.thread && event.kind != OpKind::Watch);
    let mut list: Vec<String> = own.take(3).map(|event| format!("{:?}", event.kind)).collect();
    if list.is_empty() {
        list.push(format!("wants{:?}", wants.map(|wants| wants.kind)));
    }
    if events.iter().any(|event| event.kind == OpKind::Watch) {
        list.push("W".into());
    }
    list.dedup();
    format!("{}{}{}", list.join("+"), if choice.variant > 0 { "'" } else { "" }, if fails { "!" } else { "" })
}

fn step(machine: &mut Machine, axiom: &mut Axiom, choice: Choice) -> (Made, String) {
    let wants = machine.wants(choice.thread);
    let n_events = machine.events().len();
    machine.step(choice);
    let fails = matches!(machine.end(), Some(End::Failed)) && !machine.is_stuck();
    let made = axiom.push(choice, machine.events(), wants, fails);
    (made, kinds(choice, &machine.events()[n_events..], wants, fails))
}

#[derive(Default)]
struct Totals {
    states: u64,
    pairs: u64,
    independent: u64,
    both_end: u64,
    orders: u64,
    violations: BTreeMap<(String, String), (u64, BTreeSet<String>, String)>,
    tested: BTreeMap<String, u64>,
}

impl Totals {
    fn violation(&mut self, a: &After, b: &str, what: String, program: &str, example: impl FnOnce() -> String) {
        let mut pair = [a.kinds.as_str(), b];
        pair.sort();
        let entry = self.violations.entry((what, pair.join(" / "))).or_insert_with(|| (0, BTreeSet::new(), example()));
        entry.0 += 1;
        entry.1.insert(program.rsplit("programs/").next().unwrap_or(program).to_owned());
    }
}

fn examine(machine: &mut Machine, axiom: &mut Axiom, totals: &mut Totals, program: &str) {
    let choices = machine.choices().to_vec();
    if choices.iter().all(|choice| choice.thread == choices[0].thread) {
        return;
    }
    totals.states += 1;
    let depth = axiom.len();
    let mark = machine.mark();
    let mut afters: Vec<After> = Vec::new();
    for &choice in &choices {
        let (made, kinds) = step(machine, axiom, choice);
        let (end, findings, after) = (end_of(machine), findings_of(machine), machine.choices().to_vec());
        let mut next = Vec::new();
        if end.is_none() {
            axiom.arrive(&after, machine.events().len());
            let mark = machine.mark();
            for &second in after.iter().filter(|second| second.thread != choice.thread) {
                let (made, _) = step(machine, axiom, second);
                let is_ordered = axiom.is_ordered(depth, depth + 1);
                next.push((second, made, is_ordered, outcome(machine)));
                machine.undo_to(mark);
                axiom.truncate(depth + 1);
            }
        }
        machine.undo_to(mark);
        axiom.truncate(depth);
        afters.push(After { made, kinds, end, findings, choices: after, next });
    }
    let schedule = || {
        format!(
            "{program} depth {depth} {:?}",
            machine.schedule().iter().map(|c| (c.thread.0, c.variant)).collect::<Vec<_>>()
        )
    };
    let find = |after: &After, choice: Choice| after.next.iter().position(|next| next.0 == choice);
    for (i, &a) in choices.iter().enumerate() {
        for (j, &b) in choices.iter().enumerate().skip(i + 1) {
            if a.thread == b.thread {
                continue;
            }
            totals.pairs += 1;
            let (of_a, of_b) = (&afters[i], &afters[j]);
            if axiom.depends(of_a.made, of_b.made) {
                continue;
            }
            totals.independent += 1;
            let mut pair = [of_a.kinds.clone(), of_b.kinds.clone()];
            pair.sort();
            *totals.tested.entry(pair.join(" / ")).or_default() += 1;
            let example = |more: String| {
                format!(
                    "    {}\n      a={a:?} {}\n      b={b:?} {}\n{more}",
                    schedule(),
                    axiom.footprint(of_a.made),
                    axiom.footprint(of_b.made)
                )
            };
            match (&of_a.end, &of_b.end) {
                (Some(_), Some(_)) => {
                    totals.both_end += 1;
                    continue;
                }
                (Some(_), None) | (None, Some(_)) => {
                    let (ending, going, choice) = if of_a.end.is_some() { (of_a, of_b, a) } else { (of_b, of_a, b) };
                    match find(going, choice) {
                        None => totals.violation(of_a, &of_b.kinds, "A: failure prevented".into(), program, || {
                            example(String::new())
                        }),
                        Some(at) => {
                            let (_, made, _, then) = &going.next[at];
                            let lost = !ending.findings.is_subset(&then.findings);
                            if then.end != ending.end || lost {
                                let more = format!(
                                    "      {:?} {:?} | {:?} {:?}\n",
                                    ending.end, ending.findings, then.end, then.findings
                                );
                                totals.violation(of_a, &of_b.kinds, "A: failure changed".into(), program, || {
                                    example(more)
                                });
                            } else if !axiom.same_footprint(*made, ending.made) {
                                let more =
                                    format!("      {} | {}\n", axiom.footprint(ending.made), axiom.footprint(*made));
                                totals.violation(
                                    of_a,
                                    &of_b.kinds,
                                    "A: footprint of failure changed".into(),
                                    program,
                                    || example(more),
                                );
                            }
                        }
                    }
                    continue;
                }
                (None, None) => {}
            }
            totals.orders += 1;
            let (Some(ab), Some(ba)) = (find(of_a, b), find(of_b, a)) else {
                let more = format!("      after a {:?} | after b {:?}\n", of_a.choices, of_b.choices);
                totals.violation(of_a, &of_b.kinds, "A: disables".into(), program, || example(more));
                continue;
            };
            let (ab, ba) = (&of_a.next[ab], &of_b.next[ba]);
            let differs = ab.3.differs(&ba.3);
            if !differs.is_empty() {
                let more = ab.3.show(&ba.3);
                totals.violation(of_a, &of_b.kinds, format!("A: differs {differs:?}"), program, || example(more));
            }
            if !axiom.same_footprint(ab.1, of_b.made) || !axiom.same_footprint(ba.1, of_a.made) {
                let more =
                    format!("      b after a: {}\n      a after b: {}\n", axiom.footprint(ab.1), axiom.footprint(ba.1));
                totals.violation(of_a, &of_b.kinds, "A: footprint changed".into(), program, || example(more));
            }
            if ab.2 || ba.2 {
                let more = format!("      ordered ab {} ba {}\n", ab.2, ba.2);
                totals.violation(of_a, &of_b.kinds, "A: clock orders what labels do not".into(), program, || {
                    example(more)
                });
            }
            let variants = |list: &[Choice], thread| list.iter().filter(|c| c.thread == thread).count();
            if variants(&of_a.choices, b.thread) != variants(&choices, b.thread)
                || variants(&of_b.choices, a.thread) != variants(&choices, a.thread)
            {
                let more = format!("      now {choices:?} after a {:?} after b {:?}\n", of_a.choices, of_b.choices);
                totals.violation(of_a, &of_b.kinds, "A: variants change".into(), program, || example(more));
            }
        }
    }
    // In the order in which they were made, as races are found.
    for (i, &a) in choices.iter().enumerate() {
        let of_a = &afters[i];
        for (b, made, is_ordered, then) in &of_a.next {
            if *is_ordered {
                continue;
            }
            let example = |more: String| {
                format!(
                    "    {}\n      a={a:?} {}\n      b={b:?} after a: {}\n{more}",
                    schedule(),
                    axiom.footprint(of_a.made),
                    axiom.footprint(*made)
                )
            };
            let Some(j) = choices.iter().position(|choice| choice == b) else {
                let kind = format!("{:?}", machine.wants(b.thread).map(|wants| wants.kind));
                totals.violation(of_a, &kind, "B: enables, unordered".into(), program, || example(String::new()));
                continue;
            };
            let of_b = &afters[j];
            if !axiom.depends(of_a.made, of_b.made) {
                continue;
            }
            totals.orders += 1;
            // Unordered as made, dependent as each would be at once.
            if of_b.end.is_some() {
                let what = if then.end.is_some() { "B: fails at once too" } else { "B: fails at once" };
                totals.violation(of_a, &of_b.kinds, what.into(), program, || {
                    example(format!(
                        "      {:?} {:?} | {:?} {:?}\n      b at once {}\n",
                        of_b.end,
                        of_b.findings,
                        then.end,
                        then.findings,
                        axiom.footprint(of_b.made)
                    ))
                });
                continue;
            }
            match find(of_b, a) {
                None => totals.violation(of_a, &of_b.kinds, "B: disables".into(), program, || example(String::new())),
                Some(at) => {
                    let differs = then.differs(&of_b.next[at].3);
                    if !differs.is_empty() {
                        let more =
                            format!("      b at once {}\n{}", axiom.footprint(of_b.made), then.show(&of_b.next[at].3));
                        totals
                            .violation(of_a, &of_b.kinds, format!("B: differs {differs:?}"), program, || example(more));
                    }
                }
            }
        }
    }
}

fn walk(program: &CProgram, rng: &mut Rng, totals: &mut Totals, n_steps: u64, every: u64, until: Instant) {
    let mut machine = Machine::new(&program.program, &program.test).expect("it can be set up");
    let mut axiom = Axiom::default();
    let start = machine.mark();
    let _ = start;
    for _ in 0..n_steps {
        if machine.end().is_some() || Instant::now() > until {
            break;
        }
        axiom.arrive(machine.choices(), machine.events().len());
        if rng.below(every as usize) == 0 {
            examine(&mut machine, &mut axiom, totals, &program.name);
        }
        let choice = machine.choices()[rng.below(machine.choices().len())];
        step(&mut machine, &mut axiom, choice);
    }
}

fn files(folder: &std::path::Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

#[test]
fn independent_steps_commute() {
    let folder = std::env::var("COMMUTE_DIR").map_or_else(|_| folder(), PathBuf::from);
    let only = std::env::var("COMMUTE_ONLY").unwrap_or_default();
    let (n_walks, n_steps, every) = (number("WALKS", 30), number("STEPS", 300), number("EVERY", 3));
    let seconds = number("SECONDS", 5);
    let all_options = number("ALL_OPTIONS", 0) > 0;
    let mut list = Vec::new();
    files(&folder, &mut list);
    list.retain(|file| {
        let name = file.display().to_string();
        name.contains(&only)
            && !["/native/", "/multi/", "/usage/", "/unsupported/"].iter().any(|out| name.contains(out))
    });
    list.sort();
    let mut totals = Totals::default();
    let (mut loading, mut busy, mut n_programs) = (Duration::ZERO, Duration::ZERO, 0);
    for file in list {
        let begin = Instant::now();
        let text = std::fs::read_to_string(&file).expect("the program can be read");
        let cflags = text.lines().filter_map(|line| line.strip_prefix("//@ cflag: ")).map(str::to_owned).collect();
        let mut test = template();
        test.machine.weak_cas_fails = all_options || text.contains("--weak-cas-fails");
        test.machine.spurious_wakeups = all_options || text.contains("--spurious");
        test.machine.leaks = all_options || text.contains("--leaks");
        test.machine.max_steps = 5_000;
        test.machine.symbolic = number("SYMBOLIC", 0) > 0;
        let loaded = std::panic::catch_unwind(|| load(&file, cflags));
        let Ok(program) = loaded else {
            eprintln!("cannot load {}", file.display());
            continue;
        };
        let program = CProgram { name: file.display().to_string(), program, test };
        loading += begin.elapsed();
        let begin = Instant::now();
        let until = begin + Duration::from_secs(seconds);
        let mut rng = Rng::new(number("SEED", 1));
        n_programs += 1;
        for _ in 0..n_walks {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                walk(&program, &mut rng, &mut totals, n_steps, every, until)
            }));
            if done.is_err() {
                eprintln!("PANIC in {}", program.name);
                break;
            }
            if Instant::now() > until {
                break;
            }
        }
        busy += begin.elapsed();
    }
    println!(
        "{n_programs} programs, {} states, {} pairs, {} called independent, {} both end, {} orders compared; load {loading:?}, {busy:?}, {:.0} pairs/s",
        totals.states,
        totals.pairs,
        totals.independent,
        totals.both_end,
        totals.orders,
        totals.pairs as f64 / busy.as_secs_f64()
    );
    println!("{} kinds of independent pairs tested", totals.tested.len());
    if number("SHOW_TESTED", 0) > 0 {
        for (pair, n) in &totals.tested {
            println!("  tested {n:7} {pair}");
        }
    }
    for ((what, pair), (n, programs, example)) in &totals.violations {
        let names: Vec<&str> = programs.iter().take(6).map(String::as_str).collect();
        println!("VIOLATION {what} | {pair} | {n} times in {} programs: {}", programs.len(), names.join(", "));
        println!("{example}");
    }
}

fn enumerate(machine: &mut Machine, findings: &mut BTreeSet<String>, left: &mut u64) {
    if machine.end().is_some() {
        *left -= 1;
        findings.extend(findings_of(machine));
        return;
    }
    let mark = machine.mark();
    for choice in machine.choices().to_vec() {
        if *left == 0 {
            return;
        }
        machine.step(choice);
        enumerate(machine, findings, left);
        machine.undo_to(mark);
    }
}

/// Plain recursion on a machine that remembers no steps, against searches on one that does.
#[test]
fn brute_force_agrees() {
    use gordian_engine::{Budget, Settings, Silent, Strategy, check};
    let folder = std::env::var("COMMUTE_DIR").map_or_else(|_| folder(), PathBuf::from);
    let only = std::env::var("COMMUTE_ONLY").unwrap_or_default();
    let limit = number("LIMIT", 5_000);
    let mut list = Vec::new();
    files(&folder, &mut list);
    list.retain(|file| {
        let name = file.display().to_string();
        name.contains(&only)
            && !["/native/", "/multi/", "/usage/", "/unsupported/"].iter().any(|out| name.contains(out))
    });
    list.sort();
    let (mut compared, mut too_large) = (0, 0);
    for file in list {
        let text = std::fs::read_to_string(&file).expect("the program can be read");
        let cflags = text.lines().filter_map(|line| line.strip_prefix("//@ cflag: ")).map(str::to_owned).collect();
        let mut test = template();
        test.machine.weak_cas_fails = text.contains("--weak-cas-fails");
        test.machine.spurious_wakeups = text.contains("--spurious");
        test.machine.max_steps = 2_000;
        let Ok(program) = std::panic::catch_unwind(|| load(&file, cflags)) else { continue };
        let name = file.display().to_string();
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut machine = Machine::new(&program, &test).expect("it can be set up");
            let (mut brute, mut left) = (BTreeSet::new(), limit);
            enumerate(&mut machine, &mut brute, &mut left);
            if left == 0 {
                return false;
            }
            let settings = Settings { budget: Budget { runs: Some(limit), time: None }, ..Settings::default() };
            let mut strategies: Vec<(&str, Box<dyn Strategy>)> = vec![
                ("exhaustive", Box::new(gordian_strategies::Exhaustive::default())),
                ("dpor", Box::new(gordian_strategies::Dpor::default())),
                ("dpor-classic", Box::new(gordian_strategies::DporClassic::default())),
            ];
            for (what, strategy) in &mut strategies {
                let outcome =
                    check(&program, &test, &mut **strategy, &settings, &mut Silent).expect("it can be set up");
                let found: BTreeSet<String> =
                    outcome.findings.iter().map(|f| format!("{:?}", f.finding.key())).collect();
                if found != brute {
                    let short =
                        |set: Vec<&String>| set.iter().map(|t| t.replace(&name, "")).collect::<Vec<_>>().join("; ");
                    println!(
                        "DISAGREE {what} {name}: lost {{{}}} extra {{{}}} of {} executions {}",
                        short(brute.difference(&found).collect()),
                        short(found.difference(&brute).collect()),
                        limit - left,
                        outcome.summary.executions
                    );
                }
            }
            true
        }));
        match done {
            Ok(true) => compared += 1,
            Ok(false) => too_large += 1,
            Err(_) => println!("PANIC {name}"),
        }
    }
    println!("{compared} compared, {too_large} too large");
}
