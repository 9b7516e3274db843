//! `surefill advise` on clusters as they are: nodes that have left, partitions that overlap, arrays.

use super::advising::advice_of;
use surefill_simulator::live::advise::Advice;
use surefill_simulator::live::advise::starts::Start;

const NOW: i64 = 1_700_000_000;
const SEPARATOR: &str = "|0123456789abcdef|";

/// A line of `squeue`: number, user, partition, nodes of 4 cores, limit, time used (none for one that waits), priority.
fn job(id: &str, user: &str, partition: &str, nodes: u32, limit: &str, used: &str, priority: u32) -> String {
    let state = if used.is_empty() { "PENDING" } else { "RUNNING" };
    let used = if used.is_empty() { "0:00" } else { used };
    let (nodes, cores) = (nodes.to_string(), (4 * nodes).to_string());
    let (submit, priority) = ((NOW - 90_000).to_string(), priority.to_string());
    let front = [id, user, partition, state, &nodes, &cores, limit, used, &submit, &priority];
    let rest = ["Priority", "a", "N/A", "N/A", "(null)", "", "N/A", "(null)", "(null)", "wrap"];
    front.iter().chain(&rest).flat_map(|field| [SEPARATOR, field]).collect::<String>() + "\n"
}

/// A job of the past: user, partition, when it was submitted, started and ended before now, nodes.
fn past(user: &str, partition: &str, times: [i64; 3], nodes: u32) -> String {
    let [submit, start, end] = times.map(|ago| (NOW - ago).to_string());
    let (nodes, cores) = (nodes.to_string(), (4 * nodes).to_string());
    [user, partition, "COMPLETED", &submit, &start, &end, "60", &nodes, &cores, "wrap"].join(SEPARATOR) + "\n"
}

/// Nodes of a partition, from one number on, each in a state.
fn nodes(partition: &str, from: usize, states: &[&str]) -> String {
    let line = |(i, state): (usize, &&str)| format!("n{}|{partition}|{state}|4\n", from + i);
    states.iter().enumerate().map(line).collect()
}

fn advice(jobs: &str, nodes: &str, history: &str) -> Advice {
    advice_of(NOW, jobs, nodes, history)
}

fn start<'a>(advice: &'a Advice, job: &str) -> &'a Start {
    advice.starts.iter().find(|start| start.job == job).expect("a start")
}

/// The median of the first start, and of the last.
fn medians(start: &Start) -> [Option<i64>; 2] {
    [&start.quantiles, &start.last].map(|all| all.get(2).map(|quantile| quantile.within))
}

/// Jobs of the past had both nodes, one of which has left since: the moment is played on the machine of then. Where
/// they shared nodes it is left out.
#[test]
fn the_past_need_not_fit_the_present() {
    let jobs = job("1", "a", "main", 1, "1:00:00", "10:00", 9) + &job("2", "b", "main", 1, "1:00:00", "", 5);
    let both = past("a", "main", [9000, 9000, 8000], 1).repeat(2) + &past("b", "main", [8500, 8000, 7000], 1);
    let shared =
        past("a", "main", [9000, 9000, 8000], 1).repeat(3) + &past("b", "main", [8500, 8000, 7000], 1);
    for state in ["drained", "down*", "maint", "fail", "drng@", "drain"] {
        for history in [&both, &shared] {
            let advice = advice(&jobs, &nodes("main", 1, &["allocated", state]), history);
            let [median, _] = medians(start(&advice, "2"));
            assert!(median.is_some_and(|median| (300..3600).contains(&median)), "{state} {median:?}");
            assert_eq!((advice.heads[0].needs, advice.heads[0].idle, &advice.heads[0].note), (1, 0, &None));
            assert_eq!(advice.remarks, Vec::<String>::new());
        }
    }
}

