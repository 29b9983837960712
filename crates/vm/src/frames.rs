//! Calls, returns and the objects of a frame.

use crate::access::Access;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::memory::{Kind, MOST_MEMORY, Mode, Object};
use crate::models::Call;
use crate::thread::{Entry, Frame, Park};
use gordian_base::{Id, ThreadId};
use gordian_ir::{CallSite, Callee, FuncId, Slot, VarArgKind, address};
use gordian_trace::{CodePoint, OpKind, Wants};

/// Stack objects are named in turn from a ring this large, so that a pointer to a dead one is
/// recognized until the thread has made as many more.
const STACK_RING: u32 = 1 << 16;
/// Frames that one thread may have.
pub const MAX_DEPTH: usize = 200_000;

impl<'p> Machine<'p> {
    #[inline]
    pub(crate) fn register(&self, thread: ThreadId, slot: Slot) -> u64 {
        let me = &self.threads[thread.index()];
        me.registers[me.top().base as usize + slot.index()]
    }

    #[inline]
    pub(crate) fn set_register(&mut self, thread: ThreadId, slot: Slot, value: u64) {
        let me = &mut self.threads[thread.index()];
        let base = me.top().base as usize;
        me.registers[base + slot.index()] = value;
        self.set_term(thread, slot, None);
    }

    pub(crate) fn call(&mut self, thread: ThreadId, site: u32) -> Result<Flow, Fault> {
        let program = self.program;
        let site = &program.functions[self.threads[thread.index()].top().function].calls[site as usize];
        match self.callee(thread, site)? {
            Callee::Function(function) => self.call_function(thread, site, function),
            Callee::External(_) => Call::new(self, thread, site).begin(),
            Callee::Indirect(_) => unreachable!("the callee was looked up"),
        }
    }

    #[inline]
    pub(crate) fn callee(&self, thread: ThreadId, site: &CallSite) -> Result<Callee, Fault> {
        match site.callee {
            Callee::Indirect(slot) => self.indirect_callee(thread, slot),
            callee => Ok(callee),
        }
    }

    fn indirect_callee(&self, thread: ThreadId, slot: Slot) -> Result<Callee, Fault> {
        let pointer = self.register(thread, slot);
        if pointer == 0 {
            return Err(Fault::Null { address: 0 });
        }
        let callee = address::function_of(pointer).and_then(|code| self.program.callee(code));
        callee.ok_or(Fault::Wild { address: pointer })
    }

    fn call_function(&mut self, thread: ThreadId, site: &'p CallSite, function: FuncId) -> Result<Flow, Fault> {
        let atomic = self.atomic_functions[function.index()];
        if atomic && self.accesses_are_visible() && self.threads[thread.index()].core.atomic == 0 {
            let wants =
                Wants { kind: OpKind::AtomicBegin, size: 0, address: 0, at: self.user_point(thread), varies: false };
            self.threads[thread.index()].core.park = Park::Before(wants);
            self.note_park(thread);
            return Ok(Flow::Stop);
        }
        if self.must_park(thread)
            && let Some((source, size)) = self.shared_struct_argument(thread, site, function)
        {
            let at = self.user_point(thread);
            let wants = Wants { kind: OpKind::Read, size: size as u32, address: source, at, varies: true };
            return Ok(self.park(thread, wants));
        }
        self.enter_from(thread, site, function)
    }

    /// A struct that the call passes by value and others can reach, or could before it ended: copying it is a read, and all that the call copies
    /// is read in one step.
    fn shared_struct_argument(&self, thread: ThreadId, site: &CallSite, function: FuncId) -> Option<(u64, u64)> {
        let mut sources = self.struct_arguments(thread, site, function);
        sources.find(|&(source, _)| self.memory.object(source).is_some_and(|it| self.is_known(thread, source, it)))
    }

    /// Where the structs are that the call passes by value, and their sizes.
    fn struct_arguments(
        &self,
        thread: ThreadId,
        site: &CallSite,
        function: FuncId,
    ) -> impl Iterator<Item = (u64, u64)> {
        self.struct_slots(site, function).map(move |(slot, size)| (self.register(thread, slot), size))
    }

    /// The registers with the addresses of the structs that the call passes by value, and the sizes of those.
    pub(crate) fn struct_slots(&self, site: &CallSite, function: FuncId) -> impl Iterator<Item = (Slot, u64)> {
        let by_value = site.byval.iter().map(|byval| (site.args[byval.arg as usize], byval.size));
        let variadic = site.variadic.iter().filter(move |_| self.program.functions[function].variadic);
        let variadic = variadic.filter_map(|arg| match arg.kind {
            VarArgKind::Memory { size, .. } => Some((arg.slot, size)),
            VarArgKind::Word | VarArgKind::Wide => None,
        });
        by_value.chain(variadic)
    }

