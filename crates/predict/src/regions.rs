//! Regions: steps of a thread that look as if they were meant to be one.
//!
//! A region is a maximal sequence of a thread's shared events with at least one access to data, cut so that it begins and ends with data; within
//! one call of one function, where what it calls counts at the line of the call; with neighbours nearer than some lines; without creation, join or
//! wait inside (semaphores and barriers count as waits, signals may be there); and not over the next turn of a loop. Instances of one
//! piece of source are one region.

use crate::observe::Observed;
use crate::run::Op;
use gordian_ir::{Program, address};
use gordian_trace::CodePoint;
use gordian_vm::CallFrame;
use std::collections::BTreeMap;

/// Where an event stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    pub function: u32,
    pub pc: u32,
    pub line: u32,
}

/// The names of the file and the function of a code point.
pub fn file_and_function(program: &Program, at: CodePoint) -> (String, String) {
    if at == gordian_trace::NO_CODE {
        return Default::default();
    }
    let function = &program.functions[gordian_ir::FuncId(at.function)];
    let loc = function.locs.get(at.pc as usize).copied().unwrap_or(function.loc);
    (program.files.get(loc.file).cloned().unwrap_or_default(), function.name.clone())
}

/// The line of a code point.
pub fn source_line(program: &Program, at: CodePoint) -> Option<SourceLine> {
    if at == gordian_trace::NO_CODE {
        return None;
    }
    let function = &program.functions[gordian_ir::FuncId(at.function)];
    let loc = function.locs.get(at.pc as usize).filter(|loc| loc.line > 0)?;
    Some(SourceLine { function: at.function, pc: at.pc, line: loc.line })
}

/// One execution of a region.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its accesses to data.
    pub accesses: Vec<u32>,
}

/// A piece of source that looks atomic, or that a user says is.
#[derive(Clone, Debug)]
pub struct Region {
    pub instances: Vec<Instance>,
    pub is_declared: bool,
}

/// Lines that a user declares to be atomic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredRegion {
    /// A file of the program, or the end of its name.
    pub file: String,
    pub from: u32,
    pub to: u32,
}

impl std::str::FromStr for DeclaredRegion {
    type Err = String;

    /// `file.c:12-18`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not of the form file.c:12-18");
        let (file, lines) = text.trim().rsplit_once(':').ok_or_else(wrong)?;
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let (from, to) = (number(from)?, number(to)?);
        if file.is_empty() || from > to {
            return Err(wrong());
        }
        Ok(DeclaredRegion { file: file.to_owned(), from, to })
    }
}

/// Whether it is where the machine keeps what a thread returns.
fn is_result(at: u64) -> bool {
    let first = address::make(address::LABEL_SPACE, address::MAX_INDEX, 0);
    at >> address::OFFSET_BITS == first >> address::OFFSET_BITS
}

/// The regions of a run, in a fixed order.
pub fn regions(program: &Program, observed: &Observed, lines: u32) -> Vec<Region> {
    let mut by_source: BTreeMap<(u32, u32), Vec<Instance>> = BTreeMap::new();
    let mut open: Vec<Open> = Vec::new();
    open.resize_with(observed.run.n_threads as usize, Open::default);
    for (number, event) in (0u32..).zip(&observed.run.events) {
        let open = &mut open[event.thread as usize];
        let is_data = match event.op {
            // What a thread returns is no data that others access.
            Op::Read(span) | Op::Write(span) if is_result(span.address) => continue,
            Op::Read(_) | Op::Write(_) => true,
            Op::Acquire { .. } | Op::Release { .. } | Op::Signal(_) | Op::Broadcast(_) | Op::AcquireFails { .. } => {
                false
            }
            // These are no events that others see.
            Op::Decide(_) | Op::Nothing | Op::Publish(_) => continue,
            _ => {
                open.close(observed, &mut by_source);
                continue;
            }
        };
        open.take(program, observed, number, lines, &mut by_source);
        if is_data && open.last.is_some() {
            open.accesses.push(number);
        }
    }
    open.iter_mut().for_each(|open| open.close(observed, &mut by_source));
    by_source.into_values().map(|instances| Region { instances, is_declared: false }).collect()
}

/// Regions that the program declares by `gordian_atomic_begin` and `gordian_atomic_end`.
pub fn declared_in_source(observed: &Observed) -> Vec<Region> {
    let mut by_source: BTreeMap<(u32, u32), Vec<Instance>> = BTreeMap::new();
    for (at, accesses) in &observed.declared {
        if accesses.len() > 1 {
            by_source.entry((at.function, at.pc)).or_default().push(Instance { accesses: accesses.clone() });
        }
    }
    by_source.into_values().map(|instances| Region { instances, is_declared: true }).collect()
}

