//! What a program can see of the names of its threads. Joins are seen to here because they name a thread and are no
//! steps: those of a group may only come in a row, and may not tell one from the other by its result.

use super::symmetry::Symmetry;
use gordian_base::ThreadId;
use gordian_trace::{Event, OpKind, Wants};

/// Whether a function that a program refers to lets it tell one thread from another, or act on one of them, or gives it
/// numbers that depend on the thread or on who asked first, as inputs do.
pub fn tells_threads_apart(function: &str) -> bool {
    matches!(
        function,
        "pthread_self"
            | "pthread_equal"
            | "pthread_cancel"
            | "pthread_kill"
            | "pthread_sigqueue"
            | "pthread_tryjoin_np"
            | "pthread_timedjoin_np"
            | "pthread_clockjoin_np"
            | "pthread_getname_np"
            | "pthread_setname_np"
            | "pthread_getattr_np"
            | "pthread_getcpuclockid"
            | "pthread_getaffinity_np"
            | "pthread_setaffinity_np"
            | "pthread_getschedparam"
            | "pthread_setschedparam"
            | "pthread_setschedprio"
            | "thrd_current"
            | "thrd_equal"
            | "gettid"
            | "sched_getcpu"
            | "syscall"
            | "time"
            | "clock"
            | "times"
            | "gettimeofday"
            | "clock_gettime"
            | "timespec_get"
            | "getrandom"
            | "getentropy"
            | "arc4random"
            | "arc4random_buf"
            | "arc4random_uniform"
    ) || ["__VERIFIER_nondet_", "gordian_", "klee_"].iter().any(|prefix| function.starts_with(prefix))
}

impl Symmetry {
    /// Why the threads of a group can be told apart after all, if an execution shows it.
    pub fn objection(&self, events: &[Event], wants: &dyn Fn(ThreadId) -> Option<Wants>) -> Option<String> {
        if let Some((before, thread)) = self.contradiction(wants) {
            return Some(format!("threads {} and {} do different things after the same history", before.0, thread.0));
        }
        self.groups().find_map(|group| {
            objection_to(&group, events).or_else(|| unknown_join(&group, events, wants)).map(str::to_owned)
        })
    }
}

/// The threads of a group that somebody has joined so far.
struct Joiner {
    thread: ThreadId,
    n_joined: usize,
    result: u64,
    /// Results were asked for, and are not all the same.
    looks: bool,
    differ: bool,
}

/// Why the threads of a group cannot change their names although they began alike.
fn objection_to(group: &[ThreadId], events: &[Event]) -> Option<&'static str> {
    let is_member = |thread: u64| group.iter().any(|member| u64::from(member.0) == thread);
    let mut joiners: Vec<Joiner> = Vec::new();
    for event in events {
        let own = is_member(event.thread.0.into());
        match event.kind {
            OpKind::CasOk | OpKind::CasFail if own && event.unsure => {
                return Some("inputs decide what a thread of a group does");
            }
            OpKind::Branch if own => return Some("inputs decide what a thread of a group does"),
            OpKind::Create if own => return Some("a thread of a group creates threads"),
            OpKind::Join if own => return Some("a thread of a group joins another"),
            OpKind::Detach if is_member(event.address) => return Some("a thread of a group is detached"),
            OpKind::Join if is_member(event.address) => {
                let at = joiners.iter().position(|joiner| joiner.thread == event.thread).unwrap_or_else(|| {
                    let (thread, result) = (event.thread, event.value);
                    joiners.push(Joiner { thread, n_joined: 0, result, looks: false, differ: false });
                    joiners.len() - 1
                });
                let joiner = &mut joiners[at];
                joiner.n_joined += 1;
                joiner.looks |= event.other != 0;
                joiner.differ |= event.value != joiner.result;
                if joiner.looks && joiner.differ {
                    return Some("threads of a group have different results, which are looked at");
                }
            }
            // Those of other threads may come between them: they would in any order. Joins that are steps of their own log what they look at,
            // which counts as something between them: whom they wait for tells threads apart.
            OpKind::Join => {}
            _ if joiners.iter().any(|joiner| joiner.thread == event.thread && joiner.n_joined < group.len()) => {
                return Some("something happens between the joins of threads of a group");
            }
            _ => {}
        }
    }
    None
}

/// A thread waits at the end for one of a group while another has ended that it has not joined. With their names exchanged it
/// would have gone on, and whether it would have joined the other next was not seen.
fn unknown_join(
    group: &[ThreadId],
    events: &[Event],
    wants: &dyn Fn(ThreadId) -> Option<Wants>,
) -> Option<&'static str> {
    let target = |joiner| {
        let wants = wants(joiner).filter(|wants| wants.kind == OpKind::Join)?;
        group.iter().copied().find(|member| u64::from(member.0) == wants.address)
    };
    if group.iter().any(|&member| wants(member).is_some_and(|wants| wants.kind == OpKind::Join)) {
        return Some("a thread of a group joins another");
    }
    let has_ended = |thread| events.iter().any(|event| event.kind == OpKind::Exit && event.thread == thread);
    let has_joined = |joiner, target: ThreadId| {
        let joined = |event: &&Event| event.kind == OpKind::Join && event.address == u64::from(target.0);
        events.iter().filter(joined).any(|event| event.thread == joiner)
    };
    let threads = events.iter().map(|event| event.thread.0).max()?;
    let mut waiting = (0..=threads).map(ThreadId).filter(|&joiner| target(joiner).is_some());
    let unknown = |joiner| group.iter().any(|&member| has_ended(member) && !has_joined(joiner, member));
    waiting.any(unknown).then_some("a thread of a group ends while one that did not end is waited for")
}