    /// Enters the function that the call at the program counter calls.
    pub(crate) fn enter_from(&mut self, thread: ThreadId, site: &'p CallSite, function: FuncId) -> Result<Flow, Fault> {
        // A call that fails has done nothing yet.
        self.check_depth(thread)?;
        for (source, size) in self.struct_arguments(thread, site, function) {
            self.memory.check(source, size, false)?;
        }
        let entry = if self.atomic_functions[function.index()] {
            self.threads[thread.index()].core.atomic += 1;
            Entry::Atomic
        } else {
            Entry::Call
        };
        let caller = self.threads[thread.index()].top().base as usize;
        let terms = self.terms_of_arguments(thread, site);
        self.threads[thread.index()].top_mut().pc += 1;
        self.enter(thread, function, entry, site.dst.0)?;
        let callee = &self.program.functions[function];
        let me = &mut self.threads[thread.index()];
        me.top_mut().n_results = site.n_returns;
        let base = me.top().base as usize;
        for (n, arg) in site.args.iter().take(callee.n_params as usize).enumerate() {
            me.registers[base + n] = me.registers[caller + arg.index()];
        }
        let n_passed = terms.len().min(callee.n_params as usize);
        self.set_terms_from(thread, 0, &terms[..n_passed]);
        if !site.byval.is_empty() || callee.variadic {
            self.pass_in_memory(thread, site, caller, callee.variadic)?;
        }
        Ok(Flow::Jumped)
    }

    fn check_depth(&self, thread: ThreadId) -> Result<(), Fault> {
        match self.threads[thread.index()].frames.len() < MAX_DEPTH {
            true => Ok(()),
            false => Err(Fault::Abort(format!("the stack of {MAX_DEPTH} calls overflowed"))),
        }
    }

    /// Pushes a frame with zeroed registers and its constants.
    pub(crate) fn enter(&mut self, thread: ThreadId, function: FuncId, entry: Entry, result: u32) -> Result<(), Fault> {
        self.check_depth(thread)?;
        let callee = &self.program.functions[function];
        let me = &mut self.threads[thread.index()];
        let base = me.registers.len();
        me.frames.push(Frame {
            function,
            pc: 0,
            base: base as u32,
            result,
            n_results: 0,
            entry,
            locals_before: me.core.newest_local,
            variadic: 0,
        });
        me.registers.resize(base + callee.n_registers as usize, 0);
        me.registers.extend_from_slice(&callee.consts);
        if let Some(fresh) = &mut self.symbolic.fresh {
            fresh.calls.enter(thread, me.frames.len());
        }
        Ok(())
    }

    fn pass_in_memory(
        &mut self,
        thread: ThreadId,
        site: &CallSite,
        caller: usize,
        variadic: bool,
    ) -> Result<(), Fault> {
        for byval in &site.byval {
            let base = self.threads[thread.index()].top().base as usize;
            let source = self.threads[thread.index()].registers[base + byval.arg as usize];
            let copy = self.new_local(thread, byval.size, u32::MAX)?;
            self.note_struct_read(thread, source, byval.size)?;
            self.memory.copy(copy, source, byval.size);
            self.note_private_write(thread, Access::bulk(OpKind::Write, copy, byval.size));
            // The copy is where it is for any inputs, whatever the place of the original stood for.
            self.set_register(thread, Slot(byval.arg), copy);
        }
        if variadic {
            let area = self.variadic_area(thread, site, caller)?;
            self.threads[thread.index()].top_mut().variadic = area;
        }
        Ok(())
    }

    fn note_struct_read(&mut self, thread: ThreadId, source: u64, size: u64) -> Result<(), Fault> {
        let object = self.memory.check(source, size, false)?;
        if size > 0 && self.is_visible(thread, source, object)? {
            self.note_access(thread, Access::bulk(OpKind::Read, source, size), 0, 0)?;
        }
        Ok(())
    }

    /// Lays the variadic arguments out as the x86-64 ABI does on the stack: `va_start` says that no
    /// registers are left, so all of them are fetched from here.
    fn variadic_area(&mut self, thread: ThreadId, site: &CallSite, caller: usize) -> Result<u64, Fault> {
        let value = |me: &Self, at: usize| me.threads[thread.index()].registers[at];
        let mut places = Vec::with_capacity(site.variadic.len());
        let mut end = 0u64;
        for arg in &site.variadic {
            let (size, align) = match arg.kind {
                VarArgKind::Word => (8, 8),
                VarArgKind::Wide => (16, 16),
                VarArgKind::Memory { size, align } => {
                    let source = value(self, caller + arg.slot.index());
                    self.note_struct_read(thread, source, size)?;
                    (size, if align >= 16 { 16 } else { 8 })
                }
            };
            let place = end.next_multiple_of(align);
            places.push(place);
            end = place + size.next_multiple_of(8);
        }
        let area = self.new_local(thread, end, u32::MAX)?;
        for (arg, place) in site.variadic.iter().zip(places) {
            let (place, slot) = (area + place, caller + arg.slot.index());
            let n_words = match arg.kind {
                VarArgKind::Word => 1,
                VarArgKind::Wide => 2,
                VarArgKind::Memory { size, .. } => {
                    self.memory.copy(place, value(self, slot), size);
                    continue;
                }
            };
            for n in 0..n_words {
                let (word, term) = (place + 8 * n as u64, self.term_at(thread, slot + n));
                self.memory.store(word, 8, value(self, slot + n));
                self.store_term(word, 8, term);
            }
        }
        self.note_private_write(thread, Access::bulk(OpKind::Write, area, end));
        Ok(area)
    }