/// The regions that a user declares: what a thread does within those lines, up to the next turn of a loop.
pub fn declared(program: &Program, observed: &Observed, regions: &[DeclaredRegion]) -> Vec<Region> {
    let mut found = Vec::new();
    for region in regions {
        let mut by_source: BTreeMap<(u32, u32), Vec<Instance>> = BTreeMap::new();
        for thread in 0..observed.run.n_threads {
            let (mut open, mut last) = (Open::default(), None);
            let mine = (0u32..).zip(&observed.run.events).filter(|(_, event)| event.thread == thread);
            for (number, event) in mine.filter(|(_, event)| event.op.access().is_some()) {
                let at = observed.places[event.place as usize];
                let Some(line) = source_line(program, at).filter(|line| contains(program, region, line)) else {
                    open.close(observed, &mut by_source);
                    last = None;
                    continue;
                };
                let is_next_turn =
                    last.is_some_and(|last: SourceLine| last.function != line.function || line.pc < last.pc);
                if is_next_turn {
                    open.close(observed, &mut by_source);
                }
                last = Some(line);
                open.accesses.push(number);
            }
            open.close(observed, &mut by_source);
        }
        let instances: Vec<Instance> = by_source.into_values().flatten().collect();
        if !instances.is_empty() {
            found.push(Region { instances, is_declared: true });
        }
    }
    found
}

fn contains(program: &Program, region: &DeclaredRegion, at: &SourceLine) -> bool {
    let function = &program.functions[gordian_ir::FuncId(at.function)];
    let file = function.locs.get(at.pc as usize).and_then(|loc| program.files.get(loc.file));
    let is_file = file.is_some_and(|file| {
        file.strip_suffix(region.file.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    });
    is_file && (region.from..=region.to).contains(&at.line)
}

/// The region that a thread is in.
#[derive(Default)]
struct Open {
    /// Its last event, by number, and how many frames of its stack are those of the region.
    last: Option<(u32, usize)>,
    accesses: Vec<u32>,
}

impl Open {
    /// The thread's next event: goes on with the region, or begins another.
    fn take(
        &mut self,
        program: &Program,
        observed: &Observed,
        event: u32,
        lines: u32,
        regions: &mut BTreeMap<(u32, u32), Vec<Instance>>,
    ) {
        let stack = stack_of(observed, event);
        let depth = match self.last {
            Some((last, depth)) => follows(program, stack_of(observed, last), stack, depth, lines),
            None => None,
        };
        if depth.is_none() {
            self.close(observed, regions);
        }
        let has_line = stack.last().is_some_and(|frame| source_line(program, frame.at).is_some());
        self.last = has_line.then_some((event, depth.unwrap_or(stack.len())));
    }

    fn close(&mut self, observed: &Observed, regions: &mut BTreeMap<(u32, u32), Vec<Instance>>) {
        self.last = None;
        let accesses = std::mem::take(&mut self.accesses);
        if let (Some(&first), Some(&last)) = (accesses.first(), accesses.last())
            && first != last
        {
            let place = |event: u32| observed.run.events[event as usize].place;
            regions.entry((place(first), place(last))).or_default().push(Instance { accesses });
        }
    }
}

fn stack_of(observed: &Observed, event: u32) -> &[CallFrame] {
    &observed.frames[observed.stacks[event as usize] as usize]
}

/// How many frames of two stacks are those of the same calls. Calls without a number are told apart by their function and by where they were made.
fn common_frames(last: &[CallFrame], next: &[CallFrame]) -> usize {
    let is_same = |depth: usize| {
        let (a, b) = (last[depth], next[depth]);
        let caller = |stack: &[CallFrame]| depth.checked_sub(1).map(|caller| stack[caller].at);
        let is_known = a.call != 0 || b.call != 0;
        a.call == b.call && a.at.function == b.at.function && (is_known || caller(last) == caller(next))
    };
    (0..last.len().min(next.len())).take_while(|&depth| is_same(depth)).count()
}

/// Whether an event with the stack `next` may belong to a region within `depth` frames of the stack `last`; if so, how many frames the region
/// then has. The region's function is the innermost one that has all of it.
fn follows(program: &Program, last: &[CallFrame], next: &[CallFrame], depth: usize, lines: u32) -> Option<usize> {
    let common = common_frames(last, next);
    let innermost = common.checked_sub(1)?;
    // Going back in the code is the next turn of a loop, and so is another call at the same place.
    let (before, after) = (last[innermost].at.pc, next[innermost].at.pc);
    let is_other_call = last.len() > common && next.len() > common;
    if after < before || after == before && is_other_call {
        return None;
    }
    let depth = depth.min(common);
    let line = |stack: &[CallFrame]| source_line(program, stack[depth - 1].at).map(|at| at.line);
    let (before, after) = (line(last)?, line(next)?);
    (before.abs_diff(after) < lines).then_some(depth)
}
