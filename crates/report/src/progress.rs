//! One line that tells how far a search is. Its caller has the clock and the terminal.

use crate::estimate::approximately;
use crate::text::{counted, cut, grouped};
use std::time::Duration;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    pub executions: u64,
    pub findings: u64,
    pub elapsed: Duration,
    /// The part of the search that is done, from 0 to 1, as far as anyone can tell.
    pub done: Option<f64>,
    /// Executions of the whole search, where they were estimated. Says more than `done`.
    pub expected: Option<f64>,
}

pub fn progress_line(progress: &Progress, width: usize) -> String {
    if let Some(expected) = progress.expected {
        return cut(&expecting_line(progress, expected), width);
    }
    let seconds = progress.elapsed.as_secs_f64();
    let mut line = format!("{} in {}", counted(progress.executions, "execution"), duration(seconds));
    if seconds >= 0.5 {
        line.push_str(&format!(", {} a second", grouped((progress.executions as f64 / seconds) as u64)));
    }
    if progress.findings > 0 {
        line.push_str(&format!(", {}", counted(progress.findings, "finding")));
    }
    if let Some(done) = progress.done.filter(|done| (0.0..=1.0).contains(done)) {
        line.push_str(&format!(", {} done", percent(done)));
        if done > 0.001 && seconds >= 1.0 {
            line.push_str(&format!(", about {} left", duration(seconds * (1.0 - done) / done)));
        }
    }
    cut(&line, width)
}

/// The line where the whole is known about.
fn expecting_line(progress: &Progress, expected: f64) -> String {
    let done = progress.executions as f64;
    let rate = done / progress.elapsed.as_secs_f64().max(1e-9);
    let mut line = if done <= expected {
        format!("{} of about {} executions", grouped(progress.executions), approximately(expected, 2))
    } else {
        // Estimates are wrong now and then.
        format!("{}, more than the {} expected", counted(progress.executions, "execution"), approximately(expected, 2))
    };
    line.push_str(&format!(" · {}/s", grouped(rate as u64)));
    if progress.findings > 0 {
        line.push_str(&format!(" · {}", counted(progress.findings, "finding")));
    }
    if done <= expected {
        line.push_str(&format!(" · about {} left", duration((expected - done) / rate.max(1e-9))));
    }
    line
}

fn percent(part: f64) -> String {
    if part > 0.0 && part < 0.0001 { "less than 0.01 %".to_owned() } else { format!("{:.2} %", part * 100.0) }
}

pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s > 0.0 && s < 0.95 => format!("{:.1} s", s.max(0.1)),
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3600.0 => format!("{} min {:02} s", (s / 60.0) as u64, (s % 60.0) as u64),
        s if s < 86_400.0 * 2.0 => format!("{} h {:02} min", (s / 3600.0) as u64, (s / 60.0 % 60.0) as u64),
        s if s < 86_400.0 * 1000.0 => format!("{:.0} days", s / 86_400.0),
        _ => "more than 1,000 days".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_fast_and_how_long() {
        let (executions, elapsed) = (40_000, Duration::from_secs(100));
        let progress = Progress { executions, findings: 1, elapsed, done: Some(0.25), expected: None };
        let line = "40,000 executions in 1 min 40 s, 400 a second, 1 finding, 25.00 % done, about 5 min 00 s left";
        assert_eq!(progress_line(&progress, 200), line);
        assert_eq!(progress_line(&progress, 10), "40,000 ex…");
        assert_eq!(progress_line(&Progress::default(), 80), "0 executions in 0 s");
    }

    #[test]
    fn an_estimate_of_the_whole_says_more() {
        let (executions, elapsed) = (40_000, Duration::from_secs(100));
        let progress = Progress { executions, findings: 0, elapsed, done: Some(0.25), expected: Some(61_234.0) };
        let line = "40,000 of about 61,000 executions · 400/s · about 53 s left";
        assert_eq!(progress_line(&progress, 200), line);
        let beyond = Progress { expected: Some(30_000.0), findings: 2, ..progress };
        let line = "40,000 executions, more than the 30,000 expected · 400/s · 2 findings";
        assert_eq!(progress_line(&beyond, 200), line);
    }
}
