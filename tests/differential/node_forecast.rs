//! A forecast of the starts of waiting jobs on the machine.
//!
//! A forecast that is done: no job starts before submission, quantiles increase with their probability, the mean is
//! that of the starts, and a larger forecast in one call says the same. Where all jobs run to their limits it is a
//! schedule: at no start is more held than the machine has.

use super::input::Input;
use super::nodes::{CAPACITIES, Held, request};
use super::object::initialised;
use super::prediction::Prediction;
use std::ptr::null_mut;
use surefill::capi::*;

const NOW: i64 = 5000;
const ROOM: i32 = 6;
const SCENARIOS: i32 = 4;

struct Running {
    handle: i32,
    age: i64,
    limit: i64,
}

struct Waiting {
    wish: surefill_request,
    fit: i32,
    limit: i64,
    submit: i64,
}

/// A question.
struct Question {
    options: surefill_forecast_options,
    /// The predicted run time of every job.
    prediction: Prediction,
    running: Vec<Running>,
    waiting: Vec<Waiting>,
}

/// The quantiles of a job's start in increasing order; `None` for a job that never starts.
type Answer = Option<Vec<i64>>;

impl Question {
    fn any(input: &mut Input, jobs: &[Held]) -> Question {
        let mut options: surefill_forecast_options = initialised(surefill_forecast_options_init);
        options.scenarios = SCENARIOS;
        options.seed = input.below(4) as i64;
        options.policy = if input.below(4) == 0 { SUREFILL_POLICY_FCFS } else { SUREFILL_POLICY_BACKFILL };
        options.reservations = input.below(2) as i32;
        options.order = input.below(3) as i32;
        options.plans = input.below(2) as i32;
        options.slack = input.below(3) as f64 / 4.0;
        let prediction = Prediction::any(input);
        // A job on the machine that is not added as running stays there for good.
        let reported = jobs.iter().filter(|_| input.below(4) > 0).map(|held| held.0).collect::<Vec<_>>();
        let running = reported.into_iter().map(|handle| Running {
            handle,
            age: input.below(100) as i64,
            limit: input.below(250) as i64 * 2,
        });
        let running = running.collect();
        let waiting = (0..input.below(6)).map(|_| Waiting {
            wish: request(input),
            fit: input.below(3) as i32,
            limit: input.below(250) as i64 * 2,
            submit: NOW - 50 + input.below(100) as i64,
        });
        let waiting = waiting.collect();
        Question { options, prediction, running, waiting }
    }

    /// Asks a forecast with this much more room than needed, in steps of so much work. What the machine refuses is
    /// left out of the question.
    fn ask(&mut self, nodes: *const surefill_nodes, more: i32, work: i64) -> Vec<Answer> {
        let capacity = surefill_node_forecast_capacity {
            nodes: ROOM,
            classes: 2 + more,
            resources: 2,
            running: ROOM + more,
            waiting: ROOM + more,
            parts: 5 * ROOM + more,
            bins: 8 + more,
            events_per_bin: 4,
            scenarios: SCENARIOS + more,
            ..initialised(surefill_node_forecast_capacity_init)
        };
        let (mut size, mut forecast, mut step) = (0, null_mut(), -1);
        let known = self.prediction.clone();
        known.with(|prediction| unsafe {
            assert_eq!(surefill_node_forecast_size(&capacity, &mut size), 0);
            let mut memory = vec![u64::MAX; size as usize / 8];
            let to = memory.as_mut_ptr().cast();
            assert_eq!(surefill_node_forecast_init(to, size, &capacity, &mut forecast), 0);
            assert_eq!(surefill_node_forecast_begin(forecast, nodes, NOW, &self.options), 0);
            for &Running { handle, age, limit } in &self.running {
                let added = surefill_node_forecast_add_running(
                    forecast,
                    nodes,
                    handle,
                    age,
                    limit,
                    prediction,
                    null_mut(),
                );
                assert_eq!(added, 0);
            }
            self.waiting.retain(|&Waiting { ref wish, fit, limit, submit }| {
                accepted(surefill_node_forecast_add_waiting(
                    forecast,
                    nodes,
                    wish,
                    fit,
                    wish.count,
                    limit,
                    submit,
                    prediction,
                    null_mut(),
                ))
            });
            for round in 0.. {
                assert!(round < 100_000, "the forecast does not end");
                assert_eq!(surefill_node_forecast_run(forecast, nodes, work, &mut step), 0);
                if step == SUREFILL_STEP_DONE {
                    break;
                }
                assert_eq!(step, SUREFILL_STEP_MORE);
            }
            (0..self.waiting.len() as i32).map(|job| answer(forecast, job)).collect()
        })
    }

