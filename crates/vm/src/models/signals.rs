//! Signals: handlers, masks, and signals that the program sends to itself. None comes from outside.

use super::stdio::wants_tree;
use super::{Call, Model, inputs};
use crate::fault::Fault;
use crate::files::errno::EINVAL;
use crate::files::{BrokenPipe, key};
use crate::interp::Flow;
use crate::machine::Machine;
use crate::setup::process;
use gordian_base::ThreadId;
use gordian_trace::Wants;

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
pub const SIGPIPE: i32 = 13;
const SIGSTOP: i32 = 19;
/// Two signals belong to the thread library.
const RESERVED: u64 = 3 << 31;
const SIG_DFL: u64 = 0;
const SIG_IGN: u64 = 1;
const SIG_ERR: u64 = u64::MAX;
/// What `signal` asks for.
const SA_RESTART: u64 = 0x1000_0000;
/// Bytes of a `struct sigaction`, and where its mask and its flags are.
const ACTION_SIZE: u64 = 152;
const ACTION_MASK: u64 = 8;
const ACTION_FLAGS: u64 = 136;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "signal" | "sigaction" => Model::visible(set_action, wants_tree),
        "sigprocmask" | "pthread_sigmask" => Model::touching(set_mask),
        "raise" => Model::visible(raise, wants_actions),
        "abort" => Model::visible(abort, |call| if assumes(call) { Ok(None) } else { wants_actions(call) }),
        _ => return None,
    })
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// What happens when a signal comes.
#[derive(Clone, Copy)]
struct Action {
    handler: u64,
    flags: u64,
    mask: u64,
}

impl Machine<'_> {
    fn action_of(&self, signal: i32) -> Action {
        let place = process::SIGNALS + process::SIGNAL_SIZE * signal as u64;
        let word = |n: u64| self.get_process(place + 8 * n);
        Action { handler: word(0), flags: word(1), mask: word(2) }
    }

    fn set_action_of(&mut self, signal: i32, Action { handler, flags, mask }: Action) {
        let place = process::SIGNALS + process::SIGNAL_SIZE * signal as u64;
        self.set_process(place, handler);
        self.set_process(place + 8, flags);
        self.set_process(place + 16, mask);
    }

    /// The signals that the thread has blocked. Nobody else can see or change them.
    fn blocked_signals(&self, thread: ThreadId) -> u64 {
        self.specific_values(thread).map_or(0, |values| self.memory.load(values + process::BLOCKED_SIGNALS, 8))
    }

    fn set_blocked_signals(&mut self, thread: ThreadId, signals: u64) {
        if self.blocked_signals(thread) != signals {
            let values = self.specific_address(thread);
            self.memory.store(values + process::BLOCKED_SIGNALS, 8, signals);
        }
    }

    /// A new thread blocks what its creator does.
    pub(crate) fn inherit_signals(&mut self, creator: ThreadId, thread: ThreadId) {
        let signals = self.blocked_signals(creator);
        self.set_blocked_signals(thread, signals);
    }

    /// What a write to a pipe without readers does to the thread. A signal that is blocked kills later, when it is no longer blocked.
    pub(crate) fn effect_of_broken_pipe(&self, thread: ThreadId) -> BrokenPipe {
        match self.files.broken_pipe() {
            BrokenPipe::Kills if self.blocked_signals(thread) & bit(SIGPIPE) != 0 => BrokenPipe::Unknown,
            effect => effect,
        }
    }
}

