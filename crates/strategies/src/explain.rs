//! Why a search explores something or leaves it out, for whoever reads along: the feature `explain`.
//!
//! Each decision is a `tracing` event with the target `gordian::explain`. Without the feature [`explain!`] is nothing at all, so a search pays nothing for it.

/// Says a decision of the search, with the arguments of `format!`.
macro_rules! explain {
    ($($argument:tt)*) => {
        #[cfg(feature = "explain")]
        tracing::debug!(target: "gordian::explain", $($argument)*);
    };
}
pub(crate) use explain;

#[cfg(feature = "explain")]
pub(crate) use text::Steps;

#[cfg(feature = "explain")]
mod text {
    use crate::happens_before::transition::Coverage;
    use crate::happens_before::{Class, Footprints, Mode, Transition};
    use std::fmt::{Display, Formatter, Result};

    /// Steps as they are shown: whose each is, and what it touches.
    pub(crate) struct Steps<'a>(pub &'a Footprints, pub &'a [Transition]);

    impl Display for Steps<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> Result {
            let Steps(footprints, steps) = self;
            for (nth, step) in steps.iter().enumerate() {
                write!(f, "{}{}", if nth > 0 { "; " } else { "" }, step.thread)?;
                if let Some(variant) = step.variant.filter(|_| step.coverage != Coverage::Independent) {
                    write!(f, " in variant {variant}")?;
                }
                if step.footprint == Footprints::UNKNOWN || step.footprint == Footprints::UNTRIED {
                    write!(f, " whatever it does")?;
                    continue;
                }
                let footprint = footprints.get(step.footprint);
                for (nth, access) in footprint.accesses.iter().enumerate() {
                    let mode = match access.mode {
                        Mode::Read => "reads",
                        Mode::Share => "shares",
                        Mode::Write => "writes",
                        Mode::Blind => "writes blindly",
                    };
                    let place = match access.location.class {
                        Class::Memory => "",
                        Class::Hidden => "hidden state ",
                        Class::File => "file ",
                        Class::Random => "random numbers ",
                        Class::Tie => "tie ",
                    };
                    let comma = if nth > 0 { "," } else { "" };
                    write!(f, "{comma} {mode} {place}{:#x}", access.location.address)?;
                }
            }
            Ok(())
        }
    }
}

#[cfg(all(test, feature = "explain"))]
mod tests {
    use crate::{Dpor, Shortcuts};
    use gordian_engine::toy::{Op, Toy, template};
    use gordian_engine::{Settings, Silent, check};
    use std::fmt::Debug;
    use std::sync::{Arc, Mutex};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    /// Keeps what was said.
    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<String>>>);

    impl Visit for Heard {
        fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }

    impl Subscriber for Heard {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "gordian::explain"
        }

        fn event(&self, event: &Event<'_>) {
            event.record(&mut self.clone());
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    /// Two traces: the write comes before the read, or after it. Each has one race, the second of which is covered.
    #[test]
    fn a_race_and_what_came_of_it_are_said() {
        let heard = Heard::default();
        let toy = Toy::new(&[&[Op::Write(0, 1)], &[Op::Read(0)]]);
        // With its shortcuts `dpor` needs no plan for so few steps.
        let mut dpor = Dpor::default().with_shortcuts(Shortcuts::NONE);
        tracing::subscriber::with_default(heard.clone(), || {
            check(&toy, &template(), &mut dpor, &Settings::default(), &mut Silent).unwrap();
        });
        let said = heard.0.lock().unwrap();
        let has = |part: &str| said.iter().filter(|line| line.contains(part)).count();
        assert_eq!(has("race of step"), 2, "{said:#?}");
        assert_eq!(has("back to depth"), 1, "{said:#?}");
        assert_eq!(has("covered") + has("inserted") + has("open"), 2, "{said:#?}");
    }
}
