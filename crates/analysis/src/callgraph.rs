//! Functions in their contexts, threads, and the calls between them, as far as pointers reach.
//!
//! A context is the place of the call and the abstract thread. A thread is known by the place that creates it, the place
//! of the call of the function that does, and its start function. So all contexts are finitely many.

mod displaced;
mod effects;

use crate::objects::{AbstractThread, InstanceId, ObjectId, ObjectKind, Objects, Offset, TO_THE_END};
use crate::solver::{Exceeded, Node, Role, Rule, Solver};
use crate::template::{Op, Template, Val};
use gordian_base::{FxHashMap, FxHashSet, Id};
use gordian_externals::{Effect, Shared, Sync};
use gordian_ir::{CallSite, Callee, ExternId, FuncId, Global, Inst, Program, VarArgKind, address};
use std::rc::Rc;

/// An instruction of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    pub function: FuncId,
    pub pc: u32,
}

/// How much is told apart. The first that the budget allows is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Functions by the place of their call and by their thread.
    CallSites,
    /// Functions by their thread.
    Threads,
    /// Nothing: each function is there once.
    Functions,
    /// Nor places in objects.
    Objects,
    /// Nor objects: a pointer to memory may point to all of it.
    Memory,
}

/// A function in a context.
#[derive(Debug)]
pub struct Instance {
    pub function: FuncId,
    /// The place of the call.
    pub site: Option<Point>,
    pub thread: Option<AbstractThread>,
    first_node: Node,
    first_return: Node,
    /// What each call goes to, in the order of the code.
    pub calls: Vec<(u32, Target)>,
    pub callers: Vec<(InstanceId, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Instance(InstanceId),
    External(ExternId),
    /// A function that the external function of the call calls before it returns.
    Inside(InstanceId),
    Thread(AbstractThread),
}

#[derive(Debug)]
pub struct Thread {
    pub start: FuncId,
    /// The functions that run in it for themselves: its start function, destructors of its data, handlers at the exit.
    pub roots: Vec<(InstanceId, RootKind)>,
    pub created_at: Vec<(InstanceId, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// Before `main`.
    Before,
    Start,
    /// After the start function, or at the end of the process.
    End,
}

/// Points-to sets and call graph of a program.
pub struct CallGraph<'p> {
    pub program: &'p Program,
    pub detail: Detail,
    pub solver: Solver,
    templates: FxHashMap<FuncId, Rc<Template>>,
    pub instances: Vec<Instance>,
    instance_ids: FxHashMap<(FuncId, Option<Point>, Option<AbstractThread>), InstanceId>,
    pub threads: Vec<Thread>,
    thread_ids: FxHashMap<(Point, Option<Point>, FuncId), AbstractThread>,
    constants: FxHashMap<u64, Node>,
    to_instantiate: Vec<InstanceId>,
    at_exit: Vec<FuncId>,
    at_thread_end: Vec<FuncId>,
    /// Threads that may end the process; none stands for all of them, where functions are not told apart by their thread.
    ends_process: Vec<Option<AbstractThread>>,
    n_buffers: u32,
    /// Some thread may be cancelled.
    pub cancels: bool,
    /// External functions that the table does not know.
    pub unknown: Vec<(Point, ExternId)>,
    displaced: Vec<displaced::Displaced>,
    /// Functions in which an index may lead to another object than the base.
    pub displaces: FxHashSet<FuncId>,
}

impl<'p> CallGraph<'p> {
    pub fn of(program: &'p Program, main: FuncId, detail: Detail, budget: u64) -> Result<Self, Exceeded> {
        let most_offsets = if detail >= Detail::Objects { 0 } else { 256 };
        let mut graph = CallGraph {
            program,
            detail,
            solver: Solver::new(Objects::new(most_offsets, detail == Detail::Memory), budget),
            templates: FxHashMap::default(),
            instances: Vec::new(),
            instance_ids: FxHashMap::default(),
            threads: Vec::new(),
            thread_ids: FxHashMap::default(),
            constants: FxHashMap::default(),
            to_instantiate: Vec::new(),
            at_exit: Vec::new(),
            at_thread_end: Vec::new(),
            ends_process: Vec::new(),
            n_buffers: 0,
            cancels: cancels(program),
            unknown: Vec::new(),
            displaced: Vec::new(),
            displaces: FxHashSet::default(),
        };
        graph.begin(main);
        graph.run()?;
        Ok(graph)
    }

