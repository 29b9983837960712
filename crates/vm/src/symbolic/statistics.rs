//! What following all inputs took.

use crate::machine::Machine;
use gordian_solve::Solver;
use gordian_trace::{SolverLayer, SolverSummary};

impl Machine<'_> {
    /// Feasibility queries since the machine was made: whether some inputs lead to a branch direction.
    #[inline]
    pub fn solver_queries(&self) -> u64 {
        self.symbolic.solver_queries
    }

    /// What the solver did since the machine was made. Of paths the machine knows nothing.
    pub fn solver_summary(&self) -> SolverSummary {
        let statistics = self.symbolic.solver.statistics();
        let outermost = statistics.layers.first();
        SolverSummary {
            queries: outermost.map_or(0, |layer| layer.queries),
            time: outermost.map_or_else(Default::default, |layer| layer.time),
            layers: (statistics.layers.iter())
                .map(|layer| SolverLayer { name: layer.name, queries: layer.queries, answered: layer.answered })
                .collect(),
            ..SolverSummary::default()
        }
    }
}
