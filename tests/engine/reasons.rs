//! The reasons why jobs wait: for each a queue made by hand.

use crate::block::Block;
use crate::facts::{T, job, over, running};
use crate::nodes::{asks, node, of_nodes, on, one, wide};
use surefill::engine::{
    Action, JobReport, JobState, Names, NodeState, Reason, Refusal, Reservation, Wants, Why,
};
use surefill::error::{Error, Result};
use surefill::nodes::Spread;
use surefill::plan::StartedNow;
use surefill::runtime::RuntimeDistribution;

pub fn ask(block: &mut Block, id: i64) -> Result<Reason> {
    block.cycle(|mut cycle, scheduler| cycle.reason(scheduler, id))
}

pub fn plan_all(block: &mut Block, now: i64) {
    block.begin(0, now);
    block.cycle(|mut cycle, scheduler| cycle.plan_all(scheduler)).unwrap();
}

/// The reason after a decision in which every offered job is started.
fn decided(block: &mut Block, now: i64, id: i64) -> Reason {
    block.begin(0, now);
    while let Action::Start(offer) = block.next() {
        block.started(offer.number, offer.job);
    }
    ask(block, id).unwrap()
}

/// The reason by a plan of all jobs, whichever can start.
fn planned(block: &mut Block, now: i64, id: i64) -> Reason {
    plan_all(block, now);
    ask(block, id).unwrap()
}

pub fn predicted(block: &mut Block, report: JobReport<'_>, run_time: i64) {
    let prediction = RuntimeDistribution::single(run_time).unwrap();
    block.tell(T, &JobReport { prediction: Some(&prediction), ..report });
}

/// A hundred jobs that have waited for a minute: a job that waits for much longer than all of them is in front.
fn wait_a_little(block: &mut Block) {
    for id in 1000..1100 {
        let started = JobReport { submit: T - 7260, ..running(id, 1, 10, T - 7200) };
        block.tell(T - 7200, &started);
        block.tell(T - 7200, &over(id, JobState::Broken, 0));
    }
}

#[test]
fn no_room() {
    let mut block = Block::of_one(10, 8, "predictor=limit");
    block.tell(T, &running(1, 7, 600, T));
    block.tell(T, &job(2, 4, 600));
    let found = decided(&mut block, T, 2);
    assert_eq!((found.why, found.start, found.place), (Why::NoRoom, None, 0));
    assert_eq!((found.wanted, found.idle, found.units, found.head), (4, 1, 8, 0));
    assert_eq!(found.to_string(), "no room: 1 of 8 processors is idle, it wants 4");
    let found = planned(&mut block, T, 2);
    let start = found.start.unwrap() - T;
    assert!(found.why == Why::NoRoom && found.place == 1 && (600..660).contains(&start), "{found:?}");
    assert_eq!(found.to_string(), "no room: 1 of 8 processors is idle, it wants 4; planned in 10 min");
    // The plan has the narrow one first, as it ends sooner.
    block.tell(T, &job(3, 3, 60));
    let places = [2, 3].map(|id| planned(&mut block, T, id).place);
    assert_eq!(
        {
            let mut all = places;
            all.sort();
            all
        },
        [1, 2]
    );
}

