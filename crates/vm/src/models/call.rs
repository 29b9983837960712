//! A call of an external function: its arguments, its result, and memory as the function sees it.

use super::system::MESSAGES;
use super::{Cancels, Model, inputs};
use crate::access::Access;
use crate::fault::Fault;
use crate::files::Bytes;
use crate::interp::Flow;
use crate::machine::{End, Machine};
use crate::memory::{Kind, Object};
use crate::sync::MUTEX_SIZE;
use gordian_base::{Id, ThreadId};
use gordian_expr::ExprId;
use gordian_ir::{CallSite, Callee, ExternId, Slot, address};
use gordian_trace::{Hidden, OpKind, Wants};

pub struct Call<'m, 'p> {
    pub machine: &'m mut Machine<'p>,
    pub thread: ThreadId,
    pub site: &'p CallSite,
    external: ExternId,
    /// The stream whose lock the call has taken, or 0.
    locked: u64,
    /// The thread was cancelled, and would have to wait.
    gives_up: bool,
}

/// What is known of the call that is being made, where there are inputs. It stands apart from [`Call`], which is made for every call of every
/// program.
#[derive(Default)]
pub struct CallNotes {
    /// It has done something that it must not do again: what it asks from now on is not given to the search to decide.
    pub once: bool,
    /// What bytes stood for that it has read to print them.
    pub printed: Vec<ExprId>,
}

impl<'m, 'p> Call<'m, 'p> {
    pub fn new(machine: &'m mut Machine<'p>, thread: ThreadId, site: &'p CallSite) -> Self {
        let external = match machine.callee(thread, site) {
            Ok(Callee::External(external)) => external,
            _ => unreachable!("the callee was looked up before"),
        };
        Call { machine, thread, site, external, locked: 0, gives_up: false }
    }

