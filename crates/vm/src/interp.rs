//! The dispatch loop: runs a thread's invisible code. What is not plain computation leaves the loop.

use crate::arith;
use crate::coverage::NoteBranch;
use crate::endless::{JUMPS_BEFORE_LOOK, JUMPS_IN_SECTION_BEFORE_LOOK, MOST_EVENTS, Stretch};
use crate::fault::Fault;
use crate::float;
use crate::frames::MAX_DEPTH;
use crate::machine::Machine;
use crate::memory::{Memory, RecentObjects};
use crate::slow::PAUSE;
use crate::spin::is_quiet;
use crate::thread::{Entry, Frame, Park, Thread};
use crate::undefined;
use gordian_base::{Id, ThreadId};
use gordian_ir::{CallSite, Callee, FuncId, Inst, Program, Slot, address};
use gordian_trace::{Event, OpKind, Wants};
use std::ops::Range;

/// Why the dispatch loop was left; the program counter stands at the instruction.
pub enum Leave {
    /// The instruction touches memory that must be looked at, or is none of the loop's business.
    Slow(Inst),
    Call(u32),
    Return(Slot),
    Fault(Fault),
    /// The thread used up its instructions for this step.
    Exhausted,
    /// One instruction was made, as was asked for.
    Stepped,
    /// The thread is parked where inputs decide how to go on.
    Parked,
}

/// What an instruction outside the loop did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on behind it.
    Next,
    /// Go on wherever the top frame now says.
    Jumped,
    /// The thread is parked or has ended, or the execution has.
    Stop,
}

/// Jumps that one thread may make between two visible operations.
pub const JUMPS_PER_STEP: u64 = 300_000_000;
/// Jumps after which it is looked whether anybody is still interested.
const JUMPS_BEFORE_STOP: u64 = 1 << 24;
/// A plain run may take its time: no thread is waiting for its end to go on exploring.
pub const JUMPS_OF_A_RUN: u64 = u64::MAX;

#[inline]
fn get(registers: &[u64], slot: Slot) -> u64 {
    registers[slot.index()]
}

#[inline]
fn wide(registers: &[u64], slot: Slot) -> u128 {
    u128::from(registers[slot.index()]) | u128::from(registers[slot.index() + 1]) << 64
}

#[inline]
fn set_wide(registers: &mut [u64], slot: Slot, value: u128) {
    registers[slot.index()] = value as u64;
    registers[slot.index() + 1] = (value >> 64) as u64;
}

/// The function that a call enters : no atomic section, nothing passed in memory.
#[inline]
fn plain_callee(program: &Program, atomic_functions: &[bool], site: &CallSite) -> Option<FuncId> {
    let Callee::Function(function) = site.callee else { return None };
    let plain = !atomic_functions[function.index()] && site.byval.is_empty() && !program.functions[function].variadic;
    plain.then_some(function)
}

/// Pushes the frame of a plain call; gives the caller's registers, behind which the new ones begin.
#[inline]
fn push_frame(
    program: &Program,
    frames: &mut Vec<Frame>,
    stack: &mut Vec<u64>,
    call: &CallSite,
    function: FuncId,
    back_to: u32,
    newest_local: u32,
) -> Range<usize> {
    let caller = frames.last_mut().expect("a running thread has a frame");
    caller.pc = back_to;
    let registers = caller.base as usize..stack.len();
    let base = stack.len() as u32;
    frames.push(Frame {
        function,
        pc: 0,
        base,
        result: call.dst.0,
        n_results: call.n_returns,
        entry: Entry::Call,
        locals_before: newest_local,
        variadic: 0,
    });
    let callee = &program.functions[function];
    stack.resize(stack.len() + callee.n_registers as usize, 0);
    stack.extend_from_slice(&callee.consts);
    registers
}

