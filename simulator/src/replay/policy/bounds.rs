//! Lower bounds on the earliest holes of a [`Profile`](super::profile::Profile) from which processors are taken one job
//! after the other.
//!
//! While nothing is given back, the earliest hole for a job lies no earlier than those that were found before for jobs
//! which were neither wider nor longer. The largest of these is where the search for the hole begins: with thousands of
//! reservations it passes over a hundred steps of the profile instead of over all of them, and finds the same hole.
//!
//! Jobs are kept by classes of width (a class an octave) and of duration (four an octave), in a Fenwick tree of both: a
//! job is noted in the first class whose members are all as wide and as long, and asked about by the class it is in.

/// Classes of width, and of duration; [`MAX_SECONDS`](surefill::runtime::MAX_SECONDS) is 2^40.
const WIDTHS: usize = 34;
const DURATIONS: usize = 4 * 42;
/// With fewer jobs the tree costs more than it saves.
const FEWEST: usize = 32;

/// Holes found since processors were last given back.
#[derive(Debug)]
pub struct Bounds {
    /// The largest start of the jobs in a node's classes; empty where nothing is noted.
    starts: Vec<i64>,
}

/// The class of a width, from 1 up, and whether it is the least of its class.
fn by_width(processors: u32) -> (usize, bool) {
    (1 + processors.max(1).ilog2() as usize, processors.is_power_of_two())
}

/// The class of a duration, likewise.
fn by_duration(duration: i64) -> (usize, bool) {
    let seconds = duration.max(1) as u64;
    let octave = seconds.ilog2();
    let quarter = ((seconds << 2) >> octave) as usize & 3;
    let exact = seconds.trailing_zeros() + 2 >= octave;
    (1 + 4 * octave as usize + quarter, exact)
}

/// The nodes of a Fenwick tree that sum up the classes up to this one.
fn below(class: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(class), |class| Some(class & (class - 1)).filter(|&class| class > 0))
}

/// The nodes that this class belongs to.
fn above(class: usize, most: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(class), |class| Some(class + (class & class.wrapping_neg())))
        .take_while(move |&class| class < most)
}

impl Bounds {
    /// Nothing noted yet, for as many jobs as are to come.
    pub fn new(jobs: usize) -> Bounds {
        let nodes = if jobs < FEWEST { 0 } else { WIDTHS * DURATIONS };
        Bounds { starts: vec![i64::MIN; nodes] }
    }

    /// The time before which no such job has a hole.
    pub fn of(&self, processors: u32, duration: i64) -> i64 {
        if self.starts.is_empty() {
            return i64::MIN;
        }
        let ((width, _), (length, _)) = (by_width(processors), by_duration(duration));
        let nodes =
            below(width).flat_map(|width| below(length).map(move |length| width * DURATIONS + length));
        nodes.filter_map(|node| self.starts.get(node)).copied().max().unwrap_or(i64::MIN)
    }

    /// The earliest hole of such a job was found at this time.
    pub fn found(&mut self, processors: u32, duration: i64, start: i64) {
        if self.starts.is_empty() {
            return;
        }
        let class = |(class, exact): (usize, bool)| class + usize::from(!exact);
        let (width, length) = (class(by_width(processors)), class(by_duration(duration)));
        for width in above(width, WIDTHS) {
            for length in above(length, DURATIONS) {
                if let Some(known) = self.starts.get_mut(width * DURATIONS + length) {
                    *known = start.max(*known);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::policy::profile::Profile;
    use proptest::prelude::*;

    #[test]
    fn classes_are_intervals_in_order() {
        assert_eq!(
            [1, 2, 3, 4, 5, 1 << 24].map(by_width),
            [(1, true), (2, true), (2, false), (3, true), (3, false), (25, true)]
        );
        let mut last = 0;
        for seconds in 1..5000 {
            let (class, exact) = by_duration(seconds);
            // The least of a class is the first of its class.
            assert!(class >= last && exact == (class > last), "{seconds}: {class} after {last}");
            last = class;
        }
        assert_eq!(by_duration((1 << 40) - 1), (DURATIONS - 8, false));
        assert_eq!(by_duration(1 << 40), (DURATIONS - 7, true));
    }

    proptest! {
        /// The search from a bound on finds what the search over everything finds.
        #[test]
        fn no_hole_is_passed_over(
            jobs in proptest::collection::vec((1u32..60, 1i64..3000), 100..300),
            idle in 0u32..10,
        ) {
            let mut profile = Profile::new(7, idle, [(500, 20), (9000, 44)]);
            let mut bounds = Bounds::new(jobs.len());
            let mut later = 0;
            for (processors, duration) in jobs {
                let start = profile.earliest(processors, duration).expect("in the end all of it is free");
                let bound = bounds.of(processors, duration);
                later += u64::from(bound > 7);
                prop_assert!(bound <= start);
                prop_assert_eq!(profile.earliest_from(bound, processors, duration), Some(start));
                bounds.found(processors, duration, start);
                profile.take(start, duration, processors);
            }
            prop_assert!(later > 0, "no bound says anything");
        }
    }
}