/// Thirty nodes, of which eight are idle and two are being drained under jobs that have run for long; one is reserved.
#[test]
fn nodes_that_leave_take_their_jobs_along() {
    let running: String = (0..21)
        .map(|id| {
            job(&id.to_string(), "a", "main", 1, "2:00:00", if id < 2 { "1:30:00" } else { "10:00" }, 9)
        })
        .collect();
    let states = [&["idle"; 8][..], &["allocated"; 19], &["draining", "drng", "reserved"]].concat();
    let jobs = running + &job("30", "b", "main", 27, "1:00:00", "", 5);
    let advice = advice(&jobs, &nodes("main", 1, &states), "");
    let head = &advice.heads[0];
    assert_eq!((head.counted, head.needs, head.idle, &head.note), (Some("nodes"), 27, 8, &None));
    // All jobs that are left have run for ten minutes of two hours.
    assert_eq!(head.by_limits, Some(6600));
    // Stretched a little, as these have waited for longer than their queue said.
    assert!(medians(start(&advice, "30"))[0].is_some_and(|median| (6600..8000).contains(&median)));
    // Shared nodes are counted by their cores.
    let half = jobs.replace(
        &format!("{SEPARATOR}1{SEPARATOR}4{SEPARATOR}"),
        &format!("{SEPARATOR}1{SEPARATOR}2{SEPARATOR}"),
    );
    let another = |id| job(id, "a", "main", 1, "2:00:00", "20:00", 9);
    let more = half.clone() + &another("40") + &another("41");
    let advice = self::advice(&more, &nodes("main", 1, &states), "");
    assert_eq!((advice.heads[0].counted, &advice.heads[0].note), (Some("processors"), &None));
    assert!(advice.heads[0].idle >= 32, "{:?}", advice.heads[0]);
}

/// Partition b has half of the nodes of a, and two of its own: each job is played on the nodes of its partition, and
/// each partition has a head job.
#[test]
fn partitions_that_overlap_are_predicted() {
    let sinfo = nodes("a", 0, &["allocated"; 4])
        + &nodes("b", 2, &["allocated"; 2])
        + &nodes("b", 4, &["allocated", "idle"]);
    // Job 4 has half an hour left, the others 50 minutes, job 5 of b more than an hour.
    let running = |lists: [&str; 5]| -> String {
        let line = |(id, list): (usize, &&str)| {
            let (partition, limit) = [("a", "1:00:00"), ("b", "2:00:00")][usize::from(id == 4)];
            let used = if id == 3 { "30:00" } else { "10:00" };
            let line = job(&(id + 1).to_string(), "u", partition, 1, limit, used, 9);
            line.replace(&format!("{SEPARATOR}wrap"), &format!("{SEPARATOR}{list}{SEPARATOR}wrap"))
        };
        lists.iter().enumerate().map(line).collect()
    };
    let waiting = job("20", "u", "a", 4, "1:00:00", "", 5) + &job("21", "v", "b", 2, "0:45:00", "", 4);
    let median = |answer: &Advice, name: &str| medians(start(answer, name))[0];
    // Job 21 has one idle node. It waits for another: job 4 runs on one of b's, which job 20 wants 20 minutes later.
    let answer = advice(&(running(["n0", "n1", "n2", "n3", "n4"]) + &waiting), &sinfo, "");
    assert_eq!(median(&answer, "20"), Some(3000));
    assert_eq!(median(&answer, "21"), Some(6600));
    // Job 4 runs on a node that b does not have.
    let other =
        advice(&(running(["n2", "n1", "n0", "n3", "n4"]).replace("30:00", "10:00") + &waiting), &sinfo, "");
    assert_eq!(median(&other, "21"), Some(6600));
    // A job that ends by the time at which job 20 starts takes the node first.
    let short = waiting.replace("0:45:00", "0:15:00");
    let answer = advice(&(running(["n0", "n1", "n2", "n3", "n4"]) + &short), &sinfo, "");
    assert_eq!((median(&answer, "20"), median(&answer, "21")), (Some(3000), Some(1800)));
    let heads: Vec<(&str, u32, Option<i64>)> =
        answer.heads.iter().map(|head| (head.job.as_str(), head.idle, head.by_limits)).collect();
    assert_eq!(heads, [("20", 0, Some(3000)), ("21", 1, None)]);
    assert_eq!(answer.heads[1].note.as_deref(), Some("behind a job of partitions that share its nodes"));
    let remark = "partitions a, b share nodes: each job is played on those of its own partition, the first in sinfo's \
                  order that are free";
    assert_eq!(answer.remarks, [remark]);
    // Without lists of nodes it follows from the states that job 5 is on the node of b alone.
    let unlisted = running(["", "", "", "", ""])
        .replace(&format!("{SEPARATOR}{SEPARATOR}wrap"), &format!("{SEPARATOR}wrap"));
    let answer = advice(&(unlisted + &short), &sinfo, "");
    assert_eq!(median(&answer, "20"), Some(3000));
    assert!(answer.remarks[0].contains("concluded from the nodes' states"), "{:?}", answer.remarks);
}