/// The queue of the test of `started_now`: a wide job is the first of the plan, one of 192 s could start now.
#[test]
fn planned_for_later() {
    let mut block = Block::of_one(10, 8, "");
    predicted(&mut block, running(1, 4, 96, T), 96);
    let wide = JobReport { submit: T - 900_000, ..job(2, 8, 64) };
    predicted(&mut block, wide, 64);
    predicted(&mut block, job(3, 4, 192), 192);
    predicted(&mut block, job(4, 5, 1), 1);
    let found = decided(&mut block, T, 3);
    assert_eq!((found.why, found.start, found.head, found.place), (Why::Later, Some(T + 168), 2, 3));
    assert_eq!(found.price, Some(StartedNow { saved: 168, others: 192 }));
    let said = "planned in 2 min: starting it now would cost others 3.2 min of waiting and save it 2.8 min";
    assert_eq!(found.to_string(), said);
    let wide = ask(&mut block, 2).unwrap();
    assert_eq!((wide.start, wide.place, wide.head), (Some(T + 96), 1, 0));
    assert_eq!((wide.why, wide.by_limits), (Why::NoRoom, None));
    block.close();
    let noted = block.scheduler().reason(3, T + 8).unwrap();
    assert_eq!((noted.why, noted.start, noted.head, noted.price), (Why::Later, Some(T + 168), 2, None));
    assert_eq!(noted.to_string(), "planned in 2 min: what is idle is kept for job 2");
    let named = |names: &Names<'_>| {
        let mut text = String::new();
        noted.write(names, &mut text).unwrap();
        text
    };
    let names = Names { head: "f2", ..Names::default() };
    assert_eq!(named(&names), "planned in 2 min: what is idle is kept for f2");
    assert_eq!(block.scheduler().reason(2, T + 8).map(|reason| reason.why), Ok(Why::NoRoom));
    // A planned start in the past is not reported.
    assert_eq!(block.scheduler().reason(3, T + 1000).unwrap().start, None);
    // An edited job is another one.
    predicted(&mut block, job(3, 4, 193), 192);
    assert_eq!(block.scheduler().reason(3, T + 9).unwrap().why, Why::Unknown);
}

/// By predicted run times the narrow job ends before the wide one starts, by the limits it does not.
#[test]
fn behind_the_front_jobs_guard() {
    for words in ["preset=fair slack=0", "preset=easy"] {
        let mut block = Block::of_one(10, 8, words);
        wait_a_little(&mut block);
        predicted(&mut block, running(1, 4, 100, T), 100);
        predicted(&mut block, JobReport { submit: T - 900_000, ..job(2, 8, 1000) }, 1000);
        predicted(&mut block, job(3, 4, 5000), 10);
        let found = decided(&mut block, T, 3);
        assert_eq!((found.why, found.head), (Why::Guarded, 2), "{words}: {found:?}");
        assert!(
            found.to_string().starts_with("starting it now could delay job 2, which must not be delayed")
        );
        let wide = ask(&mut block, 2).unwrap();
        assert_eq!((wide.why, wide.by_limits, wide.head), (Why::Head, Some(T + 100), 0));
        let said = "first in line, no room: 4 of 8 processors are idle, it wants 8";
        let ends = "; by the time limits of those that run in 1 min";
        assert!(wide.to_string().starts_with(said) && wide.to_string().ends_with(ends), "{wide}");
        block.close();
        assert_eq!(
            block.scheduler().reason(3, T).map(|reason| (reason.why, reason.head)),
            Ok((Why::Guarded, 2))
        );
        // The plan of all jobs has the guard as well.
        if words != "preset=easy" {
            let found = planned(&mut block, T, 3);
            assert_eq!((found.why, found.start), (Why::Guarded, Some(T)));
            block.tell(T, &JobReport { limit: 90, ..job(3, 4, 5000) });
            predicted(&mut block, job(3, 4, 90), 10);
            let found = planned(&mut block, T, 3);
            assert_eq!((found.why, found.start, found.place), (Why::Planned, Some(T), 1));
            assert_eq!(found.to_string(), "starts now");
        }
    }
}

