//! Flags of searches, by strategy.

use super::DEFAULT_STRATEGY;
use crate::values::{duration, memory};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use gordian_strategies::pct::DEFAULT_DEPTH;
use std::path::PathBuf;
use std::time::Duration;

/// What takes the default's place under a bound on preemptions, which reductions do not go with.
const BOUNDED_STRATEGY: &str = gordian_strategies::bounded::NAME;

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// How schedules are chosen [default: dpor, or bounded with --preemptions]
    #[arg(long, value_name = "NAME", value_parser = strategy_names())]
    pub strategy: Option<String>,
    /// Say on standard error why each sequence of steps is explored or left out, for `dpor` with `--jobs 1`
    ///
    /// Only in builds with the feature `explain`.
    #[cfg(feature = "explain")]
    #[arg(long)]
    pub explain: bool,
    /// Explore threads with the same start function and argument, which one thread created in a row, in one order only
    ///
    /// For `dpor`, by one worker whatever `--jobs` says, and without `--resume`. The program must not see the difference:
    /// if it asks which thread is which, what time it is or for random bytes, or if it acts between joining two of
    /// them, gordian notices, says so and searches without. That it looks at the order of addresses of their
    /// variables, or prints them, is not noticed.
    #[arg(long)]
    pub symmetry: bool,
    /// Do not order writes that nobody reads
    ///
    /// For `dpor`, by one worker whatever `--jobs` says, and without `--resume`. Two writes of a variable are explored in
    /// both orders only if somebody reads what the later one has left, or if that is left at the end. Atomic writes
    /// only, unless data races are ignored: which accesses are found to race depends on which came last. Findings are the
    /// same. If threads are created while others run, wait in loops, or if inputs decide something, gordian says so and
    /// searches without.
    /// Memory grows with the number of executions.
    #[arg(long, conflicts_with = "symmetry")]
    pub observers: bool,
    /// Do not search: estimate how many executions `dpor` would make, with a 95% interval
    #[arg(long)]
    pub estimate: bool,
    /// Most executions [default: 1000 when sampling, else unlimited]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Most time, as `90`, `90s`, `5m` or `2h`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Most memory, as `500M` or `4G` [default: three quarters of what is free at the start]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    /// Workers that share the search, for `dpor`, `interference` and unfoldings; the report does not depend on their number [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Go on with a `dpor` search that was interrupted: by Ctrl-C, by `--time`, by `--memory`, or by the end of the machine
    ///
    /// A search that takes longer than a few seconds saves what it knows in the folder of `--out` every few seconds. Give
    /// the same files and options again.
    #[arg(long, conflicts_with = "estimate")]
    pub resume: bool,
    /// Most preemptions of one execution: switches away from a thread that could go on (not for the dpor strategies)
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Which executions come first, for `dpor`; it ends with the same report, so this is for searches that do not end
    #[arg(long, value_enum, value_name = "ORDER", default_value_t, conflicts_with = "resume")]
    pub order: SearchOrder,
    /// For `pct`: the depth of the bugs that its guarantee speaks of
    #[arg(long, value_name = "D", default_value_t = DEFAULT_DEPTH, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: u32,
    /// End the search with the first failure (the default when sampling)
    #[arg(long, overrides_with = "keep_going")]
    pub stop_at_first: bool,
    /// Go on after a failure and collect all of them (the default when not sampling)
    #[arg(long, overrides_with = "stop_at_first")]
    pub keep_going: bool,
    /// Whether accesses need no scheduling point of which a static analysis proves that no order of them matters
    ///
    /// Of `dpor`, `dpor-classic` and `value-schedule`. The findings and the number of executions are the same, executions have fewer steps. Tests
    /// are saved with all steps. Programs with inputs are searched without, and so is with `--coverage`, `--emit-tests`, `--leaks`, `--uninit`, `--symmetry`,
    /// `--observers` and `--estimate`; the report says so.
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    pub facts: FactsMode,
    #[command(flatten)]
    pub interference: InterferenceArgs,
    #[command(flatten)]
    pub guided: GuidedArgs,
    #[command(flatten)]
    pub unfolding: UnfoldingArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum FactsMode {
    /// They are none
    On,
    /// They are, as all others
    #[default]
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SearchOrder {
    /// To the end, then back to the last choice: the quickest
    #[default]
    Depth,
    /// Choices near the beginning first
    Breadth,
    /// Branch directions that no input took before come first
    Coverage,
    /// Down from the beginning, each choice with the same probability
    Random,
}

impl SearchArgs {
    /// The strategy asked for. A reduction assumes that it may choose any thread, so it cannot be combined with a bound
    /// on preemptions without missing schedules within the bound.
    pub fn strategy(&self) -> anyhow::Result<&str> {
        let name = match (&self.strategy, self.preemptions) {
            (Some(name), _) => name,
            (None, Some(_)) => BOUNDED_STRATEGY,
            (None, None) => DEFAULT_STRATEGY,
        };
        if self.preemptions.is_some() && name.starts_with("dpor") {
            anyhow::bail!("`--preemptions` does not go with `--strategy {name}`; use `--strategy {BOUNDED_STRATEGY}`");
        }
        let is_bounded = [gordian_interference::NAME, gordian_sequentialize::NAME].contains(&name);
        if is_bounded && self.preemptions.is_some() {
            anyhow::bail!("`--preemptions` does not go with `--strategy {name}`; `--max-interferences` is its bound");
        }
        if gordian_unfolding::by_name(name).is_some() && self.preemptions.is_some() {
            anyhow::bail!("`--preemptions` does not go with `--strategy {name}`; use `--strategy {BOUNDED_STRATEGY}`");
        }
        let is_for_both = |option: &&str| *option == "--max-interferences" && name == gordian_sequentialize::NAME;
        let foreign = self.interference.given().filter(|_| name != gordian_interference::NAME);
        let goes_both_ways = self.interference.max_interferences.is_some_and(|most| most.of_other > 0);
        if goes_both_ways && name != gordian_sequentialize::NAME {
            anyhow::bail!(
                "`--max-interferences` takes two numbers with `--strategy {}` only",
                gordian_sequentialize::NAME
            );
        }
        if let Some(option) = foreign.filter(|option| !is_for_both(option)) {
            anyhow::bail!("`{option}` is an option of `--strategy {}`", gordian_interference::NAME);
        }
        if let Some(option) = self.guided.given().filter(|_| name != gordian_value_schedule::NAME) {
            anyhow::bail!("`{option}` is an option of `--strategy {}`", gordian_value_schedule::NAME);
        }
        if name == gordian_value_schedule::NAME && self.preemptions.is_some() {
            anyhow::bail!("`--preemptions` does not go with `--strategy {name}`; use `--strategy {BOUNDED_STRATEGY}`");
        }
        if let Some(option) = self.unfolding.given().filter(|_| gordian_unfolding::by_name(name).is_none()) {
            anyhow::bail!("`{option}` is an option of `--strategy unfold`, `contextual` and `stateful`");
        }
        let alone = [(self.symmetry, "--symmetry"), (self.observers, "--observers")];
        if let Some((_, option)) = alone.into_iter().find(|(given, _)| *given) {
            if name != DEFAULT_STRATEGY || self.estimate {
                let reason = if self.estimate { "with `--estimate`".to_owned() } else { format!("with `{name}`") };
                anyhow::bail!("`{option}` is an option of `--strategy {DEFAULT_STRATEGY}`; it does not go {reason}");
            }
            if self.resume {
                anyhow::bail!("`--resume` does not go with `{option}`: such a search is not saved; start it again");
            }
        }
        if self.resume && name != DEFAULT_STRATEGY {
            anyhow::bail!("`--resume` goes with `--strategy {DEFAULT_STRATEGY}` only, not with `{name}`");
        }
        let shares = self.jobs.is_some_and(|jobs| jobs > 1);
        let can_share = [DEFAULT_STRATEGY, gordian_interference::NAME].contains(&name);
        if shares && !can_share && gordian_unfolding::by_name(name).is_none() {
            anyhow::bail!(
                "`--jobs` goes with `--strategy {DEFAULT_STRATEGY}`, `{}` or those by unfoldings, not with `{name}`",
                gordian_interference::NAME
            );
        }
        if self.order != SearchOrder::Depth && name != DEFAULT_STRATEGY {
            anyhow::bail!("`--order` goes with `--strategy {DEFAULT_STRATEGY}` only, not with `{name}`");
        }
        if self.estimate && name != DEFAULT_STRATEGY {
            let reason = if self.preemptions.is_some() {
                "with `--preemptions`".to_owned()
            } else {
                format!("with `--strategy {name}`")
            };
            anyhow::bail!(
                "`--estimate` tells how many executions `--strategy {DEFAULT_STRATEGY}` makes; it does not go {reason}"
            );
        }
        Ok(name)
    }

    /// One for each core unless the user says otherwise.
    pub fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }
}