    /// A stack object of the top frame.
    pub(crate) fn new_local(&mut self, thread: ThreadId, size: u64, variable: u32) -> Result<u64, Fault> {
        if size > address::MAX_OBJECT_SIZE {
            return Err(Fault::Unsupported(format!("a local variable of {size} bytes")));
        }
        if !self.memory.has_room(size) {
            return Err(Fault::Unsupported(format!("more than {MOST_MEMORY} bytes of memory")));
        }
        let space = address::stack_space(thread);
        let core = &mut self.threads[thread.index()].core;
        let mut index = u32::from(core.next_stack);
        let mut tries = 0;
        let place = loop {
            let place = address::make(space, index, 0);
            let live = self.memory.object(place).is_some_and(|object| object.mode <= Mode::OutOfScope);
            if !live {
                break place;
            }
            tries += 1;
            if tries > STACK_RING {
                return Err(Fault::Unsupported(format!("more than {STACK_RING} local variables at a time")));
            }
            index = if index + 1 >= STACK_RING { 1 } else { index + 1 };
        };
        core.next_stack = if index + 1 >= STACK_RING { 1 } else { index as u16 + 1 };
        let previous = std::mem::replace(&mut core.newest_local, index);
        self.memory.allocate(place, size, Kind::Stack, Mode::Private, previous);
        let at = self.threads[thread.index()].at();
        self.memory.set_origin(place, at, variable);
        self.look_for_unset_in(place, at, variable);
        Ok(place)
    }

    /// A local begins to live, of which the compiler could not show that it is set before it is read.
    pub(crate) fn look_for_unset_in(&mut self, place: u64, allocated: CodePoint, variable: u32) {
        let program = self.program;
        let function = program.functions.get(FuncId(allocated.function));
        if let Some(variable) = function.and_then(|function| function.allocas.get(variable as usize)) {
            self.memory.look_for_unset(place, &variable.unset);
        }
    }

    /// Ends the thread's stack objects newer than `until`.
    pub(crate) fn end_locals(&mut self, thread: ThreadId, until: u32) {
        let space = address::stack_space(thread);
        let mut newest = self.threads[thread.index()].core.newest_local;
        while newest != until {
            let place = address::make(space, newest, 0);
            let object = *self.memory.object(place).expect("a local is in the table");
            let previous = object.previous;
            self.note_end_of_life(thread, place, object);
            // Who uses one whose scope has ended is told where that was, whether or not the function has returned by then.
            if object.mode == Mode::OutOfScope {
                self.memory.release(place);
            } else {
                let at = self.threads[thread.index()].at();
                self.end_life(thread, place, at);
            }
            newest = previous;
        }
        self.threads[thread.index()].core.newest_local = until;
    }

    /// Takes an object out of the list of the thread's locals. Blocks end in the opposite order of their beginning, so it is the newest but for rare cases.
    pub(crate) fn unlink_local(&mut self, thread: ThreadId, place: u64, object: Object) {
        let index = address::index(place);
        let core = &mut self.threads[thread.index()].core;
        if core.newest_local == index {
            core.newest_local = object.previous;
            return;
        }
        let mut newer = core.newest_local;
        loop {
            let place = address::make(address::space(place), newer, 0);
            let other = *self.memory.object(place).expect("a local is in the table");
            if other.previous == index {
                return self.memory.set_object(place, Object { previous: object.previous, ..other });
            }
            newer = other.previous;
        }
    }

    /// Removes the top frame and shows the one below, if any.
    pub(crate) fn pop_frame(&mut self, thread: ThreadId) -> Frame {
        let before = self.threads[thread.index()].top().locals_before;
        self.end_locals(thread, before);
        let me = &mut self.threads[thread.index()];
        let frame = me.frames.pop().expect("a running thread has a frame");
        me.registers.truncate(frame.base as usize);
        self.forget_terms(thread, frame.base as usize);
        self.expose(thread);
        frame
    }