#[test]
fn reasons_of_the_managers() {
    let mut block = Block::of_one(20, 8, "");
    let why = [
        (Why::Hold, "held by the manager"),
        (Why::Dependency, "held by the manager: dependency"),
        (Why::Limit, "held by the manager: a limit"),
        (Why::Deadline, "held by the manager: its deadline"),
        (Why::QueueClosed, "held by the manager: its queue is closed"),
        (Why::Other, "held by the manager: another reason"),
        (Why::Array, "held by the manager: enough tasks of its array run"),
    ];
    for ((why, said), id) in why.into_iter().zip(1..) {
        block.tell(T, &JobReport { state: JobState::Held, why, ..job(id, 1, 60) });
        let found = planned(&mut block, T, id);
        assert_eq!((found.why, found.to_string().as_str(), found.until), (why, said, None));
        assert_eq!(block.scheduler().reason(id, T).unwrap(), Reason { idle: 0, ..found });
    }
    block.tell(T, &JobReport { state: JobState::Held, ..job(9, 1, 60) });
    assert_eq!(planned(&mut block, T, 9).why, Why::Hold);
    block.tell(T, &JobReport { begin: T + 7300, ..job(10, 1, 60) });
    let found = planned(&mut block, T, 10);
    assert_eq!((found.why, found.until), (Why::Begin, Some(T + 7300)));
    assert_eq!(found.to_string(), "its begin time has not come: it does in 2 h 1 min");
    // The tasks of an array that may run one at a time wait for the first.
    block.tell(T, &JobReport { tasks: 3, at_once: 1, ..job(11, 1, 60) });
    block.begin(0, T);
    let Action::Start(offer) = block.next() else { panic!("nothing starts") };
    assert_eq!(offer.job, 11);
    block.started(offer.number, 100);
    assert_eq!(ask(&mut block, 11).map(|reason| (reason.why, reason.tasks)), Ok((Why::Array, 2)));
}

#[test]
fn refusals() {
    for (refusal, until) in
        [(Refusal::NotNow, Some(T + 60)), (Refusal::Never, None), (Refusal::Busy, Some(T + 60))]
    {
        let mut block = Block::of_one(10, 8, "refused=60 predictor=limit");
        block.tell(T, &running(2, 4, 600, T));
        block.tell(T, &job(1, 2, 60));
        block.begin(0, T);
        let Action::Start(offer) = block.next() else { panic!("nothing starts") };
        block.refused(offer.number, refusal);
        assert_eq!(ask(&mut block, 1), Err(Error::WrongState));
        assert_eq!(block.next(), Action::Done);
        let found = ask(&mut block, 1).unwrap();
        assert_eq!((found.why, found.until), (Why::Refused, until), "{refusal:?}");
        block.close();
        let noted = block.scheduler().reason(1, T + 30).unwrap();
        assert_eq!((noted.why, noted.until), (Why::Refused, until), "{refusal:?}");
        let ends = match refusal {
            Refusal::Never => {
                "refused by the manager: offered again when its limit, size, request or queue changes"
            }
            _ => "refused by the manager: offered again in 30 s",
        };
        assert!(noted.to_string().starts_with(ends), "{noted}");
    }
}

#[test]
fn a_plan_of_all_jobs_says_why_easy_holds_them() {
    let mut block = Block::of_one(8, 4, "preset=easy predictor=limit");
    block.tell(T, &running(1, 2, 1000, T));
    block.tell(T, &job(2, 4, 4000));
    // The plan would start it now; EASY's reservation for 2 keeps it.
    block.tell(T, &job(3, 2, 1500));
    let (head, behind) = (decided(&mut block, T, 2), decided(&mut block, T, 3));
    assert_eq!((head.why, behind.why, behind.head), (Why::Head, Why::Guarded, 2));
    block.close();
    for id in [2, 3] {
        let (by_easy, all) = (block.scheduler().reason(id, T).unwrap(), planned(&mut block, T, id));
        assert_eq!((all.why, all.head), (by_easy.why, by_easy.head));
        assert!(all.start.is_none_or(|start| start > T), "{all}");
        assert_eq!(all.by_limits, (id == 2).then_some(T + 1000));
        // The plan's reason is not kept.
        block.close();
        assert_eq!(block.scheduler().reason(id, T).unwrap(), by_easy);
    }
    // Before EASY has decided, there is the plan alone.
    let mut block = Block::of_one(8, 4, "preset=easy predictor=limit");
    block.tell(T, &job(1, 2, 1000));
    assert_eq!(planned(&mut block, T, 1).why, Why::Planned);
}

