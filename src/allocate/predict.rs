//! The paper's predictors of the wait until more processors are free (Downey 1997, section 3).

use crate::allocate::check;
use crate::allocate::sizing::{Sizing, smallest};
use crate::error::{Error, Result};

/// Predictor of a wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FreeTimePredictor {
    /// Predictor A (equation 9): the median of the time until one of the benefactors has ended, the jobs that hold
    /// enough processors each by itself. Too long where small jobs can do it together; never where there is no
    /// benefactor.
    Benefactors,
    /// Predictor B (equation 10): the time until enough processors are released when jobs release them gradually.
    Fluid,
    /// The paper's choice: A with two or more benefactors, else B.
    Combined,
    /// The exact quantile for this probability (0 to 1): .5 is the median that predictor A approximates.
    Quantile(f64),
    /// The exact mean.
    Mean,
}

impl Sizing<'_> {
    /// The predicted wait in seconds until at least `processors` are free, if nothing else starts; 0 when they are. The
    /// paper's predictors take O(64 x running jobs x releases), for the others see [`Sizing::quantile`] and
    /// [`Sizing::mean`].
    ///
    /// # Errors
    /// As [`Sizing::quantile`]; [`Error::Never`] also by [`FreeTimePredictor::Benefactors`] when there is none.
    pub fn wait(&mut self, processors: u32, predictor: FreeTimePredictor) -> Result<f64> {
        let missing = self.missing(processors)?;
        if missing == 0 {
            return Ok(0.0);
        }
        match self.resolved(missing, predictor)? {
            FreeTimePredictor::Mean => self.mean(processors),
            predictor => {
                let end = self.end()?;
                smallest(end, |wait| self.within(missing, predictor, wait))
            }
        }
    }

    /// The number of benefactors: running jobs that hold at least as many processors as are missing.
    ///
    /// # Errors
    /// As [`Sizing::quantile`].
    pub fn benefactors(&self, processors: u32) -> Result<u32> {
        let missing = self.missing(processors)?;
        Ok(self.rows()?.iter().filter(|row| row.processors >= missing).count() as u32)
    }

    /// The predictor that is really used for this one; refuses one that has no answer.
    pub(super) fn resolved(&self, missing: u32, predictor: FreeTimePredictor) -> Result<FreeTimePredictor> {
        let benefactors = || Ok(self.rows()?.iter().filter(|row| row.processors >= missing).count());
        match predictor {
            FreeTimePredictor::Benefactors if benefactors()? == 0 => Err(Error::Never),
            FreeTimePredictor::Combined if benefactors()? >= 2 => Ok(FreeTimePredictor::Benefactors),
            FreeTimePredictor::Combined => Ok(FreeTimePredictor::Fluid),
            FreeTimePredictor::Quantile(probability) => check(probability, 0.0..=1.0).map(|()| predictor),
            other => Ok(other),
        }
    }

    /// Whether the predicted wait is at most `wait`; not for the mean, and not for predictors that [`Sizing::resolved`]
    /// replaces.
    pub(super) fn within(&mut self, missing: u32, predictor: FreeTimePredictor, wait: f64) -> Result<bool> {
        match predictor {
            FreeTimePredictor::Benefactors => {
                let mut none = 1.0;
                for (index, row) in
                    self.rows()?.iter().enumerate().filter(|(_, row)| row.processors >= missing)
                {
                    none *= 1.0 - self.ends_within(index, row, wait)?;
                }
                Ok(none <= 0.5)
            }
            FreeTimePredictor::Quantile(probability) => self.free_by(missing, probability, wait),
            FreeTimePredictor::Fluid | FreeTimePredictor::Combined | FreeTimePredictor::Mean => {
                let mut released = 0.0;
                for (index, row) in self.rows()?.iter().enumerate() {
                    released += f64::from(row.processors) * self.ends_within(index, row, wait)?;
                }
                Ok(released >= f64::from(missing))
            }
        }
    }
}
