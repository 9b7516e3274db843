//! One backfill: the delay that was predicted, and the one that followed.

/// One accepted backfill, judged afterwards.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Backfill {
    /// Number of the head job it overtook.
    pub head: i64,
    /// The delay that the policy predicted, in its criterion's unit (probability, or seconds, or a ratio); 0 for
    /// policies that promise no delay.
    pub predicted: f64,
    /// Counterfactual: seconds by which the head job's earliest start moved because of this backfill, from the true end
    /// times of the jobs running at that moment (those accepted before it in the same pass included).
    pub observed_delay: i64,
    /// The predicted delay in expected seconds, where the policy's criterion counts in seconds; 0 for others.
    pub predicted_s: f64,
    /// Counterfactual: seconds after this decision at which the head job could have started without this backfill.
    pub head_wait: i64,
}
