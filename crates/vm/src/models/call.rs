//! A call of an external function: its arguments, its result, and memory as the function sees it.

use super::{Model, inputs};
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
        Call { machine, thread, site, external }
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
        let may_be_cancelled = model.cancels && self.machine.uses.cancels;
        if self.machine.locks_streams
            && let Some(stream) = self.stream_to_lock()
        {
            let wants = Wants { varies: may_be_cancelled, ..self.wants(OpKind::Lock, stream, MUTEX_SIZE) };
            return if self.machine.must_park(self.thread) || !self.machine.can_do(self.thread, wants) {
                Ok(self.machine.park(self.thread, wants))
            } else {
                self.machine.variant = 0;
                self.run_locked(model, stream, false)
            };
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

    /// The call happens as a step of its own.
    pub fn perform(&mut self) -> Result<Flow, Fault> {
        let model = self.model()?;
        if self.machine.locks_streams
            && let Some(stream) = self.stream_to_lock()
        {
            // When the thread came here the stream had no data, and it did not ask for the lock.
            let wants = self.wants(OpKind::Lock, stream, MUTEX_SIZE);
            if !self.machine.can_do(self.thread, wants) {
                return Ok(self.machine.park(self.thread, wants));
            }
            return self.run_locked(model, stream, true);
        }
        self.run(model, true)
    }

    /// The stream that the call locks while it is made, as natively each does. It matters only where threads lock streams themselves, and not for
    /// who holds the lock already or would have to wait for data.
    fn stream_to_lock(&mut self) -> Option<u64> {
        if !self.machine.accesses_are_visible() {
            return None;
        }
        let name = self.name();
        let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
        let place = match name.trim_end_matches("64") {
            "getchar" | "gets" | "scanf" | "vscanf" => self.machine.stream_address(0),
            "printf" | "vprintf" | "puts" | "putchar" => self.machine.stream_address(1),
            "perror" => self.machine.stream_address(2),
            "fprintf" | "vfprintf" | "fscanf" | "vfscanf" | "fgetc" | "getc" | "fflush" | "fseek" | "fseeko"
            | "rewind" | "ftell" | "ftello" | "fgetpos" | "fsetpos" | "feof" | "ferror" | "clearerr" | "fclose"
            | "setbuf" | "setbuffer" | "setlinebuf" | "setvbuf" => self.arg(0),
            "fputs" | "fputc" | "putc" | "ungetc" => self.arg(1),
            "fgets" | "getline" | "freopen" => self.arg(2),
            "fread" | "fwrite" | "getdelim" => self.arg(3),
            _ => return None,
        };
        let Some(stream) = self.machine.files.stream(place) else {
            // What a call wants must not depend on what others do: it wants the lock of a stream that was closed, too, and fails without.
            let was_stream = |object: &Object| object.kind == Kind::Hidden && object.size == MUTEX_SIZE;
            return self.machine.memory.object(place).is_some_and(was_stream).then_some(place);
        };
        let waits = stream.busy.is_some() || self.machine.files.read_waits(stream.fd);
        let is_held = self.machine.holds_mutex(self.thread, place).unwrap_or(false);
        (!is_held && !waits).then_some(place)
    }

    /// Makes the call with the stream locked.
    fn run_locked(&mut self, model: Model, stream: u64, is_step: bool) -> Result<Flow, Fault> {
        if self.machine.files.stream(stream).is_none() {
            return self.run(model, is_step);
        }
        self.machine.lock_mutex(self.thread, stream);
        self.event(OpKind::Lock, stream, MUTEX_SIZE, 1, 0);
        let flow = self.run(model, is_step)?;
        if self.machine.files.stream(stream).is_some() {
            self.unlock_stream(stream);
        }
        Ok(flow)
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
        self.machine.note_free(self.thread, stream, MUTEX_SIZE.into());
    }

    pub fn notes(&mut self) -> &mut CallNotes {
        &mut self.machine.symbolic.call
    }

    #[inline]
    fn run(&mut self, model: Model, is_step: bool) -> Result<Flow, Fault> {
        let core = &self.machine.threads[self.thread.index()].core;
        let is_cancelled = model.cancels && core.cancel_pending && core.cancel_enabled && !core.halfway;
        if is_cancelled && !self.machine.waits_halfway(self.thread) {
            return self.machine.cancel_now(self.thread);
        }
        let n_events = self.machine.log.events.len();
        let flow = self.run_model(model, is_step);
        // One that fails would have been cancelled as well. If it failed before anything was logged, what it wanted stands for it.
        if model.cancels && (flow.is_ok() || self.machine.log.events.len() > n_events) {
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
                let varies = wants.varies || model.cancels && self.machine.uses.cancels;
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
