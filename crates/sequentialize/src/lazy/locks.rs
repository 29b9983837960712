//! Locks and atomic sections.
//!
//! T holds a lock from its acquisition at one position to its release at another; T' must not hold it at any position in
//! between. That is checked at each step of T, for all that it may hold.

use super::others::UEvent;
use super::state::{Copy, Phase};
use super::value::Value;
use super::waits::But;
use super::walk::Walk;
use crate::Error;
use crate::emit::pure::Registers;

/// The offset of its type in a mutex, and types.
const TYPE: u64 = 16;
const RECURSIVE: u64 = 1;
const CHECKED: u64 = 2;

/// An argument: its text, and what is known of it.
pub type Given = (String, Value);

/// An acquisition of a lock.
#[derive(Clone, Debug)]
pub struct Acquisition {
    /// `h` says whether it is held, `d` how often, `p` T's position then, `u` the number of the release of T'.
    pub number: usize,
    pub event: u32,
    pub thread: u32,
    lock: (String, Value),
    shared: bool,
}

impl Acquisition {
    /// The condition that another lock is the same; none if it cannot be.
    fn is(&self, (text, value): &(String, Value)) -> Option<String> {
        match (&self.lock.1, value) {
            (Value::OneOf(a), Value::OneOf(b)) if a.is_disjoint(b) => None,
            (a, b) if a.known().is_some() && a == b => Some("1".to_owned()),
            _ => Some(format!("({} == {text})", self.lock.0)),
        }
    }

    /// The condition that two threads cannot have both at once; none if they always can.
    pub fn meets(&self, other: &Acquisition) -> Option<String> {
        if self.event == 0 || (self.shared && other.shared) { None } else { self.is(&other.lock) }
    }
}