    /// A local of the thread that is newer than `until` and that others know, if any: others see it end.
    pub(crate) fn shared_local(&self, thread: ThreadId, until: u32) -> Option<(u64, Object)> {
        let space = address::stack_space(thread);
        let mut newest = self.threads[thread.index()].core.newest_local;
        while newest != until {
            let place = address::make(space, newest, 0);
            let object = *self.memory.object(place).expect("a local is in the table");
            if object.mode == Mode::Shared {
                return Some((place, object));
            }
            newest = object.previous;
        }
        None
    }

    /// Parks the thread before the end of variables that others know. It is a step of its own: if it belonged to the step before, what that one touches would depend on
    /// what it finds.
    pub(crate) fn park_before_end(&mut self, thread: ThreadId, until: u32) -> Option<Flow> {
        if !self.must_park(thread) {
            return None;
        }
        let (place, object) = self.shared_local(thread, until)?;
        Some(self.park_before_end_of(thread, place, object))
    }

    pub(crate) fn park_before_end_of(&mut self, thread: ThreadId, place: u64, object: Object) -> Flow {
        let wants = self.wants_end_of(thread, place, object);
        self.park(thread, wants)
    }

    fn wants_end_of(&self, thread: ThreadId, place: u64, object: Object) -> Wants {
        let (size, at) = (object.size, self.user_point(thread));
        Wants { kind: OpKind::Free, size, address: place, at, varies: false }
    }

    /// The pending operation of a thread that leaves all frames above the first `depth` at once, if others see that: a once routine is not finished, or variables
    /// that others know end. The end of a thread, at depth 0, sees to its variables itself.
    pub(crate) fn wants_to_leave(&self, thread: ThreadId, depth: usize) -> Option<Wants> {
        let left = self.threads[thread.index()].frames.get(depth..).filter(|_| self.must_park(thread))?;
        let once = left.iter().rev().find_map(|frame| match frame.entry {
            Entry::Once { control } => Some(control),
            _ => None,
        });
        if let Some(control) = once {
            let at = self.user_point(thread);
            return Some(Wants { kind: OpKind::OnceDone, size: 4, address: control, at, varies: false });
        }
        let until = left.first().filter(|_| depth > 0)?.locals_before;
        let (place, object) = self.shared_local(thread, until)?;
        Some(self.wants_end_of(thread, place, object))
    }

    /// A function returns. Where others see that, it is a step of its own.
    pub(crate) fn return_from(&mut self, thread: ThreadId, src: Slot) -> Result<Flow, Fault> {
        if self.pauses(thread) {
            return Ok(Flow::Stop);
        }
        let top = *self.threads[thread.index()].top();
        match top.entry {
            Entry::Call | Entry::Atomic | Entry::Callback => {
                if let Some(flow) = self.park_before_end(thread, top.locals_before) {
                    return Ok(flow);
                }
            }
            Entry::Once { control } if self.must_park(thread) => {
                let at = self.user_point(thread);
                return Ok(
                    self.park(thread, Wants { kind: OpKind::OnceDone, size: 4, address: control, at, varies: false })
                );
            }
            Entry::Once { .. } | Entry::Start | Entry::Main => {}
        }
        self.return_now(thread, src)
    }

    pub(crate) fn return_now(&mut self, thread: ThreadId, src: Slot) -> Result<Flow, Fault> {
        let top = *self.threads[thread.index()].top();
        let n_returns = self.program.functions[top.function].n_returns as usize;
        let n_results = n_returns.min(top.n_results as usize);
        let first = top.base as usize + src.index();
        let value = if n_returns > 0 { self.threads[thread.index()].registers[first] } else { 0 };
        match top.entry {
            Entry::Call | Entry::Atomic => {
                let mut returned = [0u64; 8];
                let kept = n_results.min(returned.len());
                let more: Vec<u64> = if n_results > kept {
                    self.threads[thread.index()].registers[first..first + n_results].to_vec()
                } else {
                    returned[..kept].copy_from_slice(&self.threads[thread.index()].registers[first..first + kept]);
                    Vec::new()
                };
                let values = if more.is_empty() { &returned[..kept] } else { &more[..] };
                let terms = self.terms_from(thread, src, n_results);
                self.pop_frame(thread);
                let me = &mut self.threads[thread.index()];
                let at = me.top().base as usize + top.result as usize;
                me.registers[at..at + values.len()].copy_from_slice(values);
                self.set_terms_from(thread, top.result, &terms);
                if top.entry == Entry::Atomic {
                    self.leave_atomic(thread);
                }
                Ok(Flow::Jumped)
            }
            Entry::Callback => {
                self.pop_frame(thread);
                self.after_callback(thread)
            }
            Entry::Once { control } => {
                self.pop_frame(thread);
                self.finish_once(thread, control);
                Ok(Flow::Jumped)
            }
            Entry::Start => self.begin_thread_end(thread, value),
            Entry::Main => self.begin_exit(thread, value as i32),
        }
    }
}
