//! Candidates whose sink is a failure that no branch leads to.

use super::Search;
use crate::scenario::{Candidate, Goal};
use gordian_engine::{EngineError, default_choice};
use gordian_trace::{CodePoint, FindingKind};
use gordian_vm::Machine;
use gordian_witness::{Plan, Recorder, follow, run};

/// What a goal looks like in the source: goals that look the same show the same finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Looks {
    kind: std::mem::Discriminant<Goal>,
    places: Vec<CodePoint>,
}

impl Search<'_> {
    fn looks(&self, candidate: &Candidate) -> Looks {
        let node = |node| match candidate.goal {
            // Where the thread waits, behind its last node.
            Goal::Deadlock(_) => self.forest[node].children.first().copied().unwrap_or(node),
            _ => node,
        };
        let nodes = [candidate.sink].into_iter().chain(candidate.goal.nodes().iter().copied());
        let mut places: Vec<CodePoint> = nodes.map(|at| self.forest[node(at)].event.at).collect();
        if matches!(candidate.goal, Goal::Race(_) | Goal::Deadlock(_)) {
            places.sort_unstable();
        }
        Looks { kind: std::mem::discriminant(&candidate.goal), places }
    }

    /// Whether the candidate's goal is a failure that was shown before.
    pub(super) fn has_shown(&self, candidate: &Candidate) -> bool {
        candidate.goal != Goal::Reach && !self.shown.is_empty() && self.shown.contains(&self.looks(candidate))
    }

    /// Makes the execution of a plan that leads to a failure.
    pub(super) fn show(&mut self, candidate: &Candidate, plan: &Plan) -> Result<(), EngineError> {
        let terms = self.terms.take().expect("no machine has them");
        let mut machine = self.machine(terms, plan)?;
        let mut recorder = Recorder::default();
        let went = follow(&mut machine, &mut recorder, plan);
        if went && matches!(candidate.goal, Goal::Deadlock(_)) {
            // What the other threads cover may take more interferences than the plan has.
            machine.note_branches(false);
            run(&mut machine, &mut recorder, |machine| Some(default_choice(machine)));
            machine.note_branches(true);
        }
        let is_race = |kind: FindingKind| kind == FindingKind::DataRace;
        let is_wanted = |kind: FindingKind| is_race(kind) == matches!(candidate.goal, Goal::Race(_));
        // Freeing what others use may be either.
        let shows = |kind| is_wanted(kind) || matches!(candidate.goal, Goal::Race(_) | Goal::After(_));
        if machine.findings().iter().any(|raw| shows(raw.finding.kind)) {
            let looks = self.looks(candidate);
            self.shown.insert(looks);
        } else {
            self.sinks.unsettle();
        }
        self.add(candidate.degree, &mut machine);
        self.terms = Some(machine.into_terms());
        Ok(())
    }

    /// Takes in what an execution showed.
    pub(super) fn add(&mut self, degree: u32, machine: &mut Machine<'_>) {
        if self.n_branches.is_none() {
            self.n_branches = Some(machine.branches().len());
        }
        let n_findings = self.gathering.n_findings();
        let branches = self.gathering.add(machine);
        let findings = self.gathering.n_findings() - n_findings;
        self.n_covered += branches;
        let row = self.degree(degree);
        row.branches += branches;
        row.findings += findings;
    }

    /// Whether candidates of a higher degree are not to be looked at: a failure was found, and no branch is left to be covered. Without a
    /// failure the search goes on, since only one that has come to its end can tell that there is none.
    pub(super) fn is_done_before(&self, degree: u32) -> bool {
        let is_higher = degree as usize >= self.degrees.len();
        is_higher
            && !self.options.beyond_full_coverage
            && self.gathering.n_findings() > 0
            && self.n_branches == Some(self.n_covered)
    }
}
