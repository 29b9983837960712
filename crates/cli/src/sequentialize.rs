//! `gordian sequentialize`, and what `gordian check` needs for the strategy of that name.

use crate::args::{SequentializeArgs, Tester};
use crate::findings::conclude;
use crate::load::{self, Lowering};
use crate::output::{ProgressLine, complain, print};
use crate::saved;
use crate::stop;
use anyhow::{Context, bail};
use gordian_engine::{Gathering, Settings, run};
use gordian_ir::Program;
use gordian_sequentialize::{
    ConcurrentOrder, Error, Line, NAME, Options, Plan, Role, Runtime, Target, bring_home, inputs_of_trace,
    sequentialize as emit,
};
use gordian_trace::{Bound, Exploration, Stop, Test, exit_code};
use std::io::Read;
use std::path::{Path, PathBuf};

pub fn sequentialize(args: &SequentializeArgs) -> anyhow::Result<u8> {
    let program = load::from_command_line(&args.program, &args.machine)?;
    if let Some(inputs) = &args.inputs {
        return bring(args, &program, inputs);
    }
    let Some(out) = &args.output_file else {
        bail!("`gordian sequentialize` writes C: say where with `-o OUT.c`");
    };
    let plan = match Plan::of(&program, &args.program.arguments) {
        Ok(plan) => plan,
        Err(error) => return refuse(&error),
    };
    let roles = roles(args, &plan)?;
    let several = roles.len() > 1;
    for role in roles {
        let text = match emit(&program, &plan, &options(args, &role)) {
            Ok(text) => text,
            Err(error) => return refuse(&error),
        };
        let path = if several { numbered(out, role.number) } else { out.clone() };
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        print(&format!("{}: T is thread {} ({}), k = {}\n", path.display(), role.number, role.name, args.k))?;
    }
    Ok(exit_code::SAFE)
}

/// Says why a program is not sequentialized. Code that is not supported is no fault of the command line.
fn refuse(error: &Error) -> anyhow::Result<u8> {
    match error {
        Error::Unsupported { .. } | Error::ManyThreads(_) => {
            complain(&error.to_string());
            Ok(exit_code::INCONCLUSIVE)
        }
        _ => Err(error.clone().into()),
    }
}

fn roles(args: &SequentializeArgs, plan: &Plan) -> anyhow::Result<Vec<Role>> {
    Ok(match &args.thread {
        Some(name) => plan.named(name)?,
        None => plan.roles.clone(),
    })
}

fn options(args: &SequentializeArgs, role: &Role) -> Options {
    let target = match args.tester {
        Tester::Plain => Target::Plain,
        Tester::Klee => Target::Klee,
        Tester::Svcomp => Target::Svcomp,
        Tester::Cbmc => Target::Cbmc,
    };
    Options {
        k: args.k.of_t,
        k2: args.k.of_other,
        role: role.clone(),
        target,
        runtime: target.runtime(),
        unroll: args.machine.unroll,
        reads: args.reads.clone(),
        writes: args.writes.clone(),
        arguments: args.program.arguments.clone(),
    }
}

/// `out.c` becomes `out.1.c`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    let extension = path.extension().map_or_else(|| "c".into(), |extension| extension.to_string_lossy());
    path.with_extension(format!("{number}.{extension}"))
}

/// The largest number of sources.
const MOST_SOURCES: u32 = 64;

/// How many writes of T' are read by T, and how many of T by T'.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    pub of_t: u32,
    pub of_other: u32,
}

impl std::fmt::Display for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.of_t)?;
        if self.of_other > 0 {
            write!(f, ",{}", self.of_other)?;
        }
        Ok(())
    }
}

/// `K`, or `K,K'`.
pub fn interferences(text: &str) -> Result<Sources, String> {
    let (of_t, of_other) = text.split_once(',').unwrap_or((text, "0"));
    match (of_t.parse(), of_other.parse()) {
        (Ok(of_t), Ok(of_other)) => Ok(Sources { of_t, of_other }),
        _ => Err("it is a number, or two as in `1,1`".to_owned()),
    }
}

