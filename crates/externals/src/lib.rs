//! What external functions do, as far as an analysis that never runs them needs it: what each allocates, reads, writes,
//! keeps and calls, and whether it synchronises.
//!
//! The machine's models say how a function does its work; this table says what it touches. Both know the same names: a test
//! of the machine compares them. A function that has no row here is unknown to every static analysis.

mod table;

/// Position of a fixed argument.
pub type Arg = u8;

/// One thing that a call of an external function does. What no effect mentions does not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads the object that the argument points into, from there on.
    Reads(Arg),
    /// Writes the object that the argument points into, from there on; the bytes hold no pointers.
    Writes(Arg),
    /// Reads what the arguments beyond the fixed ones point to (`printf`).
    ReadsRest,
    /// Writes what the arguments beyond the fixed ones point to (`scanf`).
    WritesRest,
    /// The same for the arguments in the `va_list` that is the argument.
    ReadsList(Arg),
    WritesList(Arg),
    /// Copies bytes, pointers among them.
    Copies {
        to: Arg,
        from: Arg,
    },
    /// Writes bytes of that state of the C library to where the argument points; pointers may be among them (`read`).
    Receives(Arg, Shared),
    /// Copies the bytes behind the argument into that state of the C library (`write`).
    Sends(Arg, Shared),
    /// The same for the buffers of the vector that the argument points to (`readv`, `writev`).
    ReceivesList(Arg, Shared),
    SendsList(Arg, Shared),
    /// Copies the argument itself into that state of the C library (`putc`).
    SendsValue(Arg, Shared),
    /// Ends the object that the argument points to.
    Frees(Arg),
    Returns(Pointer),
    /// Stores a pointer to where the first argument points.
    Stores {
        to: Arg,
        what: Pointer,
    },
    /// Remembers the pointer in that state of the C library, where every thread may find it.
    Keeps(Arg, Shared),
    /// Remembers the pointer for the calling thread.
    KeepsForThread(Arg),
    /// Remembers a function that is called when the process ends.
    CallsAtExit(Arg),
    /// Remembers a function that is called with what the thread keeps when a thread ends.
    CallsAtThreadEnd(Arg),
    /// Reads and changes state of the C library that all threads share.
    Touches(Shared),
    Synchronises(Sync),
    /// Does not return to its caller.
    NeverReturns,
    /// May return a second time (`setjmp`).
    ReturnsTwice,
}

/// A pointer that a function hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// To a new object of the caller's.
    New,
    /// To a new object that begins with the bytes of the argument's object.
    NewCopy(Arg),
    /// Into the object of the argument.
    Into(Arg),
    /// To memory of the C library that all threads share.
    Library(Shared),
    /// To memory of the C library that belongs to the calling thread.
    OfThread,
    /// What `KeepsForThread` remembered.
    KeptForThread,
    /// What was sent to that state of the C library, or a part of it (`getc`).
    Received(Shared),
}

/// State of the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shared {
    /// Open files, streams and the tree of files.
    Files,
    /// Memory that the program gave streams as their buffers. Who uses files uses it.
    Buffers,
    /// The generator behind `rand`.
    Random,
    Environment,
    /// The `struct tm` of `gmtime` and `localtime`.
    Time,
    /// The text of `asctime` and `ctime`.
    TimeText,
    /// What never changes: names of locales and the like.
    Constants,
}

impl Shared {
    pub const ALL: [Shared; 7] = [
        Shared::Files,
        Shared::Buffers,
        Shared::Random,
        Shared::Environment,
        Shared::Time,
        Shared::TimeText,
        Shared::Constants,
    ];

    /// What a report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Shared::Files => "the open files",
            Shared::Buffers => "the buffers of streams",
            Shared::Random => "the generator of rand",
            Shared::Environment => "the environment",
            Shared::Time => "the time of gmtime",
            Shared::TimeText => "the text of asctime",
            Shared::Constants => "constants of the C library",
        }
    }
}

/// How strongly a lock is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Exclusive,
    Shared,
}

/// Whether a call that takes a lock returns without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// It waits as long as it takes.
    Waits,
    /// It gives up at once or after a while, and its result says so.
    GivesUp,
}

/// An operation on a synchronisation object or a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    Lock {
        lock: Arg,
        size: u8,
        mode: Mode,
        patience: Patience,
    },
    Unlock {
        lock: Arg,
        size: u8,
    },
    /// Makes or ends a lock, condition variable, semaphore or barrier of that many bytes.
    Sets {
        object: Arg,
        size: u8,
    },
    Wait {
        condition: Arg,
        lock: Arg,
        patience: Patience,
    },
    Signal {
        condition: Arg,
        all: bool,
    },
    SemWait {
        semaphore: Arg,
        patience: Patience,
    },
    SemPost {
        semaphore: Arg,
    },
    SemGet {
        semaphore: Arg,
    },
    Barrier {
        barrier: Arg,
    },
    /// Calls the function unless that was done; whoever comes meanwhile waits.
    Once {
        control: Arg,
        function: Arg,
    },
    Create {
        handle: Arg,
        function: Arg,
        argument: Arg,
    },
    Join {
        handle: Arg,
        result: Arg,
    },
    Detach {
        handle: Arg,
    },
    /// The calling thread ends with that result.
    EndThread {
        result: Arg,
    },
    Cancel {
        handle: Arg,
    },
    AtomicBegin,
    AtomicEnd,
    EndProcess,
}

/// What a call of the function does; none for a function that the table does not know.
pub fn effects_of(name: &str) -> Option<&'static [Effect]> {
    table::exact(name).or_else(|| table::by_rule(name))
}

/// Every name that stands in the table itself, without those that rules make of them.
pub fn names() -> impl Iterator<Item = &'static str> {
    table::names()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_has_two_rows() {
        let mut names: Vec<&str> = names().collect();
        names.sort_unstable();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1], "two rows for one function");
        }
    }

    #[test]
    fn rules_reach_what_no_row_names() {
        assert_eq!(effects_of("sinf"), Some(&[][..]));
        assert_eq!(effects_of("sinl"), Some(&[][..]));
        assert_eq!(effects_of("__isoc99_sscanf"), effects_of("sscanf"));
        assert_eq!(effects_of("__VERIFIER_nondet_int"), Some(&[][..]));
        assert_eq!(effects_of("mallocl"), None);
        assert_eq!(effects_of("no_such_function"), None);
    }
}