/// A job on a node that is being drained does not give it back, and by the list of its nodes it is known which job that
/// is: not the oldest one.
#[test]
fn lists_say_which_job_leaves_with_its_node() {
    let line = |id: usize, used: &str, list: &str| {
        let line = job(&id.to_string(), "u", "main", 1, "1:00:00", used, 9);
        line.replace(&format!("{SEPARATOR}wrap"), &format!("{SEPARATOR}{list}{SEPARATOR}wrap"))
    };
    let sinfo = nodes("main", 0, &["allocated", "allocated", "draining"]);
    let jobs = line(1, "40:00", "n0") + &line(2, "30:00", "n[1]") + &line(3, "10:00", "n2");
    let both = advice(&(jobs.clone() + &job("9", "v", "main", 2, "1:00:00", "", 5)), &sinfo, "");
    assert_eq!((medians(start(&both, "9"))[0], both.heads[0].by_limits), (Some(1800), Some(1800)));
    let one = advice(&(jobs + &job("9", "v", "main", 1, "1:00:00", "", 5)), &sinfo, "");
    assert_eq!(medians(start(&one, "9"))[0], Some(1200));
}

/// The nodes of a small partition are all nodes that a large one has as well: what waits for the large one is ahead of
/// the small one's job, whoever runs on its nodes.
#[test]
fn what_waits_for_shared_nodes_is_seen() {
    let sinfo = nodes("all", 0, &["allocated"; 12]) + &nodes("own", 0, &["allocated"; 4]);
    let median = |own: usize| {
        let running = |id: usize| {
            let partition = if id < own { "own" } else { "all" };
            job(&id.to_string(), "u", partition, 1, "1:00:00", "30:00", 9)
        };
        let waiting = |id: usize| job(&(100 + id).to_string(), "u", "all", 1, "1:00:00", "", 100);
        let jobs: String = (0..12).map(running).chain((0..100).map(waiting)).collect();
        let advice = advice(&(jobs + &job("500", "v", "own", 1, "1:00:00", "", 1)), &sinfo, "");
        medians(start(&advice, "500"))[0].expect("a start")
    };
    // A hundred hours on twelve nodes, eight of them at a time behind each other.
    assert_eq!(median(4), median(3));
    assert!(median(4) > 6 * 3600, "{}", median(4));
}

/// Five nodes are a partition's own; a job that wants seven waits for ever, and delays no job of the larger one.
#[test]
fn a_job_wider_than_its_partition_never_starts() {
    let sinfo = nodes("all", 0, &["allocated"; 8]) + &nodes("b", 3, &["allocated"; 5]);
    let running: String =
        (0..8).map(|id| job(&id.to_string(), "u", "all", 1, "1:00:00", "30:00", 9)).collect();
    let jobs =
        running + &job("20", "v", "b", 7, "1:00:00", "", 100) + &job("21", "u", "all", 8, "1:00:00", "", 5);
    let answer = advice(&jobs, &sinfo, "");
    assert_eq!(medians(start(&answer, "20")), [None, None]);
    assert_eq!(medians(start(&answer, "21")), [Some(1800), None]);
}

