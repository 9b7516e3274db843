//! Choosing the attribute that jobs are clustered by: the steps of a [`Choice`](crate::wait::choice::Choice).

use crate::error::{Error, Result};
use crate::memory::at;
use crate::wait::choice::{CLUSTERING, COUNTING, Found};
use crate::wait::clusters::{Census, Workshop};
use crate::wait::history::Record;
use crate::wait::options::{Attribute, Features};
use crate::wait::predictor::{State, WaitPredictor};
use crate::wait::tree::Pool;

impl WaitPredictor<'_> {
    /// Begins with the attribute in use; `next` is the number of the next record.
    pub(super) fn begin_choice(&mut self, dispersion: f64) -> Result<()> {
        let attribute = *at(&self.state.by, self.state.side as usize)?;
        self.state.choice.begin(dispersion);
        self.examine(attribute);
        Ok(())
    }

    fn examine(&mut self, attribute: u32) {
        let State { choice, next, .. } = &mut *self.state;
        (choice.phase, choice.attribute, choice.counted_from) = (COUNTING, attribute, *next);
    }

    /// A step of the choice that is under way. Returns the best clustering once all are found.
    pub(super) fn choose_step(&mut self) -> Result<Option<Found>> {
        let (fewest, most) = (self.state.question.fewest, self.state.capacity.clusters as usize);
        let number =
            self.state.choice.counted_from.checked_sub(1).filter(|number| *number >= self.state.oldest);
        let record = number.map(|number| at(self.parts.records, self.place(number)).copied()).transpose()?;
        let State { agglomeration, values, spare, choice, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let mut census = Census { values, groups: self.parts.groups, pool: &mut pool };
        if choice.phase == COUNTING {
            match number.zip(record) {
                Some((number, record)) => {
                    let attribute = Attribute::from_number(choice.attribute).map_err(|_| Error::Corrupt)?;
                    census.add(attribute.of(&Features::of(&record)), record.wait)?;
                    choice.counted_from = number;
                }
                None => {
                    agglomeration.begin(choice.dispersion);
                    choice.phase = CLUSTERING;
                }
            }
            return Ok(None);
        }
        let (items, heap) = (&mut *self.parts.items, &mut *self.parts.item_heap);
        let mut workshop = Workshop { state: agglomeration, items, heap, fewest, most };
        let Some(intervals) = workshop.step(&census)? else { return Ok(None) };
        census.clear()?;
        let found = Found::new(agglomeration, choice.attribute, intervals);
        if choice.examined == 0 || found.criterion > choice.best.criterion {
            choice.best = found;
        }
        choice.examined = choice.examined.saturating_add(1);
        // The one in use was examined first: the others follow in their order.
        let in_use = *at(&self.state.by, self.state.side as usize)?;
        let mut others =
            Attribute::SINGLE.into_iter().map(|other| other as u32).filter(|other| *other != in_use);
        match others.nth(self.state.choice.examined.saturating_sub(1) as usize) {
            Some(other) => {
                self.examine(other);
                Ok(None)
            }
            None => {
                self.state.choice.end();
                Ok(Some(self.state.choice.best))
            }
        }
    }

    /// Updates the counts after a wait became known and perhaps another, which had its place, was forgotten.
    pub(super) fn follow_census(&mut self, gone: Option<&Record>, new: &Record) -> Result<()> {
        let choosing = self.is_choosing();
        let (attribute, from) = match self.state.choice.counting() {
            Some(counting) if choosing => counting,
            _ if choosing => return Ok(()),
            _ => (self.state.attribute, 0),
        };
        let attribute = Attribute::from_number(attribute).map_err(|_| Error::Corrupt)?;
        let State { values, spare, oldest, .. } = &mut *self.state;
        let mut pool = Pool { nodes: self.parts.nodes, spare };
        let mut census = Census { values, groups: self.parts.groups, pool: &mut pool };
        if let Some(gone) = gone.filter(|_| *oldest >= from) {
            census.remove(attribute.of(&Features::of(gone)), gone.wait)?;
        }
        census.add(attribute.of(&Features::of(new)), new.wait)
    }

    pub(super) fn is_choosing(&self) -> bool {
        self.state.attribute == Attribute::Best as u32
    }
}
