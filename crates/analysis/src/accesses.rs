//! The operations whose order may matter: accesses to memory, and operations on locks and their like.

use crate::callgraph::{CallGraph, Target};
use crate::facts::Facts;
use crate::objects::{Extent, InstanceId, LocId, ObjectId, ObjectKind, Offset, TO_THE_END};
use crate::template::Val;
use gordian_base::{FxHashMap, Id};
use gordian_externals::{Effect, Mode, Patience, Sync};
use gordian_ir::Inst;

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

    pub fn is_atomic(self) -> bool {
        matches!(self, AccessKind::AtomicRead | AccessKind::AtomicWrite | AccessKind::AtomicUpdate)
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub bytes: Vec<Bytes>,
    /// The pointer that it goes through, if it is one.
    pub address: Option<Val>,
    /// Of a wait: the lock that it does not hold meanwhile.
    pub without: Option<Val>,
}

/// Collects the accesses of all instances, in the order of instances and code.
pub fn collect(graph: &CallGraph<'_>, facts: &Facts) -> Vec<Access> {
    let mut collector = Collector { graph, facts, found: Vec::new(), locals: FxHashMap::default() };
    collector.find_locals();
    for id in 0..graph.instances.len() as u32 {
        collector.instance(InstanceId(id));
    }
    collector.found
}

struct Collector<'a, 'p> {
    graph: &'a CallGraph<'p>,
    facts: &'a Facts,
    found: Vec<Access>,
    /// The local variables of each instance that other threads may see.
    locals: FxHashMap<InstanceId, Vec<ObjectId>>,
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
                Inst::LifetimeEnd { address } => {
                    self.push_whole(id, pc, AccessKind::Free, Some(val(address)));
                    continue;
                }
                Inst::Return { .. } => {
                    self.end_of_locals(id, pc);
                    continue;
                }
                _ => continue,
            };
            self.push(id, pc, kind, Some(val(address)), size);
        }
        for nth in 0..graph.instances[id.index()].calls.len() {
            if let (pc, Target::External(external)) = graph.instances[id.index()].calls[nth] {
                let effects = gordian_externals::effects_of(&graph.program.externals[external].name);
                effects.unwrap_or_default().iter().for_each(|&effect| self.effect(id, pc, effect));
            }
        }
    }

    /// A function that returns ends the life of its variables.
    fn end_of_locals(&mut self, id: InstanceId, pc: u32) {
        let Some(locals) = self.locals.get(&id) else { return };
        let whole = |&object: &ObjectId| Bytes { object, offset: Offset::ANY, size: TO_THE_END };
        let bytes = locals.iter().map(whole).collect();
        self.found.push(Access { instance: id, pc, kind: AccessKind::Free, bytes, address: None, without: None });
    }

    fn push(&mut self, instance: InstanceId, pc: u32, kind: AccessKind, address: Option<Val>, size: Extent) {
        let bytes = self.bytes(instance, address, size);
        if !bytes.is_empty() {
            self.found.push(Access { instance, pc, kind, bytes, address, without: None });
        }
    }

    fn push_whole(&mut self, instance: InstanceId, pc: u32, kind: AccessKind, address: Option<Val>) {
        let mut bytes = self.bytes(instance, address, TO_THE_END);
        bytes.iter_mut().for_each(|bytes| bytes.offset = Offset::ANY);
        if !bytes.is_empty() {
            self.found.push(Access { instance, pc, kind, bytes, address, without: None });
        }
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
            self.found.push(Access { instance, pc, kind, bytes, address: None, without: None });
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

    fn effect(&mut self, id: InstanceId, pc: u32, effect: Effect) {
        let argument = |nth: u8| self.graph.argument(id, pc, nth);
        match effect {
            Effect::Reads(nth) => self.push(id, pc, AccessKind::Read, argument(nth), TO_THE_END),
            Effect::Writes(nth) => self.push(id, pc, AccessKind::Write, argument(nth), TO_THE_END),
            Effect::ReadsRest => self.push_pointees(id, pc, AccessKind::Read, self.rest(id, pc)),
            Effect::WritesRest => self.push_pointees(id, pc, AccessKind::Write, self.rest(id, pc)),
            Effect::ReadsList(nth) => self.push_pointees(id, pc, AccessKind::Read, self.list(id, argument(nth))),
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
                if let Some(object) = self.graph.solver.objects.find(ObjectKind::Library(shared)) {
                    let bytes = vec![Bytes { object, offset: Offset::ANY, size: TO_THE_END }];
                    self.push_pointees(id, pc, AccessKind::Library, bytes);
                }
            }
            Effect::Synchronises(sync) => self.synchronises(id, pc, sync),
            Effect::Returns(_) | Effect::Keeps(_) | Effect::KeepsForThread(_) | Effect::Calls(_) => {}
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
            Sync::AtomicBegin => {
                self.found.push(Access {
                    instance: id,
                    pc,
                    kind: AccessKind::Section,
                    bytes: Vec::new(),
                    address: None,
                    without: None,
                });
            }
            Sync::Create { .. } | Sync::Join { .. } | Sync::Detach { .. } | Sync::EndThread { .. } => {}
            Sync::Cancel { .. } | Sync::AtomicEnd | Sync::EndProcess => {}
        }
    }
}
