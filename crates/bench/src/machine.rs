//! The machine alone: a search is recorded, then the machine makes the same steps and goes back the same ways
//! without anybody deciding. What a search takes beyond this is the strategy's.

use crate::explore::{REDUCED, Search, strategy_of};
use crate::measure::timed;
use crate::{Options, programs};
use gordian_engine::{Capabilities, Ended, Next, Point, Settings, Silent, Strategy, check};
use gordian_ir::Program;
use gordian_trace::{Exploration, RaceMode, Test};
use gordian_vm::{Machine, Mark};

/// A strategy with a memory of what it decided.
struct Recorder {
    inner: Box<dyn Strategy>,
    choices: Vec<Option<u32>>,
    ways: Vec<Next>,
}

impl Strategy for Recorder {
    fn exploration(&self) -> Exploration {
        self.inner.exploration()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        let chosen = self.inner.choose(point);
        self.choices.push(chosen.map(|index| index as u32));
        chosen
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let next = self.inner.next(ended);
        self.ways.push(next);
        next
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let searches: Vec<_> = REDUCED.iter().filter(|search| options.wants(search.program)).collect();
    if searches.is_empty() {
        return Ok(());
    }
    println!("## The machine alone on recorded searches: one core, CPU seconds, best of {}\n", options.repetitions());
    println!(
        "`symbolic` is the same with inputs as symbols, as `gordian check` has it: these programs have no inputs and must not pay. \
         `told` is that with steps replayed from the memo, as a search has it; of so many per cent of them.\n"
    );
    println!("| program | races | executions | steps | seconds | symbolic | ratio | told | ratio | % | told steps/s |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for search in searches {
        let program = programs::read(&programs::counted(search.program), search.cflags)?;
        for races in [RaceMode::Ignore, RaceMode::Report] {
            measure(search, &program, races, options)?;
        }
    }
    println!();
    Ok(())
}

fn measure(search: &Search, program: &Program, races: RaceMode, options: &Options) -> anyhow::Result<()> {
    let mut recorder = Recorder { inner: strategy_of(search)?, choices: Vec::new(), ways: Vec::new() };
    check(program, &programs::test(races), &mut recorder, &Settings::default(), &mut Silent)?;
    // As it is, with symbols, and with memory besides.
    let mut seconds = [f64::INFINITY; 3];
    let (mut steps, mut told) = (0, 0);
    for _ in 0..options.repetitions() {
        for (nth, best) in seconds.iter_mut().enumerate() {
            let mut test = programs::test(races);
            test.machine.symbolic = nth > 0;
            let (seconds, counts) = timed(|| repeat(program, &test, &recorder, nth == 2))?;
            *best = best.min(seconds);
            (steps, told) = counts;
        }
    }
    let [plain, symbolic, remembering] = seconds;
    let Search { program, executions, .. } = search;
    println!(
        "| {program} | {races:?} | {executions} | {steps} | {plain:.3} | {symbolic:.3} | {:.2} | {remembering:.3} | {:.2} | {} | {:.0} |",
        symbolic / plain,
        remembering / plain,
        100 * told / steps,
        steps as f64 / remembering
    );
    Ok(())
}

/// Makes the recorded search again; gives the number of steps, and of those that were replayed from the memo.
fn repeat(program: &Program, test: &Test, recorded: &Recorder, remembers: bool) -> anyhow::Result<(u64, u64)> {
    let mut machine = Machine::new(program, test)?;
    machine.report_races_once();
    if remembers {
        machine.remember_steps();
    }
    let mut choices = recorded.choices.iter();
    let (mut marks, mut depth, mut steps): (Vec<Mark>, usize, u64) = (Vec::new(), 0, 0);
    for way in &recorded.ways {
        while machine.end().is_none() {
            let mut chosen = 0;
            if machine.choices().len() > 1 || recorded.capabilities().sees_every_step {
                if depth == marks.len() {
                    marks.push(machine.mark());
                }
                let Some(index) = choices.next().copied().flatten() else { break };
                chosen = index as usize;
                depth += 1;
            }
            machine.step(machine.choices()[chosen]);
            steps += 1;
        }
        depth = match *way {
            Next::Done => break,
            Next::Restart | Next::Anew => 0,
            Next::Backtrack(depth) | Next::Elsewhere { depth, .. } => depth,
        };
        marks.truncate(depth + 1);
        machine.undo_to(marks[depth]);
    }
    Ok((steps, machine.steps_replayed()))
}
