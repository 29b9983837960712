//! Unrolls code: every call inlined, every iteration of a loop written out, jumps forwards only.

use super::Info;
use super::access::{Offset, UAccess};
use super::flow::Flow;
use super::locks::Acquisition;
use super::others::UEvent;
use super::state::{Copy, Phase, State, join_into};
use super::uses::SyncUse;
use super::value::{Object, Objects, Value, evaluate};
use super::waits::Waits;
use crate::emit::pure::{Registers, write_pure};
use crate::names::literal;
use crate::{Error, Line, Options, Plan};
use gordian_analysis::Point;
use gordian_base::{FxHashMap, Id};
use gordian_ir::{CallSite, Callee, FuncId, Function, Inst, Program, Slot, address};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

pub struct Frame {
    pub id: usize,
    pub function: FuncId,
    pub is_section: bool,
    /// Stack objects, which end with it.
    pub objects: Vec<usize>,
    pub end: usize,
    pub returned: Option<(State, Vec<Value>)>,
    /// At the beginning of each iteration of a loop: how many changes had been written.
    pub changes: BTreeMap<(usize, Vec<u32>), u64>,
    /// By loop: decisions about the end of the loop that are not known.
    pub undecided: BTreeMap<usize, u32>,
}

pub struct Walk<'a> {
    pub program: &'a Program,
    pub plan: &'a Plan,
    pub options: &'a Options,
    pub info: &'a Info,
    /// For the next pass.
    pub seen: Info,
    pub out: String,
    pub variables: BTreeMap<String, &'static str>,
    pub objects: Objects,
    pub next_index: BTreeMap<u32, u32>,
    pub state: State,
    pub frame: Frame,
    pub copy: Copy,
    pub thread: u32,
    pub depth: usize,
    pub flows: FxHashMap<FuncId, Rc<Flow>>,
    pub n_labels: usize,
    pub n_frames: usize,
    pub n_code: usize,
    pub n_temporaries: usize,
    /// Instructions that change something, in the code so far.
    pub changes: u64,
    pub n_events: u32,
    pub u_reads: BTreeMap<usize, Vec<UAccess>>,
    pub u_writes: BTreeMap<usize, Vec<UAccess>>,
    pub t_writes: BTreeMap<usize, Vec<(Offset, u64)>>,
    /// What main reads while threads run.
    pub kept: BTreeMap<usize, Vec<(Offset, u64)>>,
    pub acquisitions: [Vec<Acquisition>; 2],
    /// All events of T' so far.
    pub u_events: Vec<UEvent>,
    /// Beginnings of atomic sections of T'.
    pub u_sections: Vec<UEvent>,
    /// Where T' waits for the end of a thread, and for which.
    pub u_joins: Vec<(UEvent, u32)>,
    /// Where T' uses a lock, a condition or a semaphore.
    pub u_syncs: Vec<SyncUse>,
    pub waits: Waits,
    /// Steps of T in the code so far.
    pub n_steps: usize,
    pub freed: [BTreeSet<usize>; 2],
    pub ended: BTreeSet<usize>,
    /// Those of them that T' left while T may have run.
    pub ended_in_u: BTreeSet<usize>,
    pub thread_locals: BTreeMap<(u32, u32), usize>,
    /// Where T' goes when it stops.
    pub u_end: Option<usize>,
    pub fork: Option<State>,
    /// Where a thread goes that ends within a function, and how it is then.
    pub thread_end: (usize, Option<State>),
    pub end: usize,
    pub n_inputs: u32,
    pub used_labels: BTreeSet<usize>,
    /// Reads of T' that may take something of T.
    pub guessed: BTreeSet<u32>,
    /// Something was destroyed in the code so far.
    pub has_destroyed: bool,
}