    fn begin(&mut self, main: FuncId) {
        let thread = AbstractThread(0);
        self.threads.push(Thread { start: main, roots: Vec::new(), created_at: Vec::new() });
        for &function in &self.program.constructors {
            let root = self.instance(function, None, self.context_thread(thread));
            self.threads[0].roots.push((root, RootKind::Before));
        }
        let root = self.instance(main, None, self.context_thread(thread));
        self.threads[0].roots.push((root, RootKind::Start));
        let arguments = self.solver.loc(ObjectKind::Arguments, Offset::exact(0));
        let object = self.solver.object(ObjectKind::Arguments);
        let inside = self.solver.cell(object, Offset::ANY, TO_THE_END);
        let anywhere = self.solver.objects.loc(object, Offset::ANY);
        self.solver.add_pointer(inside, anywhere);
        for parameter in self.template(main).webs.parameters.iter().skip(1).copied().collect::<Vec<_>>() {
            let node = self.web(root, parameter);
            self.solver.add_pointer(node, arguments);
        }
        self.ends_process.push(Some(thread));
        for &function in &self.program.destructors {
            self.add_at_exit(function);
        }
    }

    fn context_thread(&self, thread: AbstractThread) -> Option<AbstractThread> {
        (self.detail < Detail::Functions).then_some(thread)
    }

    fn run(&mut self) -> Result<(), Exceeded> {
        loop {
            if self.solver.work > self.solver.budget {
                return Err(Exceeded);
            }
            if let Some(object) = self.solver.met.pop() {
                self.fill(object);
            } else if let Some(found) = self.solver.found.pop() {
                self.link(found);
            } else if let Some(instance) = self.to_instantiate.pop() {
                self.instantiate(instance);
            } else {
                self.solver.run()?;
                if self.solver.met.is_empty() && self.solver.found.is_empty() && !self.displace() {
                    break;
                }
            }
        }
        // Recursion through pointers may have linked calls in another order.
        self.instances.iter_mut().for_each(|instance| instance.calls.sort_by_key(|(pc, _)| *pc));
        Ok(())
    }

    pub fn template(&mut self, function: FuncId) -> Rc<Template> {
        let program = self.program;
        let make = || Rc::new(Template::of(program, &program.functions[function]));
        Rc::clone(self.templates.entry(function).or_insert_with(make))
    }

    pub fn template_for(&self, function: FuncId) -> Rc<Template> {
        Rc::clone(&self.templates[&function])
    }

    /// The template of a function that was reached.
    pub fn template_of(&self, instance: InstanceId) -> Rc<Template> {
        Rc::clone(&self.templates[&self.instances[instance.index()].function])
    }

    fn instance(&mut self, function: FuncId, site: Option<Point>, thread: Option<AbstractThread>) -> InstanceId {
        let site = site.filter(|_| self.detail == Detail::CallSites);
        if let Some(&id) = self.instance_ids.get(&(function, site, thread)) {
            return id;
        }
        let n_webs = self.template(function).n_webs;
        let n_returns = self.program.functions[function].n_returns;
        let first_node = self.solver.new_nodes(n_webs + n_returns);
        let id = InstanceId(self.instances.len() as u32);
        let first_return = first_node + n_webs;
        let (calls, callers) = (Vec::new(), Vec::new());
        self.instances.push(Instance { function, site, thread, first_node, first_return, calls, callers });
        self.instance_ids.insert((function, site, thread), id);
        self.to_instantiate.push(id);
        id
    }

    /// Whether each call of the function is an atomic section.
    pub fn is_section(&self, instance: InstanceId) -> bool {
        self.program.functions[self.instances[instance.index()].function].name.starts_with("__VERIFIER_atomic_")
    }

    fn web(&self, instance: InstanceId, web: u32) -> Node {
        self.instances[instance.index()].first_node + web
    }

    /// The node of an operand; none for a number.
    fn node(&mut self, instance: InstanceId, val: Val) -> Option<Node> {
        match val {
            Val::Web(web) => Some(self.web(instance, web)),
            Val::Const(value) => self.constant(value),
        }
    }

