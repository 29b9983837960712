use crate::{FastForward, OrderConstraint};
use gordian_base::ThreadId;

/// Lets threads go on, with so many steps each, as a fast_forward wants it.
fn order(mut steps: Vec<u32>, constraints: &mut [OrderConstraint]) -> Vec<u32> {
    let (mut fast_forward, mut last, mut made) = (FastForward { constraints }, ThreadId(63), Vec::new());
    loop {
        let free =
            steps.iter().enumerate().filter(|(_, left)| **left > 0).fold(0, |free, (thread, _)| free | 1 << thread);
        let Some(thread) = FastForward::pick(fast_forward.allowed(free), last) else { return made };
        fast_forward.made(thread);
        steps[thread.0 as usize] -= 1;
        made.push(thread.0);
        last = thread;
    }
}

fn constraint((first, until): (u32, u32), (second, before): (u32, u32)) -> OrderConstraint {
    OrderConstraint { first: ThreadId(first), until, second: ThreadId(second), before }
}

#[test]
fn a_thread_goes_on_as_long_as_it_can() {
    assert_eq!(order(vec![2, 0, 1, 2], &mut []), [0, 0, 2, 3, 3]);
}

#[test]
fn who_has_to_wait_does_so_before_the_step_that_has_to() {
    assert_eq!(order(vec![3, 2], &mut [constraint((1, 2), (0, 1))]), [0, 1, 1, 0, 0]);
    assert_eq!(order(vec![1, 2], &mut [constraint((1, 1), (0, 0))]), [1, 1, 0]);
    assert_eq!(order(vec![1, 2], &mut [constraint((1, 0), (0, 0))]), [0, 1, 1], "it was made before");
}

#[test]
fn nobody_goes_on_where_all_wait_for_each_other() {
    assert_eq!(order(vec![1, 1], &mut [constraint((1, 1), (0, 0)), constraint((0, 1), (1, 0))]), [0; 0]);
}
