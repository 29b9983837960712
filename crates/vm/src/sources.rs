//! Arguments, environment, standard input and files whose bytes are inputs.

use crate::machine::Machine;
use crate::setup::SetupError;
use crate::setup::process;
use gordian_base::ThreadId;
use gordian_expr::ExprId;
use gordian_trace::{InputSource, Test};

/// The arguments as they are laid out: what is an input has its size and no value yet.
pub fn arguments(test: &Test) -> impl Iterator<Item = Vec<u8>> {
    (1..).zip(&test.arguments).map(|(number, text)| {
        let source =
            test.sources.iter().find(|source| matches!(source, InputSource::Argument { nth, .. } if *nth == number));
        source.map_or_else(|| text.clone().into_bytes(), |source| vec![0; source.len() as usize])
    })
}

/// The environment in the same way; what is an input comes last.
pub fn environment(test: &Test) -> impl Iterator<Item = Vec<u8>> {
    let plain = test.environment.iter().map(|(name, value)| format!("{name}={value}").into_bytes());
    plain.chain(variables(test).map(|(name, len)| {
        let mut text = format!("{name}=").into_bytes();
        text.resize(text.len() + len as usize, 0);
        text
    }))
}

fn variables(test: &Test) -> impl Iterator<Item = (&str, u32)> {
    test.sources.iter().filter_map(|source| match source {
        InputSource::Variable { name, len } => Some((name.as_str(), *len)),
        _ => None,
    })
}

impl Machine<'_> {
    /// Draws the bytes, in the order in which the test names them. The main thread exists and has not run.
    pub(crate) fn draw_sources(&mut self, test: &Test) -> Result<(), SetupError> {
        for source in &test.sources {
            let name = source.to_string();
            let (mut values, mut terms) = (Vec::new(), Vec::new());
            for n in 0..source.len() {
                let (value, term) = self.draw_input(ThreadId::MAIN, &format!("{name}[{n}]"), "", 8);
                values.push(value as u8);
                terms.extend(term.map(|term| self.symbolic.pool.trunc(term, 8)));
            }
            match source {
                InputSource::Argument { nth, .. } => {
                    if *nth == 0 || *nth as usize > test.arguments.len() {
                        return Err(SetupError::NoArgument(*nth));
                    }
                    let place = self.memory.load(self.argv + 8 * u64::from(*nth), 8);
                    self.put_input(place, &values, &terms);
                }
                InputSource::Variable { name, .. } => {
                    let before = variables(test).position(|(known, _)| known == name).expect("it is one of them");
                    let entry = self.get_process(process::ENVIRON) + 8 * (test.environment.len() + before) as u64;
                    let place = self.memory.load(entry, 8) + name.len() as u64 + 1;
                    self.put_input(place, &values, &terms);
                }
                InputSource::Stdin { .. } => self.files.set_stdin(values, terms),
                InputSource::File { name, .. } => {
                    let error = |errno| SetupError::File(name.clone(), std::io::Error::from_raw_os_error(errno));
                    self.files.set_file(name.as_bytes(), &values, &terms).map_err(error)?;
                }
            }
        }
        Ok(())
    }

    fn put_input(&mut self, place: u64, values: &[u8], terms: &[ExprId]) {
        self.memory.store_bytes(place, values);
        for (at, &term) in (place..).zip(terms) {
            self.store_term(at, 1, Some(term));
        }
    }
}
