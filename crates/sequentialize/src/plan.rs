//! Which thread is T, and which instructions are events.

use crate::Error;
use gordian_analysis::{Analysis, Budget, Point};
use gordian_base::FxHashSet;
use gordian_ir::Program;

/// Which thread is T. Threads are numbered as main creates them, from 1 on; main is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub number: u32,
    /// `main`, or the start function.
    pub name: String,
    /// How many threads main creates: with one, main is the other.
    pub n_created: u32,
}

/// What is known of a program before it is written.
pub struct Plan {
    /// Instructions that may access what several threads do.
    pub shared: FxHashSet<Point>,
    pub roles: Vec<Role>,
}

impl Plan {
    pub fn of(program: &Program) -> Result<Plan, Error> {
        let analysis = Analysis::of(program, Budget::default()).map_err(|_| Error::NoMain)?;
        Ok(Plan { shared: analysis.accessed_by_several(), roles: roles_of(&analysis)? })
    }

    /// The choices of T that a name stands for: `main`, a start function, or a number.
    pub fn named(&self, name: &str) -> Result<Vec<Role>, Error> {
        let is_meant = |role: &&Role| role.name == name || role.number.to_string() == name;
        let found: Vec<Role> = self.roles.iter().filter(is_meant).cloned().collect();
        if found.is_empty() {
            let known: Vec<String> = self.roles.iter().map(|role| format!("{} ({})", role.number, role.name)).collect();
            return Err(Error::NoSuchThread { name: name.to_owned(), known: known.join(" and ") });
        }
        Ok(found)
    }
}

/// The choices of T.
pub fn roles(program: &Program) -> Result<Vec<Role>, Error> {
    roles_of(&Analysis::of(program, Budget::default()).map_err(|_| Error::NoMain)?)
}

fn roles_of(analysis: &Analysis<'_>) -> Result<Vec<Role>, Error> {
    let threads: Vec<_> = analysis.threads().into_iter().filter(|thread| thread.0 != 0).collect();
    let name = |nth: usize| analysis.start_name(threads[nth]).to_owned();
    let role = |number, name, n_created| Role { number, name, n_created };
    match threads.len() {
        0 => Err(Error::NoThread),
        // One that is created in a loop: how often shows when it runs.
        1 if analysis.is_several(threads[0]) => Ok(vec![role(1, name(0), 2), role(2, name(0), 2)]),
        1 => Ok(vec![role(0, "main".to_owned(), 1), role(1, name(0), 1)]),
        2 => Ok(vec![role(1, name(0), 2), role(2, name(1), 2)]),
        n => Err(Error::ManyThreads(n)),
    }
}
