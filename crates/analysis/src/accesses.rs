//! The operations whose order may matter: accesses to memory, and operations on locks and their like.

use crate::callgraph::{CallGraph, Detail, Target, variable_of_library};
use crate::facts::Facts;
use crate::objects::{Extent, InstanceId, LocId, ObjectId, ObjectKind, Offset, TO_THE_END};
use crate::sets::Set;
use crate::solver::Node;
use crate::template::Val;
use gordian_base::{FxHashMap, Id};
use gordian_externals::{Effect, Mode, Patience, Shared, Sync};
use gordian_ir::{Global, Inst, VarArgKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is done to the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    /// A read-modify-write or a compare-and-swap.
    AtomicUpdate,
    /// The object ends.
    Free,
    /// A synchronisation object is made or ended.
    Set,
    Lock {
        exclusive: bool,
        gives_up: bool,
    },
    Unlock,
    /// On the condition variable.
    Wait {
        gives_up: bool,
    },
    /// On the lock of a wait: who was woken takes it again.
    Reacquire,
    Signal,
    SemWait {
        gives_up: bool,
    },
    SemPost,
    SemGet,
    Barrier,
    Once,
    /// The beginning of an atomic section.
    Section,
    /// Of state of the C library.
    Library,
}

impl AccessKind {
    pub fn is_memory(self) -> bool {
        use AccessKind::*;
        matches!(self, Read | Write | AtomicRead | AtomicWrite | AtomicUpdate | Free)
    }

    pub fn writes(self) -> bool {
        !matches!(self, AccessKind::Read | AccessKind::AtomicRead | AccessKind::SemGet)
    }

    /// Whether it is about a lock that is there already.
    pub fn is_lock(self) -> bool {
        use AccessKind::*;
        matches!(self, Lock { .. } | Unlock | Wait { .. } | Reacquire)
    }

    pub fn is_atomic(self) -> bool {
        matches!(self, AccessKind::AtomicRead | AccessKind::AtomicWrite | AccessKind::AtomicUpdate)
    }

    /// Whether the thread may wait there for another, and in an atomic section lets others go on meanwhile.
    pub fn may_block(self) -> bool {
        use AccessKind::*;
        matches!(self, Lock { .. } | Wait { .. } | Reacquire | SemWait { .. } | Barrier | Once)
    }

    /// As a report has it: `t1 writes`.
    pub fn verb(self) -> &'static str {
        match self {
            AccessKind::Read | AccessKind::AtomicRead | AccessKind::SemGet => "reads",
            AccessKind::Write | AccessKind::AtomicWrite => "writes",
            AccessKind::AtomicUpdate => "updates",
            AccessKind::Free => "ends its life",
            AccessKind::Set => "initialises or destroys",
            AccessKind::Lock { gives_up: false, .. } => "locks",
            AccessKind::Lock { gives_up: true, .. } => "tries to lock",
            AccessKind::Unlock => "unlocks",
            AccessKind::Wait { .. } => "waits",
            AccessKind::Reacquire => "wakes and locks",
            AccessKind::Signal => "signals",
            AccessKind::SemWait { .. } => "takes",
            AccessKind::SemPost => "posts",
            AccessKind::Barrier => "arrives",
            AccessKind::Once => "enters",
            AccessKind::Section => "begins an atomic section",
            AccessKind::Library => "uses",
        }
    }
}

/// Bytes that an access may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bytes {
    pub object: ObjectId,
    pub offset: Offset,
    pub size: Extent,
}

/// One operation of an instruction in a context.
#[derive(Clone, Debug)]
pub struct Access {
    pub instance: InstanceId,
    pub pc: u32,
    pub kind: AccessKind,
    /// Sorted. Accesses with the same bytes share them.
    pub bytes: Rc<[Bytes]>,
    /// The same for accesses with the same bytes.
    pub bytes_id: u32,
    /// The pointer that it goes through, if it is one.
    pub address: Option<Val>,
    /// Of a wait: the lock that it does not hold meanwhile.
    pub without: Option<Val>,
}