fn strategy_names() -> PossibleValuesParser {
    let value = |entry: &gordian_strategies::Entry| PossibleValue::new(entry.name).help(entry.help);
    let interference = PossibleValue::new(gordian_interference::NAME).help(gordian_interference::HELP);
    let unfoldings = gordian_unfolding::STRATEGIES.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    let strategies = gordian_strategies::STRATEGIES.iter().map(value);
    let guided = PossibleValue::new(gordian_value_schedule::NAME).help(gordian_value_schedule::HELP);
    let sequential = PossibleValue::new(gordian_sequentialize::NAME).help(gordian_sequentialize::HELP);
    PossibleValuesParser::new(strategies.chain([interference, guided, sequential]).chain(unfoldings))
}

/// For a search that static access pairs guide.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search by value schedules")]
pub struct GuidedArgs {
    /// Try all orders around an access first, as `bank.c:17`, `bank.c:17:11,write` or `bank.c:17,t1` (of `--strategy value-schedule`)
    ///
    /// The access must be a side of a pair; `gordian pairs` lists them, with the names of threads.
    #[arg(long, value_name = "FILE:LINE[:COLUMN][,read|write][,THREAD]", value_parser = focus)]
    pub focus: Option<gordian_value_schedule::Focus>,
    /// Switch a technique or a filter of pairs off; repeat for more (of `--strategy value-schedule`)
    #[arg(long, value_enum, value_name = "TECHNIQUE")]
    pub without: Vec<Technique>,
}