impl Walk<'_> {
    fn copy_name(&self) -> &'static str {
        match self.copy {
            Copy::T => "t",
            Copy::U => "u",
        }
    }

    /// Whether locks are events now.
    pub fn locks_are_events(&self, pc: usize) -> Result<bool, Error> {
        self.check_destroyed(pc)?;
        match (self.copy, self.state.phase) {
            (_, Phase::Forked) => {
                let what = match self.has_several() {
                    true => "main uses a lock while threads run",
                    false => "main uses a lock while both threads run, which makes three threads",
                };
                Err(self.unsupported(pc, what.to_owned()))
            }
            (Copy::T, phase) => Ok(matches!(phase, Phase::RunT | Phase::After)),
            (Copy::U, phase) => Ok(phase == Phase::RunU),
        }
    }

    pub fn mutex_type(&mut self, pc: usize, lock: &(String, Value)) -> Result<u64, Error> {
        let Value::OneOf(values) = &lock.1 else { return Ok(0) };
        let mut types = Vec::new();
        for &at in values {
            if let Some(object) = self.objects.at(at) {
                let of = &self.objects.list[object];
                let offset = gordian_ir::address::offset(at);
                let contents = self.state.contents(self.copy, object);
                types.push(contents.load(of, offset.wrapping_add(TYPE), 4).known());
            }
        }
        types.dedup();
        match types[..] {
            [] => Ok(0),
            [Some(of)] => Ok(of & 3),
            _ => Err(self.unsupported(pc, "the type of a mutex is not known".to_owned())),
        }
    }

    pub fn acquire(
        &mut self,
        pc: usize,
        lock: (String, Value),
        shared: bool,
        mutex: bool,
    ) -> Result<(String, Value), Error> {
        self.access(pc, lock.clone(), if mutex { 40 } else { 4 }, false, |_, _, _, _| Ok(()))?;
        let lock = if lock.1.known().is_some() { lock } else { (self.temporary(&lock.0), lock.1) };
        let of = if mutex { self.mutex_type(pc, &lock)? } else { 0 };
        let is_event = self.locks_are_events(pc)?;
        let (copy, name) = (self.copy as usize, self.copy_name());
        let number = self.acquisitions[copy].len();
        let held: Vec<Acquisition> =
            self.state.held[copy].iter().map(|&nth| self.acquisitions[copy][nth].clone()).collect();
        let result = self.temporary("0");
        let again = self.temporary("0");
        for before in &held {
            let Some(same) = before.is(&lock) else { continue };
            let nth = before.number;
            let then = if of == RECURSIVE || (shared && before.shared) {
                format!("d{name}_{nth}++;")
            } else if of == CHECKED {
                format!("{result} = 35;")
            } else {
                self.stop()
            };
            self.say(&format!("if (h{name}_{nth} && {same}) {{ {again} = 1; {then} }}"));
        }
        self.say(&format!("if (!{again}) {{"));
        for variable in ["h", "d", "p", "u"] {
            self.variable(format!("{variable}{name}_{number}"), "unsigned short");
        }
        let event = match self.copy {
            Copy::U if is_event => self.next_event(),
            _ => 0,
        };
        let acquisition = Acquisition { number, event, thread: self.thread, lock, shared };
        self.say(&format!("h{name}_{number} = 1; d{name}_{number} = 1;"));
        if event > 0 {
            self.happens_now(event);
            self.say(&format!("uu_{number} = 65535;"));
        }
        let lock = acquisition.lock.clone();
        self.acquisitions[copy].push(acquisition);
        self.state.held[copy].insert(number);
        if is_event && self.copy == Copy::T {
            self.acquire_by_t(number);
        }
        self.use_sync(&lock, event);
        self.say("}");
        match of {
            CHECKED => Ok((result, Value::Any)),
            _ => Ok(("0".to_owned(), Value::constant(0))),
        }
    }

    fn acquire_by_t(&mut self, number: usize) {
        let lock = self.acquisitions[Copy::T as usize][number].lock.clone();
        if self.acquisitions[Copy::U as usize].iter().any(|other| other.event > 0 && other.is(&lock).is_some()) {
            // Before the step nothing is held yet.
            self.say(&format!("ht_{number} = 0;"));
            self.step();
            self.say(&format!("ht_{number} = 1; pt_{number} = gs_pos;"));
            self.check_held(&[number]);
        }
    }

    pub fn release(&mut self, pc: usize, lock: (String, Value), mutex: bool) -> Result<(String, Value), Error> {
        self.access(pc, lock.clone(), if mutex { 40 } else { 4 }, false, |_, _, _, _| Ok(()))?;
        let lock = if lock.1.known().is_some() { lock } else { (self.temporary(&lock.0), lock.1) };
        let of = if mutex { self.mutex_type(pc, &lock)? } else { 0 };
        let is_event = self.locks_are_events(pc)?;
        let (copy, name) = (self.copy as usize, self.copy_name());
        let held: Vec<Acquisition> =
            self.state.held[copy].iter().map(|&nth| self.acquisitions[copy][nth].clone()).collect();
        let found = self.temporary("0");
        let event = match self.copy {
            Copy::U if is_event => self.next_event(),
            _ => 0,
        };
        if event > 0 {
            self.happens_now(event);
        }
        let meets_u = |other: &Acquisition| other.event > 0 && other.is(&lock).is_some();
        if is_event && self.copy == Copy::T && self.acquisitions[Copy::U as usize].iter().any(meets_u) {
            self.step();
        }
        self.use_sync(&lock, event);
        for before in &held {
            let Some(same) = before.is(&lock) else { continue };
            let nth = before.number;
            let then = if event > 0 { format!(" uu_{nth} = {};", self.time(event)) } else { String::new() };
            self.say(&format!(
                "if (h{name}_{nth} && {same}) {{ {found} = 1; if (--d{name}_{nth} == 0) {{ h{name}_{nth} = 0;{then} }} }}"
            ));
            if same == "1" && of != RECURSIVE && !before.shared {
                self.state.held[copy].remove(&nth);
            }
        }
        if of != 0 {
            return Ok((format!("!{found}"), Value::truth()));
        }
        self.fail_if(pc, &format!("!{found}"), "GS_MISUSE");
        Ok(("0".to_owned(), Value::constant(0)))
    }

    /// T' must not hold what T holds, at any position since T acquired it.
    fn check_held(&mut self, held: &[usize]) {
        for &nth in held {
            let mine = self.acquisitions[Copy::T as usize][nth].clone();
            for other in self.acquisitions[Copy::U as usize].clone() {
                let Some(same) = other.meets(&mine) else { continue };
                let (event, number, time) = (other.event, other.number, self.time(other.event));
                self.say(&format!(
                    "gs_suppose(!(ht_{nth} & uh_{event} & {same} & ({time} <= gs_pos) & (uu_{number} > pt_{nth})));"
                ));
            }
        }
    }

    /// T makes an event: T' may make some before it.
    pub fn step(&mut self) {
        self.step_but(But::Nothing);
    }

    pub fn step_but(&mut self, but: But) {
        self.n_steps += 1;
        self.say("gs_was = gs_pos; gs_pos = gs_step();");
        if self.options.k2 > 0 {
            self.say("gs_between = 0;");
        }
        self.check_position_but(but);
    }

    pub fn check_position(&mut self) {
        self.check_position_but(But::Nothing);
    }

    /// The same where T is woken, or wakes others.
    pub fn check_position_but(&mut self, but: But) {
        self.check_waits(but);
        self.check_joins();
        for UEvent { event: section, .. } in self.u_sections.clone() {
            let time = self.time(section);
            self.say(&format!("gs_suppose(!(uh_{section} & ({time} <= gs_pos) & (gs_pos < ue_{section})));"));
        }
        let held: Vec<usize> = self.state.held[Copy::T as usize].iter().copied().collect();
        self.check_held(&held);
    }

    /// Sections nest, and the outermost counts.
    pub fn section(&mut self, pc: usize, begins: bool) -> Result<(), Error> {
        if !self.locks_are_events(pc)? {
            return Ok(());
        }
        match (self.copy, begins) {
            (Copy::T, true) => {
                self.say("if (!gs_atomic) {");
                self.step();
                self.say("}");
                self.say("gs_atomic++;");
            }
            (Copy::T, false) => self.say("if (gs_atomic) gs_atomic--;"),
            (Copy::U, true) => {
                let event = self.next_event();
                self.variable(format!("uh_{event}"), "unsigned char");
                self.variable(format!("ue_{event}"), "unsigned short");
                self.say(&format!(
                    "if (!gs_u_depth++) {{ uh_{event} = 1; ue_{event} = 65535; gs_u_atomic = {event}; }}"
                ));
                self.u_sections.push(UEvent { event, thread: self.thread, is_woken: false });
            }
            (Copy::U, false) => {
                let event = self.next_event();
                self.say("if (gs_u_depth && !--gs_u_depth) {");
                let (time, thread) = (self.time(event), self.thread);
                for UEvent { event: begin, .. } in self.u_sections.clone().iter().filter(|begin| begin.thread == thread)
                {
                    self.say(&format!("if (gs_u_atomic == {begin}) {{ ue_{begin} = {time}; gs_u_atomic = 0; }}"));
                }
                self.say("}");
            }
        }
        Ok(())
    }
}