/// Collects the accesses of all instances, in the order of instances.
pub fn collect(graph: &CallGraph<'_>, facts: &Facts) -> Vec<Access> {
    let (locals, known, from) = (BTreeMap::new(), FxHashMap::default(), FxHashMap::default());
    let mut collector = Collector { graph, facts, found: Vec::new(), locals, known, from };
    collector.find_locals();
    for id in 0..graph.instances.len() as u32 {
        collector.instance(InstanceId(id));
    }
    // Copies of arguments belong to the callee and were found in the caller.
    collector.found.sort_by_key(|access| access.instance);
    collector.found
}

/// A list of bytes and its number.
type Listed = (Rc<[Bytes]>, u32);

struct Collector<'a, 'p> {
    graph: &'a CallGraph<'p>,
    facts: &'a Facts,
    found: Vec<Access>,
    /// The local variables of each instance that other threads may see.
    locals: BTreeMap<InstanceId, Vec<ObjectId>>,
    known: FxHashMap<Rc<[Bytes]>, u32>,
    /// The bytes from where a set of pointers points, by the set, the extent, and whether objects are meant as a whole.
    from: FxHashMap<(Node, Extent, bool), Listed>,
}

impl Collector<'_, '_> {
    fn find_locals(&mut self) {
        let objects = &self.graph.solver.objects;
        for object in objects.ids().filter(|object| self.facts.escapes[object.index()]) {
            if let ObjectKind::Local { instance, .. } | ObjectKind::ByValue { instance, .. } = objects.kind(object) {
                self.locals.entry(instance).or_default().push(object);
            }
        }
    }

    fn instance(&mut self, id: InstanceId) {
        let graph = self.graph;
        let function = &graph.program.functions[graph.instances[id.index()].function];
        let template = graph.template_of(id);
        for (pc, inst) in function.code.iter().enumerate() {
            let pc = pc as u32;
            let val = |slot| template.val(function, pc, slot);
            let len = |slot| match val(slot) {
                Val::Const(len) => u32::try_from(len).unwrap_or(TO_THE_END),
                Val::Web(_) => TO_THE_END,
            };
            let (kind, address, size) = match *inst {
                Inst::Load { size, address, .. } | Inst::WideLoad { size, address, .. } => {
                    (AccessKind::Read, address, u32::from(size))
                }
                Inst::Store { size, address, .. } | Inst::WideStore { size, address, .. } => {
                    (AccessKind::Write, address, u32::from(size))
                }
                Inst::AtomicLoad { size, address, .. } => (AccessKind::AtomicRead, address, u32::from(size)),
                Inst::AtomicStore { size, address, .. } => (AccessKind::AtomicWrite, address, u32::from(size)),
                Inst::AtomicRmw { size, address, .. } | Inst::CmpXchg { size, address, .. } => {
                    (AccessKind::AtomicUpdate, address, u32::from(size))
                }
                Inst::MemCopy { dst, src, len: n, .. } => {
                    self.push(id, pc, AccessKind::Read, Some(val(src)), len(n));
                    (AccessKind::Write, dst, len(n))
                }
                Inst::MemSet { dst, len: n, .. } => (AccessKind::Write, dst, len(n)),
                Inst::VaCopy { dst, src } => {
                    self.push(id, pc, AccessKind::Read, Some(val(src)), TO_THE_END);
                    (AccessKind::Write, dst, TO_THE_END)
                }
                Inst::VaStart { list } => (AccessKind::Write, list, TO_THE_END),
                Inst::LifetimeEnd { address, .. } => {
                    self.push_whole(id, pc, AccessKind::Free, Some(val(address)));
                    continue;
                }
                // Arrays of variable length end with their block; which of the locals are such is not looked at.
                Inst::Return { .. } | Inst::StackRestore { .. } => {
                    self.end_of_locals(id, pc);
                    // The process ends where main returns.
                    if Some(graph.instances[id.index()].function) == graph.program.main {
                        self.uses_of_buffers(id, pc);
                    }
                    continue;
                }
                _ => continue,
            };
            self.push(id, pc, kind, Some(val(address)), size);
        }
        for &(pc, target) in &graph.instances[id.index()].calls {
            match target {
                Target::External(external) => {
                    let effects = gordian_externals::effects_of(&graph.program.externals[external].name);
                    effects.unwrap_or_default().iter().for_each(|&effect| self.effect(id, pc, effect));
                    // Nearly any call may be where a thread that is cancelled ends.
                    if graph.cancels && !effects.unwrap_or_default().contains(&Effect::NeverReturns) {
                        self.end_of_thread(id, pc);
                    }
                }
                Target::Instance(callee) => {
                    self.copies_of_arguments(id, pc, callee);
                    if graph.is_section(callee) {
                        self.section(id, pc);
                    }
                }
                Target::Inside(_) | Target::Thread(_) => {}
            }
        }
    }

