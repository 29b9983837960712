//! `gordian check --estimate`, and the forecast in the progress of a search.

use crate::args::{CheckArgs, DEFAULT_STRATEGY};
use crate::check::leave_out;
use crate::output::{complain, print};
use gordian_engine::{Progress, Settings, StopSignal};
use gordian_ir::Program;
use gordian_report::Estimated;
use gordian_strategies::estimate::{DEFAULT_STEPS, Estimate, estimate as estimate_search, sample};
use gordian_trace::{Bounds, Objection, Test, exit_code};
use std::sync::Arc;
use std::time::Duration;

pub fn estimate(args: &CheckArgs, program: &Program, template: &Test, signal: Arc<StopSignal>) -> anyhow::Result<u8> {
    let settings = Settings { signal, ..Settings::default() };
    let estimate = reduced(program, template, &settings)?;
    let Estimate { executions, cut_off, exact, sampled, bounds_hit, stopped, rate, .. } = estimate;
    let bounds = Bounds {
        max_steps: template.machine.max_steps,
        preemptions: None,
        unroll: template.machine.unroll,
        rounds: None,
        interferences: None,
        hit: bounds_hit,
    };
    if let Some(stop) = stopped {
        if args.output.json {
            print(&gordian_report::no_estimate_document(DEFAULT_STRATEGY, &bounds, &stop))?;
        }
        complain(&format!("there is no estimate: {stop}"));
        return Ok(exit_code::INCONCLUSIVE);
    }
    let estimated = Estimated {
        executions: executions.mean,
        low: executions.low,
        high: executions.high,
        cut_off,
        exact,
        sampled,
        strategy: DEFAULT_STRATEGY,
        bounds: &bounds,
    };
    if args.output.json {
        print(&gordian_report::estimate_document(&estimated))?;
    } else {
        print(&gordian_report::estimate(&estimated))?;
    }
    // Not on stdout, where the same command always says the same.
    if !exact && !args.output.quiet {
        complain(&gordian_report::search_time(&estimated, rate));
    }
    Ok(exit_code::SAFE)
}

/// Of the search that `check` makes: with what the machine leaves out because it makes no difference, unless it does. Rounds of loops are not bounded.
fn reduced(program: &Program, template: &Test, settings: &Settings) -> anyhow::Result<Estimate> {
    let mut template = template.clone();
    leave_out(program, &mut template);
    template.machine.rounds = Some(0);
    loop {
        let estimate = estimate_search(program, &template, template.machine.seed, DEFAULT_STEPS, settings)?;
        match estimate.objection {
            None => return Ok(estimate),
            Some(Objection::Rounds | Objection::CountedRounds) => template.machine.rounds = None,
            Some(objection) => template.machine = template.machine.after(objection),
        }
    }
}

/// The first forecast is made when the search has taken so long; each further one when it has taken four times as long.
const FIRST: Duration = Duration::from_secs(1);
const NEXT: u32 = 4;
/// The search gets so many times the time that forecasts have taken.
const SHARE: u32 = 40;
/// A step of the search stands for so many of a forecast, which takes several times as long for one.
const STEPS_FOR_ONE: u64 = 200;
const LEAST_STEPS: u64 = 5_000;

/// How many executions a search that is under way will have made at its end.
pub struct Forecast<'a> {
    program: &'a Program,
    template: &'a Test,
    settings: Settings,
    next: Duration,
    spent: Duration,
    executions: Option<f64>,
}

impl<'a> Forecast<'a> {
    pub fn new(program: &'a Program, template: &'a Test, signal: Arc<StopSignal>) -> Self {
        let settings = Settings { signal, ..Settings::default() };
        Forecast { program, template, settings, next: FIRST, spent: Duration::ZERO, executions: None }
    }

    /// None while nothing is known.
    pub fn executions(&mut self, progress: &Progress) -> Option<f64> {
        if progress.elapsed >= self.next {
            let steps = (progress.steps / STEPS_FOR_ONE).max(LEAST_STEPS);
            let sampled = sample(self.program, self.template, self.template.machine.seed, steps, &self.settings);
            if let Ok(estimate) = sampled {
                self.spent += estimate.elapsed;
                if estimate.stopped.is_none() {
                    self.executions = Some(estimate.executions.mean);
                }
            }
            self.next = (progress.elapsed * NEXT).max(self.spent * SHARE);
        }
        self.executions
    }
}