impl Frame {
    pub fn new(id: usize, function: FuncId, end: usize) -> Frame {
        Frame {
            id,
            function,
            is_section: false,
            objects: Vec::new(),
            end,
            returned: None,
            changes: BTreeMap::new(),
            undecided: BTreeMap::new(),
        }
    }
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program, plan: &'a Plan, options: &'a Options, info: &'a Info, main: FuncId) -> Self {
        let mut walk = Walk {
            program,
            plan,
            options,
            info,
            seen: Info::default(),
            out: String::new(),
            variables: BTreeMap::new(),
            objects: Objects::default(),
            next_index: BTreeMap::new(),
            state: State::new(Phase::Init),
            frame: Frame::new(0, main, 0),
            copy: Copy::T,
            thread: 0,
            depth: 0,
            flows: FxHashMap::default(),
            n_labels: 1,
            n_frames: 1,
            n_code: 0,
            n_temporaries: 0,
            changes: 0,
            n_events: 0,
            u_reads: BTreeMap::new(),
            u_writes: BTreeMap::new(),
            t_writes: BTreeMap::new(),
            kept: BTreeMap::new(),
            acquisitions: Default::default(),
            u_events: Vec::new(),
            u_sections: Vec::new(),
            u_joins: Vec::new(),
            u_syncs: Vec::new(),
            waits: Waits::default(),
            n_steps: 0,
            freed: Default::default(),
            ended: BTreeSet::new(),
            ended_in_u: BTreeSet::new(),
            thread_locals: BTreeMap::new(),
            u_end: None,
            fork: None,
            thread_end: (0, None),
            end: 0,
            n_inputs: 0,
            used_labels: BTreeSet::new(),
            guessed: BTreeSet::new(),
            has_destroyed: false,
        };
        for global in program.globals.iter() {
            let name = global.name.clone();
            let start = walk.fresh(address::GLOBAL_SPACE);
            let init = global.init.clone().into();
            walk.objects.add(Object { start, size: global.size, constant: global.constant, name, init });
        }
        walk
    }

    /// The address of a new object.
    pub fn fresh(&mut self, space: u32) -> u64 {
        let index = self.next_index.entry(space).or_insert(u32::from(space == address::GLOBAL_SPACE));
        *index += 1;
        address::make(space, *index - 1, 0)
    }

    pub fn label(&mut self) -> usize {
        self.n_labels += 1;
        self.n_labels
    }

    pub fn place_label(&mut self, label: usize) {
        if self.used_labels.contains(&label) {
            let _ = writeln!(self.out, "L{label}:;");
        }
    }

    pub fn go_to(&mut self, label: usize) -> String {
        self.used_labels.insert(label);
        format!("goto L{label};")
    }

    pub fn frame_id(&self) -> usize {
        self.frame.id
    }

    pub fn function(&self) -> &'a Function {
        &self.program.functions[self.frame.function]
    }

    pub fn point(&self, pc: usize) -> Point {
        Point { function: self.frame.function, pc: pc as u32 }
    }

    pub fn place(&self, pc: usize) -> String {
        let loc = self.function().locs[pc];
        match loc.line {
            0 => format!("`{}`", self.function().name),
            line => format!("{}:{line}", self.program.files[loc.file]),
        }
    }

    /// Whether an access there is among the lines that may take part.
    pub fn may_take_part(&self, lines: &[Line], pc: usize) -> bool {
        let loc = self.function().locs[pc];
        let Some(file) = self.program.files.get(loc.file) else { return lines.is_empty() };
        lines.is_empty()
            || lines
                .iter()
                .any(|line| loc.line == line.line && (*file == line.file || file.ends_with(&format!("/{}", line.file))))
    }

    pub fn variable(&mut self, name: String, ty: &'static str) -> String {
        self.variables.insert(name.clone(), ty);
        name
    }

    /// A variable of its own for a value.
    pub fn temporary(&mut self, value: &str) -> String {
        self.n_temporaries += 1;
        let name = self.variable(format!("a{}", self.n_temporaries), "uint64_t");
        self.say(&format!("{name} = {value};"));
        name
    }

    pub fn known(&self, slot: Slot) -> Value {
        let function = self.function();
        match slot.0.checked_sub(function.n_registers) {
            None => self.state.registers[slot.index()].clone(),
            Some(nth) => Value::constant(function.consts[nth as usize]),
        }
    }

    /// A value for a register, and what is known of it.
    pub fn assign(&mut self, dst: Slot, text: &str, value: Value) {
        match value.known() {
            Some(known) => self.set(dst, &constant(known)),
            None => self.set(dst, text),
        }
        self.state.registers[dst.index()] = value;
    }

    /// Where the thread stops at this point: T' keeps what it has done, and others have no execution to go on with.
    pub fn stop(&mut self) -> String {
        match self.u_end {
            Some(label) if self.is_u() => self.go_to(label),
            _ => "gs_stop();".to_owned(),
        }
    }

    pub fn is_u(&self) -> bool {
        self.copy == Copy::U && self.state.phase == Phase::RunU
    }

    /// What is beyond a bound.
    pub fn stop_at_bound(&mut self, what: &str) -> String {
        let stop = self.stop();
        format!("{{ gs_bound({}); {stop} }}", literal(what))
    }

    /// How the thread fails here.
    pub fn failure(&mut self, pc: usize, what: &str) -> String {
        if self.is_u() {
            return self.stop();
        }
        let name = crate::emit::failure_name(what);
        let fails = format!("gs_fail({});", literal(&format!("{}: {name}", self.place(pc))));
        if !matches!(self.state.phase, Phase::RunT | Phase::After) || self.options.k2 == 0 {
            return fails;
        }
        let before = std::mem::take(&mut self.out);
        self.confirm_guesses();
        let confirmed = std::mem::replace(&mut self.out, before);
        format!("{confirmed}{fails}")
    }

    /// Writes an instruction; false if control never goes on from it.
    pub fn instruction(&mut self, pc: usize, inst: Inst) -> Result<bool, Error> {
        if let Some(goes_on) = self.memory_instruction(pc, inst)? {
            return Ok(goes_on);
        }
        match inst {
            Inst::LoopEnter { counter } => self.assign(counter, "0", Value::constant(0)),
            Inst::LoopBack { counter } => {
                let next = self.known(counter).known().map_or(u64::MAX, |nth| nth + 1);
                self.assign(counter, "0", Value::constant(next));
                if self.options.unroll.is_some_and(|most| next > u64::from(most)) {
                    let stop = self.stop_at_bound("a loop goes round more often than `--unroll` allows");
                    self.say(&stop);
                    return Ok(false);
                }
            }
            Inst::Call { site } => return self.call(pc, &self.function().calls[site as usize]),
            _ => {
                let value = evaluate(inst, &self.objects, |slot| self.known(slot));
                let mut dst = None;
                let mut operands = inst;
                operands.for_each_operand_mut(|slot, n, role| {
                    if role == gordian_ir::Role::Write {
                        dst = Some((*slot, n));
                    }
                });
                match (dst, value.known()) {
                    (Some((dst, 1)), Some(known)) => self.assign(dst, &constant(known), value),
                    (dst, _) => {
                        if !write_pure(self, pc, inst)? {
                            let what = "this is an instruction that has no counterpart in C".to_owned();
                            return Err(self.unsupported(pc, what));
                        }
                        if let Some((dst, n)) = dst {
                            (0..n).for_each(|nth| self.state.registers[dst.index() + nth as usize] = Value::Any);
                            self.state.registers[dst.index()] = value;
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    pub fn call(&mut self, pc: usize, call: &CallSite) -> Result<bool, Error> {
        let mut args: Vec<(String, Value)> =
            call.args.iter().map(|&slot| (self.value(slot), self.known(slot))).collect();
        for by_value in &call.byval {
            let (text, value) = args[by_value.arg as usize].clone();
            let copy = self.allocate_on_stack(by_value.size, "argument");
            let to = (constant(copy), Value::constant(copy));
            self.move_bytes(pc, to.clone(), (text, value), by_value.size)?;
            args[by_value.arg as usize] = to;
        }
        let results = match call.callee {
            Callee::Function(callee) => self.run(callee, &args, pc)?,
            Callee::External(external) => {
                let name = self.program.externals[external].name.clone();
                self.check_printed(pc, call, &name)?;
                self.external(pc, &name, &args)?.map(|result| vec![result])
            }
            Callee::Indirect(slot) => {
                let Some(code) = self.known(slot).known().and_then(address::function_of) else {
                    return Err(self.unsupported(pc, "which function a pointer calls is not known".to_owned()));
                };
                match self.program.callee(code) {
                    Some(Callee::Function(callee)) => self.run(callee, &args, pc)?,
                    _ => return Err(self.unsupported(pc, "a pointer calls a function of the library".to_owned())),
                }
            }
        };
        let Some(results) = results else { return Ok(false) };
        for (nth, (text, value)) in results.into_iter().enumerate().take(call.n_returns as usize) {
            let dst = Slot(call.dst.0 + nth as u32);
            if dst.0 < self.function().n_registers {
                self.assign(dst, &text, value);
            }
        }
        Ok(true)
    }

    /// The state of a thread that ends here, within any number of calls.
    pub fn end_thread(&mut self, pc: usize) -> Result<(), Error> {
        let (label, mut known) = std::mem::take(&mut self.thread_end);
        let mut state = self.state.clone();
        state.registers.clear();
        if join_into(&mut known, state, &self.objects).is_err() {
            return Err(self.unsupported(pc, "threads are created or joined on some paths only".to_owned()));
        }
        self.thread_end = (label, known);
        let jump = self.go_to(label);
        self.say(&jump);
        Ok(())
    }
}

impl Registers for Walk<'_> {
    fn value(&self, slot: Slot) -> String {
        match self.known(slot).known() {
            Some(known) => constant(known),
            None => format!("r{}_{}", self.frame.id, slot.0),
        }
    }

    fn set(&mut self, dst: Slot, value: &str) {
        let name = self.variable(format!("r{}_{}", self.frame.id, dst.0), "uint64_t");
        self.say(&format!("{name} = {value};"));
    }

    fn say(&mut self, text: &str) {
        let _ = writeln!(self.out, "    {text}");
    }

    fn fail_if(&mut self, pc: usize, condition: &str, what: &str) {
        let failure = self.failure(pc, what);
        self.say(&format!("if ({condition}) {{ {failure} }}"));
    }

    fn unsupported(&self, pc: usize, what: String) -> Error {
        Error::Unsupported { place: self.place(pc), what }
    }
}

pub fn constant(value: u64) -> String {
    match value {
        0..=9 => format!("UINT64_C({value})"),
        _ => format!("UINT64_C({value:#x})"),
    }
}

impl Walk<'_> {
    /// Writes code for each value that something can have, of which each is known there.
    pub fn for_each_value(
        &mut self,
        pc: usize,
        (text, value): &(String, Value),
        what: &str,
        mut each: impl FnMut(&mut Self, u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(known) = value.known() {
            return each(self, known);
        }
        let Value::OneOf(values) = value else { return Err(self.unsupported(pc, what.to_owned())) };
        let (text, before, mut after) = (self.temporary(text), self.state.clone(), None);
        for &value in values {
            self.state = before.clone();
            self.say(&format!("if ({text} == {}) {{", constant(value)));
            each(self, value)?;
            self.say("}");
            if join_into(&mut after, self.state.clone(), &self.objects).is_err() {
                return Err(self.unsupported(pc, "threads are created or joined on some paths only".to_owned()));
            }
        }
        self.state = after.unwrap_or(before);
        Ok(())
    }
}
