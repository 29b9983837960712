//! The kinds of events in a trace, and their numbers on disk.

use gordian_trace::OpKind;

/// What an event does: an operation of the machine, or a request that only foreign traces have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Op(OpKind),
    /// The thread is about to acquire the lock. Foreign traces have it before an acquisition.
    Request,
}

/// By number on disk. Numbers are never given a second time.
const NUMBERS: [OpKind; 54] = [
    OpKind::Read,
    OpKind::Write,
    OpKind::AtomicRead,
    OpKind::AtomicWrite,
    OpKind::Rmw,
    OpKind::RmwSame,
    OpKind::CasOk,
    OpKind::CasFail,
    OpKind::Fence,
    OpKind::Watch,
    OpKind::Free,
    OpKind::MutexInit,
    OpKind::MutexDestroy,
    OpKind::Lock,
    OpKind::LockTimeout,
    OpKind::TryLock,
    OpKind::TryLockFail,
    OpKind::Unlock,
    OpKind::ReadLock,
    OpKind::TryReadLock,
    OpKind::TryReadLockFail,
    OpKind::Wait,
    OpKind::WaitEnd,
    OpKind::Woken,
    OpKind::Signal,
    OpKind::Broadcast,
    OpKind::Wake,
    OpKind::CondInit,
    OpKind::CondDestroy,
    OpKind::SemInit,
    OpKind::SemWait,
    OpKind::SemTimeout,
    OpKind::SemTryWait,
    OpKind::SemTryWaitFail,
    OpKind::SemPost,
    OpKind::SemGet,
    OpKind::SemDestroy,
    OpKind::BarrierInit,
    OpKind::BarrierArrive,
    OpKind::BarrierLeave,
    OpKind::BarrierDestroy,
    OpKind::OnceEnter,
    OpKind::OnceDone,
    OpKind::Create,
    OpKind::Join,
    OpKind::Detach,
    OpKind::Exit,
    OpKind::Cancel,
    OpKind::Cancelled,
    OpKind::Yield,
    OpKind::Sleep,
    OpKind::AtomicBegin,
    OpKind::AtomicEnd,
    OpKind::File,
];

const RANDOM: u8 = 54;
const PROCESS_EXIT: u8 = 55;
const BRANCH: u8 = 56;
const REQUEST: u8 = 57;
const ABANDON: u8 = 58;
const LOOK: u8 = 59;
const CHANGE: u8 = 60;
const UNLOGGED: u8 = 61;
const CONSISTENT: u8 = 62;

impl Kind {
    /// The number on disk.
    pub fn number(self) -> u8 {
        match self {
            Kind::Request => REQUEST,
            Kind::Op(OpKind::Random) => RANDOM,
            Kind::Op(OpKind::ProcessExit) => PROCESS_EXIT,
            Kind::Op(OpKind::Branch) => BRANCH,
            Kind::Op(OpKind::Abandon) => ABANDON,
            Kind::Op(OpKind::Look) => LOOK,
            Kind::Op(OpKind::Change) => CHANGE,
            Kind::Op(OpKind::Unlogged) => UNLOGGED,
            Kind::Op(OpKind::Consistent) => CONSISTENT,
            Kind::Op(kind) => {
                let at = NUMBERS.iter().position(|&known| known == kind);
                at.expect("every operation of the machine has a number") as u8
            }
        }
    }

    pub fn of_number(number: u8) -> Option<Kind> {
        match number {
            RANDOM => Some(Kind::Op(OpKind::Random)),
            PROCESS_EXIT => Some(Kind::Op(OpKind::ProcessExit)),
            BRANCH => Some(Kind::Op(OpKind::Branch)),
            REQUEST => Some(Kind::Request),
            ABANDON => Some(Kind::Op(OpKind::Abandon)),
            LOOK => Some(Kind::Op(OpKind::Look)),
            CHANGE => Some(Kind::Op(OpKind::Change)),
            UNLOGGED => Some(Kind::Op(OpKind::Unlogged)),
            CONSISTENT => Some(Kind::Op(OpKind::Consistent)),
            _ => NUMBERS.get(usize::from(number)).map(|&kind| Kind::Op(kind)),
        }
    }

    /// How many numbers there are.
    pub const COUNT: u8 = CONSISTENT + 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_kinds_are_one_to_one() {
        for number in 0..Kind::COUNT {
            assert_eq!(Kind::of_number(number).expect("no gaps").number(), number);
        }
        assert_eq!(Kind::of_number(Kind::COUNT), None);
    }
}
