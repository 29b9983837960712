//! Unrolls code: every call inlined, every iteration of a loop written out, jumps forwards only.

use super::Info;
use super::flow::{Flow, Key, Node};
use super::locks::Acquisition;
use super::memory::{Object, Objects, UAccess};
use super::state::{Copy, Differ, Phase, State, join_into};
use super::value::{Value, compare, comparison, evaluate};
use super::waits::Waits;
use crate::emit::pure::{self, Registers, write_pure};
use crate::names::literal;
use crate::{Error, Line, Options, Plan};
use gordian_analysis::Point;
use gordian_base::{FxHashMap, Id};
use gordian_ir::{CallSite, Callee, FuncId, Function, Inst, Liveness, Pred, Program, Slot, address};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

/// Deeper calls are taken for a recursion without an end.
const MOST_CALLS: usize = 48;
/// Iterations of a loop whose end is not known.
const MOST_ITERATIONS: u32 = 64;
/// Instructions that are written.
const MOST_CODE: usize = 200_000;

pub struct Frame {
    id: usize,
    pub function: FuncId,
    is_section: bool,
    /// Stack objects, which end with it.
    pub objects: Vec<usize>,
    end: usize,
    returned: Option<(State, Vec<Value>)>,
    /// At the beginning of each iteration of a loop: how many changes had been written.
    changes: BTreeMap<(usize, Vec<u32>), u64>,
    /// By loop: decisions about the end of the loop that are not known.
    undecided: BTreeMap<usize, u32>,
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
    depth: usize,
    flows: FxHashMap<FuncId, Rc<Flow>>,
    n_labels: usize,
    n_frames: usize,
    n_code: usize,
    n_temporaries: usize,
    /// Instructions that change something, in the code so far.
    pub changes: u64,
    pub n_events: u32,
    pub u_reads: BTreeMap<usize, Vec<UAccess>>,
    pub u_writes: BTreeMap<usize, Vec<UAccess>>,
    pub acquisitions: [Vec<Acquisition>; 2],
    /// Beginnings of atomic sections of T'.
    pub u_sections: Vec<u32>,
    pub waits: Waits,
    /// Steps of T in the code so far.
    pub n_steps: usize,
    pub freed: [BTreeSet<usize>; 2],
    pub ended: BTreeSet<usize>,
    pub thread_locals: BTreeMap<(u32, u32), usize>,
    /// Where T' goes when it stops.
    pub u_end: Option<usize>,
    pub fork: Option<State>,
    /// Where a thread goes that ends within a function, and how it is then.
    pub thread_end: (usize, Option<State>),
    pub end: usize,
    pub n_inputs: u32,
    pub used_labels: BTreeSet<usize>,
}

struct Pending {
    node: Node,
    label: usize,
    state: State,
}

type Agenda = BTreeMap<Key, Pending>;

