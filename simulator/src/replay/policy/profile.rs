//! The number of free processors over time: the availability profile of conservative backfilling.

/// Free processors as steps over time; after the last step nothing changes any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Steps `(time, free)`, in strictly increasing order of time; never empty.
    steps: Vec<(i64, u32)>,
}

impl Profile {
    /// A profile of `idle` processors from `now` on, and those of the releases `(when, processors)`, given in order of
    /// time.
    pub fn new(now: i64, idle: u32, releases: impl IntoIterator<Item = (i64, u32)>) -> Profile {
        let mut profile = Profile { steps: vec![(now, idle)] };
        for (time, processors) in releases {
            let Some(last) = profile.steps.last_mut() else { continue };
            if last.0 >= time {
                last.1 += processors;
            } else {
                let free = last.1 + processors;
                profile.steps.push((time, free));
            }
        }
        profile
    }

    /// Forgets the steps before `now`.
    pub fn advance(&mut self, now: i64) {
        let past = self.steps.partition_point(|step| step.0 <= now);
        self.steps.drain(..past.saturating_sub(1));
        if let Some(first) = self.steps.first_mut() {
            first.0 = first.0.max(now);
        }
    }

    /// The earliest time from which `processors` are free for `duration` seconds (at least 1). `None` when there are
    /// never as many.
    pub fn earliest(&self, processors: u32, duration: i64) -> Option<i64> {
        self.earliest_from(i64::MIN, processors, duration)
    }

    /// The same where no such time lies before `from`.
    pub fn earliest_from(&self, from: i64, processors: u32, duration: i64) -> Option<i64> {
        let mut start = None;
        let first = self.steps.partition_point(|step| step.0 <= from).saturating_sub(1);
        for &(time, free) in self.steps.get(first..).unwrap_or_default() {
            if let Some(start) = start
                && time >= start + duration
            {
                return Some(start);
            }
            if free < processors {
                start = None;
            } else {
                start = start.or(Some(time));
            }
        }
        start
    }

    /// Takes `processors` from `start` for `duration` seconds, where [`Profile::earliest`] found them.
    pub fn take(&mut self, start: i64, duration: i64, processors: u32) {
        let first = self.step_at(start);
        let end = self.step_at(start + duration);
        for step in &mut self.steps[first..end] {
            step.1 -= processors;
        }
    }

    /// The index of the step that begins at `time`, which is made if it is not there. Times before the first step are
    /// the first step's.
    fn step_at(&mut self, time: i64) -> usize {
        match self.steps.binary_search_by_key(&time, |step| step.0) {
            Ok(index) => index,
            Err(0) => 0,
            Err(index) => {
                self.steps.insert(index, (time, self.steps[index - 1].1));
                index
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn holes_are_found_and_filled() {
        let mut profile = Profile::new(100, 2, [(110, 3), (110, 1), (120, 4)]);
        assert_eq!(profile.steps, [(100, 2), (110, 6), (120, 10)]);
        assert_eq!(profile.earliest(2, 1000), Some(100));
        assert_eq!(profile.earliest(5, 5), Some(110));
        assert_eq!(profile.earliest(11, 1), None);
        profile.take(110, 5, 5);
        assert_eq!(profile.steps, [(100, 2), (110, 1), (115, 6), (120, 10)]);
        assert_eq!(profile.earliest(2, 10), Some(100));
        assert_eq!(profile.earliest(2, 11), Some(115));
        profile.advance(112);
        assert_eq!(profile.steps, [(112, 1), (115, 6), (120, 10)]);
        profile.advance(115);
        assert_eq!(profile.steps, [(115, 6), (120, 10)]);
        profile.advance(500);
        assert_eq!(profile.steps, [(500, 10)]);
    }

    proptest! {
        /// Compares with one counter a second.
        #[test]
        fn the_earliest_hole_second_by_second(
            releases in proptest::collection::vec((1i64..40, 1u32..5), 0..6),
            jobs in proptest::collection::vec((1u32..8, 1i64..20), 1..12),
        ) {
            let mut releases = releases;
            releases.sort_unstable();
            let total = 3 + releases.iter().map(|r| r.1).sum::<u32>();
            let mut profile = Profile::new(0, 3, releases.iter().copied());
            let mut free: Vec<u32> = (0..600)
                .map(|t| 3 + releases.iter().filter(|r| r.0 <= t).map(|r| r.1).sum::<u32>())
                .collect();
            for (processors, duration) in jobs {
                let expected = (0..500).find(|&t| free[t..t + duration as usize].iter().all(|&f| f >= processors));
                prop_assert_eq!(profile.earliest(processors, duration), expected.map(|t| t as i64));
                prop_assert_eq!(expected.is_some(), processors <= total);
                if let Some(start) = expected {
                    profile.take(start as i64, duration, processors);
                    free[start..start + duration as usize].iter_mut().for_each(|f| *f -= processors);
                }
            }
        }
    }
}