/// Four tasks run, forty wait for them in lines of their own: the job behind starts ten hours after these have ended.
#[test]
fn tasks_in_lines_of_their_own_are_counted() {
    let running: String =
        (0..4).map(|id| job(&format!("12_{id}"), "a", "main", 1, "1:00:00", "10:00", 9)).collect();
    let waiting: String =
        (4..44).map(|id| job(&format!("12_{id}"), "a", "main", 1, "1:00:00", "", 9)).collect();
    let jobs = running
        + &waiting.replace(&format!("{SEPARATOR}Priority"), &format!("{SEPARATOR}JobArrayTaskLimit"))
        + &job("20", "b", "main", 1, "1:00:00", "", 5);
    let answer = advice(&jobs, &nodes("main", 1, &["allocated"; 4]), "");
    assert_eq!(medians(start(&answer, "20")), [Some(3000 + 10 * 3600), None]);
}

/// Nothing is known of jobs without limits and without a history: no start is predicted, and nothing fails.
#[test]
fn without_limits_and_history_nothing_is_predicted() {
    for waiting in ["2", "12_[0-1]", "12_[0-3%1]"] {
        let jobs = job("1", "a", "main", 1, "UNLIMITED", "10:00", 9)
            + &job(waiting, "b", "main", 1, "UNLIMITED", "", 5);
        let answer = advice(&jobs, &nodes("main", 1, &["allocated"]), "");
        assert_eq!((answer.starts.len(), medians(&answer.starts[0])), (1, [None, None]), "{waiting}");
        let note = answer.starts[0].note.as_deref().expect("a note");
        assert!(note.starts_with("no prediction: not within the "), "{note}");
        assert_eq!(answer.remarks, Vec::<String>::new());
    }
}

/// All run to their limits, as nothing else is known of them: the same start in every scenario is no interval. A job
/// for which there is room starts now, by every answer.
#[test]
fn what_is_no_interval_is_no_interval() {
    let jobs = job("1", "a", "main", 1, "1:00:00", "10:00", 9) + &job("2", "b", "main", 2, "1:00:00", "", 5);
    let answer = advice(&jobs, &nodes("main", 1, &["allocated", "idle"]), "");
    let within: Vec<i64> = start(&answer, "2").quantiles.iter().map(|quantile| quantile.within).collect();
    assert_eq!((answer.heads[0].by_limits, &within[..]), (Some(3000), &[3000; 5][..]));
    let note = start(&answer, "2").note.as_deref();
    assert_eq!(note, Some("the same start in every scenario: no interval is known"));
    // With a history there is one, and none of its levels is beyond the start by limits.
    let history: String = (1..200)
        .map(|job| past("a", "main", [2000 * job, 2000 * job - 5, 2000 * job - 5 - 9 * (job % 100)], 2))
        .collect();
    let answer = advice(&jobs, &nodes("main", 1, &["allocated", "idle"]), &history);
    let start_ = start(&answer, "2");
    let within: Vec<i64> = start_.quantiles.iter().map(|quantile| quantile.within).collect();
    assert!(within.is_sorted() && within[0] < within[4] && within[4] <= 3000, "{start_:?}");
    assert_eq!((start_.note.as_deref(), answer.heads[0].by_limits), (None, Some(3000)));
    let fits = advice(&jobs, &nodes("main", 1, &["allocated", "idle", "idle"]), &history);
    assert!(fits.heads[0].note.as_deref().is_some_and(|note| note.starts_with("it would fit")));
    assert!(start(&fits, "2").quantiles.iter().all(|quantile| quantile.within == 0), "{fits:?}");
    assert_eq!(start(&fits, "2").started[0].probability, 1.0);
}

