//! How many executions `dpor` would make: an unbiased estimate of the number of Mazurkiewicz traces of complete
//! executions, from some thousand executions made at random.
//!
//! After Knuth, "Estimating the efficiency of backtrack programs", Math. Comp. 1975, who goes down a tree at random and
//! multiplies the numbers of children. Here a trace has many leaves, one for each of its schedules, so each execution is
//! also divided by the chance that its trace, put into an order at random, comes out in this one (importance sampling in an
//! extended space, as in Neal, "Annealed importance sampling", 2001). The order is drawn from the front: at every point
//! from those choices alone that stay within the trace, the *free* ones, in the proportion in which the execution chose. What
//! is left is a product over the points of an execution of 1 / the chance to make a free choice; steps that
//! depend on nothing cost nothing, and no execution is redundant.
//!
//! Two things keep the variance low, and neither touches the expectation. The *focus*: choices are mostly made among a
//! small set of threads that, as far as was seen, the others do not interfere with (the persistent sets of
//! Godefroid, as a guess), and now and then among all. *Splitting*: an execution that weighs several times what is usual at its depth goes on
//! in several ways, each with its share (Grassberger's pruned-enriched method, Phys. Rev. E 1997, without pruning).
//!
//! **Guarantee:** the expectation of the sample mean is the number of traces that `classes` would count. The interval
//! holds the number in about 95 of 100 cases: it is that of a log-normal distribution with the mean and standard error of
//! the tours. If `dpor` itself ends within its first [`EXACT_RUNS`] executions, the number is exact.
//!
//! **Misses:** where a few traces carry most of the number and are hardly ever met, the estimate is too low most of the time, and
//! so is the interval. `dpor` may make fewer executions than there are traces where an execution that fails
//! keeps others from their end. Executions that an assumption dropped are not counted.

mod focus;
mod freedom;
mod interval;
mod limited;
mod population;
mod sampler;
#[cfg(test)]
mod tests;

use crate::Dpor;
use gordian_engine::{EngineError, Probe, Settings, Subject, probe};
use gordian_trace::{Bound, Objection, Stop, Test};
pub use interval::Interval;
use limited::Limited;
use sampler::Sampler;
use std::time::Duration;

/// Executions after which the search is not waited for any longer.
pub const EXACT_RUNS: u64 = 10_000;

/// A step of the search takes so much less time than one of an estimate.
const STEPS_FOR_ONE: u64 = 10;

/// Steps of an estimate unless told otherwise: less than a second of work.
pub const DEFAULT_STEPS: u64 = 100_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Executions, those among them that a bound cuts off.
    pub executions: Interval,
    /// How many of them a bound cuts off.
    pub cut_off: f64,
    /// Nothing was estimated: the search was made.
    pub exact: bool,
    /// Executions that the estimate comes from.
    pub sampled: u64,
    pub bounds_hit: Vec<Bound>,
    /// Nothing of this counts: the estimate must be made again with other settings.
    pub objection: Option<Objection>,
    /// Why there is no estimate, if there is none: something unsupported, or the user.
    pub stopped: Option<Stop>,
    /// Executions a second that `dpor` made. By the wall clock: never the same twice.
    pub rate: f64,
    /// Likewise.
    pub elapsed: Duration,
}

/// The number of executions that `dpor` would make: exact if it is small, else from about `steps` steps at random.
pub fn estimate<S: Subject>(
    subject: &S,
    template: &Test,
    seed: u64,
    steps: u64,
    settings: &Settings,
) -> Result<Estimate, EngineError> {
    let mut search = Limited::new(Dpor::default(), EXACT_RUNS, steps * STEPS_FOR_ONE);
    let begun = probe(subject, template, &mut search, settings)?;
    let known = begun.executions + if cuts_off(&begun) { begun.blocked } else { 0 };
    let rate = (begun.executions + begun.blocked) as f64 / begun.elapsed.as_secs_f64().max(1e-9);
    if !search.given_up || begun.objection.is_some() {
        return Ok(exactly(known, begun, rate));
    }
    let mut sampled = sample(subject, template, seed, steps, settings)?;
    sampled.rate = rate;
    sampled.elapsed += begun.elapsed;
    // So many there are: the search met them.
    let Interval { mean, low, high, .. } = &mut sampled.executions;
    for number in [mean, low, high] {
        *number = number.max(known as f64);
    }
    Ok(sampled)
}

/// The estimate from about `steps` steps at random, however small the number is.
pub fn sample<S: Subject>(
    subject: &S,
    template: &Test,
    seed: u64,
    steps: u64,
    settings: &Settings,
) -> Result<Estimate, EngineError> {
    let mut sampler = Sampler::new(seed, steps);
    let probe = probe(subject, template, &mut sampler, settings)?;
    if sampler.tours().is_empty() && probe.stop == Stop::Exhausted {
        // There was nothing to choose.
        let known = probe.executions + if cuts_off(&probe) { probe.blocked } else { 0 };
        return Ok(exactly(known, probe, 0.0));
    }
    Ok(Estimate {
        executions: interval::interval(sampler.tours().iter().map(|tour| tour.all())),
        cut_off: interval::interval(sampler.tours().iter().map(|tour| tour.cut_off.log())).mean,
        exact: false,
        sampled: sampler.n_sampled(),
        bounds_hit: probe.bounds_hit,
        objection: probe.objection,
        stopped: Some(probe.stop).filter(|stop| *stop != Stop::Exhausted),
        rate: 0.0,
        elapsed: probe.elapsed,
    })
}

fn exactly(number: u64, probe: Probe, rate: f64) -> Estimate {
    let mean = number as f64;
    Estimate {
        executions: Interval { mean, low: mean, high: mean, standard_error: 0.0 },
        cut_off: (number - probe.executions) as f64,
        exact: true,
        sampled: number,
        bounds_hit: probe.bounds_hit,
        objection: probe.objection,
        stopped: Some(probe.stop).filter(|stop| *stop != Stop::Exhausted),
        rate,
        elapsed: probe.elapsed,
    }
}

fn cuts_off(probe: &Probe) -> bool {
    probe.bounds_hit.iter().any(|bound| matches!(bound, Bound::Steps | Bound::Instructions))
}
