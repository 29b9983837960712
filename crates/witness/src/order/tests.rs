use super::*;
use gordian_solve::Interrupt;
use gordian_trace::NO_CODE;

fn events(kinds: &[EventKind]) -> Vec<Event> {
    [EventKind::Begin].iter().chain(kinds).map(|kind| Event::new(kind.clone(), NO_CODE)).collect()
}

fn at(thread: u32, index: u32) -> EventRef {
    EventRef { thread: ThreadId(thread), index }
}

fn prefix(thread: u32, created_by: Option<EventRef>, events: &[Event]) -> Prefix<'_> {
    Prefix { thread: ThreadId(thread), created_by, events: events.iter().collect() }
}

fn solve(order: &mut Order<'_, u32>) -> Result<Turns, Vec<u32>> {
    let line = order.solve(|_| 77).expect("there is no limit")?;
    Ok(order.turns(&line))
}

#[test]
fn an_interrupt_leaves_no_answer_wherever_it_is_raised() {
    let lock = EventKind::Lock { lock: 8, shared: false };
    let sections: Vec<EventKind> = (0..6).flat_map(|_| [lock.clone(), EventKind::Unlock(8)]).collect();
    let place = Place { address: 32, size: 4 };
    let mut pool = gordian_expr::Pool::default();
    let write = EventKind::Write { place, term: pool.constant(1, 32) };
    let read = EventKind::Pending(PendingOperation::Read(place));
    let main: Vec<EventKind> = [EventKind::Create(ThreadId(1)), write].into_iter().chain(sections.clone()).collect();
    let other: Vec<EventKind> = sections.into_iter().chain([read]).collect();
    let (main, other) = (events(&main), events(&other));
    let prefixes = [prefix(0, None, &main), prefix(1, Some(at(0, 1)), &other)];
    // How often the interrupt is asked, and what comes of it if it is raised then.
    let ask = |most: usize| {
        let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = std::sync::Arc::clone(&asked);
        let stop = Interrupt::new(move || count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= most);
        let budget = Budget { stop: Some(stop), ..Budget::UNLIMITED };
        let mut order = Order::new(&prefixes, &budget);
        order.say_read(at(1, 13), place, |_| Some(at(0, 2)), &[1]);
        order.say_locks(|acquired| acquired.thread.0, &[]);
        let answers = (order.is_hopeless(), order.solve(|_| 77).is_some());
        (answers, asked.load(std::sync::atomic::Ordering::Relaxed))
    };
    let (answers, n_asked) = ask(usize::MAX);
    assert_eq!(answers, (Some(false), true));
    assert!((0..n_asked).all(|most| !ask(most).0.1));
}

#[test]
fn a_section_that_is_not_released_is_to_blame() {
    let create = |thread| EventKind::Create(ThreadId(thread));
    let lock = EventKind::Lock { lock: 8, shared: false };
    let main = events(&[create(1), lock.clone()]);
    let other = events(&[lock]);
    let prefixes = [prefix(0, None, &main), prefix(1, Some(at(0, 1)), &other)];
    let mut order = Order::new(&prefixes, &Budget::UNLIMITED);
    order.say_locks(|acquired| acquired.thread.0, &[]);
    assert_eq!(solve(&mut order), Err(vec![0, 1]));
    assert_eq!(order.is_hopeless(), Some(false));
}

#[test]
fn a_semaphore_is_taken_after_it_was_posted() {
    let main = events(&[EventKind::Create(ThreadId(1)), EventKind::SemWait(16), EventKind::SemWait(16)]);
    let other = events(&[EventKind::SemPost(16), EventKind::SemPost(16)]);
    let prefixes = [prefix(0, None, &main), prefix(1, Some(at(0, 1)), &other)];
    let turns = solve(&mut Order::new(&prefixes, &Budget::UNLIMITED)).expect("there is an order");
    let place = |event| turns.iter().position(|&turn| turn == event).expect("all are there");
    assert!(place(at(1, 1)) < place(at(0, 2)) && place(at(1, 2)) < place(at(0, 3)));
    let other = events(&[EventKind::SemPost(16)]);
    let prefixes = [prefix(0, None, &main), prefix(1, Some(at(0, 1)), &other)];
    assert_eq!(solve(&mut Order::new(&prefixes, &Budget::UNLIMITED)), Err(vec![77]));
}