    /// A number for the set of places that an operand may point to, once all is computed: equal numbers, equal sets.
    pub fn pointer(&self, instance: InstanceId, val: Val) -> Option<Node> {
        match val {
            Val::Web(web) => Some(self.solver.representative(self.web(instance, web))),
            Val::Const(value) => self.constants.get(&value).map(|&node| self.solver.representative(node)),
        }
    }

    /// The places that an operand may point to, once all is computed.
    pub fn pointees(&self, instance: InstanceId, val: Val) -> Option<&crate::sets::Set> {
        match val {
            Val::Web(web) => Some(self.solver.points_to(self.web(instance, web))),
            Val::Const(value) => self.constants.get(&value).map(|&node| self.solver.points_to(node)),
        }
    }

    fn constant(&mut self, value: u64) -> Option<Node> {
        if let Some(&node) = self.constants.get(&value) {
            return Some(node);
        }
        let (kind, offset) = self.object_at(value)?;
        let node = self.solver.new_nodes(1);
        let loc = self.solver.loc(kind, Offset::exact(offset));
        self.solver.add_pointer(node, loc);
        self.constants.insert(value, node);
        Some(node)
    }

    /// What a constant is the address of.
    fn object_at(&self, value: u64) -> Option<(ObjectKind, i64)> {
        if let Some(code) = address::function_of(value) {
            return self.program.callee(code).map(|_| (ObjectKind::Code(code), 0));
        }
        let global = address::global_of(value)?;
        self.program.globals.get(global)?;
        Some((ObjectKind::Global(global), address::offset(value) as i64))
    }

    /// All memory has the initial values of all globals, and pointers to itself.
    fn fill_memory(&mut self, memory: ObjectId) {
        let cell = self.solver.cell(memory, Offset::ANY, TO_THE_END);
        let anywhere = self.solver.objects.loc(memory, Offset::ANY);
        self.solver.add_pointer(cell, anywhere);
        for global in self.program.globals.iter() {
            for (_, value) in words(global) {
                if let Some(code) = address::function_of(value).filter(|code| self.program.callee(*code).is_some()) {
                    let function = self.solver.loc(ObjectKind::Code(code), Offset::exact(0));
                    self.solver.add_pointer(cell, function);
                }
            }
        }
    }

    /// Puts into a new object what stands in it from the beginning.
    fn fill(&mut self, object: ObjectId) {
        match self.solver.objects.kind(object) {
            ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _) => {
                let global = &self.program.globals[global];
                for (at, word) in words(global) {
                    if let Some(pointer) = self.constant(word) {
                        let cell = self.solver.cell(object, Offset::exact(at), 8);
                        self.solver.add_edge(pointer, cell);
                    }
                }
                if let Some(shared) = variable_of_library(global) {
                    let loc = self.solver.loc(ObjectKind::Library(shared), Offset::exact(0));
                    let cell = self.solver.cell(object, Offset::exact(0), 8);
                    self.solver.add_pointer(cell, loc);
                }
            }
            ObjectKind::Memory => self.fill_memory(object),
            ObjectKind::Library(_) => {
                let cell = self.solver.cell(object, Offset::ANY, TO_THE_END);
                let loc = self.solver.objects.loc(object, Offset::ANY);
                self.solver.add_pointer(cell, loc);
            }
            _ => {}
        }
    }

    fn instantiate(&mut self, id: InstanceId) {
        let function = self.instances[id.index()].function;
        let template = self.template(function);
        // Some are only looked at when all is computed.
        for &value in &self.program.functions[function].consts {
            self.constant(value);
        }
        for &(pc, op) in &template.ops {
            self.add_op(id, pc, op);
        }
        let first = self.instances[id.index()].first_return;
        for values in &template.returns {
            for (nth, &value) in values.iter().enumerate() {
                if let Some(node) = self.node(id, value) {
                    self.solver.add_edge(node, first + nth as u32);
                }
            }
        }
    }

