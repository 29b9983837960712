//! `gordian check` with the strategies that explore unfoldings.

use crate::args::{CheckArgs, Races};
use crate::output::{ProgressLine, complain};
use crate::saved;
use anyhow::Context;
use gordian_base::Id;
use gordian_engine::{Outcome, Settings};
use gordian_ir::Program;
use gordian_trace::{CodePoint, NO_CODE, Test};
use gordian_unfolding::{Jobs, Kind, Options, Questions, Reached, check_asking};
use std::path::Path;

/// Explores an unfolding, and answers what is asked of it.
pub fn check(
    args: &CheckArgs,
    kind: Kind,
    program: &Program,
    template: &Test,
    settings: &Settings,
) -> anyhow::Result<Outcome> {
    let (name, asked) = (args.search.strategy()?, &args.search.unfolding);
    if kind.is_stateful() && args.machine.races != Races::Ignore {
        anyhow::bail!("`--strategy {name}` does not look for data races; add `--races ignore`");
    }
    if kind == Kind::Markings
        && let Some(option) = asked.question()
    {
        anyhow::bail!(
            "`{option}` does not go with `--strategy {name}`, which keeps no events; use `--strategy stateful`"
        );
    }
    let reach = asked.reach.as_deref().map_or(Ok(Vec::new()), |places| instructions(program, places))?;
    let line = |at: CodePoint| line_of(program, at);
    asked.dot.as_deref().map_or(Ok(()), saved::refuse_pipe)?;
    let dot = asked.dot.as_ref().map(|_| &line as &dyn Fn(CodePoint) -> String);
    let (max_thread_steps, jobs) = (asked.max_thread_steps, Jobs::new(args.search.workers()));
    let options = Options { kind, max_thread_steps, jobs, ..Options::default() };
    let questions = Questions { reach: &reach, dot, ..Questions::default() };
    let mut observer = ProgressLine::new(&args.output);
    let (mut outcome, answers) =
        check_asking(program, template, options, questions, settings, &mut observer, &mut |_| {})?;
    if let (Some(path), Some(dot)) = (&asked.dot, &answers.dot) {
        std::fs::write(path, dot).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(places) = &asked.reach {
        let answer = tell(places, answers.reached, &args.out, template);
        outcome.summary.notes.push(answer);
    }
    Ok(outcome)
}

/// What is known of places that threads were asked to be at, with the test that shows it.
fn tell(places: &str, reached: Reached, folder: &Path, template: &Test) -> String {
    match reached {
        Reached::Never => format!("no execution has threads at {places} at once"),
        Reached::Unknown => format!("the search ended before it could tell whether threads can be at {places} at once"),
        Reached::By(test) => match saved::save_as(&test, folder, template, "reach") {
            Ok(path) => format!("threads are at {places} at once where {} ends", path.display()),
            Err(error) => {
                complain(&format!("a test was not saved: {error:#}"));
                format!("threads can be at {places} at once")
            }
        },
    }
}

/// The instructions at places that are written as `a.c:12 & b.c:30`.
fn instructions(program: &Program, places: &str) -> anyhow::Result<Vec<Vec<CodePoint>>> {
    places.split('&').map(|place| at_line(program, place.trim())).collect()
}

fn at_line(program: &Program, place: &str) -> anyhow::Result<Vec<CodePoint>> {
    let form = || format!("`{place}` is no place: write `--reach 'FILE:LINE & FILE:LINE'`");
    let (file, line) = place.rsplit_once(':').with_context(form)?;
    let line: u32 = line.parse().ok().with_context(form)?;
    let is_file = |name: &str| Path::new(name) == Path::new(file) || Path::new(name).ends_with(file);
    let mut found = Vec::new();
    for (function, code) in program.functions.enumerate() {
        for (pc, loc) in code.locs.iter().enumerate() {
            if loc.line == line && program.files.get(loc.file).is_some_and(|name| is_file(name)) {
                found.push(CodePoint { function: function.index() as u32, pc: pc as u32 });
            }
        }
    }
    if found.is_empty() {
        anyhow::bail!("there is no code at {place}");
    }
    Ok(found)
}

/// `file:line` of an instruction.
fn line_of(program: &Program, at: CodePoint) -> String {
    if at == NO_CODE {
        return String::new();
    }
    let function = &program.functions[gordian_ir::FuncId(at.function)];
    let loc = function.locs.get(at.pc as usize).copied().filter(|loc| loc.line > 0).unwrap_or(function.loc);
    let file = program.files.get(loc.file).map_or("?", String::as_str);
    let name = Path::new(file).file_name().map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned());
    format!("{name}:{}", loc.line)
}