#[test]
fn contradictions_and_what_can_never_start() {
    let mut block = Block::of_one(10, 8, "");
    block.tell(T, &job(1, 9, 60));
    let found = decided(&mut block, T, 1);
    assert_eq!((found.why, found.wanted, found.units), (Why::Never, 9, 8));
    assert_eq!(found.to_string(), "never: it wants 9 processors, there are 8");
    let names = Names { units: "nodes", ..Names::default() };
    let mut text = String::new();
    found.write(&names, &mut text).unwrap();
    assert_eq!(text, "never: it wants 9 nodes, there are 8");
    block.tell(T, &running(2, 8, 60, T));
    block.tell(T, &running(3, 1, 60, T));
    block.tell(T, &job(4, 1, 60));
    assert_eq!(decided(&mut block, T, 4).why, Why::Inconsistent);
    // No reason is given for others: running jobs, jobs of other pools, and unknown ones.
    assert_eq!(ask(&mut block, 2), Err(Error::UnknownJob));
    assert_eq!(ask(&mut block, 77), Err(Error::UnknownJob));
    assert_eq!(block.scheduler().reason(77, T), Err(Error::UnknownJob));
    block.begin(0, T);
    assert_eq!(ask(&mut block, 4), Err(Error::WrongState));
    // Nothing was decided about a job submitted since.
    assert_eq!(block.next(), Action::Done);
    block.tell(T, &job(5, 1, 60));
    assert_eq!(ask(&mut block, 5).map(|reason| reason.why), Ok(Why::Inconsistent).and(Ok(Why::Unknown)));
}

/// Under EASY a job that would have fitted, had not others before it started, is behind these; one that still fits is
/// behind the guard.
#[test]
fn others_have_taken_it() {
    let mut block = Block::of_one(10, 8, "preset=easy");
    block.tell(T, &running(1, 2, 600, T));
    for (id, count, limit) in [(2, 3, 100), (3, 4, 100), (4, 4, 100), (5, 2, 900), (6, 1, 900)] {
        block.tell(T, &JobReport { submit: T + id, ..job(id, count, limit) });
    }
    let whys = [3, 4, 6].map(|id| decided(&mut block.clone(), T, id));
    // Six are idle: the first takes three. The second is in front, and will leave two over, which the fourth
    // takes.
    assert_eq!(whys.map(|reason| reason.why), [Why::Head, Why::NoRoom, Why::Guarded]);
    let said = "first in line, no room: 1 of 8 processors is idle, it wants 4; by the time limits of those that run in 1 min";
    assert_eq!(whys[0].to_string(), said);
    assert_eq!(whys[1].to_string(), "no room: 1 of 8 processors is idle, it wants 4");
    // The plan starts one of two, and there is no room for the other one then.
    let mut block = Block::of_one(10, 8, "predictor=limit");
    block.tell(T, &job(1, 5, 600));
    block.tell(T, &job(2, 5, 600));
    let found = decided(&mut block, T, 2);
    assert_eq!((found.why, found.idle, found.price), (Why::NoRoom, 3, None), "{found:?}");
    assert_eq!(found.to_string(), "no room: 3 of 8 processors are idle, it wants 5; planned in 10 min");
}

