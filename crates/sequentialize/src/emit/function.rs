//! Writes one function for one of the threads.

use super::pure::Registers;
use super::{Emitter, Who};
use crate::Error;
use crate::externals::{self, Emitted, External};
use crate::names::{comment, literal};
use crate::reach::name_of;
use gordian_analysis::Point;
use gordian_base::{FxHashSet, Id};
use gordian_ir::{CallSite, Callee, FuncId, Function, Inst, Liveness, Loc, Program, Slot, Target};
use std::fmt::Write;

pub struct FunctionWriter<'e, 'a> {
    emitter: &'e mut Emitter<'a>,
    pub program: &'a Program,
    pub function: &'a Function,
    id: FuncId,
    who: Who,
    liveness: Liveness,
    /// Instructions that something jumps to.
    targets: FxHashSet<Target>,
    /// Jumps back, by their instruction and target.
    back: Vec<(usize, Target)>,
    has_locals: bool,
    is_section: bool,
    body: String,
    line: (u32, u32),
}

impl<'e, 'a> FunctionWriter<'e, 'a> {
    pub fn new(emitter: &'e mut Emitter<'a>, id: FuncId, who: Who) -> Self {
        let program = emitter.program;
        let function = &program.functions[id];
        let by_value = function.calls.iter().any(|site| !site.byval.is_empty());
        FunctionWriter {
            program,
            function,
            id,
            who,
            liveness: Liveness::of(function),
            targets: targets(function),
            back: Vec::new(),
            has_locals: by_value || function.code.iter().any(|inst| matches!(inst, Inst::Alloca { .. })),
            is_section: function.name.starts_with("__VERIFIER_atomic_"),
            body: String::new(),
            line: (0, 0),
            emitter,
        }
    }

    pub fn write(mut self, out: &mut String) -> Result<(), Error> {
        if self.function.variadic {
            let what = format!("the function `{}` takes a varying number of arguments", self.function.name);
            return Err(self.unsupported(0, what));
        }
        for pc in 0..self.function.code.len() {
            self.instruction(pc)?;
        }
        let _ = writeln!(out, "\n{}\n{{", self.emitter.signature(self.id, self.who));
        for n in 0..self.function.n_params {
            let _ = writeln!(out, "    (void)r{n};");
        }
        for n in self.function.n_params..self.function.n_registers {
            let _ = writeln!(out, "    uint64_t r{n} = 0; (void)r{n};");
        }
        for &(pc, target) in &self.back {
            let _ = write!(out, "    uint64_t b{pc}_{target} = 0;");
            for register in self.liveness.live(target as usize) {
                let _ = write!(out, " uint64_t b{pc}_{target}_{register} = 0;");
            }
            out.push('\n');
        }
        let who = self.who.constant();
        if self.has_locals {
            let _ = writeln!(out, "    uint32_t locals = gs_n_objects[1 + 2 * gs_thread[{who}]];");
        }
        if self.is_section {
            let site = self.emitter.site(Point { function: self.id, pc: 0 });
            let _ = writeln!(out, "    gs_section({who}, 1, {site});");
        }
        out.push_str(&self.body);
        out.push_str("}\n");
        Ok(())
    }

    pub fn id(&self) -> FuncId {
        self.id
    }