/// Where jobs that would fit have waited for longer than ever for the next start nothing is predicted.
#[test]
fn nothing_is_predicted_of_a_machine_that_may_be_down() {
    let jobs = job("1", "a", "main", 1, "1:00:00", "", 9) + &job("2", "b", "main", 2, "1:00:00", "", 5);
    // Every job of the past started within five minutes; the two have waited for 25 hours.
    let history = |count: i64| -> String {
        let ago = |number: i64| 90_000 + 2000 * (count - number);
        let times = |number| [ago(number) + 1300, ago(number) + 1000, ago(number)];
        (0..count).map(|number| past("a", "main", times(number), 2)).collect()
    };
    let answer = advice(&jobs, &nodes("main", 1, &["idle", "idle"]), &history(200));
    for name in ["1", "2"] {
        let start = start(&answer, name);
        let note = start.note.as_deref().unwrap();
        assert!(note.starts_with("cannot tell: nothing has started for 25 h 0 min"), "{note}");
        assert!(start.quantiles.is_empty() && start.last.is_empty() && start.started.is_empty(), "{start:?}");
    }
    // Where few pauses are known half a day is one too many; where nothing fits nothing has to start.
    let few = advice(&jobs, &nodes("main", 1, &["idle", "idle"]), &history(50));
    let note = start(&few, "1").note.as_deref().unwrap();
    assert!(note.starts_with("cannot tell: nothing has started for 25 h 0 min"), "{note}");
    let busy = job("9", "a", "main", 2, "2-00:00:00", "1-02:00:00", 9) + &jobs;
    let busy = advice(&busy, &nodes("main", 1, &["allocated", "allocated"]), &history(200));
    assert!(start(&busy, "1").quantiles.len() == 5, "{:?}", busy.starts);
    // Nor does what would delay the head job.
    let head = job("9", "a", "main", 1, "2-00:00:00", "1-02:00:00", 9)
        + &job("1", "a", "main", 2, "1:00:00", "", 9)
        + &job("2", "b", "main", 1, "9-00:00:00", "", 5);
    let drained = advice(&head, &nodes("main", 1, &["allocated", "idle"]), &history(200));
    assert!(drained.starts.iter().all(|start| start.quantiles.len() == 5), "{:?}", drained.starts);
}

/// A hundred tasks of an hour ahead of a job, on four nodes: 25 hours.
#[test]
fn the_tasks_of_an_array_are_jobs() {
    let running: String =
        (0..4).map(|id| job(&format!("7_{id}"), "a", "main", 1, "1:00:00", "10:00", 9)).collect();
    let behind = job("13", "b", "main", 1, "1:00:00", "", 5);
    let sinfo = nodes("main", 1, &["allocated"; 4]);
    let predicted = |array: &str, at_once: &str| {
        let array = job(array, "a", "main", 1, "1:00:00", "", 8);
        let advice = advice(&(running.clone() + &array.replace("Priority", at_once) + &behind), &sinfo, "");
        let [first, last] = medians(&advice.starts[0]);
        ([first, last, medians(start(&advice, "13"))[0]], advice.starts[0].tasks, advice.remarks)
    };
    const FREE: i64 = 50 * 60;
    let at = |hours: i64| Some(FREE + 3600 * hours);
    assert_eq!(predicted("12_[0-99]", "Priority"), ([at(0), at(24), at(25)], 100, vec![]));
    assert_eq!(predicted("12_[7]", "Priority").0, [at(0), None, at(0)]);
    assert_eq!(predicted("12_[1,3,5-9:2]", "Priority").0, [at(0), at(1), at(1)]);
    // Two tasks at once leave two nodes to the job behind.
    assert_eq!(predicted("12_[0-99%2]", "Priority").0, [at(0), None, at(0)]);
    // A limit that the pool has no room for keeps no job waiting.
    assert_eq!(predicted("12_[0-99%4]", "Priority").0, [at(0), at(24), at(25)]);
    // Four run: the job behind waits for the end of 104 in four places. Where two may run at once, the running ones
    // go on with the waiting ones, none of which starts before three of the four have ended.
    for reason in ["Priority", "JobArrayTaskLimit"] {
        assert_eq!(predicted("7_[4-103%4]", reason).0, [at(0), at(24), at(25)]);
        assert_eq!(predicted("7_[4-103%2]", reason).0, [None, None, at(0)]);
    }
    // More than are played one by one: the job behind starts when a fourth of them has ended.
    assert_eq!(predicted("12_[1-2000]", "Priority"), ([at(0), None, at(500)], 2000, vec![]));
    let (starts, tasks, remarks) = predicted("12_[1-4,6-9,11-1...%2]", "Priority");
    assert_eq!((starts, tasks, remarks.len()), ([at(0), None, at(0)], 8, 1));
    assert!(remarks[0].contains("more tasks wait than are counted"), "{remarks:?}");
}
