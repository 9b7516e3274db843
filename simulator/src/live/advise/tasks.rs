//! The waiting tasks of an array: `squeue` prints them in one line, `12_[0-99%10]`.
//!
//! The expression is a list of numbers, ranges and ranges with a step; `%K` behind it lets no more than K tasks of the
//! array run at once, those that run already included. Where the environment does not set `SLURM_BITSTR_LEN`, `squeue`
//! cuts the list after some sixty characters and ends it with three dots, in the midst of a number or not: what stands
//! there in part is not counted.

/// From the first to the last by a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    first: u32,
    last: u32,
    step: u32,
}

impl Range {
    fn parse(text: &str) -> Option<Range> {
        let (range, step) = text.split_once(':').unwrap_or((text, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let range = Range { first: first.parse().ok()?, last: last.parse().ok()?, step: step.parse().ok()? };
        (range.first <= range.last && range.step > 0).then_some(range)
    }

    fn count(self) -> u32 {
        ((self.last - self.first) / self.step).saturating_add(1)
    }
}

/// The waiting tasks that one line of `squeue` stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tasks {
    ranges: Vec<Range>,
    /// The most tasks of the array that run at once.
    pub at_once: Option<u32>,
    /// Whether `squeue` has cut the list: there are more.
    pub cut: bool,
}

impl Tasks {
    /// The tasks of a job of this name; `Ok(None)` for a job that is no line of tasks, an error where there is an
    /// expression that cannot be read.
    ///
    /// # Errors
    /// The expression.
    pub fn of(id: &str) -> Result<Option<Tasks>, String> {
        let Some((_, rest)) = id.split_once("_[") else { return Ok(None) };
        Tasks::parse(rest).map(Some).ok_or_else(|| rest.to_owned())
    }

    fn parse(text: &str) -> Option<Tasks> {
        let text = text.strip_suffix(']').unwrap_or(text);
        let (list, at_once) = match text.split_once('%') {
            Some((list, most)) => (list, Some(most.parse().ok().filter(|most| *most > 0)?)),
            None => (text, None),
        };
        let (list, cut) = match list.split_once("...") {
            // The last one may be the front of a longer number.
            Some((list, _)) => (list.rsplit_once(',').map_or(list, |(whole, _)| whole), true),
            None => (list, false),
        };
        let ranges = list.split(',').map(Range::parse).collect::<Option<Vec<Range>>>()?;
        Some(Tasks { ranges, at_once, cut })
    }

    /// Number of tasks: a lower bound where the list was cut.
    pub fn count(&self) -> u32 {
        self.ranges.iter().map(|range| range.count()).fold(0, u32::saturating_add)
    }

    /// Their numbers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.ranges.iter().flat_map(|range| (range.first..=range.last).step_by(range.step as usize))
    }
}

/// The number of a task's array: the front of its name, up to the underscore.
pub(in crate::live) fn array(id: &str) -> Option<&str> {
    id.split_once('_').map(|(array, _)| array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_tasks() {
        let found = |id: &str| {
            let tasks = Tasks::of(id).unwrap().unwrap();
            (tasks.numbers().collect::<Vec<u32>>(), tasks.at_once, tasks.cut)
        };
        assert_eq!(found("12_[0-3]"), (vec![0, 1, 2, 3], None, false));
        assert_eq!(found("12_[7]"), (vec![7], None, false));
        assert_eq!(found("12_[1,3,5-9:2%10]"), (vec![1, 3, 5, 7, 9], Some(10), false));
        assert_eq!(found("12_[0-4:4]"), (vec![0, 4], None, false));
        assert_eq!(found("12_[1,3,5,1...]"), (vec![1, 3, 5], None, true));
        assert_eq!(found("12_[1,3,5,...%4]"), (vec![1, 3, 5], Some(4), true));
        assert_eq!(Tasks::of("12_[0-99%10]").unwrap().unwrap().count(), 100);
        assert_eq!(Tasks::of("12_[0-4294967295]").unwrap().unwrap().count(), u32::MAX);
        for plain in ["12", "12_5", "12+1"] {
            assert_eq!(Tasks::of(plain), Ok(None));
        }
        for wrong in ["12_[]", "12_[3-1]", "12_[1-9:0]", "12_[x]", "12_[1%0]", "12_[1%x]"] {
            assert!(Tasks::of(wrong).is_err(), "{wrong}");
        }
    }
}