/// The same, of a program that is written.
pub fn sources(text: &str) -> Result<Sources, String> {
    let is_small = |sources: &Sources| sources.of_t.max(sources.of_other) <= MOST_SOURCES;
    let sources = interferences(text).ok().filter(is_small);
    sources.ok_or_else(|| format!("it is a number from 0 to {MOST_SOURCES}, or two as in `1,1`"))
}

/// `FILE:LINE`.
pub fn line(text: &str) -> Result<Line, String> {
    let parts = text.rsplit_once(':').and_then(|(file, line)| Some((file.to_owned(), line.parse().ok()?)));
    let (file, line) = parts.ok_or_else(|| format!("`{text}` is no FILE:LINE"))?;
    Ok(Line { file, line })
}

/// Compiles an emitted program with our own front end.
pub fn compile(text: &str) -> anyhow::Result<Program> {
    let file = std::env::temp_dir().join(format!("gordian-sequentialize-{}.c", std::process::id()));
    std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    let program = load::program(std::slice::from_ref(&file), &[], &[], Lowering::default());
    let _ = std::fs::remove_file(&file);
    program
}

/// Makes a test of what an outside tester found: from what the sequential program printed, or from its inputs.
fn bring(args: &SequentializeArgs, program: &Program, inputs: &str) -> anyhow::Result<u8> {
    let output = match inputs.contains('=') {
        true => printed(args, program, inputs)?,
        false => {
            let text = read(inputs)?;
            match inputs_of_trace(&text) {
                Some(inputs) => printed(args, program, &inputs)?,
                None if text.contains("gs_input_") => {
                    bail!("the trace does not tell which inputs its values are: run CBMC without `--slice-formula`")
                }
                None => text,
            }
        }
    };
    let order = ConcurrentOrder::parse(&output)?;
    if order.program != load::identity(program) {
        bail!("the order is of another program ({}, and this is {})", order.program, load::identity(program));
    }
    let template = load::template(program, &args.program, &args.machine)?;
    saved::probe(&args.out)?;
    let settings = Settings { signal: stop::listen(None)?, ..Settings::default() };
    let mut observer = ProgressLine::new(&args.output);
    let mut gathering = Gathering::start(&settings, &mut observer);
    let mut home = bring_home(program, &template, &order)?;
    gathering.add(&mut home.machine);
    gathering.hit(Bound::Reorderings);
    let back = if order.other == 0 { String::new() } else { format!("; T' reads from {} writes of T", order.other) };
    gathering.note(format!("{} sources, {} reads of them{back}", order.sources, order.reads));
    let exploration = Exploration { strategy: NAME.to_owned(), guarantee: String::new() };
    let outcome = gathering.conclude(program, &template, Stop::Exhausted, exploration)?;
    drop(observer);
    conclude(&outcome, &template, &args.out, &args.output)
}

fn read(path: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    if path == "-" {
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))
}

/// What the sequential program prints with these inputs.
fn printed(args: &SequentializeArgs, program: &Program, inputs: &str) -> anyhow::Result<String> {
    let plan = Plan::of(program, &args.program.arguments)?;
    let roles = roles(args, &plan)?;
    let [role] = &roles[..] else { bail!("inputs are those of one choice of T: say which with `--thread`") };
    let text =
        emit(program, &plan, &Options { target: Target::Plain, runtime: Runtime::Eager, ..options(args, role) })?;
    let sequential = compile(&text)?;
    let template = load::template(&sequential, &args.program, &args.machine)?;
    let arguments = inputs.split_whitespace().map(ToOwned::to_owned).collect();
    let machine = gordian_trace::Machine { max_steps: u64::MAX, unroll: None, ..template.machine.clone() };
    let outcome = run(&sequential, &Test { arguments, machine, ..template }, false)?;
    Ok(String::from_utf8_lossy(&outcome.stdout).into_owned())
}