    pub fn who(&self) -> &'static str {
        self.who.constant()
    }

    pub fn site(&mut self, pc: usize) -> u32 {
        self.emitter.site(Point { function: self.id, pc: pc as u32 })
    }

    /// Whether others may access what the instruction does.
    pub fn shared(&self, pc: usize) -> u8 {
        u8::from(self.emitter.plan.shared.contains(&Point { function: self.id, pc: pc as u32 }))
    }

    /// What T' does may end it.
    pub fn check_stopped(&mut self) {
        if self.who == Who::U {
            self.say("if (gs_stopped[GS_U]) return 0;");
        }
    }

    fn instruction(&mut self, pc: usize) -> Result<(), Error> {
        self.place(pc);
        if self.targets.contains(&(pc as Target)) {
            let _ = writeln!(self.body, "L{pc}:;");
        }
        self.write_inst(pc, self.function.code[pc])
    }

    fn place(&mut self, pc: usize) {
        let Loc { file, line, .. } = self.function.locs[pc];
        if line > 0 && self.line != (file.0, line) {
            self.line = (file.0, line);
            let _ = writeln!(self.body, "#line {line} {}", literal(&self.program.files[file]));
        }
    }

    /// A jump; one that goes back stops a thread that would go round for ever.
    pub fn jump(&mut self, pc: usize, target: Target) -> String {
        if target as usize > pc {
            return format!("goto L{target};");
        }
        if !self.back.contains(&(pc, target)) {
            self.back.push((pc, target));
        }
        let who = self.who.constant();
        let old = format!("b{pc}_{target}");
        let live: Vec<usize> = self.liveness.live(target as usize).collect();
        let same: String = live.iter().map(|r| format!(" & gs_eq({old}_{r}, r{r})")).collect();
        let keep: String = live.iter().map(|r| format!(" {old}_{r} = r{r};")).collect();
        let stopped = if self.who == Who::U { " if (gs_stopped[GS_U]) return 0;" } else { "" };
        format!(
            "{{ gs_turn({who}); if ({old} == gs_epoch[{who}] && (UINT64_C(1){same})) gs_wait({who}); {old} = gs_epoch[{who}];{keep}{stopped} goto L{target}; }}"
        )
    }

    pub fn give_back(&mut self, pc: usize, src: Slot) {
        let who = self.who.constant();
        if self.is_section {
            let site = self.site(pc);
            self.say(&format!("gs_section({who}, 0, {site});"));
        }
        if self.has_locals {
            self.say(&format!("gs_leave({who}, locals);"));
        }
        let n_returns = self.function.n_returns;
        for nth in 1..n_returns {
            let value = self.value(Slot(src.0 + nth));
            self.say(&format!("gs_ret[{who}][{nth}] = {value};"));
        }
        let value = if n_returns > 0 { self.value(src) } else { "0".to_owned() };
        self.say(&format!("return {value};"));
    }

    pub fn call(&mut self, pc: usize, nth: u32) -> Result<(), Error> {
        let call: &CallSite = &self.function.calls[nth as usize];
        let (who, prefix) = (self.who.constant(), self.who.prefix());
        let mut args: Vec<String> = call.args.iter().map(|&slot| self.value(slot)).collect();
        let (site, shared) = (self.site(pc), self.shared(pc));
        for by_value in &call.byval {
            let arg = &mut args[by_value.arg as usize];
            *arg = format!("gs_by_value({who}, {shared}, {arg}, {}, {}, {site})", by_value.size, by_value.align.max(1));
        }
        let value = match call.callee {
            Callee::Function(callee) => format!("{prefix}_{}({})", self.emitter.names[&callee], args.join(", ")),
            Callee::Indirect(slot) => {
                let pointer = self.value(slot);
                let args: String = args.iter().map(|arg| format!("{arg}, ")).collect();
                format!("gs_{prefix}_call_{}_{}({pointer}, {args}{site})", call.args.len(), call.n_returns)
            }
            Callee::External(external) => {
                return self.external(pc, call, &self.program.externals[external].name, &args);
            }
        };
        if call.n_returns == 0 || call.dst.0 >= self.function.n_registers {
            self.say(&format!("{value};"));
        } else {
            self.set(call.dst, &value);
        }
        self.after_call();
        for nth in 1..call.n_returns {
            self.set(Slot(call.dst.0 + nth), &format!("gs_ret[{who}][{nth}]"));
        }
        if call.n_returns > 16 {
            return Err(self.unsupported(pc, "a function returns more than 16 words".to_owned()));
        }
        Ok(())
    }

    fn after_call(&mut self) {
        let who = self.who.constant();
        if self.who == Who::U || self.emitter.ends_within {
            self.say(&format!("if (gs_stopped[{who}]) return 0;"));
        }
    }

    fn external(&mut self, pc: usize, call: &CallSite, name: &str, args: &[String]) -> Result<(), Error> {
        let site = self.site(pc);
        if externals::known(name) == Some(External::Print) {
            self.print(pc, call, name)?;
        }
        let Some(emitted) = externals::call(name, self.who.constant(), args, site) else {
            return Err(self.unsupported(pc, format!("the program calls `{name}`")));
        };
        let wants_result = call.n_returns > 0;
        match emitted {
            Emitted::Value(value) if wants_result => self.set(call.dst, &value),
            Emitted::Value(value) if value == "0" => {}
            Emitted::Value(value) => self.say(&format!("(void){value};")),
            Emitted::Statement(text) => {
                self.say(&format!("{text};"));
                if wants_result {
                    self.set(call.dst, "0");
                }
            }
            Emitted::End(text) => {
                self.say(&format!("{text};"));
                self.say("return 0;");
                return Ok(());
            }
        }
        self.check_stopped();
        Ok(())
    }
}