    /// Arguments that are passed by value in memory are copied when the callee is entered.
    fn copies_of_arguments(&mut self, caller: InstanceId, pc: u32, callee: InstanceId) {
        let function = &self.graph.program.functions[self.graph.instances[caller.index()].function];
        let template = self.graph.template_of(caller);
        let call = self.graph.call_site(caller, pc);
        let by_value = call.byval.iter().map(|copy| (call.args[copy.arg as usize], copy.size));
        let variadic = call.variadic.iter().filter_map(|argument| match argument.kind {
            VarArgKind::Memory { size, .. } => Some((argument.slot, size)),
            VarArgKind::Word | VarArgKind::Wide => None,
        });
        for (slot, size) in by_value.chain(variadic) {
            let size = u32::try_from(size).unwrap_or(TO_THE_END);
            let bytes = self.bytes(caller, Some(template.val(function, pc, slot)), size);
            self.push_pointees(callee, 0, AccessKind::Read, bytes);
        }
    }

    /// A function that returns ends the life of its variables, and a start function that of thread-local ones.
    fn end_of_locals(&mut self, id: InstanceId, pc: u32) {
        let graph = self.graph;
        let mut ended = self.locals.get(&id).cloned().unwrap_or_default();
        ended.extend(self.graph.solver.objects.find(ObjectKind::Memory).filter(|_| graph.detail == Detail::Memory));
        let starts = |thread: &crate::callgraph::Thread| thread.roots.iter().any(|root| root.0 == id);
        if graph.threads.iter().any(starts) {
            ended.extend(self.thread_locals(id));
        }
        self.end_of(id, pc, ended);
    }

    /// Thread-local variables of the threads of an instance.
    fn thread_locals(&self, id: InstanceId) -> Vec<ObjectId> {
        let thread = self.graph.instances[id.index()].thread;
        let objects = &self.graph.solver.objects;
        let is_of_thread = |object: &ObjectId| match objects.kind(*object) {
            ObjectKind::ThreadLocal(_, of) | ObjectKind::OfThread(of) => of == thread,
            ObjectKind::Memory => true,
            _ => false,
        };
        objects.ids().filter(|object| self.facts.escapes[object.index()]).filter(is_of_thread).collect()
    }

    /// A thread that ends elsewhere leaves all its functions.
    fn end_of_thread(&mut self, id: InstanceId, pc: u32) {
        let thread = self.graph.instances[id.index()].thread;
        let mut ended = self.thread_locals(id);
        let of_thread = |(other, _): &(&InstanceId, _)| self.graph.instances[other.index()].thread == thread;
        ended.extend(self.locals.iter().filter(of_thread).flat_map(|(_, locals)| locals));
        self.end_of(id, pc, ended);
    }

    fn end_of(&mut self, instance: InstanceId, pc: u32, objects: Vec<ObjectId>) {
        let whole = |object: ObjectId| Bytes { object, offset: Offset::ANY, size: TO_THE_END };
        self.push_pointees(instance, pc, AccessKind::Free, objects.into_iter().map(whole).collect());
    }

    fn section(&mut self, instance: InstanceId, pc: u32) {
        self.add(instance, pc, AccessKind::Section, None, Vec::new());
    }

    fn push(&mut self, instance: InstanceId, pc: u32, kind: AccessKind, address: Option<Val>, size: Extent) {
        self.push_from(instance, pc, kind, address, (size, false));
    }

    fn push_whole(&mut self, instance: InstanceId, pc: u32, kind: AccessKind, address: Option<Val>) {
        self.push_from(instance, pc, kind, address, (TO_THE_END, true));
    }