fn focus(text: &str) -> Result<gordian_value_schedule::Focus, gordian_value_schedule::FocusError> {
    text.parse()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Technique {
    /// Give a pair up as soon as the partner cannot be reached any more
    Accessibility,
    /// Pass partners by that are at another address
    Refinement,
    /// Try pairs out of order before the ordinary search
    Priorities,
    /// Accesses to different bytes are no pair
    Alias,
    /// Objects that one thread alone can reach make no pair
    Escape,
    /// What cannot happen at the same time is no pair
    Mhp,
    /// A field of an object under the lock of the same object makes no pair
    Disjoint,
}

impl GuidedArgs {
    pub fn options(&self) -> gordian_value_schedule::Options {
        let uses = |technique| !self.without.contains(&technique);
        gordian_value_schedule::Options {
            accessibility: uses(Technique::Accessibility),
            refinement: uses(Technique::Refinement),
            priorities: uses(Technique::Priorities),
        }
    }

    pub fn filters(&self) -> gordian_analysis::Filters {
        use gordian_analysis::{Filter, Filters};
        let filter = |technique: &Technique| match technique {
            Technique::Alias => Some(Filter::Alias),
            Technique::Escape => Some(Filter::Escape),
            Technique::Mhp => Some(Filter::Mhp),
            Technique::Disjoint => Some(Filter::Disjoint),
            Technique::Accessibility | Technique::Refinement | Technique::Priorities => None,
        };
        self.without.iter().filter_map(filter).fold(Filters::default(), Filters::without)
    }

    /// The first that was given.
    fn given(&self) -> Option<&'static str> {
        let given = [(self.focus.is_some(), "--focus"), (!self.without.is_empty(), "--without")];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }
}

/// For searches by unfoldings.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search by unfoldings")]
pub struct UnfoldingArgs {
    /// Tell whether threads can be at these places at once, as `a.c:12 & b.c:30`
    ///
    /// The answer is a note, with a test that leads there. A thread is at a line before it makes an operation of that line that others can see.
    #[arg(long, value_name = "PLACES")]
    pub reach: Option<String>,
    /// Write the unfolding to a file, as a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Most steps of each thread: what lies beyond is not explored
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_thread_steps: Option<u32>,
}

impl UnfoldingArgs {
    /// The first that was given.
    fn given(&self) -> Option<&'static str> {
        self.question().or_else(|| self.max_thread_steps.is_some().then_some("--max-thread-steps"))
    }

    /// The first question that was asked.
    pub fn question(&self) -> Option<&'static str> {
        let given = [(self.reach.is_some(), "--reach"), (self.dot.is_some(), "--dot")];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }
}

/// For a search by interferences.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search by interferences")]
pub struct InterferenceArgs {
    /// Most interferences: reads that take what another thread wrote (of `--strategy interference`), or the largest k of `--strategy sequentialize` [default there: 3]
    ///
    /// Values written before the reading thread was created do not count, and locks count nothing.
    /// With `K,K'` (of `--strategy sequentialize` alone): the other thread may read from up to K' writes of the first, too.
    #[arg(long, value_name = "K", value_parser = crate::sequentialize::interferences)]
    pub max_interferences: Option<crate::sequentialize::Sources>,
    /// Give unrealizable scenarios any interference, not only those that the solvers' cores ask for
    #[arg(long)]
    pub no_core_guidance: bool,
    /// Look at scenarios again that were looked at before
    #[arg(long)]
    pub no_duplication_freedom: bool,
    /// Do not look first at scenarios that lead to code which was not reached
    #[arg(long)]
    pub no_priorities: bool,
    /// Go on to more interferences although every branch was taken in both directions and a failure was found
    #[arg(long)]
    pub beyond_full_coverage: bool,
}

impl InterferenceArgs {
    /// With so many workers.
    pub fn options(&self, jobs: usize) -> gordian_interference::Options {
        gordian_interference::Options {
            max_interferences: self.max_interferences.map(|most| most.of_t),
            core_guidance: !self.no_core_guidance,
            duplication_freedom: !self.no_duplication_freedom,
            priorities: !self.no_priorities,
            beyond_full_coverage: self.beyond_full_coverage,
            jobs,
        }
    }

    /// The first that was given.
    fn given(&self) -> Option<&'static str> {
        let given = [
            (self.max_interferences.is_some(), "--max-interferences"),
            (self.no_core_guidance, "--no-core-guidance"),
            (self.no_duplication_freedom, "--no-duplication-freedom"),
            (self.no_priorities, "--no-priorities"),
            (self.beyond_full_coverage, "--beyond-full-coverage"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }
}
