//! A burst of sampled executions within a long search. A search goes through neighbouring executions one after another and may take very long to come to those that
//! are far from its first one, while a failure that is easy to hit shows in a few sampled ones.
//!
//! The burst begins after a number of executions and has a number of executions, so that reports do not depend on the clock or on the number of workers. What it finds is
//! told at once and is a finding like others. Its executions are not counted among those of the search.

use crate::collect::Collector;
use crate::search::Search;
use crate::team::Few;
use crate::{Budget, EngineError, Observer, Settings, Strategy, Subject};
use gordian_trace::Test;

#[derive(Clone, Copy, Debug)]
pub struct Burst {
    /// Executions of the search after which it comes, if nothing was found by then.
    pub after: u64,
    /// Executions of each strategy.
    pub executions: u64,
    /// What samples, from a seed.
    pub strategies: fn(u64) -> Vec<Box<dyn Strategy>>,
}

/// What a burst came to.
#[derive(Debug, Default)]
pub(crate) struct Sampled {
    pub found: Collector,
    pub executions: u64,
}

impl Sampled {
    /// For the report.
    pub fn note(&self) -> Option<String> {
        let n = self.executions;
        (n > 0).then(|| format!("{n} sampled executions were made besides, which are not counted"))
    }
}

impl Burst {
    /// What the search makes before.
    pub(crate) fn before(&self) -> Few {
        Few { executions: self.after, long: self.after, steps: 0 }
    }

    pub(crate) fn sample<S: Subject>(
        &self,
        subject: &S,
        template: &Test,
        settings: &Settings,
        observer: &mut dyn Observer,
    ) -> Result<Sampled, EngineError> {
        let mut sampled = Sampled::default();
        // The same whatever comes of it: it is no part of the search's own budget of executions.
        let budget = Budget { runs: Some(self.executions), time: settings.budget.time };
        let settings = Settings { budget, stop_at_first: true, solver_summary: false, ..settings.clone() };
        for mut strategy in (self.strategies)(template.machine.seed) {
            let mut search = Search::start(subject, template, strategy.as_mut(), &settings, observer)?;
            search.run();
            let results = search.into_results();
            sampled.executions += results.tally.executions + results.tally.blocked;
            sampled.found.append(results.collector);
            if !sampled.found.is_empty() {
                break;
            }
        }
        Ok(sampled)
    }
}
