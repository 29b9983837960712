//! Calls of external functions and of functions that pointers lead to, new threads, and what runs at the end of threads.

use super::{CallGraph, Instance, Point, RootKind, Target, Thread};
use crate::objects::{AbstractThread, InstanceId, ObjectKind, Offset, TO_THE_END};
use crate::solver::{Found, Node, Role, Rule};
use crate::template::Val;
use gordian_base::Id;
use gordian_externals::{Effect, Pointer, Shared, Sync};
use gordian_ir::{Callee, ExternId, FuncId};

impl CallGraph<'_> {
    pub(super) fn call_external(&mut self, id: InstanceId, pc: u32, external: ExternId) {
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
            Effect::Sends(nth, shared) | Effect::SendsList(nth, shared) => {
                let is_list = matches!(effect, Effect::SendsList(..));
                if let Some(from) = self.buffer(id, pc, nth, is_list) {
                    let state = self.new_pointer(ObjectKind::Library(shared));
                    self.copy_memory(state, from, None);
                }
            }
            // A byte of an address leads anywhere in its object.
            Effect::SendsValue(nth, shared) => {
                let object = self.solver.object(ObjectKind::Library(shared));
                let cell = self.solver.cell(object, Offset::ANY, TO_THE_END);
                if let Some(src) = self.argument_node(id, pc, nth) {
                    self.solver.add_edge(src, cell);
                    self.solver.add_rule(src, Rule::Blur { dst: cell });
                }
            }
            Effect::Receives(nth, shared) | Effect::ReceivesList(nth, shared) => {
                let is_list = matches!(effect, Effect::ReceivesList(..));
                if let Some(to) = self.buffer(id, pc, nth, is_list) {
                    let state = self.new_pointer(ObjectKind::Library(shared));
                    self.copy_memory(to, state, None);
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
            Effect::Keeps(nth, shared) => {
                let object = self.solver.object(ObjectKind::Library(shared));
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

    /// Where an argument points to, or what it points to points to.
    fn buffer(&mut self, id: InstanceId, pc: u32, nth: u8, is_list: bool) -> Option<Node> {
        let node = self.argument_node(id, pc, nth)?;
        if !is_list {
            return Some(node);
        }
        let buffers = self.solver.new_nodes(1);
        self.solver.add_rule(node, Rule::Load { dst: buffers, size: TO_THE_END });
        Some(buffers)
    }

    fn results(&mut self) -> Node {
        let object = self.solver.object(ObjectKind::Results);
        self.solver.cell(object, Offset::ANY, TO_THE_END)
    }

    fn handed_out(&mut self, id: InstanceId, pc: u32, what: Pointer) -> Option<Node> {
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
            Pointer::Library(shared) => {
                let pointer = self.new_pointer(ObjectKind::Library(shared));
                if shared == Shared::Environment {
                    // A string of the program's own may be a part of the environment.
                    let object = self.solver.object(ObjectKind::Library(shared));
                    let kept = self.solver.cell(object, Offset::ANY, TO_THE_END);
                    self.solver.add_rule(kept, Rule::Blur { dst: pointer });
                }
                pointer
            }
            Pointer::Received(shared) => {
                let object = self.solver.object(ObjectKind::Library(shared));
                let sent = self.solver.cell(object, Offset::ANY, TO_THE_END);
                let received = self.solver.new_nodes(1);
                self.solver.add_edge(sent, received);
                self.solver.add_rule(sent, Rule::Blur { dst: received });
                received
            }
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
    pub(super) fn link(&mut self, Found { instance, pc, role, code }: Found) {
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
        if self.ends_process.contains(&None) {
            self.at_exit.clone().into_iter().for_each(|function| self.add_handler_of(function, thread));
        }
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

    pub(super) fn add_at_exit(&mut self, function: FuncId) {
        if !self.at_exit.contains(&function) {
            self.at_exit.push(function);
            self.ends_process.clone().into_iter().for_each(|thread| self.add_root_at_exit(function, thread));
        }
    }

    fn add_root_at_exit(&mut self, function: FuncId, thread: Option<AbstractThread>) {
        let all = 0..self.threads.len() as u32;
        let of = thread.map_or(all, |thread| thread.0..thread.0 + 1);
        of.for_each(|thread| self.add_handler_of(function, AbstractThread(thread)));
    }

    fn add_handler_of(&mut self, function: FuncId, thread: AbstractThread) {
        let root = (self.instance(function, None, self.context_thread(thread)), RootKind::End);
        let roots = &mut self.threads[thread.index()].roots;
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
}
