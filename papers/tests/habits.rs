//! Habits of people in generated workloads, by the measures of `similar`.

use crate::common::models::{sample, write};
use surefill_papers::generate::Model;
use surefill_papers::generate::markov::Variant;
use surefill_papers::studies::similar::Measures;
use surefill_simulator::generate::History;
use surefill_simulator::trace::swf::{Strictness, read};

/// The user's request is kept from job to job about as often as in the trace, and users do what they did there.
#[test]
fn people_keep_their_habits() {
    let history = sample();
    let bytes = write(&Model::markov(&history, Variant::Calibrated), &history, 3000, 5);
    let made = History::new(&read(&bytes[..], "made.swf", Strictness::Strict).unwrap(), "made.swf").unwrap();
    let measures = Measures::new;
    let (original, synthetic) = (measures(&history.jobs), measures(&made.jobs));
    let close = |a: Option<f64>, b: Option<f64>, within: f64| {
        let apart = a.zip(b).map(|(a, b)| (a - b).abs());
        assert!(apart.is_some_and(|apart| apart < within), "{a:?} {b:?}");
    };
    // Only one user has most pairs of classes here, so that he often follows himself.
    close(original.same_user, synthetic.same_user, 0.1);
    close(original.accuracy, synthetic.accuracy, 0.05);
    close(original.repeated_class, synthetic.repeated_class, 0.15);
    assert_eq!(synthetic.users, 7);
}
