//! From the weights of tours to a number with an interval.

use super::population::LogSum;

/// How many standard errors lie on either side of the mean in 95 of 100 cases.
const Z_95: f64 = 1.96;

/// Larger numbers are not told apart.
const MOST: f64 = 1e300;

/// A mean with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// Of the mean.
    pub standard_error: f64,
}

/// Of independent weights, given by their logarithms. The interval is that of a log-normal distribution with the mean
/// and its standard error: a factor to either side, since such weights are positive and far above the mean now and then.
pub fn interval(log_weights: impl Iterator<Item = f64> + Clone) -> Interval {
    let (mut sum, mut n) = (LogSum::default(), 0u32);
    for log_weight in log_weights.clone() {
        sum.add(log_weight);
        n += 1;
    }
    if n == 0 || sum.log() == f64::NEG_INFINITY {
        return Interval { mean: 0.0, low: 0.0, high: 0.0, standard_error: 0.0 };
    }
    let n = f64::from(n);
    let log_mean = sum.log() - n.ln();
    // In units of the mean, where nothing overflows.
    let squares: f64 = log_weights.map(|log_weight| ((log_weight - log_mean).exp() - 1.0).powi(2)).sum();
    let error = if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { 1.0 };
    // Weights are products of fractions, so that equal ones differ in their last bits.
    let error = if error < 1e-9 { 0.0 } else { error };
    let spread = Z_95 * error.powi(2).ln_1p().sqrt();
    let bounded = |log: f64| log.exp().min(MOST);
    Interval {
        mean: bounded(log_mean),
        low: bounded(log_mean - spread),
        high: bounded(log_mean + spread),
        standard_error: bounded(log_mean) * error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(weights: &[f64]) -> Interval {
        interval(weights.iter().map(|weight| weight.ln()))
    }

    #[test]
    fn equal_weights_leave_no_doubt() {
        let interval = of(&[24.0; 10]);
        assert!((interval.mean - 24.0).abs() < 1e-9);
        assert_eq!((interval.low, interval.high), (interval.mean, interval.mean));
    }

    #[test]
    fn the_interval_is_a_factor_to_either_side() {
        let Interval { mean, low, high, standard_error } = of(&[0.0, 10.0, 20.0, 10.0]);
        assert!((mean - 10.0).abs() < 1e-9);
        assert!((standard_error - (200.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-9);
        assert!((low * high - mean * mean).abs() < 1e-6 && low > 0.0 && high > mean);
    }

    #[test]
    fn nothing_is_zero_and_too_much_is_bounded() {
        assert_eq!(of(&[]).mean, 0.0);
        assert_eq!(of(&[0.0, 0.0]).high, 0.0);
        assert_eq!(interval([5000.0, 5001.0].into_iter()).mean, MOST);
    }
}
