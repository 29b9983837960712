//! Programs with what the other generators never make, by feature. Each case has one or two features besides plain statements, so that a
//! failure or a case that is too large to compare can be counted against them. The statements stand in `statements.rs`.

use crate::generator::{Case, Node};
use crate::statements;
use gordian_base::Rng;

/// Something that programs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Synchronisation objects in memory that is freed, reallocated or overwritten.
    HeapObjects,
    /// Synchronisation objects on stacks that end.
    StackObjects,
    /// Plain reads and writes of static synchronisation objects.
    Overwriting,
    Assumptions,
    /// Atomic sections with assumptions that may be false.
    BlockedSections,
    /// Exits, and exit handlers, while threads run.
    Exits,
    Keys,
    Cancellation,
    Once,
    /// Robust, recursive and error-checking mutexes.
    MutexKinds,
    /// Detaching, joining twice and by others.
    Detaching,
    Descriptors,
    ManyThreads,
    NestedCreation,
    LongLoops,
    /// Overlapping accesses of different widths.
    Widths,
    Environment,
    Clock,
    /// Conditions that are signalled, with and without the mutex.
    Conditions,
    /// Posts to semaphores with little room or none.
    FullSemaphores,
    /// Mutexes that tell who does not hold them, or holds them already.
    CheckingMutexes,
    /// Library functions that touch a part of an object.
    LibraryCalls,
    /// Strings that others free, cut or leave without an end.
    Strings,
    /// Jumps out of functions with variables that others know, and ends of threads within them or within once routines.
    Leaving,
    /// Read-write locks that are taken several times, tried, and waited for up to a time.
    ReadLocks,
    /// Streams with buffers that others free.
    StreamBuffers,
}

impl Feature {
    pub const ALL: [Feature; 26] = [
        Feature::HeapObjects,
        Feature::StackObjects,
        Feature::Overwriting,
        Feature::Assumptions,
        Feature::BlockedSections,
        Feature::Exits,
        Feature::Keys,
        Feature::Cancellation,
        Feature::Once,
        Feature::MutexKinds,
        Feature::Detaching,
        Feature::Descriptors,
        Feature::ManyThreads,
        Feature::NestedCreation,
        Feature::LongLoops,
        Feature::Widths,
        Feature::Environment,
        Feature::Clock,
        Feature::Conditions,
        Feature::FullSemaphores,
        Feature::CheckingMutexes,
        Feature::LibraryCalls,
        Feature::Strings,
        Feature::Leaving,
        Feature::ReadLocks,
        Feature::StreamBuffers,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Feature::HeapObjects => "heap-objects",
            Feature::StackObjects => "stack-objects",
            Feature::Overwriting => "overwriting",
            Feature::Assumptions => "assumptions",
            Feature::BlockedSections => "blocked-sections",
            Feature::Exits => "exits",
            Feature::Keys => "keys",
            Feature::Cancellation => "cancellation",
            Feature::Once => "once",
            Feature::MutexKinds => "mutex-kinds",
            Feature::Detaching => "detaching",
            Feature::Descriptors => "descriptors",
            Feature::ManyThreads => "many-threads",
            Feature::NestedCreation => "nested-creation",
            Feature::LongLoops => "long-loops",
            Feature::Widths => "widths",
            Feature::Environment => "environment",
            Feature::Clock => "clock",
            Feature::Conditions => "conditions",
            Feature::FullSemaphores => "full-semaphores",
            Feature::CheckingMutexes => "checking-mutexes",
            Feature::LibraryCalls => "library-calls",
            Feature::Strings => "strings",
            Feature::Leaving => "leaving",
            Feature::ReadLocks => "read-locks",
            Feature::StreamBuffers => "stream-buffers",
        }
    }

    /// Those that `GORDIAN_FEATURES` names, separated by commas, or all.
    pub fn chosen() -> Vec<Feature> {
        match std::env::var("GORDIAN_FEATURES").as_deref() {
            Ok("all") | Err(_) => Feature::ALL.to_vec(),
            Ok(names) => {
                let feature = |name| Feature::by_name(name).unwrap_or_else(|| panic!("`{name}` is no feature"));
                names.split(',').map(feature).collect()
            }
        }
    }

    fn by_name(name: &str) -> Option<Feature> {
        Feature::ALL.into_iter().find(|feature| feature.name() == name)
    }
}