    pub fn name(&self) -> &'p str {
        &self.machine.program.externals[self.external].name
    }

    fn model(&self) -> Result<Model, Fault> {
        self.machine.models[self.external].ok_or_else(|| {
            let name = self.name();
            Fault::Unsupported(format!("call of the external function `{name}`, which gordian has no model of (`--native {name}` would allow a native call)"))
        })
    }

    /// The call is reached: does it, or parks the thread before it.
    pub fn begin(&mut self) -> Result<Flow, Fault> {
        let model = self.model()?;
        let may_be_cancelled = model.cancels != Cancels::Never && self.machine.uses.cancels;
        if self.machine.locks_streams {
            // A call that has waited for its pipe halfway comes here again when inputs have decided how it goes on.
            if self.keeps_lock() {
                self.machine.variant = 0;
                return self.run_holding(model, false);
            }
            if let Some(stream) = self.stream_to_lock() {
                let wants = Wants { varies: may_be_cancelled, ..self.wants(OpKind::Lock, stream, MUTEX_SIZE) };
                return if self.machine.must_park(self.thread) || !self.machine.can_do(self.thread, wants) {
                    self.machine.note_blocked_section(self.thread, wants);
                    Ok(self.machine.park(self.thread, wants))
                } else {
                    self.machine.variant = 0;
                    self.run_locked(model, stream, false)
                };
            }
        }
        let wants = match model.wants.map(|wants| wants(self)) {
            Some(Err(fault)) => self.wants_of_failure(fault)?,
            Some(Ok(Some(wants))) => {
                let moves_clock = model.timed && wants.kind != OpKind::Wait && self.machine.uses.looks_at_clock;
                Wants { varies: wants.varies || may_be_cancelled || moves_clock, ..wants }
            }
            // Nobody else sees the call, but it sees whether the thread was cancelled.
            Some(Ok(None)) | None if may_be_cancelled && self.machine.must_park(self.thread) => {
                let what = Hidden::Cancellation(self.thread).address();
                Wants { varies: true, ..self.wants(OpKind::Look, what, 0) }
            }
            Some(Ok(None)) | None => {
                if self.machine.pauses(self.thread) {
                    return Ok(Flow::Stop);
                }
                self.machine.variant = 0;
                let attempt = self.machine.begin_attempt(self.thread);
                let flow = self.run(model, false);
                self.machine.end_attempt(self.thread, attempt, flow.is_err());
                return flow;
            }
        };
        if self.machine.operates_invisibly(self.thread, wants) {
            let n_events = self.machine.log.events.len();
            self.machine.variant = 0;
            let flow = self.run(model, false);
            self.machine.log.events.truncate(n_events);
            return flow;
        }
        if self.machine.must_park(self.thread) || !self.machine.can_do(self.thread, wants) {
            self.machine.note_blocked_section(self.thread, wants);
            return Ok(self.machine.park(self.thread, wants));
        }
        self.machine.variant = 0;
        self.run(model, false)
    }

    /// The call fails because of what another thread freed: it still is an operation that others see.
    fn wants_of_failure(&self, fault: Fault) -> Result<Wants, Fault> {
        match fault {
            // What has ended stays so until the call is performed, which then fails in the same way.
            Fault::Freed { address } | Fault::OutOfScope { address }
                if self.machine.fails_by_schedule(self.thread, &fault) =>
            {
                Ok(self.wants(OpKind::Write, address, 1))
            }
            fault => Err(fault),
        }
    }

    /// The call happens as a step of its own. `gives_up` says that its thread was cancelled and that the call would have to wait.
    pub fn perform(&mut self, gives_up: bool) -> Result<Flow, Fault> {
        self.gives_up = gives_up;
        let model = self.model()?;
        if self.machine.locks_streams {
            if self.keeps_lock() {
                return self.run_holding(model, true);
            }
            if let Some(stream) = self.stream_to_lock() {
                let wants = self.wants(OpKind::Lock, stream, MUTEX_SIZE);
                if !self.machine.can_do(self.thread, wants) {
                    return Ok(self.machine.park(self.thread, wants));
                }
                return self.run_locked(model, stream, true);
            }
        }
        self.run(model, true)
    }

    /// The stream that natively is locked while the call is made.
    fn stream_of_call(&mut self) -> Option<u64> {
        let name = self.name();
        let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
        let name = name.trim_end_matches("_chk").trim_start_matches("__");
        Some(match name.trim_start_matches("_IO_").trim_end_matches("64") {
            "getchar" | "gets" | "scanf" | "vscanf" => self.machine.stream_address(0),
            "printf" | "vprintf" | "puts" | "putchar" => self.machine.stream_address(1),
            name if MESSAGES.contains(&name) => self.machine.stream_address(2),
            "fprintf" | "vfprintf" | "fscanf" | "vfscanf" | "fgetc" | "getc" | "fflush" | "fseek" | "fseeko"
            | "rewind" | "ftell" | "ftello" | "fgetpos" | "fsetpos" | "feof" | "ferror" | "clearerr" | "fclose"
            | "setbuf" | "setbuffer" | "setlinebuf" | "setvbuf" => self.arg(0),
            "fputs" | "fputc" | "putc" | "ungetc" => self.arg(1),
            "fgets" | "getline" | "freopen" => self.arg(2),
            "fread" | "fwrite" | "getdelim" => self.arg(3),
            _ => return None,
        })
    }

    /// The stream that the call has to lock first, if threads lock streams themselves and this one does not hold the lock already.
    fn stream_to_lock(&mut self) -> Option<u64> {
        let place = self.stream_of_call()?;
        if self.machine.files.stream(place).is_none() {
            // What a call wants must not depend on what others do: it wants the lock of a stream that was closed, too, and fails without.
            let was_stream = |object: &Object| object.kind == Kind::Hidden && object.size == MUTEX_SIZE;
            let is_seen = self.machine.accesses_are_visible();
            return (is_seen && self.machine.memory.object(place).is_some_and(was_stream)).then_some(place);
        }
        if self.machine.holds_mutex(self.thread, place).unwrap_or(false) {
            return None;
        }
        // Who is alone need not lock, unless a thread has ended that did not give the lock up.
        let is_seen = self.machine.accesses_are_visible() || !self.machine.mutex_is_free(place);
        is_seen.then_some(place)
    }

    /// Whether the call has taken the lock of its stream before it waited for its pipe. Natively, too, who waits for a pipe holds the lock meanwhile.
    fn keeps_lock(&mut self) -> bool {
        if !self.machine.threads[self.thread.index()].core.halfway {
            return false;
        }
        let Some(stream) = self.stream_of_call() else { return false };
        self.machine.threads[self.thread.index()].core.halfway = false;
        self.locked = stream;
        true
    }

    /// Makes the call with the stream locked.
    fn run_locked(&mut self, model: Model, stream: u64, is_step: bool) -> Result<Flow, Fault> {
        if self.machine.files.stream(stream).is_none() {
            return self.run(model, is_step);
        }
        self.machine.lock_mutex(self.thread, stream);
        self.event(OpKind::Lock, stream, MUTEX_SIZE, 1, 0);
        self.locked = stream;
        self.run_holding(model, is_step)
    }

    /// Makes the call, or goes on with it, and gives the lock of its stream up unless it has to wait for its pipe.
    fn run_holding(&mut self, model: Model, is_step: bool) -> Result<Flow, Fault> {
        let flow = self.run(model, is_step)?;
        let me = Some(self.thread);
        if self.locked != 0 && self.machine.files.stream(self.locked).is_some_and(|stream| stream.busy == me) {
            self.machine.threads[self.thread.index()].core.halfway = true;
        } else {
            self.give_up_lock();
        }
        Ok(flow)
    }

    /// The call does not use its stream any more.
    pub fn give_up_lock(&mut self) {
        let stream = std::mem::take(&mut self.locked);
        if self.machine.files.stream(stream).is_some() {
            self.unlock_stream(stream);
        }
    }

    /// The thread has been cancelled while the call waits for a pipe: its stream is free for others, with what it has read put back.
    fn abandon(&mut self) {
        let mut has_moved = self.machine.files.moved(self.thread).is_some();
        self.machine.files_mut().forget_moved(self.thread);
        for place in self.machine.files.streams_in_use_by(self.thread) {
            let stream = self.stream_mut(place);
            has_moved |= stream.due > 0 || !stream.pushed_back.is_empty();
            (stream.busy, stream.due) = (None, 0);
        }
        if has_moved {
            let name = self.name();
            let what = format!("a thread was cancelled when `{name}` had read or written a part");
            self.machine.note_doubt(self.thread, &what, "");
        }
        self.give_up_lock();
    }

    #[cold]
    fn acts_on_cancellation(&self, model: Model) -> bool {
        let has_begun = self.machine.threads[self.thread.index()].core.halfway;
        match model.cancels {
            Cancels::Never => false,
            Cancels::Always => !has_begun && !self.machine.waits_halfway(self.thread),
            Cancels::Perhaps => self.gives_up,
        }
    }

    /// A call that natively looks for cancellation only if it reads or writes its descriptor has been made by a thread that was cancelled.
    #[cold]
    fn doubt_cancellation(&mut self) {
        // It may still act while it waits for its pipe.
        let waits =
            !self.machine.files.streams_in_use_by(self.thread).is_empty() || self.machine.waits_halfway(self.thread);
        if !waits {
            let name = self.name();
            let what = format!("`{name}` went on although its thread was cancelled; natively it may end the thread");
            self.machine.note_doubt(self.thread, &what, "");
        }
    }

    fn unlock_stream(&mut self, stream: u64) {
        self.machine.unlock_mutex(self.thread, stream);
        self.event(OpKind::Unlock, stream, MUTEX_SIZE, 0, 0);
    }

    /// The stream has been closed, and its lock ends with it. Others may be about to take that or to give it up.
    pub fn end_stream_lock(&mut self, stream: u64) {
        if !self.machine.locks_streams || !self.machine.accesses_are_visible() {
            return;
        }
        if self.machine.holds_mutex(self.thread, stream).unwrap_or(false) {
            self.unlock_stream(stream);
        }
        self.locked = 0;
        self.machine.note_free(self.thread, stream, MUTEX_SIZE.into());
    }

    pub fn notes(&mut self) -> &mut CallNotes {
        &mut self.machine.symbolic.call
    }

    #[inline]
    fn run(&mut self, model: Model, is_step: bool) -> Result<Flow, Fault> {
        let core = &self.machine.threads[self.thread.index()].core;
        let is_cancelled = model.cancels != Cancels::Never && core.cancel_pending && core.cancel_enabled;
        if is_cancelled && self.acts_on_cancellation(model) {
            self.abandon();
            return self.machine.cancel_now(self.thread);
        }
        let n_events = self.machine.log.events.len();
        let flow = self.run_model(model, is_step);
        if is_cancelled && model.cancels == Cancels::Perhaps {
            self.doubt_cancellation();
        }
        // One that fails would have been cancelled as well. If it failed before anything was logged, what it wanted stands for it.
        if model.cancels != Cancels::Never && (flow.is_ok() || self.machine.log.events.len() > n_events) {
            self.machine.look_for_cancellation(self.thread);
        }
        if self.machine.threads[self.thread.index()].core.atomic > 0 && self.machine.accesses_are_visible() {
            self.machine.order_section_by(self.thread, n_events);
        }
        flow
    }

    #[inline]
    fn run_model(&mut self, model: Model, is_step: bool) -> Result<Flow, Fault> {
        if self.machine.back.recorder.is_wanted {
            self.machine.hear_call(self.name());
        }
        let flow =
            if self.machine.memory.has_inputs { self.run_with_inputs(model, is_step) } else { (model.run)(self) };
        match flow {
            Err(Fault::Waits(wants)) => {
                let varies = wants.varies || model.cancels != Cancels::Never && self.machine.uses.cancels;
                Ok(self.machine.park(self.thread, Wants { varies, ..wants }))
            }
            flow => flow,
        }
    }

    #[inline(never)]
    fn run_with_inputs(&mut self, model: Model, is_step: bool) -> Result<Flow, Fault> {
        *self.notes() = CallNotes::default();
        self.note_arguments();
        let (files, n_events) = (self.machine.files.clone(), self.machine.log.events.len());
        match (model.run)(self) {
            Err(Fault::Undecided(condition)) => {
                // What it wrote to memory until then, it will write again.
                self.machine.files.restore(files);
                self.machine.log.events.truncate(n_events);
                self.machine.symbolic.forget_reads(n_events);
                if is_step {
                    // With fixed inputs there is no such step.
                    self.event(OpKind::Branch, 0, 0, 0, 0);
                }
                Ok(self.machine.park_undecided(self.thread, condition))
            }
            Ok(Flow::Next) if self.result_tells_of_inputs() => {
                self.fix_printed();
                Ok(Flow::Next)
            }
            done => done,
        }
    }

    pub fn n_args(&self) -> usize {
        self.site.args.len()
    }

    pub fn arg(&self, n: usize) -> u64 {
        self.site.args.get(n).map_or(0, |&slot| self.machine.register(self.thread, slot))
    }

    /// An `int` argument.
    pub fn int(&self, n: usize) -> i32 {
        self.arg(n) as u32 as i32
    }

    pub fn double(&self, n: usize) -> f64 {
        f64::from_bits(self.arg(n))
    }

    /// The `n`th argument after the fixed ones.
    pub fn variadic(&self, n: usize) -> Option<u64> {
        self.site.variadic.get(n).map(|arg| self.machine.register(self.thread, arg.slot))
    }

    /// Gives a result of at most 64 bits.
    #[inline]
    pub fn result(&mut self, value: u64) -> Result<Flow, Fault> {
        if self.site.n_returns > 0 {
            self.machine.set_register(self.thread, self.site.dst, value);
        }
        Ok(Flow::Next)
    }

    /// Gives an `int`.
    pub fn result_int(&mut self, value: i32) -> Result<Flow, Fault> {
        self.result(u64::from(value as u32))
    }

    /// Gives -1 or another value that tells of an error, with `errno` set.
    pub fn error(&mut self, errno: i32, result: u64) -> Result<Flow, Fault> {
        self.set_errno(errno);
        self.result(result)
    }

    pub fn set_errno(&mut self, errno: i32) {
        let place = self.own_errno();
        self.machine.memory.store(place, 4, errno as u32 as u64);
    }

    pub fn errno(&mut self) -> i32 {
        let place = self.own_errno();
        self.machine.memory.load(place, 4) as i32
    }

    /// The place of `errno`. Functions read and write it without a scheduling point of their own, so no other thread may see them do it.
    fn own_errno(&mut self) -> u64 {
        let place = self.machine.errno_address(self.thread);
        if self.machine.accesses_are_visible() && self.machine.memory.object(place).is_some_and(Object::is_shared) {
            let name = self.name();
            let why = format!("`{name}` uses `errno`, which another thread has a pointer to");
            self.machine.finish(End::Unsupported(why));
        }
        place
    }

    /// What is wanted: an operation of this kind at that address.
    pub fn wants(&self, kind: OpKind, address: u64, size: u32) -> Wants {
        Wants { kind, size, address, at: self.machine.user_point(self.thread), varies: kind.is_access() }
    }

    /// What is wanted of the object at an address that the function is given, if others can reach it, or could before it ended.
    pub fn wants_shared(&self, address: u64) -> Option<Wants> {
        let object = self.machine.memory.object(address)?;
        let is_known = self.machine.is_known(self.thread, address, object);
        (is_known && address != 0).then(|| self.wants(OpKind::Write, address::object_start(address), object.size))
    }

    /// Logs the operation that this call is.
    pub fn event(&mut self, kind: OpKind, address: u64, size: u32, value: u64, other: u64) {
        self.machine.push_event(self.thread, kind, address, size, value, other);
        if kind.is_on_object() {
            self.machine.order_object(self.thread, kind, address, size);
        }
    }

    /// Reads memory as part of this call; a read of shared memory is logged and checked for races.
    pub fn read(&mut self, address: u64, len: u64) -> Result<Vec<u8>, Fault> {
        if len == 0 {
            return Ok(Vec::new());
        }
        self.look_at(address, len)?;
        if self.machine.memory.has_terms(address, len) {
            if inputs::is_output(self.name()) {
                self.note_printed(address, len);
            } else {
                self.machine.make_bytes_concrete(self.thread, address, len, self.name());
            }
        }
        Ok(self.machine.memory.view(address, len).to_vec())
    }

    /// The same with what the bytes stand for.
    pub fn read_bytes(&mut self, address: u64, len: u64) -> Result<Bytes, Fault> {
        if len == 0 {
            return Ok(Bytes::default());
        }
        self.look_at(address, len)?;
        let memory = &self.machine.memory;
        let values = memory.view(address, len).to_vec();
        if !memory.has_terms(address, len) {
            return Ok(values.into());
        }
        let at = memory.place_of(address);
        let terms = (0..values.len()).filter_map(|n| Some((n, memory.terms.get(at + n)?))).collect();
        Ok(Bytes::with_terms(values, terms))
    }

    fn look_at(&mut self, address: u64, len: u64) -> Result<(), Fault> {
        let object = self.machine.memory.check(address, len, false)?;
        self.machine.look_for_unset(self.thread, address, len)?;
        if self.machine.is_visible(self.thread, address, object)? {
            self.machine.note_access(self.thread, Access::bulk(OpKind::Read, address, len), 0, 0)?;
        }
        Ok(())
    }

    pub fn write(&mut self, address: u64, data: &[u8]) -> Result<(), Fault> {
        if data.is_empty() {
            return Ok(());
        }
        let len = data.len() as u64;
        let object = self.machine.memory.check(address, len, true)?;
        let visible = self.machine.is_visible(self.thread, address, object)?;
        self.machine.before_bulk_write(address, len);
        self.machine.memory.store_bytes(address, data);
        self.machine.note_private_write(self.thread, Access::bulk(OpKind::Write, address, len));
        if visible {
            let mut value = [0; 8];
            let shown = data.len().min(8);
            value[..shown].copy_from_slice(&data[..shown]);
            let access = Access::bulk(OpKind::Write, address, len);
            self.machine.publish_range(self.thread, address, len);
            self.machine.note_access(self.thread, access, u64::from_le_bytes(value), 0)?;
        }
        Ok(())
    }

    pub fn read_word(&mut self, address: u64, size: u8) -> Result<u64, Fault> {
        let mut word = [0; 8];
        word[..usize::from(size)].copy_from_slice(&self.read(address, u64::from(size))?);
        Ok(u64::from_le_bytes(word))
    }

    pub fn write_word(&mut self, address: u64, size: u8, value: u64) -> Result<(), Fault> {
        self.write(address, &value.to_le_bytes()[..usize::from(size)])
    }

    /// The bytes of a C string, without its end. One that has no end in its object is out of bounds.
    pub fn string(&mut self, address: u64) -> Result<Vec<u8>, Fault> {
        let object = self.machine.memory.check(address, 1, false)?;
        let rest = u64::from(object.size) - address::offset(address);
        let decides = |call: &mut Self| Ok(!call.has_sure_end(address, rest) || call.is_seen_by_others(address)?);
        if self.machine.memory.has_terms(address, rest) && decides(self)? {
            self.string_with_terms(address)?;
        }
        let len = self.machine.memory.view(address, rest).iter().position(|&byte| byte == 0);
        match len {
            Some(len) => {
                let mut bytes = self.read(address, len as u64 + 1)?;
                bytes.pop();
                Ok(bytes)
            }
            None => Err(Fault::OutOfBounds { address: address.wrapping_add(rest), size: 1 }),
        }
    }

    /// A C string as text; bytes that are no UTF-8 are replaced.
    pub fn text(&mut self, address: u64) -> Result<String, Fault> {
        Ok(String::from_utf8_lossy(&self.string(address)?).into_owned())
    }

    pub fn slot_value(&self, slot: Slot) -> u64 {
        self.machine.register(self.thread, slot)
    }
}

/// The pending operation of a function that touches the memory it is given: none while nobody else can reach it.
pub fn shared_argument(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    if !call.machine.accesses_are_visible() {
        return Ok(None);
    }
    let fixed = call.site.args.iter().copied();
    let slots = fixed.chain(call.site.variadic.iter().map(|arg| arg.slot));
    for slot in slots {
        let value = call.slot_value(slot);
        if let Some(wants) = call.wants_shared(value) {
            return Ok(Some(wants));
        }
    }
    Ok(None)
}