#[test]
fn a_read_takes_the_last_write_before_it() {
    let place = Place { address: 32, size: 4 };
    let mut pool = gordian_expr::Pool::default();
    let term = pool.constant(1, 32);
    let write = EventKind::Write { place, term };
    let main = events(&[EventKind::Create(ThreadId(1)), write.clone(), write.clone()]);
    let other = events(&[EventKind::Pending(PendingOperation::Read(place)), write]);
    let prefixes = [prefix(0, None, &main), prefix(1, Some(at(0, 1)), &other)];
    let mut order = Order::new(&prefixes, &Budget::UNLIMITED);
    order.say_before(at(0, 2), at(1, 1));
    order.say_read(at(1, 1), place, |_| Some(at(0, 2)), &[]);
    let turns = solve(&mut order).expect("there is an order");
    let place = |event| turns.iter().position(|&turn| turn == event).expect("all are there");
    assert!(place(at(0, 2)) < place(at(1, 1)) && place(at(1, 1)) < place(at(0, 3)));
}

/// Main creates two threads, of which one does the first and the other the second.
fn with_two<T>(first: &[EventKind], second: &[EventKind], ask: impl FnOnce(&mut Order<'_, u32>) -> T) -> T {
    let main = events(&[EventKind::Create(ThreadId(1)), EventKind::Create(ThreadId(2))]);
    let (first, second) = (events(first), events(second));
    let prefixes = [prefix(0, None, &main), prefix(1, Some(at(0, 1)), &first), prefix(2, Some(at(0, 2)), &second)];
    ask(&mut Order::new(&prefixes, &Budget::UNLIMITED))
}

fn comes_first(turns: &Turns, a: EventRef, b: EventRef) -> bool {
    let place = |event| turns.iter().position(|&turn| turn == event).expect("all are there");
    place(a) < place(b)
}

#[test]
fn what_is_used_is_freed_later() {
    let start = gordian_ir::address::make(5, 1, 0);
    let (object, part) = (Place { address: start, size: 8 }, Place { address: start + 4, size: 4 });
    let uses = [EventKind::Pending(PendingOperation::Read(part))];
    let turns = with_two(&[EventKind::Free(object)], &uses, |order| {
        order.say_lives(|_, _| false, |acquired| acquired.thread.0);
        solve(order)
    });
    assert!(comes_first(&turns.expect("there is an order"), at(2, 1), at(1, 1)));
    let late = |wanted: bool| {
        with_two(&[EventKind::Free(object)], &uses, |order| {
            order.say_before(at(1, 1), at(2, 1));
            order.say_lives(|used, end| wanted && (used, end) == (at(2, 1), at(1, 1)), |acquired| acquired.thread.0);
            solve(order)
        })
    };
    assert_eq!(late(false), Err(Vec::new()));
    assert!(late(true).is_ok());
    let twice = [EventKind::Free(object), EventKind::Free(object)];
    let twice = with_two(&twice, &[], |order| {
        order.say_lives(|_, _| false, |acquired| acquired.thread.0);
        solve(order)
    });
    assert_eq!(twice, Err(Vec::new()));
}

#[test]
fn a_variable_may_be_used_in_its_next_life() {
    let place = Place { address: gordian_ir::address::make(6, 1, 0), size: 1 };
    let mut pool = gordian_expr::Pool::default();
    let publishes = EventKind::Publish { place, bytes: [pool.constant(1, 8)].into() };
    let lives = [publishes.clone(), EventKind::Lock { lock: 8, shared: false }, EventKind::Free(place), publishes];
    let lives: Vec<EventKind> = lives.into_iter().chain([EventKind::Unlock(8)]).collect();
    let uses = [EventKind::Pending(PendingOperation::Read(place))];
    let turns = with_two(&lives, &uses, |order| {
        order.say_before(at(1, 3), at(2, 1));
        order.say_lives(|_, _| false, |acquired| acquired.thread.0);
        solve(order)
    });
    assert!(comes_first(&turns.expect("there is an order"), at(1, 5), at(2, 1)));
}

#[test]
fn a_lock_is_destroyed_when_nobody_holds_it() {
    let lock = EventKind::Lock { lock: 8, shared: false };
    let solve_with = |other: &[EventKind]| {
        with_two(&[EventKind::Destroy(8)], other, |order| {
            order.say_lives(|_, _| false, |acquired| acquired.thread.0);
            order.say_locks(|acquired| acquired.thread.0, &[]);
            solve(order)
        })
    };
    assert_eq!(solve_with(std::slice::from_ref(&lock)), Err(vec![2]));
    let turns = solve_with(&[lock, EventKind::Unlock(8)]).expect("there is an order");
    assert!(comes_first(&turns, at(2, 2), at(1, 1)));
}