/// With a full machine as well the first in line is the one of the highest priority, whichever was submitted first.
#[test]
fn higher_priorities_are_first_in_line() {
    let mut block = Block::of_one(10, 8, "preset=easy");
    block.tell(T, &running(1, 8, 600, T));
    block.tell(T, &job(2, 2, 600));
    assert_eq!(decided(&mut block, T, 2).why, Why::Head);
    block.tell(T + 1, &JobReport { submit: T + 1, priority: 5.0, ..job(3, 2, 600) });
    let whys = [2, 3].map(|id| decided(&mut block, T + 1, id).why);
    assert_eq!(whys, [Why::NoRoom, Why::Head]);
    block.close();
    assert_eq!([2, 3].map(|id| block.scheduler().reason(id, T + 2).unwrap().why), [Why::NoRoom, Why::Head]);
    // The plan guards the job that has waited longest from those of its own tier, and others come before it.
    let mut block = Block::of_one(10, 8, "slack=0");
    wait_a_little(&mut block);
    predicted(&mut block, running(1, 4, 100, T), 100);
    predicted(&mut block, JobReport { submit: T - 900_000, ..job(2, 8, 1000) }, 1000);
    predicted(&mut block, job(3, 4, 5000), 10);
    let of =
        |block: &mut Block| [2, 3].map(|id| decided(block, T, id)).map(|reason| (reason.why, reason.head));
    assert_eq!(of(&mut block), [(Why::Head, 0), (Why::Guarded, 2)]);
    let higher = |id, count, limit| JobReport { tier: 1, ..job(id, count, limit) };
    predicted(&mut block, higher(4, 8, 1000), 1000);
    assert_eq!(of(&mut block), [(Why::NoRoom, 0), (Why::Guarded, 2)]);
    // A job of the higher tier waits for another one of it, not for the guarded job.
    let mut block = Block::of_one(10, 9, "");
    wait_a_little(&mut block);
    predicted(&mut block, running(1, 4, 96, T), 96);
    predicted(&mut block, running(7, 1, 100_000, T), 100_000);
    predicted(&mut block, JobReport { submit: T - 900_001, ..job(2, 9, 1000) }, 1000);
    predicted(&mut block, JobReport { submit: T - 900_000, ..higher(4, 8, 64) }, 64);
    predicted(&mut block, higher(5, 4, 192), 192);
    predicted(&mut block, higher(6, 5, 1), 1);
    let found = decided(&mut block, T, 5);
    assert_eq!((found.why, found.head), (Why::Later, 4), "{found:?}");
}

/// With 70 jobs for all processors ahead of it, one job that fits is behind the jobs that the plan orders.
#[test]
fn beyond_the_depth() {
    let mut block = Block::of_one(200, 8, "predictor=limit");
    block.tell(T, &running(1, 7, 6000, T));
    for id in 2..80 {
        block.tell(T, &JobReport { submit: T - 50_000 + id, ..job(id, 1, 100) });
    }
    block.tell(T, &JobReport { tier: -1, ..job(99, 1, 100) });
    let found = decided(&mut block, T, 99);
    assert_eq!((found.why, found.start), (Why::Depth, None), "{found:?}");
    assert_eq!(found.to_string(), "what is idle goes to those before it");
}

#[test]
fn nodes_that_are_not_there() {
    let mut block = of_nodes(4, "predictor=limit");
    let set = |block: &mut Block, number, state| {
        block.scheduler().set_node(0, number, &node(state, number)).unwrap();
    };
    let why = |block: &mut Block, id| planned(block, T, id).why;
    block.tell(T, &asks(1, 4, 60, wide(4)));
    assert_eq!(why(&mut block, 1), Why::Planned);
    set(&mut block, 3, NodeState::Down);
    assert_eq!(why(&mut block, 1), Why::NodesOut);
    assert_eq!(block.scheduler().reason(1, T).map(|reason| reason.why), Ok(Why::NodesOut));
    set(&mut block, 3, NodeState::Closed);
    assert_eq!(why(&mut block, 1), Why::NodesOut);
    set(&mut block, 3, NodeState::Awaited);
    assert_eq!(why(&mut block, 1), Why::NoRoom);
    set(&mut block, 3, NodeState::Up);
    // More tasks than nodes, more than a node has, and a feature that none has.
    let featured = Wants { features: 8, ..wide(1) };
    for (id, count, wants) in [(2, 5, wide(1)), (3, 1, wide(5)), (4, 1, featured)] {
        block.tell(T, &asks(id, count, 60, wants));
        assert_eq!(why(&mut block, id), Why::Never, "job {id}");
    }
    let text = |block: &mut Block, id| planned(block, T, id).to_string();
    assert_eq!(text(&mut block, 4), "never: there are no nodes such as it wants");
    // Six tasks of two processors fit three nodes, packed.
    block.tell(T, &asks(5, 8, 60, Wants { spread: Spread::Tasks, ..wide(2) }));
    assert_eq!(why(&mut block, 5), Why::NoRoom);
    set(&mut block, 0, NodeState::Down);
    assert_eq!(why(&mut block, 5), Why::NodesOut);
}