impl Frame {
    fn new(id: usize, function: FuncId, end: usize) -> Frame {
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
            acquisitions: Default::default(),
            u_sections: Vec::new(),
            waits: Waits::default(),
            n_steps: 0,
            freed: Default::default(),
            ended: BTreeSet::new(),
            thread_locals: BTreeMap::new(),
            u_end: None,
            fork: None,
            thread_end: (0, None),
            end: 0,
            n_inputs: 0,
            used_labels: BTreeSet::new(),
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
    fn stop_at_bound(&mut self, what: &str) -> String {
        let stop = self.stop();
        format!("{{ gs_bound({}); {stop} }}", literal(what))
    }

    /// How the thread fails here.
    pub fn failure(&mut self, pc: usize, what: &str) -> String {
        if self.is_u() {
            return self.stop();
        }
        let name = crate::emit::failure_name(what);
        format!("gs_fail({});", literal(&format!("{}: {name}", self.place(pc))))
    }

    /// Writes a call of a function of the program; none if it never returns.
    pub fn run(
        &mut self,
        id: FuncId,
        args: &[(String, Value)],
        pc: usize,
    ) -> Result<Option<Vec<(String, Value)>>, Error> {
        let function = &self.program.functions[id];
        if function.variadic {
            let what = format!("the function `{}` takes a varying number of arguments", function.name);
            return Err(self.unsupported(pc, what));
        }
        if self.depth == MOST_CALLS {
            return Err(self.unsupported(pc, format!("calls are nested more than {MOST_CALLS} deep")));
        }
        let flow = self.flow(id);
        self.n_frames += 1;
        let end = self.label();
        let caller = std::mem::replace(&mut self.frame, Frame::new(self.n_frames, id, end));
        let registers = vec![Value::constant(0); function.n_registers as usize];
        let registers = std::mem::replace(&mut self.state.registers, registers);
        self.depth += 1;
        for (nth, (text, value)) in args.iter().enumerate().take(function.n_params as usize) {
            self.assign(Slot(nth as u32), text, value.clone());
        }
        if function.name.starts_with("__VERIFIER_atomic_") {
            self.frame.is_section = true;
            self.section(0, true)?;
        }
        self.blocks(&flow)?;
        self.depth -= 1;
        let callee = std::mem::replace(&mut self.frame, caller);
        self.place_label(callee.end);
        self.ended.extend(callee.objects);
        let Some((mut state, values)) = callee.returned else { return Ok(None) };
        state.registers = registers;
        self.state = state;
        let texts = (0..values.len()).map(|nth| format!("q{}_{nth}", callee.id));
        Ok(Some(texts.zip(values).collect()))
    }

    fn flow(&mut self, id: FuncId) -> Rc<Flow> {
        if let Some(flow) = self.flows.get(&id) {
            return flow.clone();
        }
        let flow = Rc::new(Flow::of(&self.program.functions[id]));
        self.flows.insert(id, flow.clone());
        flow
    }

    fn blocks(&mut self, flow: &Flow) -> Result<(), Error> {
        let mut agenda = Agenda::new();
        let (node, label) = (flow.entry(), self.label());
        agenda.insert(flow.key(&node), Pending { node, label, state: self.state.clone() });
        while let Some((_, Pending { node, label, state })) = agenda.pop_first() {
            self.state = state;
            self.place_label(label);
            for (level, &of) in flow.blocks[node.block].loops.iter().enumerate() {
                let iteration = (of, node.iterations[..=level].to_vec());
                self.frame.changes.entry(iteration).or_insert(self.changes);
            }
            self.block(flow, &node, &mut agenda)?;
        }
        Ok(())
    }

    fn block(&mut self, flow: &Flow, node: &Node, agenda: &mut Agenda) -> Result<(), Error> {
        let code = flow.blocks[node.block].code.clone();
        for pc in code.clone() {
            self.n_code += 1;
            if self.n_code > MOST_CODE {
                let what = format!(
                    "loops and calls are more than {MOST_CODE} instructions; with `--unroll` they are fewer, for this"
                );
                return Err(self.unsupported(pc as usize, what));
            }
            let inst = self.function().code[pc as usize];
            if inst.is_terminator() {
                return self.terminator(pc as usize, inst, flow, node, agenda);
            }
            if !self.instruction(pc as usize, inst)? {
                return Ok(());
            }
        }
        let jump = self.edge(flow, node, code.end, self.state.clone(), agenda)?;
        self.say(&jump);
        Ok(())
    }

    /// What leads to another block.
    fn edge(&mut self, flow: &Flow, from: &Node, to: u32, state: State, agenda: &mut Agenda) -> Result<String, Error> {
        let (node, back) = flow.along(from, flow.block_at(to));
        if let Some(level) = back
            && let Some(instead) = self.goes_round(flow, from, level, to)?
        {
            return Ok(instead);
        }
        for of in flow.blocks[node.block].loops.iter().filter(|of| !flow.blocks[from.block].loops.contains(of)) {
            self.frame.undecided.remove(of);
        }
        let key = flow.key(&node);
        let label = match agenda.get_mut(&key) {
            Some(pending) => {
                if let Err(Differ) = pending.state.join(state, &self.objects) {
                    let what = "threads are created or joined on some paths only".to_owned();
                    return Err(self.unsupported(to as usize, what));
                }
                pending.label
            }
            None => {
                let label = self.label();
                agenda.insert(key, Pending { node, label, state });
                label
            }
        };
        Ok(self.go_to(label))
    }

    /// A loop would begin its next iteration; what happens instead, if it must not.
    fn goes_round(&mut self, flow: &Flow, from: &Node, level: usize, to: u32) -> Result<Option<String>, Error> {
        let of = flow.blocks[from.block].loops[level];
        let changes = self.frame.changes.get(&(of, from.iterations[..=level].to_vec())).copied();
        if flow.loops[of].has_one_entry && changes == Some(self.changes) && !self.moves_on(flow, of, to) {
            // Nothing has changed, unless T takes a write of T' the next time.
            let may_take = self.copy == Copy::T && matches!(self.state.phase, Phase::RunT | Phase::After);
            if !may_take || from.iterations[level] > self.options.k {
                return Ok(Some(self.stop()));
            }
        }
        let undecided = self.frame.undecided.get(&of).copied().unwrap_or(0);
        if undecided > MOST_ITERATIONS {
            return Err(Error::Unbounded { place: self.place(to as usize), most: MOST_ITERATIONS });
        }
        Ok(None)
    }

    /// Whether a loop changes a register that its next iteration reads.
    fn moves_on(&self, flow: &Flow, of: usize, to: u32) -> bool {
        let function = self.function();
        // How often it has gone round is no concern of the loop.
        let counters = (function.n_registers - function.n_loops) as usize;
        let live = Liveness::of(function);
        let live: BTreeSet<usize> = live.live(to as usize).filter(|&register| register < counters).collect();
        let blocks = flow.blocks.iter().filter(|block| block.loops.contains(&of));
        blocks.flat_map(|block| block.code.clone()).any(|pc| {
            let mut written = BTreeSet::new();
            match function.code[pc as usize] {
                Inst::Call { site } => {
                    let site = &function.calls[site as usize];
                    written.extend((0..site.n_returns).map(|nth| (site.dst.0 + nth) as usize));
                }
                mut inst => inst.for_each_operand_mut(|slot, n, role| {
                    if role == gordian_ir::Role::Write {
                        written.extend((0..n).map(|nth| (slot.0 + nth) as usize));
                    }
                }),
            }
            written.iter().any(|register| live.contains(register))
        })
    }

    fn terminator(
        &mut self,
        pc: usize,
        inst: Inst,
        flow: &Flow,
        node: &Node,
        agenda: &mut Agenda,
    ) -> Result<(), Error> {
        match inst {
            Inst::Jump { target } => {
                let jump = self.edge(flow, node, target, self.state.clone(), agenda)?;
                self.say(&jump);
            }
            Inst::Branch { cond, then, otherwise, .. } => {
                let (text, value) = (self.value(cond), self.known(cond));
                let nonzero = comparison(Pred::Ne, 64, &value, &Value::constant(0));
                self.branch(&text, &nonzero, None, (then, otherwise), (flow, node, agenda))?;
            }
            Inst::BranchCmp { pred, w, a, b, then, otherwise, .. } => {
                let text = pure::comparison(pred, w, &self.value(a), &self.value(b));
                let value = comparison(pred, w, &self.known(a), &self.known(b));
                self.branch(&text, &value, Some((pred, w, a, b)), (then, otherwise), (flow, node, agenda))?;
            }
            Inst::Switch { value, table } => self.switch(value, table, flow, node, agenda)?,
            Inst::Return { src } => self.give_back(pc, src)?,
            Inst::Trap | Inst::Unreachable => self.fail(pc, "GS_ABORTED"),
            Inst::Undefined { .. } => self.fail(pc, "GS_UNDEFINED"),
            Inst::Unsupported { reason } => {
                return Err(self.unsupported(pc, self.function().unsupported[reason as usize].clone()));
            }
            _ => return Err(self.unsupported(pc, "this jumps to the address of a label".to_owned())),
        }
        Ok(())
    }

    pub fn fail(&mut self, pc: usize, what: &str) {
        let failure = self.failure(pc, what);
        self.say(&failure);
    }

    fn branch(
        &mut self,
        text: &str,
        value: &Value,
        compared: Option<(Pred, u8, Slot, Slot)>,
        (then, otherwise): (u32, u32),
        (flow, node, agenda): (&Flow, &Node, &mut Agenda),
    ) -> Result<(), Error> {
        if let Some(known) = value.known() {
            let to = if known != 0 { then } else { otherwise };
            let jump = self.edge(flow, node, to, self.state.clone(), agenda)?;
            self.say(&jump);
            return Ok(());
        }
        self.count_undecided(flow, node, &[then, otherwise]);
        let (mut yes, mut no) = (self.state.clone(), self.state.clone());
        if let Some((pred, w, a, b)) = compared {
            self.refine(&mut yes, a, b, |a, b| compare(pred, w, a, b));
            self.refine(&mut no, a, b, |a, b| !compare(pred, w, a, b));
        }
        let yes = self.edge(flow, node, then, yes, agenda)?;
        let no = self.edge(flow, node, otherwise, no, agenda)?;
        self.say(&format!("if ({text}) {{ {yes} }}"));
        self.say(&no);
        Ok(())
    }

    /// Registers that were compared have values of which the comparison can be true.
    fn refine(&self, state: &mut State, a: Slot, b: Slot, holds: impl Fn(u64, u64) -> bool) {
        let (left, right) = (self.known(a), self.known(b));
        let n_registers = self.function().n_registers;
        if let (Value::OneOf(left), Value::OneOf(right)) = (&left, &right) {
            if a.0 < n_registers {
                let kept = left.iter().copied().filter(|&a| right.iter().any(|&b| holds(a, b)));
                state.registers[a.index()] = Value::OneOf(kept.collect());
            }
            if b.0 < n_registers {
                let kept = right.iter().copied().filter(|&b| left.iter().any(|&a| holds(a, b)));
                state.registers[b.index()] = Value::OneOf(kept.collect());
            }
            return;
        }
        // Something unknown that equals a constant.
        for (register, with) in [(a, &right), (b, &left)] {
            if let Some(constant) = with.known()
                && register.0 < n_registers
                && holds(constant, constant)
                && !holds(constant, constant.wrapping_add(1))
                && !holds(constant.wrapping_add(1), constant)
            {
                state.registers[register.index()] = Value::constant(constant);
            }
        }
    }

    fn count_undecided(&mut self, flow: &Flow, node: &Node, targets: &[u32]) {
        for of in &flow.blocks[node.block].loops {
            if targets.iter().any(|&to| !flow.blocks[flow.block_at(to)].loops.contains(of)) {
                *self.frame.undecided.entry(*of).or_default() += 1;
            }
        }
    }

    fn switch(
        &mut self,
        slot: Slot,
        table: gordian_ir::SwitchId,
        flow: &Flow,
        node: &Node,
        agenda: &mut Agenda,
    ) -> Result<(), Error> {
        let table = self.function().switches[table].clone();
        let (text, value) = (self.value(slot), self.known(slot));
        if let Some(known) = value.known() {
            let case = table.cases.iter().find(|case| case.0 == known);
            let to = case.map_or(table.default, |case| case.1);
            let jump = self.edge(flow, node, to, self.state.clone(), agenda)?;
            self.say(&jump);
            return Ok(());
        }
        let all: Vec<u32> = table.cases.iter().map(|case| case.1).chain([table.default]).collect();
        self.count_undecided(flow, node, &all);
        for (key, to) in table.cases {
            let mut state = self.state.clone();
            if slot.0 < self.function().n_registers {
                state.registers[slot.index()] = Value::constant(key);
            }
            let jump = self.edge(flow, node, to, state, agenda)?;
            self.say(&format!("if ({text} == {}) {{ {jump} }}", constant(key)));
        }
        let jump = self.edge(flow, node, table.default, self.state.clone(), agenda)?;
        self.say(&jump);
        Ok(())
    }

    fn give_back(&mut self, pc: usize, src: Slot) -> Result<(), Error> {
        if self.frame.is_section {
            self.section(pc, false)?;
        }
        let n_returns = self.function().n_returns;
        let mut values = Vec::new();
        for nth in 0..n_returns {
            let slot = Slot(src.0 + nth);
            let name = self.variable(format!("q{}_{nth}", self.frame.id), "uint64_t");
            let text = self.value(slot);
            self.say(&format!("{name} = {text};"));
            values.push(self.known(slot));
        }
        let mut state = self.state.clone();
        state.registers.clear();
        match &mut self.frame.returned {
            None => self.frame.returned = Some((state, values)),
            Some((known, before)) => {
                if known.join(state, &self.objects).is_err() {
                    let what = "threads are created or joined on some paths only".to_owned();
                    return Err(self.unsupported(pc, what));
                }
                for (value, other) in before.iter_mut().zip(&values) {
                    *value = value.join(other, &self.objects);
                }
            }
        }
        let jump = self.go_to(self.frame.end);
        self.say(&jump);
        Ok(())
    }

    /// Writes an instruction; false if control never goes on from it.
    fn instruction(&mut self, pc: usize, inst: Inst) -> Result<bool, Error> {
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

    fn call(&mut self, pc: usize, call: &CallSite) -> Result<bool, Error> {
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