    fn push_from(
        &mut self,
        instance: InstanceId,
        pc: u32,
        kind: AccessKind,
        address: Option<Val>,
        (size, is_whole): (Extent, bool),
    ) {
        let Some(node) = address.and_then(|address| self.graph.pointer(instance, address)) else { return };
        let (bytes, bytes_id) = match self.from.get(&(node, size, is_whole)) {
            Some((bytes, id)) => (Rc::clone(bytes), *id),
            None => {
                let mut bytes = self.bytes(instance, address, size);
                if is_whole {
                    bytes.iter_mut().for_each(|bytes| bytes.offset = Offset::ANY);
                }
                let (bytes, id) = self.intern(bytes);
                self.from.insert((node, size, is_whole), (Rc::clone(&bytes), id));
                (bytes, id)
            }
        };
        if !bytes.is_empty() {
            self.found.push(Access { instance, pc, kind, bytes, bytes_id, address, without: None });
        }
    }

    fn add(&mut self, instance: InstanceId, pc: u32, kind: AccessKind, address: Option<Val>, bytes: Vec<Bytes>) {
        let (bytes, bytes_id) = self.intern(bytes);
        self.found.push(Access { instance, pc, kind, bytes, bytes_id, address, without: None });
    }

    fn intern(&mut self, mut bytes: Vec<Bytes>) -> Listed {
        bytes.sort_unstable();
        bytes.dedup();
        if let Some((known, &id)) = self.known.get_key_value(&bytes[..]) {
            return (Rc::clone(known), id);
        }
        let (bytes, id): Listed = (bytes.into(), self.known.len() as u32);
        self.known.insert(Rc::clone(&bytes), id);
        (bytes, id)
    }

    fn bytes(&self, instance: InstanceId, address: Option<Val>, size: Extent) -> Vec<Bytes> {
        let locs = address.and_then(|address| self.graph.pointees(instance, address));
        let at = |loc: u32| {
            let (object, offset) = self.graph.solver.objects.at(LocId(loc));
            Bytes { object, offset, size }
        };
        let is_memory = |bytes: &Bytes| self.graph.solver.is_memory(bytes.object);
        locs.map_or_else(Vec::new, |locs| locs.iter().map(at).filter(is_memory).collect())
    }

    /// What variadic arguments point to, or what is found through a list of pointers.
    fn push_pointees(&mut self, instance: InstanceId, pc: u32, kind: AccessKind, bytes: Vec<Bytes>) {
        if !bytes.is_empty() {
            self.add(instance, pc, kind, None, bytes);
        }
    }

    fn rest(&self, instance: InstanceId, pc: u32) -> Vec<Bytes> {
        let function = &self.graph.program.functions[self.graph.instances[instance.index()].function];
        let template = self.graph.template_of(instance);
        let call = self.graph.call_site(instance, pc);
        let slots = call.variadic.iter().map(|argument| argument.slot);
        slots.flat_map(|slot| self.bytes(instance, Some(template.val(function, pc, slot)), TO_THE_END)).collect()
    }

    /// A `va_list` or vector: whatever can be reached through it in two steps.
    fn list(&self, instance: InstanceId, address: Option<Val>) -> Vec<Bytes> {
        let objects = &self.graph.solver.objects;
        let mut reached: Vec<ObjectId> = self.bytes(instance, address, 1).iter().map(|bytes| bytes.object).collect();
        let mut next = 0;
        for _ in 0..2 {
            let end = reached.len();
            for nth in next..end {
                for locs in self.graph.solver.contents_of(reached[nth]) {
                    for object in locs.iter().map(|loc| objects.at(LocId(loc)).0) {
                        if self.graph.solver.is_memory(object) && !reached.contains(&object) {
                            reached.push(object);
                        }
                    }
                }
            }
            next = end;
        }
        reached.into_iter().map(|object| Bytes { object, offset: Offset::ANY, size: TO_THE_END }).collect()
    }

    /// Streams use the buffers that the program gave them.
    fn uses_of_buffers(&mut self, id: InstanceId, pc: u32) {
        self.push_pointees(id, pc, AccessKind::Write, self.kept_by(Shared::Buffers));
    }