/// Runs the thread on until something must be done outside. Plain calls and returns stay within, because leaving
/// costs as much as many instructions. `space` is the thread's stack space. With `SINGLE` it makes one instruction, no
/// call and no return.
pub(crate) fn dispatch<const SINGLE: bool, C: NoteBranch>(
    program: &Program,
    atomic_functions: &[bool],
    me: &mut Thread,
    memory: &mut Memory,
    space: u32,
    fuel_left: &mut u64,
    mut coverage: C,
) -> Leave {
    let Thread { frames, registers: stack, core, saved_from, .. } = me;
    let top = *frames.last().expect("a running thread has a frame");
    let mut id = top.function;
    let mut function = &program.functions[id];
    let mut code = &function.code[..];
    let mut registers = &mut stack[top.base as usize..];
    let mut pc = top.pc as usize;
    let mut recent = RecentObjects::new();
    let mut fuel = *fuel_left;
    macro_rules! leave {
        ($why:expr) => {{
            *fuel_left = fuel;
            frames.last_mut().expect("a running thread has a frame").pc = pc as u32;
            return $why;
        }};
    }
    macro_rules! set {
        ($dst:expr, $value:expr) => {{
            let value = $value;
            registers[$dst.index()] = value;
        }};
    }
    macro_rules! r {
        ($slot:expr) => {
            get(registers, $slot)
        };
    }
    macro_rules! jump {
        ($target:expr) => {{
            pc = $target as usize;
            fuel -= 1;
            if fuel == 0 {
                leave!(Leave::Exhausted);
            }
            if SINGLE {
                leave!(Leave::Stepped);
            }
            continue;
        }};
    }
    macro_rules! branch {
        ($target:expr) => {{
            let target = $target;
            coverage.note(id, pc, target);
            jump!(target)
        }};
    }
    loop {
        // In place: a copy of the whole instruction would load fields that its arm does not need.
        match code[pc] {
            Inst::Move { dst, src } => set!(dst, r!(src)),
            Inst::Add { w, dst, a, b } => set!(dst, r!(a).wrapping_add(r!(b)) & arith::mask(w)),
            Inst::Sub { w, dst, a, b } => set!(dst, r!(a).wrapping_sub(r!(b)) & arith::mask(w)),
            Inst::Mul { w, dst, a, b } => set!(dst, r!(a).wrapping_mul(r!(b)) & arith::mask(w)),
            Inst::And { dst, a, b } => set!(dst, r!(a) & r!(b)),
            Inst::Or { dst, a, b } => set!(dst, r!(a) | r!(b)),
            Inst::Xor { dst, a, b } => set!(dst, r!(a) ^ r!(b)),
            Inst::Shl { w, dst, a, b } => {
                let by = r!(b);
                set!(dst, if by < u64::from(w) { (r!(a) << by) & arith::mask(w) } else { 0 })
            }
            Inst::LShr { w, dst, a, b } => {
                let by = r!(b);
                set!(dst, if by < u64::from(w) { r!(a) >> by } else { 0 })
            }
            Inst::AShr { w, dst, a, b } => {
                let by = r!(b).min(63);
                set!(dst, (arith::sext(w, r!(a)) >> by) as u64 & arith::mask(w))
            }
            Inst::CheckShift { w, by } => {
                let by = if w > 64 { wide(registers, by) } else { u128::from(r!(by)) };
                if by >= u128::from(w) {
                    leave!(Leave::Fault(Fault::Shift { by, w }));
                }
            }
            Inst::CheckSet { unset, .. } => {
                if r!(unset) != 0 {
                    leave!(Leave::Slow(code[pc]));
                }
            }
            Inst::Div { op, w, dst, a, b } => match arith::divide(op, w, r!(a), r!(b)) {
                Ok(value) => set!(dst, value),
                Err(fault) => leave!(Leave::Fault(fault)),
            },
            Inst::Checked { op, w, dst, a, b } => match arith::checked(op, w, r!(a), r!(b)) {
                Ok(value) => set!(dst, value),
                Err(fault) => leave!(Leave::Fault(fault)),
            },
            Inst::MinMax { op, w, dst, a, b } => set!(dst, arith::min_max(op, w, r!(a), r!(b))),
            Inst::Overflowing { op, signed, w, dst, a, b } => {
                let (_, value, overflow) = arith::overflowing(op, signed, w, r!(a), r!(b));
                registers[dst.index()] = value;
                registers[dst.index() + 1] = u64::from(overflow);
            }
            Inst::Saturating { op, signed, w, dst, a, b } => {
                set!(dst, arith::saturating(op, signed, w, r!(a), r!(b)))
            }
            Inst::Bits { op, w, dst, a } => set!(dst, arith::bits(op, w, r!(a))),
            Inst::FunnelShift { left, w, dst, abc } => {
                let at = abc.index();
                set!(dst, arith::funnel_shift(left, w, registers[at], registers[at + 1], registers[at + 2]))
            }
            Inst::CmpEq { dst, a, b } => set!(dst, u64::from(r!(a) == r!(b))),
            Inst::CmpNe { dst, a, b } => set!(dst, u64::from(r!(a) != r!(b))),
            Inst::CmpUlt { dst, a, b } => set!(dst, u64::from(r!(a) < r!(b))),
            Inst::CmpUle { dst, a, b } => set!(dst, u64::from(r!(a) <= r!(b))),
            Inst::CmpSlt { w, dst, a, b } => set!(dst, u64::from(arith::sext(w, r!(a)) < arith::sext(w, r!(b)))),
            Inst::CmpSle { w, dst, a, b } => set!(dst, u64::from(arith::sext(w, r!(a)) <= arith::sext(w, r!(b)))),
            Inst::Select { dst, cond, a, b } => set!(dst, if r!(cond) != 0 { r!(a) } else { r!(b) }),
            Inst::Trunc { w, dst, a } => set!(dst, r!(a) & arith::mask(w)),
            Inst::SExt { from, to, dst, a } => set!(dst, arith::sext(from, r!(a)) as u64 & arith::mask(to)),

            Inst::WideBin { op, w, dst, a, b } => match arith::wide(op, w, wide(registers, a), wide(registers, b)) {
                Ok(value) => set_wide(registers, dst, value),
                Err(fault) => leave!(Leave::Fault(fault)),
            },
            Inst::WideCmp { pred, w, dst, a, b } => {
                set!(dst, u64::from(arith::wide_compare(pred, w, wide(registers, a), wide(registers, b))))
            }
            Inst::WideBits { op, w, dst, a } => {
                let value = arith::wide_bits(op, w, wide(registers, a));
                set_wide(registers, dst, value);
            }
            Inst::WideOverflowing { op, signed, w, dst, a, b } => {
                let (value, overflow) = arith::wide_overflowing(op, signed, w, wide(registers, a), wide(registers, b));
                set_wide(registers, dst, value);
                registers[dst.index() + 2] = u64::from(overflow);
            }
            Inst::WideSExt { from, to, dst, a } => {
                let value = if from <= 64 {
                    i128::from(arith::sext(from, r!(a)))
                } else {
                    arith::wide_sext(from, wide(registers, a))
                };
                set_wide(registers, dst, value as u128 & arith::wide_mask(to));
            }

            Inst::FBin { op, ty, dst, a, b } => set!(dst, float::binary(op, ty, r!(a), r!(b))),
            Inst::FUn { op, ty, dst, a } => set!(dst, float::unary(op, ty, r!(a))),
            Inst::Fma { ty, dst, abc } => {
                let at = abc.index();
                set!(dst, float::fma(ty, registers[at], registers[at + 1], registers[at + 2]))
            }
            Inst::FCmp { pred, ty, dst, a, b } => set!(dst, u64::from(float::compare(pred, ty, r!(a), r!(b)))),
            Inst::FClass { ty, mask, dst, a } => set!(dst, u64::from(float::class(ty, mask, r!(a)))),
            Inst::FloatToInt { signed, saturates, ty, w, dst, a } => {
                let convert = if saturates { float::to_int_saturating } else { float::to_int };
                let value = convert(signed, ty, w, r!(a));
                if w > 64 { set_wide(registers, dst, value) } else { set!(dst, value as u64) }
            }
            Inst::IntToFloat { signed, ty, w, dst, a } => {
                let value = if w > 64 { wide(registers, a) } else { u128::from(r!(a)) };
                set!(dst, float::from_int(signed, ty, w, value))
            }
            Inst::FCast { ty, dst, a } => {
                let from = if ty == gordian_ir::Float::F64 { gordian_ir::Float::F32 } else { gordian_ir::Float::F64 };
                set!(dst, float::from_f64(ty, float::to_f64(from, r!(a))))
            }

            Inst::Load { size, dst, address } => match memory.load_invisible(&mut recent, space, r!(address), size) {
                Some(value) => set!(dst, value),
                None => leave!(Leave::Slow(code[pc])),
            },
            Inst::Store { size, address, src } => {
                if !memory.store_invisible(&mut recent, space, r!(address), size, r!(src)) {
                    leave!(Leave::Slow(code[pc]));
                }
            }
            Inst::Index { scale, dst, base, index } => {
                let from = r!(base);
                let to = from.wrapping_add(r!(index).wrapping_mul(i64::from(scale) as u64));
                if !SINGLE && !address::is_near(from, to) {
                    leave!(Leave::Slow(code[pc]));
                }
                set!(dst, to)
            }
            Inst::Jump { target } => jump!(target),
            Inst::Branch { cond, then, otherwise, .. } => branch!(if r!(cond) != 0 { then } else { otherwise }),
            Inst::BranchCmp { pred, w, a, b, then, otherwise, .. } => {
                branch!(if arith::compare(pred, w, r!(a), r!(b)) { then } else { otherwise })
            }
            Inst::Switch { value, table } => {
                let table = &function.switches[table];
                let target = match table.cases.binary_search_by_key(&r!(value), |case| case.0) {
                    Ok(index) => table.cases[index].1,
                    Err(_) => table.default,
                };
                branch!(target)
            }
            Inst::JumpIndirect { address } => {
                let label =
                    address::label_of(r!(address)).filter(|(of, _)| Some(*of) == frames.last().map(|top| top.function));
                match label.and_then(|(_, label)| function.labels.get(label as usize)) {
                    Some(&target) => jump!(target),
                    None => leave!(Leave::Fault(Fault::Wild { address: r!(address) })),
                }
            }
            Inst::Call { site } => {
                let call = &function.calls[site as usize];
                match plain_callee(program, atomic_functions, call) {
                    Some(callee) if !SINGLE && frames.len() < MAX_DEPTH && fuel > 1 => {
                        fuel -= 1;
                        let caller = push_frame(program, frames, stack, call, callee, pc as u32 + 1, core.newest_local);
                        id = callee;
                        function = &program.functions[id];
                        code = &function.code[..];
                        pc = 0;
                        let (below, above) = stack.split_at_mut(caller.end);
                        for (to, arg) in above.iter_mut().zip(call.args.iter().take(function.n_params as usize)) {
                            *to = below[caller.start + arg.index()];
                        }
                        registers = above;
                        continue;
                    }
                    _ => leave!(Leave::Call(site)),
                }
            }
            Inst::Return { src } => {
                let top = *frames.last().expect("a running thread has a frame");
                // What the frame below held must be saved first if others may want it back.
                let saved = !memory.journal.on || frames.len() >= *saved_from as usize + 2;
                // A caller that takes the function for one of another type may want fewer values.
                let n_results = function.n_returns.min(top.n_results);
                if SINGLE
                    || top.entry != Entry::Call
                    || core.newest_local != top.locals_before
                    || n_results > 1
                    || !saved
                {
                    leave!(Leave::Return(src));
                }
                let value = (n_results == 1).then(|| r!(src));
                frames.pop();
                stack.truncate(top.base as usize);
                let caller = frames.last().expect("a called function has a caller");
                id = caller.function;
                function = &program.functions[id];
                code = &function.code[..];
                pc = caller.pc as usize;
                registers = &mut stack[caller.base as usize..];
                if let Some(value) = value {
                    registers[top.result as usize] = value;
                }
                continue;
            }
            Inst::Trap => leave!(Leave::Fault(Fault::Abort("a trap instruction was executed".to_owned()))),
            Inst::Unreachable => {
                leave!(Leave::Fault(Fault::Abort(
                    "control reached a point that the compiler took for unreachable".into()
                )))
            }
            Inst::Undefined { site, a, b } => {
                leave!(Leave::Fault(undefined::fault(&function.undefined[site as usize], r!(a), r!(b))))
            }
            Inst::Unsupported { reason } => {
                leave!(Leave::Fault(Fault::Unsupported(function.unsupported[reason as usize].clone())))
            }
            Inst::WideLoad { .. }
            | Inst::WideStore { .. }
            | Inst::AtomicLoad { .. }
            | Inst::AtomicStore { .. }
            | Inst::AtomicRmw { .. }
            | Inst::CmpXchg { .. }
            | Inst::Fence { .. }
            | Inst::Alloca { .. }
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::MemCopy { .. }
            | Inst::MemSet { .. }
            | Inst::ThreadLocal { .. }
            | Inst::VaStart { .. }
            | Inst::VaCopy { .. }
            | Inst::LoopEnter { .. }
            | Inst::LoopBack { .. } => leave!(Leave::Slow(code[pc])),
        }
        pc += 1;
        if SINGLE {
            leave!(Leave::Stepped);
        }
    }
}