    /// The parts of the machine that jobs hold at a time, kind by kind, by a schedule.
    fn held(&self, jobs: &[Held], starts: &[Option<i64>], time: i64) -> [i64; 2] {
        let mut held = [0; 2];
        let mut hold = |request: &surefill_request, tasks: i32| {
            for (kind, held) in held.iter_mut().enumerate() {
                *held += i64::from(request.each[kind]) * i64::from(tasks);
            }
        };
        for (handle, wish, parts) in jobs {
            let known = self.running.iter().find(|running| running.handle == *handle);
            if known.is_none_or(|running| NOW + (running.limit - running.age).max(1) > time) {
                hold(wish, parts.iter().map(|part| part.tasks).sum());
            }
        }
        for (job, start) in self.waiting.iter().zip(starts) {
            if start.is_some_and(|start| (start..start + job.limit.max(1)).contains(&time)) {
                hold(&job.wish, job.wish.count);
            }
        }
        held
    }
}

/// Whether a call was made; else its status is one.
fn accepted(status: i32) -> bool {
    assert!((SUREFILL_ERROR_DOES_NOT_FIT..=SUREFILL_OK).contains(&status), "{status}");
    status == SUREFILL_OK
}

unsafe fn answer(forecast: *const surefill_node_forecast, job: i32) -> Answer {
    let (mut when, mut half_width) = (-1, -1.0);
    let mut quantiles = Vec::new();
    for rank in 1..=SCENARIOS {
        let share = f64::from(rank) / f64::from(SCENARIOS);
        let status = unsafe {
            surefill_node_forecast_start_quantile(forecast, job, share, &mut when, &mut half_width)
        };
        if status == SUREFILL_ERROR_NEVER {
            return None;
        }
        assert!(status == SUREFILL_OK && half_width >= 0.0, "{status} {half_width}");
        quantiles.push(when);
    }
    Some(quantiles)
}

/// See the module.
pub fn whole_forecast(nodes: *const surefill_nodes, classes: &[usize], jobs: &[Held], input: &mut Input) {
    let mut question = Question::any(input, jobs);
    let work = 1 + input.below(250) as i64 * 8;
    let answers = question.ask(nodes, 0, work);
    for (job, answer) in question.waiting.iter().zip(&answers) {
        let Some(starts) = answer else { continue };
        assert!(starts.is_sorted() && starts[0] >= NOW.max(job.submit), "{starts:?}");
    }
    assert_eq!(answers, question.ask(nodes, 3, i64::MAX));
    if matches!(question.prediction, Prediction::Nothing) {
        let starts: Vec<Option<i64>> =
            answers.iter().map(|answer| answer.as_ref().map(|starts| starts[0])).collect();
        let certain = |answer: &Answer| answer.as_ref().is_none_or(|starts| starts[0] == starts[3]);
        assert!(answers.iter().all(certain), "{answers:?}");
        for &time in starts.iter().flatten() {
            let held = question.held(jobs, &starts, time);
            for (kind, held) in held.into_iter().enumerate() {
                let had: i32 = classes.iter().map(|&class| CAPACITIES[class][kind]).sum();
                assert!(held <= i64::from(had), "{held} of {had} at {time}: {starts:?}");
            }
        }
    }
}
