//! Standard output and standard error. A reader that goes away early (`gordian check … | head`) is no error.

use crate::args::OutputArgs;
use crate::checkpoint::Store;
use crate::estimate::Forecast;
use gordian_engine::{Checkpoint, Observer, ShrinkProgress};
use gordian_report::{Detail, Report, Sources, Style, progress_line};
use gordian_trace::{Place, Verdict};
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};
use std::time::Duration;

/// Between two lines of progress where they cannot replace each other.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// Between two times at which a search is saved.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// Large searches are saved less often, so that they do not spend their time on it.
const MEGABYTES_A_SECOND: u32 = 4;
const SECOND: Duration = Duration::from_secs(1);

pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("cannot write to standard output"))
        }
        _ => Ok(()),
    }
}

/// One sentence on stderr; when even that fails there is nobody left to tell.
pub fn complain(text: &str) {
    let _ = writeln!(stderr(), "gordian: {text}");
}

/// The error with its causes, each said once: some errors tell their cause themselves.
pub fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if sentence.is_empty() {
            sentence = cause;
        } else if !sentence.contains(&cause) {
            sentence = format!("{sentence}: {cause}");
        }
    }
    sentence
}

pub fn print_error(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

/// Colours only on a terminal, and only if the user has not asked for none.
pub fn style(terminal: &impl IsTerminal) -> Style {
    let colour = terminal.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    Style { colour, width: width() }
}

fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let actual = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    asked.or_else(actual).unwrap_or(Style::PLAIN.width).clamp(40, 400)
}

pub fn sources() -> Sources {
    Sources::on_disk(std::env::current_dir().ok())
}

/// The report in the form that was asked for.
pub fn print_report(report: &Report, args: &OutputArgs) -> anyhow::Result<()> {
    let detail = Detail::from(args.trace);
    if args.json {
        return print(&gordian_report::document(report, detail));
    }
    let style = style(&stdout());
    if args.quiet {
        return print(&brief(report, style));
    }
    print(&gordian_report::report(report, detail, &mut sources(), style))
}

/// A line for each finding as compilers write them, and the verdict.
fn brief(report: &Report, style: Style) -> String {
    let sources = sources();
    let mut text = String::new();
    for reported in &report.findings {
        let finding = reported.finding;
        let place = finding.places.first().map(|place| position(place, &sources)).unwrap_or_default();
        let inputs = shortened(gordian_report::inputs(reported.inputs).join(", "));
        let inputs = if inputs.is_empty() { inputs } else { format!(" [{inputs}]") };
        text.push_str(&format!("{place}{}: {}{inputs}\n", finding.kind, finding.message));
    }
    let summary = gordian_report::summary(report, style);
    // Where there is no verdict, the second line says why.
    let told = if report.summary.verdict == Verdict::Inconclusive { 2 } else { 1 };
    for line in summary.lines().take(told) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// As much as still is read at a glance.
fn shortened(text: String) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn position(place: &Place, sources: &Sources) -> String {
    format!("{}:{}:{}: ", sources.name(&place.file), place.line, place.column)
}

/// Shows progress on stderr: one line that renews itself on a terminal, a line now and then elsewhere.
pub struct ProgressLine<'a> {
    mode: Mode,
    next: Duration,
    forecast: Option<Forecast<'a>>,
    store: Option<&'a Store>,
    next_checkpoint: Duration,
    checkpoint_every: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Silent,
    Renewed,
    Lines,
}

impl<'a> ProgressLine<'a> {
    pub fn new(args: &OutputArgs) -> Self {
        let mode = match (args.quiet, stderr().is_terminal(), args.progress) {
            (true, _, _) => Mode::Silent,
            (false, true, _) => Mode::Renewed,
            (false, false, true) => Mode::Lines,
            (false, false, false) => Mode::Silent,
        };
        ProgressLine {
            mode,
            next: PROGRESS_EVERY,
            forecast: None,
            store: None,
            next_checkpoint: CHECKPOINT_EVERY,
            checkpoint_every: CHECKPOINT_EVERY,
        }
    }

    /// Shows how large the whole search is.
    pub fn expect(&mut self, forecast: Forecast<'a>) {
        // Nobody waits for what is not shown.
        self.forecast = Some(forecast).filter(|_| self.mode != Mode::Silent);
    }

    /// Saves the search from time to time.
    pub fn save_in(&mut self, store: &'a Store) {
        self.store = Some(store);
    }

    fn renew(&self, line: &str) {
        let _ = write!(stderr(), "\r\x1b[K{line}").and_then(|()| stderr().flush());
    }
}

impl Observer for ProgressLine<'_> {
    fn progress(&mut self, progress: &gordian_engine::Progress) {
        let shown = gordian_report::Progress {
            executions: progress.executions + progress.blocked,
            findings: progress.findings as u64,
            elapsed: progress.elapsed,
            done: progress.done,
            expected: self.forecast.as_mut().and_then(|forecast| forecast.executions(progress)),
        };
        match self.mode {
            Mode::Renewed => self.renew(&progress_line(&shown, width() - 1)),
            Mode::Lines if progress.elapsed >= self.next => {
                self.next = progress.elapsed + PROGRESS_EVERY;
                complain(&progress_line(&shown, 200));
            }
            Mode::Lines | Mode::Silent => {}
        }
    }

    fn wants_checkpoint(&mut self, elapsed: Duration) -> bool {
        let wanted = self.store.is_some() && elapsed >= self.next_checkpoint;
        if wanted {
            self.next_checkpoint = elapsed + self.checkpoint_every;
        }
        wanted
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let Some(store) = self.store else { return };
        let megabytes = checkpoint.search.len() as u32 / 1_000_000;
        self.checkpoint_every = CHECKPOINT_EVERY.max(SECOND / MEGABYTES_A_SECOND * megabytes);
        if let Err(error) = store.write(checkpoint) {
            // The search itself is not in danger.
            complain(&format!("the search will not be saved: {}", sentence(&error)));
            self.store = None;
        }
    }

    fn shrunk(&mut self, progress: &ShrinkProgress) {
        if self.mode == Mode::Renewed {
            self.renew(&format!("{} context switches after {} attempts", progress.cost.switches, progress.attempts));
        }
    }
}

impl Drop for ProgressLine<'_> {
    fn drop(&mut self) {
        if self.mode == Mode::Renewed {
            self.renew("");
        }
    }
}
