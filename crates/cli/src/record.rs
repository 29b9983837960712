//! `gordian record`.

use crate::args::{ProgramArgs, RecordArgs, RunSchedule};
use crate::output::{complain, print, print_error};
use crate::{findings, load, replay, saved};
use anyhow::Context;
use gordian_engine::{Course, End, RunOutcome, run_along};
use gordian_ir::Program;
use gordian_trace::{NO_CODE, Schedule, Test, exit_code};
use gordian_tracefile::{Event, Header, Kind, NO_PLACE, TraceError, TracePlace, Writer};
use gordian_vm::Machine;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Steps between two times that what was recorded is written out, so that little is lost if the run is killed.
const FLUSH_EVERY: usize = 10_000;

pub fn record(args: &RecordArgs) -> anyhow::Result<u8> {
    let (program, template) = subject(args)?;
    let course = match (&args.test, args.schedule) {
        (Some(_), _) => Course::Following(&template.schedule.0),
        (None, RunSchedule::Random) => Course::Random(args.machine.seed),
        (None, RunSchedule::Default) => Course::Default,
    };
    let outcome = write(&program, &template, course, &args.out)?;
    print(&String::from_utf8_lossy(&outcome.stdout))?;
    print_error(&String::from_utf8_lossy(&outcome.stderr));
    complain(&format!("{} steps are recorded in {}", outcome.steps, args.out.display()));
    Ok(report(&outcome))
}

/// The program and the test that is to be run.
fn subject(args: &RecordArgs) -> anyhow::Result<(Program, Test)> {
    if let Some(path) = &args.test {
        let (program, mut test) = replay::open(path, args.force)?;
        test.program.identity = load::identity(&program);
        test.finding = None;
        return Ok((program, test));
    }
    let from = &args.program;
    let (files, cflags, arguments) = (from.files.clone(), from.cflags.clone(), from.arguments.clone());
    let from = ProgramArgs { files, cflags, arguments };
    let program = load::from_command_line(&from, &args.machine)?;
    let mut template = load::template(&program, &from, &args.machine)?;
    template.machine.max_steps = args.machine.max_steps.unwrap_or(u64::MAX);
    Ok((program, template))
}

/// Runs the program and writes its trace to a file while it runs.
pub fn write(program: &Program, template: &Test, course: Course<'_>, out: &Path) -> anyhow::Result<RunOutcome> {
    let cannot_write = || format!("cannot write {}", out.display());
    saved::refuse_pipe(out)?;
    let file = BufWriter::new(File::create(out).with_context(cannot_write)?);
    let mut test = Test { schedule: Schedule::default(), ..template.clone() };
    let folder = out.parent().unwrap_or(Path::new(""));
    test.program.files = test.program.files.iter().map(|file| saved::relative(file, folder)).collect();
    let mut recorder = Recorder { writer: Writer::new(file, &Header { test: Some(test) })?, n_events: 0, n_steps: 0 };
    let mut broken: Option<TraceError> = None;
    let outcome = run_along(program, template, false, course, |machine: &Machine<'_>| {
        if broken.is_none() {
            broken = recorder.watch(machine).err();
        }
    })?;
    if let Some(error) = broken {
        return Err(error).with_context(cannot_write);
    }
    let findings = outcome.findings.iter().map(|found| format!("{}: {}", found.finding.kind, found.finding.message));
    let end = gordian_tracefile::End {
        how: how(&outcome.end),
        findings: findings.collect(),
        threads: outcome.test.threads.clone(),
        inputs: outcome.test.inputs.clone(),
        stdin: Some(outcome.test.stdin.clone()),
    };
    recorder.writer.finish(Some(&end)).with_context(cannot_write)?;
    Ok(outcome)
}

fn how(end: &End) -> String {
    match end {
        End::Exit(status) => format!("exit {status}"),
        End::Failed => "failed".to_owned(),
        End::Dropped => "an assumption does not hold".to_owned(),
        End::Bound(_) => "a bound was hit".to_owned(),
        End::Unsupported(what) => format!("unsupported: {what}"),
    }
}

/// Writes what a machine did since it was last looked at.
struct Recorder {
    writer: Writer<BufWriter<File>>,
    n_events: usize,
    n_steps: usize,
}

impl Recorder {
    fn watch(&mut self, machine: &Machine<'_>) -> Result<(), TraceError> {
        for event in &machine.events()[self.n_events..] {
            while self.writer.n_threads() <= event.thread.0 {
                let thread = gordian_base::ThreadId(self.writer.n_threads());
                self.writer.thread(&machine.thread_name(thread).to_string());
            }
            let place = if event.at == NO_CODE {
                NO_PLACE
            } else {
                let place = machine.place(event.thread, event.at, String::new());
                let gordian_trace::Place { file, line, column, function, .. } = place;
                self.writer.place(&TracePlace { file, line, column, function })
            };
            self.writer.event(&Event {
                thread: event.thread.0,
                kind: Kind::Op(event.kind),
                size: event.size,
                address: event.address,
                place,
                value: Some(event.value),
                other: Some(event.other).filter(|&other| other != 0),
            })?;
        }
        self.n_events = machine.events().len();
        let schedule = machine.schedule();
        self.writer.choices(&schedule[self.n_steps..]);
        if schedule.len() / FLUSH_EVERY > self.n_steps / FLUSH_EVERY {
            self.writer.flush()?;
        }
        self.n_steps = schedule.len();
        Ok(())
    }
}

/// What the run itself showed.
fn report(outcome: &RunOutcome) -> u8 {
    findings::print_of_run(outcome);
    match &outcome.end {
        _ if !outcome.findings.is_empty() => {
            complain("the run itself fails; its trace is written all the same");
            exit_code::BUG
        }
        End::Unsupported(what) => {
            complain(&format!("unsupported: {what}"));
            exit_code::INCONCLUSIVE
        }
        End::Bound(_) => {
            complain("the run did not end within the bounds; see --max-steps");
            exit_code::INCONCLUSIVE
        }
        End::Dropped => {
            complain("an assumption of the program does not hold in this run");
            exit_code::INCONCLUSIVE
        }
        End::Exit(_) | End::Failed => exit_code::SAFE,
    }
}
