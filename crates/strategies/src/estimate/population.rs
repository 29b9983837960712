//! Sums of weights that differ by orders of magnitude, and what is usual at each depth.

/// A sum of positive numbers, each given by its logarithm.
#[derive(Clone, Copy, Debug)]
pub struct LogSum {
    greatest: f64,
    /// In units of the greatest.
    sum: f64,
}

impl Default for LogSum {
    fn default() -> Self {
        LogSum { greatest: f64::NEG_INFINITY, sum: 0.0 }
    }
}

impl LogSum {
    pub fn add(&mut self, log: f64) {
        if log == f64::NEG_INFINITY {
            return;
        }
        if log > self.greatest {
            self.sum *= (self.greatest - log).exp();
            self.greatest = log;
        }
        self.sum += (log - self.greatest).exp();
    }

    /// The logarithm of the sum.
    pub fn log(&self) -> f64 {
        self.greatest + self.sum.ln()
    }
}

/// By depth: the sum of the weights of all executions that came through.
#[derive(Default)]
pub struct Levels {
    sums: Vec<LogSum>,
}

impl Levels {
    pub fn add(&mut self, depth: usize, log_weight: f64) {
        if self.sums.len() <= depth {
            self.sums.resize(depth + 1, LogSum::default());
        }
        self.sums[depth].add(log_weight);
    }

    /// The mean weight of a tour at this depth, over so many tours.
    pub fn log_mean(&self, depth: usize, n_tours: u32) -> f64 {
        self.sums.get(depth).map_or(f64::NEG_INFINITY, LogSum::log) - f64::from(n_tours.max(1)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_logarithms_are_logarithms_of_sums() {
        let mut sum = LogSum::default();
        assert_eq!(sum.log(), f64::NEG_INFINITY);
        for number in [1.0f64, 10.0, 0.5, 88.5] {
            sum.add(number.ln());
        }
        assert!((sum.log() - 100.0f64.ln()).abs() < 1e-12);
        sum.add(5000.0);
        assert!((sum.log() - 5000.0).abs() < 1e-12);
    }
}
