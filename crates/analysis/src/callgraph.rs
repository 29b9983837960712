//! Functions in their contexts, threads, and the calls between them, as far as pointers reach.
//!
//! A context is the place of the call and the abstract thread. A thread is known by the place that creates it, the place
//! of the call of the function that does, and its start function. So all contexts are finitely many.

use crate::objects::{AbstractThread, InstanceId, ObjectId, ObjectKind, Offset, TO_THE_END};
use crate::solver::{Exceeded, Found, Node, Role, Rule, Solver};
use crate::template::{Op, Template, Val};
use gordian_base::{FxHashMap, Id};
use gordian_externals::Effect;
use gordian_ir::{CallSite, Callee, ExternId, FuncId, Inst, Program, VarArgKind, address};
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
    ends_process: Vec<Option<AbstractThread>>,
    /// External functions that the table does not know.
    pub unknown: Vec<(Point, ExternId)>,
}

impl<'p> CallGraph<'p> {
    pub fn of(program: &'p Program, main: FuncId, detail: Detail, budget: u64) -> Result<Self, Exceeded> {
        let most_offsets = if detail == Detail::Objects { 0 } else { 256 };
        let mut graph = CallGraph {
            program,
            detail,
            solver: Solver::new(most_offsets, budget),
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
            unknown: Vec::new(),
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
        let ends = [Some(thread), None];
        self.ends_process.push(ends[usize::from(self.detail >= Detail::Functions)]);
        for &function in &self.program.destructors {
            self.add_at_exit(function);
        }
    }

    fn context_thread(&self, thread: AbstractThread) -> Option<AbstractThread> {
        (self.detail < Detail::Functions).then_some(thread)
    }

    fn run(&mut self) -> Result<(), Exceeded> {
        loop {
            if let Some(object) = self.solver.met.pop() {
                self.fill(object);
            } else if let Some(found) = self.solver.found.pop() {
                self.link(found);
            } else if let Some(instance) = self.to_instantiate.pop() {
                self.instantiate(instance);
            } else {
                self.solver.run()?;
                if self.solver.met.is_empty() && self.solver.found.is_empty() {
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

    /// Puts into a new object what stands in it from the beginning.
    fn fill(&mut self, object: ObjectId) {
        match self.solver.objects.kind(object) {
            ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _) => {
                let global = &self.program.globals[global];
                for at in 0..(global.init.len().saturating_sub(7)) {
                    let word = global.init[at..at + 8].try_into().expect("eight bytes");
                    if let Some(pointer) = self.constant(u64::from_le_bytes(word)) {
                        let cell = self.solver.cell(object, Offset::exact(at as i64), 8);
                        self.solver.add_edge(pointer, cell);
                    }
                }
                let shared = match &global.name[..] {
                    _ if !global.external => None,
                    "stdin" | "stdout" | "stderr" => Some(gordian_externals::Shared::Files),
                    "environ" | "__environ" | "_environ" => Some(gordian_externals::Shared::Environment),
                    _ => None,
                };
                if let Some(shared) = shared {
                    let loc = self.solver.loc(ObjectKind::Library(shared), Offset::exact(0));
                    let cell = self.solver.cell(object, Offset::exact(0), 8);
                    self.solver.add_pointer(cell, loc);
                }
            }
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
            Op::Alloca { dst, variable, .. } => {
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
        self.solver.add_rule(from, Rule::CopyTo { to, len });
        self.solver.add_rule(to, Rule::CopyFrom { from, len });
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

    fn call_external(&mut self, id: InstanceId, pc: u32, external: ExternId) {
        if self.instances[id.index()].calls.contains(&(pc, Target::External(external))) {
            return;
        }
        self.instances[id.index()].calls.push((pc, Target::External(external)));
        match gordian_externals::effects_of(&self.program.externals[external].name) {
            Some(effects) => effects.iter().for_each(|&effect| self.add_effect(id, pc, effect)),
            None => {
                let function = self.instances[id.index()].function;
                self.unknown.push((Point { function, pc }, external));
            }
        }
    }

    fn cell_of_thread(&mut self, id: InstanceId) -> Node {
        let thread = self.instances[id.index()].thread;
        let object = self.solver.object(ObjectKind::OfThread(thread));
        self.solver.cell(object, Offset::ANY, TO_THE_END)
    }

    fn add_effect(&mut self, id: InstanceId, pc: u32, effect: Effect) {
        use gordian_externals::Pointer;
        use gordian_externals::Sync;
        match effect {
            Effect::Copies { to, from } => {
                let len = match self.argument(id, pc, 2) {
                    Some(Val::Const(len)) => Some(len),
                    _ => None,
                };
                if let (Some(to), Some(from)) = (self.argument_node(id, pc, to), self.argument_node(id, pc, from)) {
                    self.copy_memory(to, from, len);
                }
            }
            Effect::Returns(Pointer::Into(nth)) => {
                if let (Some(dst), Some(src)) = (self.result(id, pc, 0), self.argument_node(id, pc, nth)) {
                    self.solver.add_edge(src, dst);
                    self.solver.add_rule(src, Rule::Blur { dst });
                }
            }
            Effect::Returns(what) => {
                if let (Some(dst), Some(src)) = (self.result(id, pc, 0), self.handed_out(id, pc, what)) {
                    self.solver.add_edge(src, dst);
                }
            }
            Effect::Stores { to, what } => {
                if let (Some(to), Some(src)) = (self.argument_node(id, pc, to), self.handed_out(id, pc, what)) {
                    self.solver.add_rule(to, Rule::Store { src, size: 8 });
                }
            }
            Effect::Keeps(nth) => {
                let object = self.solver.object(ObjectKind::Library(gordian_externals::Shared::Environment));
                let cell = self.solver.cell(object, Offset::ANY, TO_THE_END);
                if let Some(src) = self.argument_node(id, pc, nth) {
                    self.solver.add_edge(src, cell);
                }
            }
            Effect::KeepsForThread(nth) => {
                let cell = self.cell_of_thread(id);
                if let Some(src) = self.argument_node(id, pc, nth) {
                    self.solver.add_edge(src, cell);
                }
            }
            Effect::Calls(nth) => self.call_argument(id, pc, nth, Role::Inside),
            Effect::CallsAtExit(nth) => self.call_argument(id, pc, nth, Role::AtExit),
            Effect::CallsAtThreadEnd(nth) => self.call_argument(id, pc, nth, Role::AtThreadEnd),
            Effect::Synchronises(Sync::Once { function, .. }) => self.call_argument(id, pc, function, Role::Inside),
            Effect::Synchronises(Sync::Create { handle, function, argument }) => {
                let handle = self.argument_node(id, pc, handle);
                let argument = self.argument_node(id, pc, argument);
                self.call_argument(id, pc, function, Role::Thread { argument, handle });
            }
            Effect::Synchronises(Sync::Join { result, .. }) => {
                let results = self.results();
                if let Some(to) = self.argument_node(id, pc, result) {
                    self.solver.add_rule(to, Rule::Store { src: results, size: 8 });
                }
            }
            Effect::Synchronises(Sync::EndThread { result }) => {
                let results = self.results();
                if let Some(src) = self.argument_node(id, pc, result) {
                    self.solver.add_edge(src, results);
                }
            }
            Effect::Synchronises(Sync::EndProcess) => {
                let thread = self.instances[id.index()].thread;
                if !self.ends_process.contains(&thread) {
                    self.ends_process.push(thread);
                    self.at_exit.clone().into_iter().for_each(|function| self.add_root_at_exit(function, thread));
                }
            }
            Effect::Synchronises(_) | Effect::Reads(_) | Effect::Writes(_) | Effect::ReadsRest | Effect::WritesRest => {
            }
            Effect::ReadsList(_) | Effect::WritesList(_) | Effect::Frees(_) => {}
            Effect::Touches(shared) => {
                self.solver.object(ObjectKind::Library(shared));
            }
            Effect::NeverReturns | Effect::ReturnsTwice => {}
        }
    }

    fn results(&mut self) -> Node {
        let object = self.solver.object(ObjectKind::Results);
        self.solver.cell(object, Offset::ANY, TO_THE_END)
    }

    fn handed_out(&mut self, id: InstanceId, pc: u32, what: gordian_externals::Pointer) -> Option<Node> {
        use gordian_externals::Pointer;
        Some(match what {
            Pointer::New => self.new_pointer(ObjectKind::Heap { instance: id, pc }),
            Pointer::NewCopy(from) => {
                let new = self.new_pointer(ObjectKind::Heap { instance: id, pc });
                if let Some(from) = self.argument_node(id, pc, from) {
                    self.copy_memory(new, from, None);
                }
                new
            }
            Pointer::Into(nth) => return self.argument_node(id, pc, nth),
            Pointer::Library(shared) => self.new_pointer(ObjectKind::Library(shared)),
            Pointer::OfThread => self.new_pointer(ObjectKind::OfThread(self.instances[id.index()].thread)),
            Pointer::KeptForThread => self.cell_of_thread(id),
        })
    }

    fn call_argument(&mut self, id: InstanceId, pc: u32, nth: u8, role: Role) {
        if let Some(node) = self.argument_node(id, pc, nth) {
            self.solver.add_rule(node, Rule::Call { instance: id, pc, role });
        }
    }

    /// A function was found where a pointer is called.
    fn link(&mut self, Found { instance, pc, role, code }: Found) {
        let Some(callee) = self.program.callee(code) else { return };
        match (role, callee) {
            (Role::Call, Callee::Function(function)) => self.call(instance, pc, function),
            (Role::Call, Callee::External(external)) => self.call_external(instance, pc, external),
            (Role::Inside, Callee::Function(callee)) => {
                let Instance { function, thread, .. } = self.instances[instance.index()];
                let to = self.instance(callee, Some(Point { function, pc }), thread);
                if !self.instances[instance.index()].calls.contains(&(pc, Target::Inside(to))) {
                    self.instances[instance.index()].calls.push((pc, Target::Inside(to)));
                    self.instances[to.index()].callers.push((instance, pc));
                }
            }
            (Role::Thread { argument, handle }, Callee::Function(function)) => {
                self.create(instance, pc, function, argument, handle);
            }
            (Role::AtExit, Callee::Function(function)) => self.add_at_exit(function),
            (Role::AtThreadEnd, Callee::Function(function)) => {
                if !self.at_thread_end.contains(&function) {
                    self.at_thread_end.push(function);
                    (0..self.threads.len())
                        .for_each(|thread| self.add_thread_end(AbstractThread(thread as u32), function));
                }
            }
            (_, Callee::External(external)) => {
                let function = self.instances[instance.index()].function;
                self.unknown.push((Point { function, pc }, external));
            }
            (_, Callee::Indirect(_)) => unreachable!("a code index names a function"),
        }
    }

    fn create(&mut self, id: InstanceId, pc: u32, start: FuncId, argument: Option<Node>, handle: Option<Node>) {
        let Instance { function, site, .. } = self.instances[id.index()];
        let point = Point { function, pc };
        let thread = match self.thread_ids.get(&(point, site, start)) {
            Some(&thread) => thread,
            None => self.new_thread(point, site, start),
        };
        let root = self.threads[thread.index()].roots[0].0;
        if self.threads[thread.index()].created_at.contains(&(id, pc)) {
            return;
        }
        self.threads[thread.index()].created_at.push((id, pc));
        self.instances[id.index()].calls.push((pc, Target::Thread(thread)));
        if let (Some(argument), Some(&parameter)) = (argument, self.template(start).webs.parameters.first()) {
            let parameter = self.web(root, parameter);
            self.solver.add_edge(argument, parameter);
        }
        if let Some(handle) = handle {
            let src = self.new_pointer(ObjectKind::Handle(thread));
            self.solver.add_rule(handle, Rule::Store { src, size: 8 });
        }
    }

    fn new_thread(&mut self, point: Point, site: Option<Point>, start: FuncId) -> AbstractThread {
        let thread = AbstractThread(self.threads.len() as u32);
        self.thread_ids.insert((point, site, start), thread);
        let root = self.instance(start, Some(point), self.context_thread(thread));
        self.threads.push(Thread { start, roots: vec![(root, RootKind::Start)], created_at: Vec::new() });
        let results = self.results();
        if self.program.functions[start].n_returns > 0 {
            let returned = self.instances[root.index()].first_return;
            self.solver.add_edge(returned, results);
        }
        self.at_thread_end.clone().into_iter().for_each(|function| self.add_thread_end(thread, function));
        thread
    }

    fn add_thread_end(&mut self, thread: AbstractThread, function: FuncId) {
        let context = self.context_thread(thread);
        let root = self.instance(function, None, context);
        self.threads[thread.index()].roots.push((root, RootKind::End));
        let object = self.solver.object(ObjectKind::OfThread(context));
        let kept = self.solver.cell(object, Offset::ANY, TO_THE_END);
        if let Some(&parameter) = self.template(function).webs.parameters.first() {
            let parameter = self.web(root, parameter);
            self.solver.add_edge(kept, parameter);
        }
    }

    fn add_at_exit(&mut self, function: FuncId) {
        if !self.at_exit.contains(&function) {
            self.at_exit.push(function);
            self.ends_process.clone().into_iter().for_each(|thread| self.add_root_at_exit(function, thread));
        }
    }

    fn add_root_at_exit(&mut self, function: FuncId, thread: Option<AbstractThread>) {
        let root = self.instance(function, None, thread);
        let of = thread.map_or(0, |thread| thread.index());
        self.threads[of].roots.push((root, RootKind::End));
    }
}