    fn add_op(&mut self, id: InstanceId, pc: u32, op: Op) {
        let thread = self.instances[id.index()].thread;
        let (source, rule) = match op {
            Op::Copy { dst, src } => {
                if let Some(src) = self.node(id, src) {
                    let dst = self.web(id, dst);
                    self.solver.add_edge(src, dst);
                }
                return;
            }
            Op::Shift { dst, src, by } => (src, Rule::Shift { dst: self.web(id, dst), by }),
            Op::Stride { dst, src, scale } => (src, Rule::Stride { dst: self.web(id, dst), scale }),
            Op::Blur { dst, src } => (src, Rule::Blur { dst: self.web(id, dst) }),
            Op::Displace { dst, base, index } => return self.add_displaced(id, dst, base, index),
            Op::Load { dst, address, size } => (address, Rule::Load { dst: self.web(id, dst), size }),
            Op::Store { address, src, size } => match self.node(id, src) {
                Some(src) => (address, Rule::Store { src, size }),
                None => return,
            },
            Op::MemCopy { to, from, len } => {
                if let (Some(to), Some(from)) = (self.node(id, to), self.node(id, from)) {
                    self.copy_memory(to, from, len);
                }
                return;
            }
            Op::Alloca { dst, variable } => {
                let loc = self.solver.loc(ObjectKind::Local { instance: id, pc, variable }, Offset::exact(0));
                let dst = self.web(id, dst);
                return self.solver.add_pointer(dst, loc);
            }
            Op::ThreadLocal { dst, global } => {
                let loc = self.solver.loc(ObjectKind::ThreadLocal(global, thread), Offset::exact(0));
                let dst = self.web(id, dst);
                return self.solver.add_pointer(dst, loc);
            }
            Op::VaStart { list } => {
                let src = self.new_pointer(ObjectKind::Variadic { instance: id });
                (list, Rule::StoreAnywhere { src })
            }
            Op::Call { site } => return self.add_call(id, pc, site),
        };
        if let Some(node) = self.node(id, source) {
            self.solver.add_rule(node, rule);
        }
    }

    fn copy_memory(&mut self, to: Node, from: Node, len: Option<u64>) {
        let len = len.map_or(TO_THE_END, |len| u32::try_from(len).unwrap_or(TO_THE_END));
        // Each place to copy from and each to copy to is looked at once, and not each pair of them.
        self.n_buffers += 1;
        let buffer = self.solver.object(ObjectKind::Buffer(self.n_buffers));
        let begin = self.solver.objects.loc(buffer, Offset::exact(0));
        self.solver.add_rule(from, Rule::CopyTo { to: begin, len });
        self.solver.add_rule(to, Rule::CopyFrom { from: buffer, len });
    }

    /// A node that points anywhere into a new object.
    fn new_pointer(&mut self, kind: ObjectKind) -> Node {
        let node = self.solver.new_nodes(1);
        let offset = if matches!(kind, ObjectKind::Variadic { .. }) { Offset::ANY } else { Offset::exact(0) };
        let loc = self.solver.loc(kind, offset);
        self.solver.add_pointer(node, loc);
        node
    }