/// `signal` and `sigaction`. Handlers are kept, so that they can be told, and never run.
fn set_action(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (number, is_action) = (call.int(0), call.name() == "sigaction");
    let (action, old) = if is_action { (call.arg(1), call.arg(2)) } else { (0, 0) };
    let is_known = (1..process::N_SIGNALS as i32).contains(&number) && bit(number) & RESERVED == 0;
    let wanted = match is_action {
        // A handler's own signal is blocked while it runs.
        false if is_known => Some(Action { handler: call.arg(1), flags: SA_RESTART, mask: bit(number) }),
        false => None,
        true if action == 0 => None,
        true => {
            call.machine.memory.check(action, ACTION_SIZE, false)?;
            Some(Action {
                handler: call.read_word(action, 8)?,
                flags: call.read_word(action + ACTION_FLAGS, 4)?,
                mask: call.read_word(action + ACTION_MASK, 8)? & !(bit(SIGKILL) | bit(SIGSTOP)),
            })
        }
    };
    let is_refused = match wanted {
        Some(Action { handler, .. }) => matches!(number, SIGKILL | SIGSTOP) || !is_action && handler == SIG_ERR,
        None => false,
    };
    if !is_known || is_refused {
        return call.error(EINVAL, if is_action { u64::from(u32::MAX) } else { SIG_ERR });
    }
    let before = call.on_file(Some(key::TREE), |call| {
        let before = call.machine.action_of(number);
        if let Some(action) = wanted {
            call.machine.set_action_of(number, action);
            if number == SIGPIPE {
                call.machine.files_mut().set_broken_pipe(match action.handler {
                    SIG_DFL => BrokenPipe::Kills,
                    SIG_IGN => BrokenPipe::Fails,
                    _ => BrokenPipe::Unknown,
                });
            }
        }
        Ok(before)
    })?;
    if !is_action {
        return call.result(before.handler);
    }
    if old != 0 {
        let mut bytes = [0; ACTION_SIZE as usize];
        bytes[..8].copy_from_slice(&before.handler.to_le_bytes());
        bytes[ACTION_MASK as usize..][..8].copy_from_slice(&before.mask.to_le_bytes());
        bytes[ACTION_FLAGS as usize..][..4].copy_from_slice(&before.flags.to_le_bytes()[..4]);
        call.write(old, &bytes)?;
    }
    call.result_int(0)
}

/// `how` is looked at only if there is a set.
fn set_mask(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (how, set, old) = (call.int(0), call.arg(1), call.arg(2));
    let before = call.machine.blocked_signals(call.thread);
    let mut after = before;
    if set != 0 {
        let set = call.read_word(set, 8)? & !(RESERVED | bit(SIGKILL) | bit(SIGSTOP));
        after = match how {
            0 => before | set,
            1 => before & !set,
            2 => set,
            _ if call.name() == "sigprocmask" => return call.error(EINVAL, u64::from(u32::MAX)),
            _ => return call.result_int(EINVAL),
        };
    }
    if old != 0 {
        call.write_word(old, 8, before)?;
    }
    call.machine.set_blocked_signals(call.thread, after);
    call.result_int(0)
}

/// Other threads see that a signal is sent if the program says what to do with signals.
fn wants_actions(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    if sets_actions(call) { wants_tree(call) } else { Ok(None) }
}

fn sets_actions(call: &Call<'_, '_>) -> bool {
    call.machine.program.externals.iter().any(|external| matches!(external.name.as_str(), "signal" | "sigaction"))
}

/// The handler of a signal that the thread sends to itself.
fn handler_of(call: &mut Call<'_, '_>, signal: i32) -> Result<u64, Fault> {
    if !sets_actions(call) {
        return Ok(SIG_DFL);
    }
    call.on_file(Some(key::TREE), |call| Ok(call.machine.action_of(signal).handler))
}

fn raise(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let signal = call.int(0);
    if signal == 0 {
        return call.result_int(0);
    }
    if !(1..process::N_SIGNALS as i32).contains(&signal) {
        return call.error(EINVAL, u64::from(u32::MAX));
    }
    let handler = handler_of(call, signal)?;
    if handler == SIG_IGN {
        return call.result_int(0);
    }
    if call.machine.blocked_signals(call.thread) & bit(signal) != 0 {
        return Err(Fault::Unsupported(format!("signal {signal}, which is blocked when it is sent (`raise`)")));
    }
    match (signal, handler) {
        (SIGABRT, SIG_DFL) => Err(Fault::Abort("`raise(SIGABRT)` was called".to_owned())),
        (_, SIG_DFL) => Err(Fault::Unsupported(format!("signal {signal} (`raise`)"))),
        (_, _) => Err(Fault::Unsupported(format!("the handler of signal {signal} (`raise`)"))),
    }
}

/// Whether gordian takes the function that calls `abort` to assume something.
fn assumes(call: &Call<'_, '_>) -> bool {
    let caller = call.machine.threads[gordian_base::Id::index(call.thread)].top().function;
    inputs::assumes(&call.machine.program.functions[caller].name).is_some()
}

/// A handler may jump elsewhere or end the process in its own way; if it returns, the process is killed all the same. That it is ignored or blocked does not help. An
/// assertion that fails is a finding whatever a handler does then.
fn abort(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    if assumes(call) {
        return Ok(call.machine.stop_at_false_assumption(call.thread));
    }
    match handler_of(call, SIGABRT)? {
        SIG_DFL | SIG_IGN => Err(Fault::Abort("`abort` was called".to_owned())),
        _ => Err(Fault::Unsupported("the handler of SIGABRT (`abort`)".to_owned())),
    }
}
