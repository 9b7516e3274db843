//! Texts of `--help` beside the options: the notation of policies, the replay rules, exit statuses.

use crate::report::room::{WIDEST, room};

/// The notation of policies in a list.
const POLICIES: &str = "\
Policies are written policy[:predictor[:order[:rule]]]; what is left out is the policy's own first choice:
  * fcfs            no backfilling
  * easy            one reservation, for the head job; predictors limit, mean2, gibbons, smith, mean+1.5sigma, doubled,
                    clairvoyant, learned (on-line regression, Gaussier et al. 2015; also learned-doubling and
                    learned-limit, by what is expected of a job that outlives its prediction)
  * conservative    a reservation for every job
  * backfill        Slurm's main scheduler and sched/backfill, on machines of nodes alone, by the rules of a site where they
                    are known; easy's predictors, limit first, and any order
  * easy++          easy by the mean of the user's last two run times, shortest first
  * fair, fast      the scheduler engine's plan of the whole queue, as sites run it: a start for every waiting job, by the
                    cheapest of some sixty list schedules; predictors as prob has them, contexts first. Their order is
                    their own; in the place of a rule they have numbers: fair:contexts:fcfs:proposals=25+running=0.75
                    (short, steep, long, front, proposals, budget, slack, cut, running; docs/method.md says what they are).
                    fair has the shorter longest waits, fast the shorter mean. With the order multifactor a job's points are
                    worth the seconds of age that earn as many; where the site has no weight of age, or with tie=0 to 100,
                    jobs of a higher priority come first, and those within that percentage of the range are equal
  * delay, delay-fast the delay rule: presets of prob, by mix
  * papers            the rule of Nissimov & Feitelson 2007 as the scheduler engine has it, by contexts
  * strict          the first of the queue as long as it fits, in any order, no backfilling
  * lookahead       easy that packs best: of the jobs that may go ahead those that use most processors (Shmueli and
                    Feitelson 2005)
  * selective       a reservation for every job that has waited long for what it asks (Srinivasan et al. 2002)
  * slack           a promised latest start for every job: what is planned and the mean wait so far (Talby and Feitelson
                    1999); these four have easy's predictors
  * prob            backfills by the delay that the head job must expect; predictors mix, contexts, user, hmm,
                    hmm-online, limit, global, clairvoyant. Without a rule it is --preset, else delay. With one it is
                    plain: that rule alone, in the order of submission unless an order is named. Rules are relative,
                    seconds, and for comparison with the papers exact and bound, which make waits longer than EASY's
                    the better the predictor; with a threshold and events per bin of their own if they are not to be
                    those of --tau and --events-per-bin: relative=0.1, bound=0.05@1; and +report or +decide for its own
                    --calibrate: exact=0.05@8+report
Orders, of the queue and of its backfill candidates: fcfs; sjbf (candidates shortest first); delay, delay-fast (the
presets' priorities for both); delay-candidates, delay-fast-candidates (theirs for the candidates alone); by published
formulas for both: sjf, ljf (shortest, longest first), lxf (largest expansion factor), wfp3, unicef (Tang et al. 2009), f1 to f4
(Carastan-Santos and de Camargo 2017); fair-share (the user who has used least, usage halved every week); multifactor (a
site's priorities by Slurm's formula: fair share by decayed usage, age, size, factors of the trace's queue and QOS, tier
of the queue, with the weights and times of --priorities; where the trace knows no users all jobs are one user's); points (that with a site
factor for short, narrow and old jobs on top, by the limits) and points-fixed (the same as job_submit.lua can write it),
both also by predictions, which the policy itself does not use: points-mix-mean, -median, -0.6, points-contexts-mean,
-median, -0.6, points-share, points-clairvoyant, points-fixed-mix-mean and so on. fcfs and conservative have fcfs only, easy++ all but fcfs and the two for
candidates alone, the plans fcfs and multifactor.
Changes in tables are against easy with limits, where it is in the list: with multifactor rather than with fcfs. By
quarter of the priority at submission they are in --table fairness where a policy has the order multifactor or points.

";

/// The replay rules, the preset, the exit statuses.
pub const RULES: &str = "\
Replay rules (public EASY simulators differ by percents in mean wait through such rules):
  * At one second terminations come before submissions, then one scheduling pass is made.
  * A job whose run time is unknown (negative) was cancelled before it started: it is dropped. Run time 0 is kept.
  * Processors are those used (field 5). Where they are unknown, --missing-processors says whether those requested
    (field 8) stand in for them or the job is dropped. Jobs without either are dropped.
  * A job wider than the machine is cut to its size.
  * Without a requested time (field 9) the run time is the limit.
  * A run time above the limit: --overrun keep (it runs on), cut (killed at the limit), raise (the limit becomes the
    run time). Under EASY and prob a running job past its limit is expected to end one second from now (--overdue
    soon), or at its limit although that is past (--overdue past), so that no job is backfilled beyond what the head
    leaves free.
  * --seed S other than 0 shifts every submission by 0 to 59 s, uniformly (ChaCha8 seeded with S). Schedules are
    chaotic: one second's difference changes a mean wait by percents. Compare policies over several --seeds.
Every rule's jobs are counted and reported.

--preset delay (the default of prob) puts queue and candidates in an order by predicted run time, processors and age;
starts ahead of the head job what delays it by little of its expected wait, and whatever EASY would start; delays nobody who
has waited longer than most by more than EASY would. --preset delay-fast goes further: shorter waits, but longer longest
ones. --preset easy is --policy easy. What a preset consists of is in the JSON output under options; every value has an option.

--preset papers sets what Nissimov & Feitelson 2007 used: the machine's size by the start of the trace's file name
(CTC-SP2 512, KTH-SP2 100, SDSC-SP2 128, SDSC-BLUE 1152), jobs without used processors dropped, run times kept,
--overdue past, and for probabilistic backfilling the lower bound, one event a bin, tau 0.05 and the prediction made at
submission. --preset sizes sets the machine's size only. Options given beside a preset win.

Exit status: 0 success, 1 the work failed, 2 bad usage.";

/// The division of a comparison into shards.
const SHARDS: &str = "\
--shard I/N replays every N-th of traces x policies x seeds, from the I-th on, and prints them for surefill merge, which
prints what the unsharded run would have printed. In a Slurm job array:

    sbatch --array=1-40 --wrap 'surefill compare --shard array *.swf > $SLURM_ARRAY_TASK_ID.json'
    surefill merge *.json

";

/// Text at the end of `compare --help`.
pub fn compare() -> String {
    format!("{POLICIES}{SHARDS}{RULES}")
}

/// Columns of text that help is written in.
pub fn width() -> usize {
    room().unwrap_or(100).clamp(20, WIDEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::room::wrapped;

    #[test]
    fn the_rules_stay_a_list() {
        let wide = wrapped(RULES, 200);
        assert!(wide.contains("Replay rules (public EASY simulators differ by percents in mean wait through such rules):\n  * At one second"));
    }
}