    /// What the program gave the library to keep there.
    fn kept_by(&self, shared: Shared) -> Vec<Bytes> {
        let objects = &self.graph.solver.objects;
        let Some(library) = objects.find(ObjectKind::Library(shared)) else { return Vec::new() };
        let places = self.graph.solver.contents_of(library).flat_map(Set::iter);
        let kept: Set = places.map(|loc| objects.at(LocId(loc)).0.0).collect();
        let kept =
            kept.iter().map(ObjectId).filter(|object| *object != library && self.graph.solver.is_memory(*object));
        kept.map(|object| Bytes { object, offset: Offset::ANY, size: TO_THE_END }).collect()
    }

    /// Whether the text that says what the further arguments are may have a `%n`, which writes through one of them. `back` is how many fixed
    /// arguments come behind that text.
    fn may_write_arguments(&self, id: InstanceId, pc: u32, back: usize) -> bool {
        let n_args = self.graph.call_site(id, pc).args.len();
        let format = n_args.checked_sub(1 + back).and_then(|nth| self.graph.argument(id, pc, u8::try_from(nth).ok()?));
        let Some(locs) = format.and_then(|val| self.graph.pointees(id, val)) else { return true };
        locs.iter().any(|loc| match self.graph.solver.objects.kind(self.graph.solver.objects.at(LocId(loc)).0) {
            ObjectKind::Global(global) => {
                let global = &self.graph.program.globals[global];
                !global.constant || has_count(&global.init)
            }
            _ => true,
        })
    }

    fn effect(&mut self, id: InstanceId, pc: u32, effect: Effect) {
        let argument = |nth: u8| self.graph.argument(id, pc, nth);
        match effect {
            Effect::Sends(nth, _) => self.push(id, pc, AccessKind::Read, argument(nth), TO_THE_END),
            Effect::Receives(nth, _) => self.push(id, pc, AccessKind::Write, argument(nth), TO_THE_END),
            Effect::Reads(nth) => self.push(id, pc, AccessKind::Read, argument(nth), TO_THE_END),
            Effect::Writes(nth) => self.push(id, pc, AccessKind::Write, argument(nth), TO_THE_END),
            Effect::ReadsRest => {
                self.push_pointees(id, pc, AccessKind::Read, self.rest(id, pc));
                if self.may_write_arguments(id, pc, 0) {
                    self.push_pointees(id, pc, AccessKind::Write, self.rest(id, pc));
                }
            }
            Effect::WritesRest => self.push_pointees(id, pc, AccessKind::Write, self.rest(id, pc)),
            Effect::ReadsList(nth) => {
                let list = self.list(id, argument(nth));
                if self.may_write_arguments(id, pc, 1) {
                    self.push_pointees(id, pc, AccessKind::Write, list.clone());
                }
                self.push_pointees(id, pc, AccessKind::Read, list);
            }
            Effect::WritesList(nth) => self.push_pointees(id, pc, AccessKind::Write, self.list(id, argument(nth))),
            Effect::Copies { to, from } => {
                let len = match argument(2) {
                    Some(Val::Const(len)) => u32::try_from(len).unwrap_or(TO_THE_END),
                    _ => TO_THE_END,
                };
                self.push(id, pc, AccessKind::Read, argument(from), len);
                self.push(id, pc, AccessKind::Write, argument(to), len);
            }
            Effect::Stores { to, .. } => self.push(id, pc, AccessKind::Write, argument(to), 8),
            Effect::Frees(nth) => {
                // What is moved is read before.
                self.push_whole(id, pc, AccessKind::Free, argument(nth));
            }
            Effect::Touches(shared) => {
                // Functions that change the environment set `environ` as well. The variables of standard streams stay as they are.
                let is_set =
                    |global: &Global| shared == Shared::Environment && variable_of_library(global) == Some(shared);
                let globals = self.graph.program.globals.enumerate();
                let variables = globals.filter(|(_, global)| is_set(global));
                let kinds =
                    variables.map(|(global, _)| ObjectKind::Global(global)).chain([ObjectKind::Library(shared)]);
                let objects = kinds.filter_map(|kind| self.graph.solver.objects.find(kind));
                let whole = |object| Bytes { object, offset: Offset::ANY, size: TO_THE_END };
                let bytes = objects.map(whole).collect();
                self.push_pointees(id, pc, AccessKind::Library, bytes);
                match shared {
                    Shared::Environment => self.push_pointees(id, pc, AccessKind::Read, self.kept_by(shared)),
                    Shared::Files | Shared::Buffers => self.uses_of_buffers(id, pc),
                    _ => {}
                }
            }
            Effect::Synchronises(sync) => self.synchronises(id, pc, sync),
            Effect::Returns(_) | Effect::Keeps(..) | Effect::KeepsForThread(_) | Effect::SendsValue(..) => {}
            Effect::SendsList(nth, _) => self.push_pointees(id, pc, AccessKind::Read, self.list(id, argument(nth))),
            Effect::ReceivesList(nth, _) => {
                self.push_pointees(id, pc, AccessKind::Write, self.list(id, argument(nth)));
            }
            Effect::CallsAtExit(_) | Effect::CallsAtThreadEnd(_) | Effect::NeverReturns | Effect::ReturnsTwice => {}
        }
    }