/// Chance, one in so many, that a statement is of a feature and not plain.
const PLAIN_ONE_IN: usize = 3;

impl Case {
    /// A thread besides main, each with a statement or two, with one or two of these features.
    pub fn tiny(rng: &mut Rng, among: &[Feature]) -> Case {
        let mut features = vec![among[rng.below(among.len())], among[rng.below(among.len())]];
        features.sort_unstable();
        features.dedup();
        let mut author = Author::new(rng, &features);
        let n_statements = 1 + author.rng.below(2);
        let mut bodies = vec![Vec::new(), Vec::new(), author.body(n_statements)];
        bodies[0] = author.setups();
        bodies[0].push(Node::Line("pthread_create(&t[0], 0, thread0_CASE, (void *)pthread_self());".to_owned()));
        bodies[0].push(Node::Line("arg = (void *)t[0];".to_owned()));
        let of_main = author.body(1);
        bodies[0].extend(of_main);
        if author.rng.below(2) == 0 {
            bodies[0].push(Node::Line("pthread_join(t[0], &p);".to_owned()));
        }
        let races = rng.below(2) == 0;
        Case { bodies, weak_cas_fails: false, spurious_wakeups: false, races, features }
    }

    /// A case with one or two of these features.
    pub fn featured(rng: &mut Rng, among: &[Feature]) -> Case {
        let mut features = vec![among[rng.below(among.len())]];
        if rng.below(3) == 0 {
            features.push(among[rng.below(among.len())]);
        }
        features.sort_unstable();
        features.dedup();
        let has = |feature| features.contains(&feature);
        let n_threads = if has(Feature::LongLoops) { 1 + rng.below(4) / 3 } else { [1, 2, 2, 2, 2, 3][rng.below(6)] };
        let mut author = Author::new(rng, &features);
        let mut bodies = vec![Vec::new(), author.body(1 + usize::from(n_threads == 1))];
        for _ in 0..n_threads {
            let n_statements = match n_threads {
                1 => 2 + author.rng.below(3),
                2 => 1 + author.rng.below(3),
                _ => 1 + author.rng.below(2),
            };
            bodies.push(author.body(n_statements));
        }
        if has(Feature::LongLoops) {
            // Every further step can stand anywhere among hundreds.
            bodies[2..].iter_mut().for_each(|body| body.truncate(1));
            bodies[2] = vec![Node::Line(author.pick(statements::LOOPS).to_owned())];
        }
        if has(Feature::NestedCreation) {
            let nested = author.node("{ pthread_t t; void *p = 0; (void)p; pthread_create(&t, 0, child_CASE, arg); @ pthread_join(t, &p); r += (long)p; }");
            bodies[2].push(nested);
        }
        bodies[0] = author.main(n_threads);
        let mut one_in = |of: usize| rng.below(of) == 0;
        let (weak_cas_fails, spurious_wakeups, races) = (false, one_in(10), one_in(2));
        Case { bodies, weak_cas_fails, spurious_wakeups, races, features }
    }
}

/// Writes the bodies of a case.
struct Author<'a> {
    rng: &'a mut Rng,
    features: &'a [Feature],
    /// Few of each feature's statements, so that they meet.
    statements: Vec<&'static str>,
}