/// How far a thread has come, as far as an instruction changes it that cannot be made again.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Progress {
    n_events: usize,
    changes: u64,
    n_frames: usize,
    pc: Option<u32>,
}

impl Machine<'_> {
    /// Runs the thread's code until it parks before a visible operation or ends.
    #[inline]
    pub(crate) fn run_thread(&mut self, thread: ThreadId) {
        self.changes_before = self.memory.changes;
        let is_section = self.threads[thread.index()].core.atomic > 0;
        let jumps = if is_section { JUMPS_IN_SECTION_BEFORE_LOOK } else { JUMPS_BEFORE_LOOK };
        if self.run_on(thread, jumps.min(self.fuel)) == Stretch::UsedUp {
            self.run_for_long(thread, jumps);
        }
        self.threads[thread.index()].core.changes += self.memory.changes - self.changes_before;
    }

    /// The thread has made the jumps that nearly all get by with.
    #[cold]
    fn run_for_long(&mut self, thread: ThreadId, mut stretch: u64) {
        let mut left = self.fuel;
        loop {
            left = left.saturating_sub(stretch);
            let n_events = self.log.events.len() - self.log.step_starts.last().map_or(0, |&start| start as usize);
            if left == 0 || n_events > MOST_EVENTS || self.must_stop() {
                return self.instructions_exhausted();
            }
            if self.look_for_endless_loop(thread) == Stretch::Stopped {
                return;
            }
            stretch = stretch.saturating_mul(2).min(JUMPS_BEFORE_STOP);
            if self.run_on(thread, stretch.min(left)) == Stretch::Stopped {
                return;
            }
        }
    }

    #[inline]
    pub(crate) fn dispatch<const SINGLE: bool>(&mut self, thread: ThreadId, fuel: &mut u64) -> Leave {
        let Machine { program, threads, memory, atomic_functions, coverage, .. } = self;
        let (space, me) = (address::stack_space(thread), &mut threads[thread.index()]);
        if self.settings.coverage {
            dispatch::<SINGLE, _>(program, atomic_functions, me, memory, space, fuel, coverage)
        } else {
            dispatch::<SINGLE, _>(program, atomic_functions, me, memory, space, fuel, ())
        }
    }

    /// Runs on where there are inputs, or branches are noted. It stands apart so that others pay for neither.
    #[inline(never)]
    fn dispatch_noting(&mut self, thread: ThreadId, fuel: &mut u64) -> Leave {
        if self.symbolic.has_terms(thread) {
            self.step_symbolic(thread, fuel)
        } else {
            self.dispatch::<false>(thread, fuel)
        }
    }

    /// Runs on for some jumps at most.
    pub(crate) fn run_on(&mut self, thread: ThreadId, mut fuel: u64) -> Stretch {
        while self.end.is_none() {
            let leave = if self.memory.has_inputs || self.settings.coverage {
                self.dispatch_noting(thread, &mut fuel)
            } else {
                let Machine { program, threads, memory, atomic_functions, .. } = self;
                let (space, me) = (address::stack_space(thread), &mut threads[thread.index()]);
                dispatch::<false, _>(program, atomic_functions, me, memory, space, &mut fuel, ())
            };
            let before = self.progress(thread);
            let flow = match leave {
                Leave::Slow(inst) => self.slow(thread, inst),
                Leave::Call(site) => self.call(thread, site),
                Leave::Return(src) => self.return_from(thread, src),
                Leave::Fault(fault) => Err(fault),
                Leave::Exhausted => return Stretch::UsedUp,
                Leave::Stepped => Ok(Flow::Jumped),
                Leave::Parked => Ok(Flow::Stop),
            };
            match flow {
                Ok(Flow::Next) => self.threads[thread.index()].top_mut().pc += 1,
                Ok(Flow::Jumped) => {}
                Ok(Flow::Stop) => return Stretch::Stopped,
                Err(fault) if self.fails_apart(thread, &fault, before) => return Stretch::Stopped,
                Err(fault) => self.fail(thread, fault),
            }
        }
        Stretch::Stopped
    }

    #[inline]
    fn progress(&self, thread: ThreadId) -> Progress {
        let me = &self.threads[thread.index()];
        Progress {
            n_events: self.log.events.len(),
            changes: self.memory.changes,
            n_frames: me.frames.len(),
            pc: me.frames.last().map(|frame| frame.pc),
        }
    }

    /// Parks the thread before an instruction that fails, if others may have seen something that was done in the present step: what they do about it may
    /// come before the failure, which ends the execution. `before` is what [`Machine::progress`] was before the instruction: one that has done something
    /// already cannot be made again.
    ///
    /// *Lemma.* A step that only reads needs no such point behind it: whatever others could do between the read and the failure they can do
    /// before the read, and nobody sees the difference.
    #[cold]
    fn fails_apart(&mut self, thread: ThreadId, fault: &Fault, before: Progress) -> bool {
        let may_wait = self.settings.separate_failures
            && self.must_park(thread)
            && !self.is_trying()
            && before == self.progress(thread)
            && !matches!(fault, Fault::Unsupported(_) | Fault::NothingKnown | Fault::Undecided(_) | Fault::Waits(_));
        if !may_wait {
            return false;
        }
        // What was done before the first choice counts as a step.
        let start = self.log.step_starts.last().copied().unwrap_or(0);
        let is_seen = |event: &Event| match event.kind {
            OpKind::Exit => event.other != 0,
            OpKind::Join | OpKind::Branch => false,
            OpKind::Sleep => self.waiting.awaits.tells_time,
            kind => !is_quiet(kind),
        };
        if !self.log.events[start as usize..].iter().any(is_seen) {
            return false;
        }
        let wants = Wants { kind: OpKind::Yield, size: 0, address: PAUSE, at: self.user_point(thread), varies: false };
        self.threads[thread.index()].core.park = Park::Before(wants);
        true
    }
}
