//! Memoised steps: what a machine shows that remembers its steps is what one shows that makes them all.

use crate::programs::{Subject, all, own, settings};
use crate::view::View;
use crate::walk::{follow, start};
use gordian_base::{Rng, ThreadId};
use gordian_trace::{Machine as Settings, RaceMode, Test};
use gordian_vm::{Machine, Mark};

/// Random searches with other settings through each program, and executions of each.
const SEARCHES: u64 = 3;
const EXECUTIONS: usize = 12;

#[test]
fn what_is_told_is_what_is_made() {
    let mut told = 0;
    for (nth, subject) in all().enumerate() {
        for search in 0..SEARCHES {
            let mut rng = Rng::stream(nth as u64, search);
            // Half of all settings keep a machine from remembering anything.
            let settings = if search == 0 { settings(&mut rng) } else { plain(&mut rng) };
            told += wander(subject, settings, &mut rng);
        }
    }
    assert!(told > 1_000, "only {told} steps were told");
}

fn plain(rng: &mut Rng) -> Settings {
    let races = [RaceMode::Report, RaceMode::Ignore, RaceMode::Stop][rng.below(3)];
    Settings { races, max_steps: 300, ..Settings::default() }
}

/// Executes both ways, goes back to random steps and on from there. Gives the number of steps that were told.
fn wander(subject: &Subject, settings: Settings, rng: &mut Rng) -> u64 {
    let context = format!("{} with {settings:?}", subject.name);
    let test: Test = subject.test(settings);
    let (mut remembers, mut makes) = (start(subject.program, &test), start(subject.program, &test));
    remembers.remember_steps();
    let mut marks: Vec<(Mark, Mark)> = Vec::new();
    for _ in 0..EXECUTIONS {
        while makes.end().is_none() {
            assert_same(&remembers, &makes, &context);
            marks.push((remembers.mark(), makes.mark()));
            let choice = makes.choices()[rng.below(makes.choices().len())];
            remembers.step(choice);
            makes.step(choice);
        }
        assert_same(&remembers, &makes, &context);
        if rng.below(4) == 0 {
            remembers.execute_replayed_steps();
            let fresh = follow(subject.program, &test, &remembers, makes.schedule());
            View::of(&fresh)
                .assert_same(&View::of(&remembers), &format!("{context}: fresh, and told before it was made"));
        }
        if marks.is_empty() {
            break;
        }
        marks.truncate(1 + rng.below(marks.len()));
        let (told, made) = marks.pop().expect("there was a mark");
        remembers.undo_to(told);
        makes.undo_to(made);
    }
    remembers.steps_replayed()
}

/// All that a search looks at.
#[track_caller]
fn assert_same(remembers: &Machine<'_>, makes: &Machine<'_>, context: &str) {
    let schedule = gordian_trace::Schedule(makes.schedule().to_vec()).to_string();
    let context = format!("{context} after {schedule:?}");
    assert_eq!(remembers.schedule(), makes.schedule(), "{context}");
    assert_eq!(remembers.end(), makes.end(), "{context}");
    assert_eq!(remembers.choices(), makes.choices(), "{context}");
    assert_eq!(remembers.events(), makes.events(), "{context}");
    assert_eq!(remembers.is_stuck(), makes.is_stuck(), "{context}");
    assert_eq!(remembers.n_threads(), makes.n_threads(), "{context}");
    let findings = |machine: &Machine<'_>| -> Vec<_> {
        machine.findings().iter().map(|raw| (raw.finding.clone(), raw.steps)).collect()
    };
    assert_eq!(findings(remembers), findings(makes), "{context}");
    for thread in (0..8).map(ThreadId) {
        assert_eq!(remembers.wants(thread), makes.wants(thread), "{context}, {thread}");
        let watched = |machine: &Machine<'_>| machine.watched(thread).collect::<Vec<_>>();
        assert_eq!(watched(remembers), watched(makes), "{context}, {thread}");
    }
}

/// The words of a mutex that say where it was taken change with no event of their own, so whoever looks at them must not be told
/// an old story.
#[test]
fn a_lock_that_is_looked_into_is_looked_into() {
    let subject = own(
        "#include <pthread.h>
         static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
         static long seen;
         static void *take(void *arg) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); return arg; }
         static void *look(void *arg) { seen = ((volatile long *)&lock)[2] + ((volatile long *)&lock)[3]; return arg; }
         int main(void) {
             pthread_t a, b, c;
             pthread_create(&a, 0, take, 0);
             pthread_create(&b, 0, look, 0);
             pthread_create(&c, 0, take, 0);
             pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
             return seen != 0;
         }",
        "looks_into_a_lock",
    );
    for search in 0..20 {
        let mut rng = Rng::stream(7, search);
        let settings = plain(&mut rng);
        wander(&subject, settings, &mut rng);
    }
}