    fn synchronises(&mut self, id: InstanceId, pc: u32, sync: Sync) {
        const CONDITION: u32 = 48;
        const SEMAPHORE: u32 = 32;
        let argument = |nth: u8| self.graph.argument(id, pc, nth);
        let gives_up = |patience| patience == Patience::GivesUp;
        match sync {
            Sync::Lock { lock, size, mode, patience } => {
                let kind = AccessKind::Lock { exclusive: mode == Mode::Exclusive, gives_up: gives_up(patience) };
                self.push(id, pc, kind, argument(lock), u32::from(size));
            }
            Sync::Unlock { lock, size } => self.push(id, pc, AccessKind::Unlock, argument(lock), u32::from(size)),
            Sync::Sets { object, size } => self.push(id, pc, AccessKind::Set, argument(object), u32::from(size)),
            Sync::Wait { condition, lock, patience } => {
                let kind = AccessKind::Wait { gives_up: gives_up(patience) };
                let from = self.found.len();
                self.push(id, pc, kind, argument(condition), CONDITION);
                self.push(id, pc, AccessKind::Reacquire, argument(lock), 40);
                let without = self.graph.argument(id, pc, lock);
                self.found[from..].iter_mut().for_each(|access| access.without = without);
            }
            Sync::Signal { condition, .. } => self.push(id, pc, AccessKind::Signal, argument(condition), CONDITION),
            Sync::SemWait { semaphore, patience } => {
                let kind = AccessKind::SemWait { gives_up: gives_up(patience) };
                self.push(id, pc, kind, argument(semaphore), SEMAPHORE);
            }
            Sync::SemPost { semaphore } => self.push(id, pc, AccessKind::SemPost, argument(semaphore), SEMAPHORE),
            Sync::SemGet { semaphore } => self.push(id, pc, AccessKind::SemGet, argument(semaphore), SEMAPHORE),
            Sync::Barrier { barrier } => self.push(id, pc, AccessKind::Barrier, argument(barrier), 32),
            Sync::Once { control, .. } => self.push(id, pc, AccessKind::Once, argument(control), 4),
            Sync::AtomicBegin => self.section(id, pc),
            Sync::EndThread { .. } => self.end_of_thread(id, pc),
            Sync::Create { .. } | Sync::Join { .. } | Sync::Detach { .. } => {}
            Sync::Cancel { .. } | Sync::AtomicEnd | Sync::EndProcess => {}
        }
    }
}

/// Whether a format may have a conversion `%n`: a `%`, what may stand before the letter, and an `n`.
fn has_count(text: &[u8]) -> bool {
    let is_between = |byte: &&u8| b"0123456789+-# '.*$hljztLq".contains(byte);
    let rests = text.iter().enumerate().filter(|(_, byte)| **byte == b'%').map(|(at, _)| &text[at + 1..]);
    rests.into_iter().any(|rest| rest.iter().find(|byte| !is_between(byte)) == Some(&b'n'))
}

#[cfg(test)]
mod tests {
    use super::has_count;

    #[test]
    fn conversions_that_write_are_found() {
        assert!(has_count(b"%n") && has_count(b"a%-3hhn") && has_count(b"%d%1$n") && has_count(b"%%n"));
        assert!(!has_count(b"%d\n") && !has_count(b"%") && !has_count(b"n%s %5.2lf n"));
    }
}