impl<'a> Author<'a> {
    fn new(rng: &'a mut Rng, features: &'a [Feature]) -> Author<'a> {
        let mut chosen = Vec::new();
        for feature in features {
            let of_feature = statements::of(*feature);
            if !of_feature.is_empty() {
                let n = 2 + rng.below(3);
                chosen.extend((0..n).map(|_| of_feature[rng.below(of_feature.len())]));
            }
        }
        let n_plain = 1 + rng.below(3);
        let plain = (0..n_plain).map(|_| statements::PLAIN[rng.below(statements::PLAIN.len())]);
        let plain: Vec<&'static str> = plain.collect();
        // Plain statements are as likely as a third of the others together.
        let copies = (chosen.len() / PLAIN_ONE_IN / n_plain).max(1);
        (0..copies).for_each(|_| chosen.extend(&plain));
        Author { rng, features, statements: chosen }
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.rng.below(of.len())]
    }

    fn body(&mut self, n_statements: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..n_statements {
            let statement = self.statements[self.rng.below(self.statements.len())];
            nodes.push(self.node(statement));
        }
        nodes
    }

    /// A statement; what stands before and behind `@` is a block around up to one other.
    fn node(&mut self, statement: &str) -> Node {
        let Some((before, after)) = statement.split_once(" @ ") else { return Node::Line(statement.to_owned()) };
        let inner = match self.rng.below(3) {
            0 => Vec::new(),
            side => {
                let among = if side == 1 { statements::PLAIN } else { &self.statements };
                let lines: Vec<&str> = among.iter().copied().filter(|text| !text.contains(" @ ")).collect();
                let line = (!lines.is_empty()).then(|| lines[self.rng.below(lines.len())].to_owned());
                line.map(Node::Line).into_iter().collect()
            }
        };
        Node::Block(before.to_owned(), inner, after.to_owned())
    }

    /// What main does first.
    fn setups(&mut self) -> Vec<Node> {
        let setups = self.features.iter().map(|feature| statements::setup(*feature)).filter(|all| !all.is_empty());
        let setups: Vec<&[&'static str]> = setups.collect();
        setups.into_iter().map(|all| Node::Line(self.pick(all).to_owned())).collect()
    }

    fn main(&mut self, n_threads: usize) -> Vec<Node> {
        let line = |text: &str| Node::Line(text.to_owned());
        let mut nodes = self.setups();
        let n_idle = if self.features.contains(&Feature::ManyThreads) { 60 + self.rng.below(71) } else { 0 };
        let idle = format!("for (int i = 0; i < {n_idle}; i++) pthread_create(&crowd[i], 0, idle, 0);");
        let idle_first = self.rng.below(2) == 0;
        if n_idle > 0 && idle_first {
            nodes.push(line(&idle));
        }
        for nth in 0..n_threads {
            // Each thread knows the one before it, the first one main.
            let before = if nth == 0 { "pthread_self()".to_owned() } else { format!("t[{}]", nth - 1) };
            nodes.push(line(&format!("pthread_create(&t[{nth}], 0, thread{nth}_CASE, (void *){before});")));
            if n_idle > 0 && !idle_first && nth == 0 {
                nodes.push(line(&idle));
            }
        }
        nodes.push(line(&format!("arg = (void *)t[{}];", n_threads - 1)));
        let is_long = self.features.contains(&Feature::LongLoops);
        let n_statements = if is_long { usize::from(n_threads == 1) } else { self.rng.below(3) };
        nodes.extend(self.body(n_statements));
        let forgets = self.rng.below(if self.features.contains(&Feature::Exits) { 2 } else { 10 }) == 0;
        for nth in 0..n_threads {
            if !(forgets && self.rng.below(2) == 0) {
                nodes.push(line(&format!("if (pthread_join(t[{nth}], &p) == 0) r = r * 3 + (long)p;")));
            }
        }
        if n_idle > 0 && self.rng.below(4) > 0 {
            nodes.push(line(&format!("for (int i = 0; i < {n_idle}; i++) pthread_join(crowd[i], 0);")));
        }
        for feature in self.features {
            let finishes = statements::finish(*feature);
            if !finishes.is_empty() && self.rng.below(3) > 0 {
                nodes.push(line(self.pick(finishes)));
            }
        }
        if !forgets {
            nodes.push(line("printf(\"%ld %d %d %d %ld\\n\", r, x, a, b, u.whole);"));
        }
        nodes
    }
}
