//! Functions block by block: branches, loops and returns, each jump forwards.

use super::flow::{Flow, Key, Node};
use super::state::{Copy, Differ, Phase, State};
use super::value::{Value, compare, comparison};
use super::walk::{Frame, Walk, constant};
use crate::Error;
use crate::emit::pure::{self, Registers};
use gordian_base::Id;
use gordian_ir::{FuncId, Inst, Liveness, Pred, Slot};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Deeper calls are taken for a recursion without an end.
const MOST_CALLS: usize = 48;
/// Iterations of a loop whose end is not known.
const MOST_ITERATIONS: u32 = 64;
/// Instructions that are written.
const MOST_CODE: usize = 200_000;

struct Pending {
    node: Node,
    label: usize,
    state: State,
}

type Agenda = BTreeMap<Key, Pending>;

impl Walk<'_> {
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
        if self.is_u() {
            self.ended_in_u.extend(&callee.objects);
        }
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
            // Nothing has changed, unless a thread takes a write of the other one the next time.
            let most = match (self.copy, self.state.phase) {
                (Copy::T, Phase::RunT | Phase::After) => Some(self.options.k),
                (Copy::U, Phase::RunU) if self.options.k2 > 0 => Some(self.options.k2),
                _ => None,
            };
            if most.is_none_or(|most| from.iterations[level] > most) {
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
}