#[test]
fn room_on_nodes() {
    let mut block = of_nodes(2, "predictor=limit");
    block.tell(T, &on(1, 600, wide(3), &one(0)));
    block.tell(T, &on(2, 600, wide(3), &one(1)));
    block.tell(T, &asks(3, 1, 60, wide(2)));
    let found = planned(&mut block, T, 3);
    assert_eq!((found.why, found.idle, found.units, found.wanted), (Why::NoRoom, 2, 8, 2));
    assert!(found.to_string().starts_with("no room: 2 of 8 processors are idle, but not as it wants them"));
    assert!(found.start.is_some_and(|start| (T + 600..T + 660).contains(&start)));
    block.close();
    let noted = block.scheduler().reason(3, T).unwrap();
    assert_eq!((noted.why, noted.start), (Why::NoRoom, found.start));
}

#[test]
fn licences_and_reservations() {
    let mut block = of_nodes(2, "predictor=limit");
    let licensed = |count| Wants { licences: [count, 0, 0, 0, 0, 0, 0, 0], ..wide(1) };
    block.scheduler().set_licences(&[2, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    block.tell(T, &on(1, 600, licensed(2), &one(0)));
    block.tell(T, &asks(2, 1, 60, licensed(1)));
    block.tell(T, &asks(3, 1, 60, licensed(3)));
    let found = [2, 3].map(|id| planned(&mut block, T, id));
    assert_eq!(
        found.map(|reason| (reason.why, reason.start.is_some())),
        [(Why::Licences, true), (Why::Licences, false)]
    );
    // Both nodes are reserved from 100 s on; a job of 200 s does not end before that.
    let booked = Reservation { pool: 0, key: 7, from: T + 100, to: T + 1000, nodes: &[0, 1] };
    block.scheduler().set_reservation(&booked).unwrap();
    block.tell(T, &asks(4, 1, 200, wide(1)));
    block.tell(T, &asks(5, 1, 50, wide(1)));
    block.tell(T, &asks(6, 1, 50, Wants { reservation: 7, ..wide(1) }));
    block.tell(T, &asks(7, 1, 50, Wants { reservation: 9, ..wide(1) }));
    let found = [4, 5, 6, 7].map(|id| planned(&mut block, T, id));
    assert_eq!(found.map(|reason| reason.why), [Why::Reserved, Why::Planned, Why::Reserved, Why::Reserved]);
    assert_eq!(found[2].until, Some(T + 100));
    assert_eq!(found[2].to_string(), "reservations keep it off its nodes: its own begins in 1 min");
}

/// More requirements than there are bits: the last jobs have none.
#[test]
fn requirements_beyond_the_bits() {
    let mut block = of_nodes(8, "predictor=limit");
    for number in 0..8 {
        let report = surefill::engine::NodeReport { features: 1 << number, ..node(NodeState::Up, number) };
        block.scheduler().set_node(0, number, &report).unwrap();
    }
    // Every set of nodes is another requirement.
    for set in 1..=70_u64 {
        let capacity = block.scheduler().capacity();
        if block.scheduler().counts().0 as u32 == capacity.jobs {
            block.grow(&surefill::engine::SchedulerCapacity { jobs: 2 * capacity.jobs, ..capacity });
        }
        block.tell(T, &asks(set as i64, 1, 60, Wants { any: set, ..wide(4) }));
    }
    let whys: Vec<Why> = (1..=70).map(|id| planned(&mut block, T, id).why).collect();
    assert!(whys[..64].iter().all(|why| *why != Why::Depth), "{whys:?}");
    assert!(whys[64..].iter().all(|why| *why == Why::Depth), "{whys:?}");
}

// --- A job that is not submitted
