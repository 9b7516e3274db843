//! Arrays of many tasks: as many of them start as fit, before others. Under EASY an array is as many jobs one behind
//! the other, which is the oracle.

use crate::block::Block;
use crate::facts::{T, job, running};
use crate::machine::Random;
use crate::nodes::{asks, of_nodes, wide};
use surefill::engine::{Action, JobReport, Offer, SchedulerCapacity, Why};
use surefill::error::Error;

const PRESETS: [&str; 3] = ["preset=fair", "preset=fast", "preset=easy"];

/// A manager that starts all that is offered, at once or when no more is, and gives each task of an array an id.
struct Manager {
    block: Block,
    at_once: bool,
    tasks: i64,
}

impl Manager {
    fn new(block: Block, at_once: bool) -> Manager {
        Manager { block, at_once, tasks: 1_000_000 }
    }

    fn start(&mut self, offer: &Offer, is_array: impl Fn(i64) -> bool) {
        self.tasks += 1;
        let id = if is_array(offer.job) { self.tasks } else { offer.job };
        let started = |block: &mut Block| block.cycle(|mut c, s| c.started(s, offer.number, id));
        while started(&mut self.block) == Err(Error::Full) {
            let capacity = self.block.scheduler().capacity();
            self.block.grow(&SchedulerCapacity { jobs: 2 * capacity.jobs, ..capacity });
        }
    }

    /// The offers of the cycles of this instant, until one has none.
    fn offers(&mut self, now: i64, is_array: impl Fn(i64) -> bool) -> Vec<Offer> {
        let mut all = Vec::new();
        loop {
            self.block.begin(0, now);
            let mut open = Vec::new();
            let mut some = 0;
            let last = loop {
                match self.block.cycle(|mut cycle, scheduler| cycle.next(scheduler)) {
                    Ok(Action::Start(offer)) => {
                        some += 1;
                        all.push(offer);
                        if self.at_once { self.start(&offer, &is_array) } else { open.push(offer) }
                    }
                    Ok(last) => break last,
                    Err(Error::Full) => {
                        let capacity = self.block.scheduler().capacity();
                        self.block.grow(&SchedulerCapacity { jobs: 2 * capacity.jobs, ..capacity });
                    }
                    Err(error) => panic!("{error:?}"),
                }
            };
            open.iter().for_each(|offer| self.start(offer, &is_array));
            self.block.close();
            if some == 0 {
                assert_eq!(last, Action::Done);
                return all;
            }
        }
    }
}

/// Number of offers until the first one of another job than this array, and of all others.
fn counts(offers: &[Offer]) -> (usize, usize) {
    let first = offers.iter().take_while(|offer| offer.job == 1).count();
    (first, offers.iter().filter(|offer| offer.job != 1).count())
}

#[test]
fn a_large_array_takes_all_that_is_idle_before_a_later_job_of_its_kind() {
    for (preset, at_once) in PRESETS.into_iter().flat_map(|preset| [(preset, true), (preset, false)]) {
        for jobs in [1300, 20] {
            let mut block = Block::of_one(jobs, 200, preset);
            block.tell(T, &JobReport { tasks: 1000, ..job(1, 1, 600) });
            block.tell(T + 1, &JobReport { submit: T + 1, ..job(2, 1, 600) });
            let mut manager = Manager::new(block, at_once);
            let offers = manager.offers(T + 2, |id| id == 1);
            assert_eq!(counts(&offers), (200, 0), "{preset}, answered at once: {at_once}, {jobs} slots");
            assert!(offers.iter().all(|offer| offer.why == Why::InOrder && offer.head == 0));
            assert_eq!(manager.block.scheduler().idle(0), Ok(0));
        }
    }
}