    pub fn call_site(&self, instance: InstanceId, pc: u32) -> &'p CallSite {
        let function = &self.program.functions[self.instances[instance.index()].function];
        match function.code[pc as usize] {
            Inst::Call { site } => &function.calls[site as usize],
            _ => unreachable!("only calls have call sites"),
        }
    }

    fn add_call(&mut self, id: InstanceId, pc: u32, site: u32) {
        let function = self.instances[id.index()].function;
        let call = &self.program.functions[function].calls[site as usize];
        match call.callee {
            Callee::Function(callee) => self.call(id, pc, callee),
            Callee::External(external) => self.call_external(id, pc, external),
            Callee::Indirect(slot) => {
                let template = self.template(function);
                let val = template.val(&self.program.functions[function], pc, slot);
                if let Some(node) = self.node(id, val) {
                    self.solver.add_rule(node, Rule::Call { instance: id, pc, role: Role::Call });
                }
            }
        }
    }

    pub fn argument(&self, id: InstanceId, pc: u32, nth: u8) -> Option<Val> {
        let function = self.instances[id.index()].function;
        let slot = *self.call_site(id, pc).args.get(usize::from(nth))?;
        Some(self.templates[&function].val(&self.program.functions[function], pc, slot))
    }

    fn argument_node(&mut self, id: InstanceId, pc: u32, nth: u8) -> Option<Node> {
        let val = self.argument(id, pc, nth)?;
        self.node(id, val)
    }

    fn result(&self, id: InstanceId, pc: u32, nth: u32) -> Option<Node> {
        let call = self.call_site(id, pc);
        let function = self.instances[id.index()].function;
        let dst = call.dst.0 + nth;
        (nth < call.n_returns).then(|| self.web(id, self.templates[&function].webs.written(pc, dst)))
    }

    fn call(&mut self, caller: InstanceId, pc: u32, callee: FuncId) {
        let Instance { function, thread, .. } = self.instances[caller.index()];
        let to = self.instance(callee, Some(Point { function, pc }), thread);
        if self.instances[caller.index()].calls.contains(&(pc, Target::Instance(to))) {
            return;
        }
        self.instances[caller.index()].calls.push((pc, Target::Instance(to)));
        self.instances[to.index()].callers.push((caller, pc));
        let call = self.call_site(caller, pc);
        let parameters = self.template(callee).webs.parameters.clone();
        for (nth, &parameter) in parameters.iter().enumerate().take(call.args.len()) {
            let Some(from) = self.argument_node(caller, pc, nth as u8) else { continue };
            let to_node = self.web(to, parameter);
            if call.byval.iter().any(|copy| copy.arg as usize == nth) {
                let copy = self.new_pointer(ObjectKind::ByValue { instance: to, argument: nth as u32 });
                self.copy_memory(copy, from, None);
                self.solver.add_edge(copy, to_node);
            } else {
                self.solver.add_edge(from, to_node);
            }
        }
        if self.program.functions[callee].variadic {
            self.pass_variadic(caller, pc, call, ObjectKind::Variadic { instance: to });
        }
        let n_returns = self.program.functions[callee].n_returns;
        let first = self.instances[to.index()].first_return;
        for nth in 0..n_returns {
            if let Some(dst) = self.result(caller, pc, nth) {
                self.solver.add_edge(first + nth, dst);
            }
        }
    }

    fn pass_variadic(&mut self, caller: InstanceId, pc: u32, call: &CallSite, area: ObjectKind) {
        let object = self.solver.object(area);
        let cell = self.solver.cell(object, Offset::ANY, TO_THE_END);
        let function = self.instances[caller.index()].function;
        let template = self.template(function);
        // A caller that knows the function by another type may pass what is variadic as fixed arguments.
        let fixed = call.args.iter().map(|&slot| (slot, VarArgKind::Word));
        for (slot, kind) in fixed.chain(call.variadic.iter().map(|argument| (argument.slot, argument.kind))) {
            let val = template.val(&self.program.functions[function], pc, slot);
            let Some(from) = self.node(caller, val) else { continue };
            match kind {
                VarArgKind::Memory { .. } => {
                    let to = self.new_pointer(area);
                    self.copy_memory(to, from, None);
                }
                VarArgKind::Word | VarArgKind::Wide => self.solver.add_edge(from, cell),
            }
        }
    }
}

/// What stands at each byte of a global from the beginning, if it is read as an address. Zeros at the end are left out, and a pointer may end in some.
fn words(global: &Global) -> impl Iterator<Item = (i64, u64)> {
    (0..global.init.len()).filter(|at| *at as u64 + 8 <= global.size).map(|at| {
        let mut word = [0; 8];
        let bytes = &global.init[at..global.init.len().min(at + 8)];
        word[..bytes.len()].copy_from_slice(bytes);
        (at as i64, u64::from_le_bytes(word))
    })
}

fn cancels(program: &Program) -> bool {
    let cancels = |effect: &Effect| matches!(effect, Effect::Synchronises(Sync::Cancel { .. }));
    let effects = |name: &str| gordian_externals::effects_of(name).unwrap_or_default();
    program.externals.iter().any(|external| effects(&external.name).iter().any(cancels))
}

/// The state of the C library that a variable of it leads to.
pub fn variable_of_library(global: &Global) -> Option<Shared> {
    match &global.name[..] {
        _ if !global.external => None,
        "stdin" | "stdout" | "stderr" => Some(Shared::Files),
        "environ" | "__environ" | "_environ" => Some(Shared::Environment),
        _ => None,
    }
}
