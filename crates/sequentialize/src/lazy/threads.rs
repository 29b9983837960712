//! Creating, running and joining threads, inputs, and all else that external functions do.

use super::state::{Copy, Created, Phase};
use super::value::Object;
use super::value::{Value, mask, signed};
use super::walk::{Walk, constant};
use crate::Error;
use crate::emit::pure::Registers;
use crate::externals::{External, known};
use gordian_ir::{Callee, FuncId, address};

/// The largest object on the heap: each of its cells is a variable to a model checker.
const MOST_BYTES: u64 = 1 << 16;

/// What a call of an external function gives; none if it never returns.
pub type Given = Option<(String, Value)>;

pub fn zero() -> Given {
    Some(("0".to_owned(), Value::constant(0)))
}

impl Walk<'_> {
    pub fn external(&mut self, pc: usize, name: &str, args: &[(String, Value)]) -> Result<Given, Error> {
        let arg = |nth: usize| args.get(nth).cloned().unwrap_or(("0".to_owned(), Value::constant(0)));
        let Some(external) = known(name) else {
            return Err(self.unsupported(pc, format!("the program calls `{name}`")));
        };
        let steps = self.n_steps;
        let given = match external {
            External::Create => self.create(pc, args)?,
            External::Join => self.join(pc, &arg(0).1, arg(1))?,
            External::ExitThread => {
                self.keep_result(&arg(0));
                self.end_thread(pc)?;
                None
            }
            External::SelfId => Some((String::new(), Value::constant(u64::from(self.thread)))),
            External::EqualIds => Some((format!("gs_eq({}, {})", arg(0).0, arg(1).0), Value::truth())),
            External::Nothing | External::Initialise | External::Print => zero(),
            External::Destroy => {
                self.destroy(pc)?;
                zero()
            }
            External::Acquire { shared, mutex } => Some(self.acquire(pc, arg(0), shared, mutex)?),
            External::Release { mutex } => Some(self.release(pc, arg(0), mutex)?),
            External::MutexInit => self.mutex_init(pc, arg(0), &arg(1))?,
            External::AttributesInit => {
                self.store(pc, 4, arg(0), ("0".to_owned(), Value::constant(0)))?;
                zero()
            }
            External::AttributesSetType => {
                self.store(pc, 4, arg(0), arg(1))?;
                zero()
            }
            External::Section { begins } => {
                self.section(pc, begins)?;
                zero()
            }
            External::ConditionWait => {
                self.wait_for(pc, arg(0), arg(1))?;
                zero()
            }
            External::ConditionSignal { to_all } => {
                self.signal(pc, arg(0), to_all)?;
                zero()
            }
            External::SemaphoreInit => {
                self.semaphore(pc, arg(0), &arg(2).0)?;
                zero()
            }
            External::SemaphoreWait | External::SemaphorePost => {
                self.count(pc, arg(0), if external == External::SemaphorePost { 1 } else { -1 })?;
                zero()
            }
            External::Malloc => self.malloc(pc, arg(0))?,
            External::Calloc => {
                let size = arg(0).1.map2(&arg(1).1, u64::wrapping_mul);
                self.malloc(pc, (format!("({} * {})", arg(0).0, arg(1).0), size))?
            }
            External::Realloc => self.realloc(pc, arg(0), &arg(1).1)?,
            External::Free => {
                self.free(pc, arg(0))?;
                zero()
            }
            _ => return self.input_or_failure(pc, name, external, args),
        };
        if matches!(external, External::Acquire { .. } | External::Release { .. } | External::ConditionSignal { .. }) {
            self.note_event(steps);
        }
        Ok(given)
    }

    fn input_or_failure(
        &mut self,
        pc: usize,
        name: &str,
        external: External,
        args: &[(String, Value)],
    ) -> Result<Given, Error> {
        let arg = |nth: usize| args.get(nth).cloned().unwrap_or(("0".to_owned(), Value::constant(0)));
        Ok(match external {
            External::Input { bits, .. } => Some(self.input(bits)),
            External::Range { excluded } => {
                let value = self.input(32);
                let least = format!("gs_signed({}, 32)", arg(0).0);
                let most = format!("gs_signed({}, 32) - {}", arg(1).0, u8::from(excluded));
                let text = format!("gs_signed({}, 32)", value.0);
                self.say(&format!("gs_suppose(({least} <= {text}) & ({text} <= {most}));"));
                let bounds = arg(0).1.known().zip(arg(1).1.known());
                let bounds = bounds.map(|(least, most)| (signed(least, 32), signed(most, 32) - i64::from(excluded)));
                match bounds {
                    Some((least, most)) if (0..16).contains(&most.saturating_sub(least)) => {
                        Some((value.0, Value::OneOf((least..=most).map(|value| value as u64 & mask(32)).collect())))
                    }
                    _ => Some(value),
                }
            }
            External::Symbolic => {
                let Some(size) = arg(1).1.known() else {
                    return Err(self.unsupported(pc, "how many bytes are symbolic is not known".to_owned()));
                };
                self.symbolic(pc, &arg(0), size)?;
                zero()
            }
            External::Assume { wide } => {
                let cast = if wide { "" } else { "(uint32_t)" };
                let stop = if self.is_u() { self.stop() } else { "gs_stop();".to_owned() };
                self.say(&format!("if ({cast}{} == 0) {{ {stop} }}", arg(0).0));
                zero()
            }
            External::Assert => {
                self.fail_if(pc, &format!("(uint32_t){} == 0", arg(0).0), "GS_ASSERTION");
                zero()
            }
            External::Fail => {
                self.fail(pc, "GS_ASSERTION");
                None
            }
            External::Abort => {
                self.fail(pc, "GS_ABORTED");
                None
            }
            External::Exit => {
                self.exit(pc)?;
                None
            }
            _ => {
                return Err(self.unsupported(
                    pc,
                    format!("the program calls `{name}`, for which model checkers have no rule yet"),
                ));
            }
        })
    }

    /// An object for each size that is possible.
    fn malloc(&mut self, pc: usize, (text, size): (String, Value)) -> Result<Given, Error> {
        let Value::OneOf(sizes) = size else {
            return Err(self.unsupported(pc, "how much memory is allocated is not known".to_owned()));
        };
        if sizes.iter().any(|&size| size > MOST_BYTES) {
            return Err(self.unsupported(pc, format!("more than {MOST_BYTES} bytes are allocated")));
        }
        let objects: Vec<(u64, u64)> = sizes.iter().map(|&size| (size, self.allocate_on_heap(size))).collect();
        let last = constant(objects.last().map_or(0, |object| object.1));
        let choice = objects.iter().rev().skip(1).fold(last, |otherwise, &(size, at)| {
            format!("({text} == {} ? {} : {otherwise})", constant(size), constant(at))
        });
        Ok(Some((choice, Value::OneOf(objects.iter().map(|object| object.1).collect()))))
    }

    fn realloc(&mut self, pc: usize, old: (String, Value), size: &Value) -> Result<Given, Error> {
        let (Some(size), Some(from)) = (size.known(), old.1.known()) else {
            return Err(self.unsupported(pc, "what is reallocated is not known".to_owned()));
        };
        let at = self.allocate_on_heap(size);
        if let Some(object) = self.objects.at(from) {
            let length = self.objects.list[object].size.min(size);
            self.move_bytes(pc, (constant(at), Value::constant(at)), old.clone(), length)?;
            self.free(pc, old)?;
        }
        Ok(Some((String::new(), Value::constant(at))))
    }

    fn mutex_init(&mut self, pc: usize, mutex: (String, Value), attributes: &(String, Value)) -> Result<Given, Error> {
        let (Some(at), Some(from)) = (mutex.1.known(), attributes.1.known()) else {
            return Err(self.unsupported(pc, "which mutex is initialised is not known".to_owned()));
        };
        let of = match self.objects.at(from) {
            Some(object) => {
                let contents = self.state.contents(self.copy, object);
                contents.load(&self.objects.list[object], address::offset(from), 4)
            }
            None => Value::constant(0),
        };
        let Some(of) = of.known() else {
            return Err(self.unsupported(pc, "the type of a mutex is not known".to_owned()));
        };
        for offset in (0..40).step_by(4) {
            let value = if offset == 16 { of & 3 } else { 0 };
            let place = at + offset;
            self.store(pc, 4, (constant(place), Value::constant(place)), (constant(value), Value::constant(value)))?;
        }
        Ok(zero())
    }

    fn input(&mut self, bits: u32) -> (String, Value) {
        self.changes += 1;
        self.n_inputs += 1;
        let (nth, thread) = (self.n_inputs, self.thread);
        // A model checker may leave out which input of the thread it is, as nothing depends on it. If that is known, the name says it.
        let known = &mut self.state.n_inputs[thread as usize];
        let said = known.map_or(String::new(), |known| format!("_{known}"));
        *known = known.map(|known| known + 1);
        let name = self.variable(format!("gs_input_{thread}_{nth}{said}"), "uint64_t");
        let order = self.variable(format!("gs_nth_{thread}_{nth}"), "unsigned");
        self.say(&format!("{order} = gs_n_inputs[{thread}]++; {name} = gs_draw_{bits}();"));
        (name, Value::Any)
    }

    fn symbolic(&mut self, pc: usize, pointer: &(String, Value), size: u64) -> Result<(), Error> {
        if let 1 | 2 | 4 | 8 = size {
            let value = self.input(8 * size as u32);
            return self.store(pc, size, pointer.clone(), value);
        }
        let Some(at) = pointer.1.known() else {
            return Err(self.unsupported(pc, "what is symbolic is not known".to_owned()));
        };
        for byte in 0..size {
            let value = self.input(8);
            self.store(pc, 1, (constant(at + byte), Value::constant(at + byte)), value)?;
        }
        Ok(())
    }

    /// What a thread leaves for whoever joins it.
    pub fn keep_result(&mut self, (text, _): &(String, Value)) {
        let name = self.variable(format!("gs_result_{}", self.thread), "uint64_t");
        self.say(&format!("{name} = {text};"));
    }

    fn create(&mut self, pc: usize, args: &[(String, Value)]) -> Result<Given, Error> {
        if self.thread != 0 {
            return Err(self.unsupported(pc, "a thread creates another one".to_owned()));
        }
        if !matches!(self.state.phase, Phase::Init | Phase::Forked) {
            return Err(self.unsupported(pc, "a thread is created after others have begun".to_owned()));
        }
        let n_created = self.options.role.n_created;
        if self.state.created.len() as u32 == n_created {
            return Err(
                self.unsupported(pc, format!("more threads are created than the {n_created} that were expected"))
            );
        }
        if !self.state.held[self.copy as usize].is_empty() {
            return Err(self.unsupported(pc, "main holds a lock while it creates a thread".to_owned()));
        }
        let number = self.state.created.len() as u64 + 1;
        self.store_handle(pc, args[0].clone(), number)?;
        let argument = args.get(3).cloned().unwrap_or(("0".to_owned(), Value::constant(0)));
        let argument = if argument.1.known().is_some() { argument } else { (self.temporary(&argument.0), argument.1) };
        self.state.created.push(Created { start: args[2].1.clone(), argument });
        self.state.phase = Phase::Forked;
        if n_created == 1 {
            match self.options.role.number {
                0 => {
                    self.run_u(pc, 1)?;
                    self.close_others(pc)?;
                    self.state.phase = Phase::RunT;
                }
                _ => self.become_u(),
            }
        }
        Ok(zero())
    }

    /// Others may read the handle. It is no event: who runs before it is there makes an execution of which no rule knows.
    fn store_handle(&mut self, pc: usize, pointer: (String, Value), number: u64) -> Result<(), Error> {
        self.access(pc, pointer, 8, true, |walk, object, offset, only| {
            walk.changes += 1;
            walk.store_text(object, offset, 8, &constant(number));
            walk.remember(object, offset, 8, Value::constant(number), only);
            Ok(())
        })
    }

    /// A thread of T' finds what main has made.
    pub fn copy_memory(&mut self, from: Copy) {
        let to = 1 - from as usize;
        if self.seen.at_fork == 0 {
            self.seen.at_fork = self.objects.list.len();
        }
        for object in 0..self.seen.at_fork {
            let used = [&self.info.used[0], &self.info.used[1]].iter().all(|used| used.contains(&object));
            if used && !self.objects.list[object].constant {
                self.say(&format!("gs_copy(m{to}_{object}, m{}_{object});", from as usize));
            }
        }
        self.state.memory[to] = self.state.memory[from as usize].clone();
    }

    /// main is T', from here on; T finds what is there now.
    fn become_u(&mut self) {
        self.copy_memory(Copy::U);
        self.fork = Some(self.state.clone());
        self.state.phase = Phase::RunU;
        self.u_end = Some(self.label());
    }

    pub fn start(&self, pc: usize, number: u32) -> Result<(FuncId, (String, Value)), Error> {
        let created = &self.state.created[number as usize - 1];
        let code = created.start.known().and_then(address::function_of);
        match code.and_then(|code| self.program.callee(code)) {
            Some(Callee::Function(function)) => Ok((function, created.argument.clone())),
            _ => Err(self.unsupported(pc, "what a new thread executes is not known".to_owned())),
        }
    }

    /// The process ends.
    fn exit(&mut self, pc: usize) -> Result<(), Error> {
        if self.is_u() {
            let stop = self.stop();
            self.say(&stop);
            return Ok(());
        }
        self.run_what_was_not_waited_for(pc)?;
        let jump = self.go_to(self.end);
        self.say(&jump);
        Ok(())
    }

    fn run_what_was_not_waited_for(&mut self, pc: usize) -> Result<(), Error> {
        let n_created = self.options.role.n_created;
        let is_created = self.state.created.len() as u32 == n_created && n_created >= 2;
        if self.state.phase == Phase::Forked && is_created && !self.state.has_run {
            self.run_all(pc)?;
        }
        Ok(())
    }

    /// The whole program.
    pub fn program(&mut self, main: FuncId) -> Result<(), Error> {
        let role = &self.options.role;
        let main_is_u = role.n_created == 1 && role.number == 1;
        self.copy = if main_is_u { Copy::U } else { Copy::T };
        self.end = self.label();
        let label = self.label();
        self.thread_end = (label, None);
        for &constructor in &self.program.constructors {
            self.run(constructor, &[], 0)?;
        }
        let args = self.arguments(main);
        let returned = self.run(main, &args, 0)?;
        if returned.is_some() {
            if self.is_u() {
                let stop = self.stop();
                self.say(&stop);
            } else {
                self.run_what_was_not_waited_for(0)?;
                let jump = self.go_to(self.end);
                self.say(&jump);
            }
        }
        let (_, ended) = std::mem::take(&mut self.thread_end);
        if let Some(state) = ended {
            self.place_label(label);
            self.state = state;
            self.run_what_was_not_waited_for(0)?;
            let jump = self.go_to(self.end);
            self.say(&jump);
        }
        if let (Some(label), Some(fork)) = (self.u_end.take(), self.fork.take()) {
            self.place_label(label);
            self.close_others(0)?;
            self.state = fork;
            (self.copy, self.thread, self.state.phase) = (Copy::T, 1, Phase::RunT);
            let (function, argument) = self.start(0, 1)?;
            self.run_thread(function, argument, 0)?;
        }
        let end = self.end;
        self.place_label(end);
        Ok(())
    }

    fn arguments(&mut self, main: FuncId) -> Vec<(String, Value)> {
        let n_params = self.program.functions[main].n_params;
        if n_params == 0 {
            return Vec::new();
        }
        let texts: Vec<&str> =
            std::iter::once("program").chain(self.options.arguments.iter().map(String::as_str)).collect();
        let space = address::heap_space(gordian_base::ThreadId::MAIN);
        let mut vector = Vec::new();
        for text in &texts {
            let init: Vec<u8> = text.bytes().chain([0]).collect();
            let (start, size) = (self.fresh(space), init.len() as u64);
            let name = "argument".to_owned();
            self.objects.add(Object { start, size, constant: false, name, init: init.into() });
            vector.extend(start.to_le_bytes());
        }
        vector.extend([0; 8]);
        let (start, size) = (self.fresh(space), vector.len() as u64);
        let name = "arguments".to_owned();
        self.objects.add(Object { start, size, constant: false, name, init: vector.into() });
        let values = [texts.len() as u64, start, 0];
        values.iter().take(n_params as usize).map(|&value| (constant(value), Value::constant(value))).collect()
    }
}
