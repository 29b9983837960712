//! CPU time and memory, as the kernel tells them in `/proc`.

use anyhow::Context;

/// CPU seconds of this thread so far.
pub fn own_seconds() -> anyhow::Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").context("the kernel tells no CPU time")?;
    let nanoseconds = text.split_ascii_whitespace().next().and_then(|word| word.parse::<u64>().ok());
    Ok(nanoseconds.context("/proc/thread-self/schedstat has changed its format")? as f64 / 1e9)
}

/// CPU seconds of all children that have ended, in hundredths.
pub fn children_seconds() -> anyhow::Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").context("the kernel tells no CPU time")?;
    // The second field is a name in parentheses that may hold anything; cutime and cstime are 16 and 17.
    let fields = text.rsplit_once(')').map(|(_, rest)| rest.split_ascii_whitespace().collect::<Vec<_>>());
    let ticks =
        fields.and_then(|fields| Some(fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?));
    Ok(ticks.context("/proc/self/stat has changed its format")? as f64 / 100.0)
}

/// CPU seconds that `work` takes in this thread, and what it gives.
pub fn timed<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(f64, T)> {
    let before = own_seconds()?;
    let result = work()?;
    Ok((own_seconds()? - before, result))
}

/// The same on average over as many times as take long enough to be told by a clock of some milliseconds.
pub fn timed_well<T>(mut work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<(f64, T)> {
    let (first, mut result) = timed(&mut work)?;
    let more = (LONG_ENOUGH / first.max(LONG_ENOUGH / 100.0)) as u32;
    let (rest, ()) = timed(|| {
        for _ in 0..more {
            result = work()?;
        }
        Ok(())
    })?;
    Ok(((first + rest) / f64::from(1 + more), result))
}

/// Seconds.
const LONG_ENOUGH: f64 = 0.4;

/// Resident memory in KiB now and at its peak.
pub fn memory() -> anyhow::Result<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/self/status").context("the kernel tells no memory")?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
    };
    field("VmRSS:").zip(field("VmHWM:")).context("/proc/self/status has changed its format")
}