#[test]
fn a_later_job_has_what_an_array_leaves() {
    for (preset, at_once) in PRESETS.into_iter().flat_map(|preset| [(preset, true), (preset, false)]) {
        // The throttle of the array.
        let mut block = Block::of_one(300, 200, preset);
        block.tell(T, &JobReport { tasks: 1000, at_once: 40, ..job(1, 1, 600) });
        block.tell(T + 1, &JobReport { submit: T + 1, ..job(2, 1, 600) });
        let offers = Manager::new(block, at_once).offers(T + 2, |id| id == 1);
        assert_eq!(counts(&offers), (40, 1), "{preset}");
        assert_eq!(offers[40].head, 0, "the array's other tasks may not start");
        // A width of which two units are left: who takes them passes the array.
        let mut block = Block::of_one(300, 200, preset);
        block.tell(T, &JobReport { tasks: 1000, ..job(1, 3, 600) });
        block.tell(T + 1, &JobReport { submit: T + 1, ..job(2, 2, 60) });
        let offers = Manager::new(block, at_once).offers(T + 2, |id| id == 1);
        assert_eq!(
            (offers.len(), offers.iter().filter(|offer| offer.job == 1).count()),
            (67, 66),
            "{preset}"
        );
        let behind = offers.iter().find(|offer| offer.job == 2).unwrap();
        assert_eq!((behind.head, behind.why != Why::InOrder), (1, true), "{preset}");
    }
}

/// The same history once with arrays and once with a job for each task.
struct Both {
    arrays: Block,
    single: Block,
    ids: Vec<i64>,
}

impl Both {
    fn tell(&mut self, report: &JobReport<'_>) {
        self.arrays.tell(T, report);
        if report.tasks > 0 {
            self.ids.push(report.id);
        }
        for task in 0..i64::from(report.tasks.max(1)) {
            self.single.tell(T, &JobReport { id: report.id + task, tasks: 0, ..*report });
        }
    }

    /// Checks that arrays are offered as their tasks are as jobs. An offer's job is its id's thousands.
    fn check(self, at_once: bool, case: &str) -> usize {
        let ids = self.ids;
        let of = |block: Block, are_arrays: bool| -> Vec<(i64, u32, Why)> {
            let offers = Manager::new(block, at_once).offers(T + 9000, |id| are_arrays && ids.contains(&id));
            offers.iter().map(|offer| (offer.job / 1000, offer.count, offer.why)).collect()
        };
        let (found, expected) = (of(self.arrays, true), of(self.single, false));
        let plain =
            |all: &[(i64, u32, Why)]| all.iter().map(|&(id, count, _)| (id, count)).collect::<Vec<_>>();
        assert_eq!(plain(&found), plain(&expected), "{case}");
        expected.len()
    }
}

#[test]
fn under_easy_an_array_is_as_many_jobs() {
    let mut random = Random::new(5);
    let mut started = 0;
    for case in 0..60 * crate::longer() {
        let nodes = case % 3 == 2;
        let (units, words) = (60 + random.below(140) as u32, "preset=easy");
        let empty = || {
            let mut block = if nodes { of_nodes(9, words) } else { Block::of_one(400, units, words) };
            let capacity = block.scheduler().capacity();
            block.grow(&SchedulerCapacity { jobs: 400, parts: 400 * u32::from(nodes), ..capacity });
            block
        };
        let mut both = Both { arrays: empty(), single: empty(), ids: Vec::new() };
        for id in 1..=random.below(6) as i64 {
            let limit = 9100 + random.below(5000) as i64;
            if !nodes {
                both.tell(&running(500_000 + 1000 * id, 1 + random.below(10) as u32, limit, T));
            }
        }
        for number in 1..=3 + random.below(4) as i64 {
            let tasks =
                if random.one_in(2) { 2 + random.below(if nodes { 12 } else { 60 }) as u32 } else { 0 };
            let limit = 60 + random.below(5000) as i64;
            let (id, submit) = (1000 * number, T + number);
            if nodes {
                let report = asks(id, 1 + random.below(2) as u32, limit, wide(1 + random.below(4) as u32));
                both.tell(&JobReport { tasks, submit, ..report });
            } else {
                let count = 1 + random.below(if tasks > 0 { 4 } else { 50 }) as u32;
                both.tell(&JobReport { tasks, submit, ..job(id, count, limit) });
            }
        }
        started += both.check(random.one_in(2), &format!("case {case}"));
    }
    assert!(started > 1000, "{started} starts");
}
