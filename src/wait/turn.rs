//! The jobs before the one that is looked at next: counted from event to event, where a walk over the queue at each
//! event would take the longer the more jobs wait.
//!
//! The count lies in numbers that blocks had in reserve, so that checkpoints are as long as before: the jobs, plus one,
//! with the scalars, and the halves of their processor-seconds with the two models. In a checkpoint of before they are
//! 0: not counted yet.

use crate::error::Result;
use crate::memory::at;
use crate::wait::predictor::WaitPredictor;
use crate::wait::queue::Waiting;

impl WaitPredictor<'_> {
    /// The jobs that came before the one that is looked at next and still wait, and their processor-seconds; `None`
    /// where they are not counted.
    pub(super) fn before_turn(&self) -> Option<(u32, u64)> {
        if self.state.aged.cursor == 0 {
            return Some((0, 0));
        }
        let jobs = self.state.reserved.checked_sub(1)?;
        let (high, low) = (self.parts.visible.first()?.half(), self.parts.aged.first()?.half());
        Some((jobs, u64::from(high) << 32 | u64::from(low)))
    }

    /// Keeps the count, or forgets it.
    pub(super) fn set_before_turn(&mut self, counted: Option<(u32, u64)>) {
        let (jobs, work) = counted.map_or((0, 0), |(jobs, work)| (jobs.saturating_add(1), work));
        self.state.reserved = jobs;
        let models = self.parts.visible.first_mut().zip(self.parts.aged.first_mut());
        if let Some((visible, aged)) = models {
            (*visible.half_mut(), *aged.half_mut()) = ((work >> 32) as u32, work as u32);
        }
    }

    /// Follows a job that leaves the queue.
    pub(super) fn leaves(&mut self, slot: u32, waiting: &Waiting) -> Result<()> {
        let Some(cursor) = self.state.aged.cursor.checked_sub(1) else { return Ok(()) };
        if cursor == slot {
            self.state.aged.cursor = waiting.after();
            return Ok(());
        }
        // Those that are given up are not counted.
        let Some((jobs, work)) = self.before_turn().filter(|_| waiting.given_up == 0) else { return Ok(()) };
        match waiting.came_before(at(self.parts.slots, cursor as usize)?) {
            Some(true) => {
                self.set_before_turn(Some((jobs.saturating_sub(1), work.saturating_sub(waiting.work))))
            }
            Some(false) => {}
            None => self.set_before_turn(None),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::error::Error;
    use crate::math::mix::mix;
    use crate::wait::{Features, WaitCapacity, WaitOptions, WaitPredictor};
    use std::vec;

    #[test]
    fn the_count_is_that_of_a_walk() {
        let capacity = WaitCapacity { history: 200, queued: 60, releases: 100, clusters: 1, neighbours: 100 };
        let mut memory = vec![0u64; WaitPredictor::size(&capacity).unwrap().div_ceil(8)];
        let options = WaitOptions { oldest_seconds: 100_000, ..WaitOptions::default() };
        let mut waits =
            WaitPredictor::init(bytemuck::cast_slice_mut(&mut memory), &capacity, &options).unwrap();
        let mut random = 1;
        let mut next = |below: u64| {
            random = mix(random);
            (random % below) as i64
        };
        let (mut now, mut counts) = (0, 0);
        for _ in 0..60_000 {
            let most = 1 << next(14);
            now += next(most);
            let (id, features) = (next(90), Features { requested: next(9000), processors: next(60) as u32 });
            match next(40) {
                0 => waits.set_clock(now - next(5000)).map(|()| now = waits.state.now).unwrap(),
                1..20 => match waits.submit(id, now, &features) {
                    Ok(_) | Err(Error::DuplicateJob | Error::Full) => {}
                    Err(error) => panic!("{error:?}"),
                },
                20..30 => drop(waits.cancel(id, now)),
                _ => drop(waits.start(id, now)),
            }
            let (Some(counted), cursor) = (waits.before_turn(), waits.state.aged.cursor) else { continue };
            if cursor != 0 {
                assert_eq!(counted, waits.before(|place, _| place == cursor).unwrap());
                counts += 1;
            }
        }
        assert!(counts > 20_000, "{counts}");
    }
}
