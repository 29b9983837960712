//! What ends a search from outside: Ctrl-C, and memory that is used up.

use anyhow::Context;
use gordian_engine::StopSignal;
use gordian_trace::exit_code;
use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A search that takes all memory of a machine can take it within seconds, but hardly within this time.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Listens for Ctrl-C and watches how much memory is used, of `limit` bytes or else of most that is free now. The first Ctrl-C ends the search with what it has,
/// the second ends gordian.
pub fn listen(limit: Option<u64>) -> anyhow::Result<Arc<StopSignal>> {
    let signal = Arc::new(StopSignal::default());
    let interrupted = Arc::clone(&signal);
    ctrlc::set_handler(move || {
        if !interrupted.interrupt() {
            std::process::exit(i32::from(exit_code::INCONCLUSIVE));
        }
    })
    .context("cannot listen for Ctrl-C")?;
    if let Some(limit) = limit.or_else(default_limit) {
        watch(limit, Arc::clone(&signal));
    }
    Ok(signal)
}

/// Three quarters of what is free: confirming what was found takes some, too.
fn default_limit() -> Option<u64> {
    let free = field("/proc/meminfo", "MemAvailable:")?;
    let of_container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    Some(of_container.map_or(free, |most: u64| most.min(free)) / 4 * 3)
}

/// A thread of its own looks, so that it makes no difference where the search is when memory gets short.
fn watch(limit: u64, signal: Arc<StopSignal>) {
    let look = move || {
        while signal.stop().is_none() {
            if field("/proc/self/status", "VmRSS:").is_some_and(|used| used > limit) {
                signal.end_for_memory();
            }
            thread::sleep(LOOK_EVERY);
        }
    };
    // Without the thread there is no limit, as on a machine that does not tell what is free.
    let _ = thread::Builder::new().name("memory".to_owned()).spawn(look);
}

/// The bytes that a file of the kernel tells behind a name, in kilobytes.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
