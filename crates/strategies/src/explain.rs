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
    use crate::happens_before::{Class, Footprints, Mode, Transition};
    use std::fmt::{Display, Formatter, Result};

    /// Steps as they are shown: whose each is, and what it touches.
    pub(crate) struct Steps<'a>(pub &'a Footprints, pub &'a [Transition]);

    impl Display for Steps<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> Result {
            let Steps(footprints, steps) = self;
            for (nth, step) in steps.iter().enumerate() {
                write!(f, "{}{}", if nth > 0 { "; " } else { "" }, step.thread)?;
                if let Some(variant) = step.variant.filter(|_| step.is_one_variant_of_several) {
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