impl FunctionWriter<'_, '_> {
    /// What a function prints is read, and its result, which is not computed, is not used.
    fn print(&mut self, pc: usize, call: &CallSite, name: &str) -> Result<(), Error> {
        if call.n_returns > 0 && self.liveness.live(pc + 1).any(|register| register == call.dst.index()) {
            return Err(self.unsupported(pc, format!("the program uses the result of `{name}`")));
        }
        let slots = externals::all_arguments(call);
        let constant = |slot: &Slot| slot.0.checked_sub(self.function.n_registers);
        let known: Vec<Option<u64>> =
            slots.iter().map(|slot| constant(slot).map(|nth| self.function.consts[nth as usize])).collect();
        let texts = externals::printed_text(self.program, name, &known).map_err(|what| self.unsupported(pc, what))?;
        for nth in texts.into_iter().filter(|&nth| nth < slots.len()) {
            let (who, site, text) = (self.who(), self.site(pc), self.value(slots[nth]));
            self.say(&format!("gs_see_text({who}, 1, {text}, {site});"));
            self.check_stopped();
        }
        Ok(())
    }
}

impl Registers for FunctionWriter<'_, '_> {
    fn unsupported(&self, pc: usize, what: String) -> Error {
        let place = self.emitter.place(Point { function: self.id, pc: pc as u32 });
        Error::Unsupported { place, what }
    }

    fn value(&self, slot: Slot) -> String {
        match slot.0.checked_sub(self.function.n_registers) {
            None => format!("r{}", slot.0),
            Some(nth) => {
                let value = self.function.consts[nth as usize];
                match name_of(self.program, value) {
                    Some(name) => format!("UINT64_C({value:#x}) /* {} */", comment(name)),
                    None => format!("UINT64_C({value:#x})"),
                }
            }
        }
    }

    fn say(&mut self, text: &str) {
        let _ = writeln!(self.body, "    {text}");
    }

    fn set(&mut self, dst: Slot, value: &str) {
        let _ = writeln!(self.body, "    r{} = {value};", dst.0);
    }

    fn fail_if(&mut self, pc: usize, condition: &str, what: &str) {
        let (who, site) = (self.who(), self.site(pc));
        self.say(&format!("if ({condition}) gs_fail({who}, {what}, {site});"));
        self.check_stopped();
    }
}

fn targets(function: &Function) -> FxHashSet<Target> {
    let mut targets: FxHashSet<Target> = FxHashSet::default();
    for inst in &function.code {
        let mut inst = *inst;
        inst.for_each_target_mut(|target| {
            targets.insert(*target);
        });
        match inst {
            Inst::Switch { table, .. } => {
                let table = &function.switches[table];
                targets.insert(table.default);
                targets.extend(table.cases.iter().map(|case| case.1));
            }
            Inst::JumpIndirect { .. } => targets.extend(&function.labels),
            _ => {}
        }
    }
    targets
}
