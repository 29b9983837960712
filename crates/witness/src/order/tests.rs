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
