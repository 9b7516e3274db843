//! One distribution for each waiting job, in a burst of equal jobs and in a jam without limits: what `advise` prints,
//! in JSON and in its tables, is what `serve` and `predict-wait` tell of it.

use super::nodes::splitmix::splitmix;
use super::predict_wait_command::{json, surefill};
use super::serve_command::serve;
use serde_json::Value;
use std::path::Path;
use surefill_simulator::report::advice::span;
use surefill_simulator::report::waiting::duration;

const SEPARATOR: &str = "|0123456789abcdef|";
const T: i64 = 1_700_000_000;
const NODES: i64 = 40;
/// Ten hours and ten minutes after the burst.
const NOW: i64 = T + 36_600;
const LEVELS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// A job of one node of four processors.
struct Job {
    id: i64,
    user: &'static str,
    /// Minutes, if it has a limit.
    limit: Option<i64>,
    submit: i64,
    /// Its start and its end, if they have come.
    start: Option<i64>,
    end: Option<i64>,
}

impl Job {
    /// The line of `squeue`.
    fn listed(&self) -> String {
        let ran = self.start.map_or(0, |start| NOW - start);
        let (id, submit, priority) =
            (self.id.to_string(), self.submit.to_string(), (100_000 - self.id).to_string());
        let used = format!("{}:{:02}", ran / 60, ran % 60);
        let limit = self.limit.map_or("UNLIMITED".to_owned(), |limit| format!("{limit}:00"));
        let (state, why) = if self.start.is_some() { ("RUNNING", "None") } else { ("PENDING", "Priority") };
        let front = [&id, self.user, "a", state, "1", "4", &limit, &used, &submit, &priority, why, "p"];
        let fields = [&front[..], &["N/A", "N/A", "(null)", "", "N/A", "(null)", "(null)", "y"]].concat();
        fields.iter().fold(String::new(), |line, field| line + SEPARATOR + field) + "\n"
    }

    /// The line of `sacct`.
    fn accounted(&self) -> String {
        let times = [Some(self.submit), self.start, self.end].map(|time| time.unwrap_or(0).to_string());
        let limit = self.limit.map_or("UNLIMITED".to_owned(), |limit| limit.to_string());
        let fields = [self.user, "a", "COMPLETED", &times[0], &times[1], &times[2], &limit, "1", "4", "x"];
        fields.join(SEPARATOR) + "\n"
    }

    /// The row of the table that the service reads.
    fn tabled(&self) -> String {
        let time = |time: Option<i64>| time.map_or(String::new(), |time| time.to_string());
        let state = match (self.start, self.end) {
            (_, Some(_)) => "COMPLETED",
            (Some(_), None) => "RUNNING",
            _ => "PENDING",
        };
        let (start, end, limit) = (time(self.start), time(self.end), self.limit.unwrap_or(525_600));
        format!("{}|{}|{start}|{end}|{limit}|4|{state}\n", self.id, self.submit)
    }
}

/// Writes a cluster's files: forty nodes, a quiet week, and these jobs.
fn write(folder: &Path, jobs: Vec<Job>) {
    let quiet = (0..300).map(|job| {
        let start = T - 7 * 86_400 + 1900 * job;
        let (start, end) = (Some(start), Some(start + 1800));
        Job { id: 1 + job, user: "u1", limit: Some(120), submit: start.unwrap_or(0), start, end }
    });
    let jobs: Vec<Job> = quiet.chain(jobs).collect();
    let (mut queue, mut past) = (String::new(), String::new());
    let mut table = "JobID|Submit|Start|End|TimelimitRaw|ReqCPUS|State\n".to_owned();
    for job in &jobs {
        match job.end {
            Some(_) => past += &job.accounted(),
            None => queue += &job.listed(),
        }
        table += &job.tabled();
    }
    let nodes: String = (0..NODES).map(|node| format!("n{node}|a|allocated|4\n")).collect();
    for (name, text) in [("squeue", queue), ("sinfo", nodes), ("sacct", past), ("history.txt", table)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

fn advise_at(folder: &Path, now: i64, how: &[&str]) -> std::process::Output {
    let now = now.to_string();
    let files = ["--squeue", "squeue", "--sinfo", "sinfo", "--history", "sacct", "--now", &now];
    surefill(&[&["advise"], how, &files[..]].concat(), folder)
}

/// A user sends a thousand jobs of an hour at once; each hour forty of them start. Returns the waiting ones and the
/// seconds after which they really start.
fn burst(folder: &Path) -> Vec<(String, i64)> {
    let job = |number: i64| {
        let start = T + number / NODES * 3600 + 60;
        let (begun, end) = (Some(start).filter(|&start| start <= NOW), Some(start + 3600));
        let end = end.filter(|&end| end <= NOW);
        Job { id: 1000 + number, user: "u2", limit: Some(120), submit: T, start: begun, end }
    };
    write(folder, (0..1000).map(job).collect());
    (440..1000).map(|number| ((1000 + number).to_string(), T + number / NODES * 3600 + 60 - NOW)).collect()
}

/// Jobs without limits hold every node, and 999 more wait.
fn jam(folder: &Path) {
    let start = |number| Some(T + 60).filter(|_| number < NODES);
    let job = |number| Job {
        id: 1000 + number,
        user: "u2",
        limit: None,
        submit: T,
        start: start(number),
        end: None,
    };
    write(folder, (0..NODES + 999).map(job).collect());
}

/// A user without limits sends a thousand jobs of ten minutes to four hours at once. Returns the waiting ones and the
/// seconds after which they really start.
fn unequal(folder: &Path) -> Vec<(String, i64)> {
    let (mut seed, mut free) = (7, [T + 60; NODES as usize]);
    let (mut jobs, mut left) = (Vec::new(), Vec::new());
    for id in 1000..2000 {
        let share = splitmix(&mut seed) as f64 / 2f64.powi(64);
        let run_time = (600.0 * 24f64.powf(share)) as i64;
        let node = free.iter_mut().min().unwrap();
        let start = *node;
        *node += run_time;
        let end = Some(*node).filter(|&end| end <= NOW);
        if start > NOW {
            left.push((id.to_string(), start - NOW));
        }
        let start = Some(start).filter(|&start| start <= NOW);
        jobs.push(Job { id, user: "u2", limit: None, submit: T, start, end });
    }
    write(folder, jobs);
    left
}

/// The instants of a start in seconds from now, those that are predicted; the rest of the levels is not known.
fn instants(start: &Value) -> Vec<i64> {
    let all = start["quantiles"].as_array().unwrap();
    assert!(all.iter().zip(LEVELS).all(|(one, level)| one["probability"] == level), "{start}");
    all.iter().map(|one| one["within"].as_i64().unwrap()).collect()
}

/// The cells of the rows of a Markdown table that begins with this title, by the first of them.
fn cells(text: &str, title: &str) -> Vec<Vec<String>> {
    let table = text.lines().skip_while(|line| !line.starts_with(&format!("| {title}")));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// Compares all answers about the waiting jobs with these options. Returns their names and instants.
fn agree(folder: &Path, options: &[&str]) -> Vec<(String, Vec<i64>)> {
    let advise = |how| advise_at(folder, NOW, &[&["-q", how], options].concat());
    let advised = json(&advise("--json"));
    std::fs::write(folder.join("starts.json"), advised.to_string()).unwrap();
    let starts = advised["starts"].as_array().unwrap();
    // The tables.
    let text = String::from_utf8(advise("--markdown").stdout).unwrap();
    let rows = cells(&text, "waiting job");
    assert_eq!(rows.len(), starts.len(), "{text}");
    let shown = |instants: &[i64], write: &dyn Fn(i64) -> String, none: &str| {
        let level = |level: usize| instants.get(level).map_or(none.to_owned(), |&within| write(within));
        [0, 2, 3, 4].map(level)
    };
    for (row, start) in rows.iter().zip(starts) {
        assert_eq!(row[0], start["job"].as_str().unwrap());
        assert_eq!(row[4..8], shown(&instants(start), &span, "–"), "{row:?}");
    }
    let head = &advised["heads"][0];
    let first = starts.iter().find(|start| start["job"] == head["job"]).unwrap();
    let by_limits = head["by_limits"].as_i64();
    let latest = instants(first).last().copied();
    assert!(by_limits.is_none_or(|most| latest.is_some_and(|last| last <= most)), "{head} {first}");
    let row = &cells(&text, "head job")[0];
    assert_eq!((&row[0], &row[4]), (&rows[0][0], &by_limits.map_or("–".to_owned(), span)));
    // The service, at the time of the forecast.
    let now = NOW.to_string();
    let server = serve(folder, &["history.txt", "--starts", "starts.json", "--now", &now]);
    let found = server.json("/api/starts").1;
    let page = server.get("/").2;
    let listed = found["starts"].as_array().unwrap();
    assert_eq!(listed.len(), starts.len());
    for (start, over_http) in starts.iter().zip(listed) {
        let job = start["job"].as_str().unwrap();
        for part in ["job", "quantiles", "started", "last", "note", "waited"] {
            assert_eq!(start[part], over_http[part], "{part} of {job}");
        }
        let known = instants(start);
        let wanted = shown(&known, &|within| duration(within as f64), "-");
        let row = page.split("<th scope=\"row\">").find(|row| row.trim_start().starts_with(job)).unwrap();
        let shown: Vec<&str> =
            row.split("<td>").skip(3).map(|cell| cell.split('<').next().unwrap()).collect();
        assert_eq!(shown, wanted, "{job}");
        for (within, level) in known.iter().zip(LEVELS) {
            let answer = server.json(&format!("/api/wait?job={job}&quantile={level}")).1;
            assert_eq!(answer["answer"], "forecast", "{answer}");
            assert_eq!(answer["from_now_s"].as_i64(), Some(*within), "{job} at {level}");
        }
        for chance in start["started"].as_array().unwrap() {
            let answer = server.json(&format!("/api/wait?job={job}&within={}", chance["within"])).1;
            let [one, other] = [&answer["start"], chance].map(|one| one["probability"].as_f64().unwrap());
            assert!((one - other).abs() < 1e-9, "{job}: {answer} {chance}");
        }
    }
    // The command, of some jobs.
    for start in starts.iter().step_by(111).filter(|start| !instants(start).is_empty()) {
        let job = start["job"].as_str().unwrap();
        let ask = ["predict-wait", "history.txt", "--starts", "starts.json", "--now", &now, "--json"];
        for (within, level) in instants(start).iter().zip(LEVELS) {
            let answer = json(&surefill(
                &[&ask[..], &["--job", job, "--quantile", &level.to_string()]].concat(),
                folder,
            ));
            assert_eq!(answer["from_now_s"].as_i64(), Some(*within), "{answer}");
        }
    }
    let of = |start: &Value| (start["job"].as_str().unwrap().to_owned(), instants(start));
    starts.iter().map(of).collect()
}

/// All medians but three lie within a factor of 2 of the wait that comes: the run times that the ends have taught count
/// for the jobs that run as well. The three are those of the first jobs, as run times are drawn inside their bin.
#[test]
fn a_burst_of_equal_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let left = burst(folder.path());
    let advised = agree(folder.path(), &[]);
    assert_eq!((left.len(), advised.len()), (560, 560));
    let (mut near, mut inside) = (0, 0);
    for ((job, wait), (name, levels)) in left.iter().zip(&advised) {
        assert_eq!(job, name);
        near += usize::from(levels[2] <= 2 * wait && 2 * levels[2] >= *wait);
        inside += usize::from((levels[0]..=levels[4]).contains(wait));
    }
    println!("{near} medians within a factor of 2, {inside} starts in the interval of 90 %");
    assert!(near >= 557 && inside >= 500, "{near} {inside}");
}

/// The same where half of the nodes are in a second partition as well, in which one job runs on one of ten more nodes:
/// each job is played on the nodes of its own partition, whether `squeue` lists the nodes of running jobs or not.
#[test]
fn a_burst_where_partitions_overlap() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let left = burst(path);
    let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    let second =
        |line: &str| line.replace(&format!("{SEPARATOR}a{SEPARATOR}"), &format!("{SEPARATOR}b{SEPARATOR}"));
    let other =
        Job { id: 9000, user: "u3", limit: Some(120), submit: NOW - 600, start: Some(NOW - 600), end: None };
    let queue = read("squeue") + &second(&other.listed());
    let shared = (1..NODES).step_by(2).map(|node| format!("n{node}|b|allocated|4\n"));
    let more = (NODES..NODES + 10)
        .map(|node| format!("n{node}|b|{}|4\n", if node == NODES { "allocated" } else { "idle" }));
    std::fs::write(path.join("sinfo"), read("sinfo") + &shared.chain(more).collect::<String>()).unwrap();
    // The running jobs of the first partition are on its nodes in order.
    let mut busy = 0..NODES + 1;
    let lists: String = queue
        .lines()
        .map(|line| {
            let running = line.contains("RUNNING").then(|| busy.next()).flatten();
            let node = running.map_or(String::new(), |node| format!("n{node}"));
            let (front, name) = line.rsplit_once(SEPARATOR).unwrap();
            format!("{front}{SEPARATOR}{node}{SEPARATOR}{name}\n")
        })
        .collect();
    for queue in [queue, lists] {
        std::fs::write(path.join("squeue"), &queue).unwrap();
        let advised = json(&advise_at(path, NOW, &["-q", "--json"]));
        assert!(
            advised["remarks"][0].as_str().unwrap().starts_with("partitions a, b share nodes"),
            "{advised}"
        );
        let starts = advised["starts"].as_array().unwrap();
        assert_eq!(starts.len(), 560);
        let (mut near, mut bounded) = (0, 0);
        for ((job, wait), start) in left.iter().zip(starts) {
            assert_eq!(job, start["job"].as_str().unwrap());
            let levels = instants(start);
            near += usize::from(levels[2] <= 2 * wait && 2 * levels[2] >= *wait);
            bounded += usize::from(levels.len() == LEVELS.len());
        }
        println!("{near} medians within a factor of 2, {bounded} jobs with a bound of 95 %");
        assert!(near >= 557, "{near}");
    }
}

/// In a jam of jobs without limits no median is later than one and a half times the longest wait that comes, and no
/// .95 level than three times.
#[test]
fn a_jam_of_unequal_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let left = unequal(folder.path());
    let advised = agree(folder.path(), &[]);
    assert_eq!(left.len(), advised.len());
    let (mut near, mut inside) = (0, 0);
    for ((job, wait), (name, levels)) in left.iter().zip(&advised) {
        assert_eq!(job, name);
        near += usize::from(levels[2] <= 2 * wait && 2 * levels[2] >= *wait);
        inside += usize::from((levels[0]..=levels[4]).contains(wait));
    }
    let longest = left.iter().map(|(_, wait)| wait).max().unwrap();
    let largest = |level: usize| advised.iter().map(|(_, levels)| levels[level]).max().unwrap();
    let (median, last) = (largest(2), largest(4));
    let all = left.len();
    println!("{all}: {near} within a factor of 2, {inside} in 90 %; {longest} s; {median} and {last} s");
    assert!(2 * median <= 3 * longest && last <= 3 * longest, "{longest} {median} {last}");
    assert!(4 * near >= 3 * all && 10 * inside >= 8 * all, "{near} {inside} of {all}");
}

/// The ends of jobs without limits are unknown: no level is advised beyond what is played forward, and none twice.
#[test]
fn a_jam_without_limits() {
    let folder = tempfile::tempdir().unwrap();
    jam(folder.path());
    let advised = agree(folder.path(), &[]);
    assert_eq!(advised.len(), 999);
    assert!(advised.iter().all(|(_, levels)| levels.is_sorted()));
}

/// The queue is played by the rule of the site's scheduler, as its configuration says, and each answer names it.
#[test]
fn the_rule_is_the_sites() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    unequal(folder);
    let config = |scheduler: &str, parameters: &str| {
        let text = format!("SchedulerParameters     = {parameters}\nSchedulerType           = {scheduler}\n");
        std::fs::write(folder.join("scontrol"), text).unwrap();
        json(&advise_at(folder, NOW, &["--json", "--config", "scontrol"]))
    };
    let by_words = |words: &str| json(&advise_at(folder, NOW, &["--json", "--settings", words]));
    let easy = config("sched/backfill", "defer");
    assert_eq!(easy["rule"], "EASY, as sched/backfill");
    let assumed = json(&advise_at(folder, NOW, &["--json"]));
    assert_eq!(assumed["rule"], "EASY, as no --config says which rule");
    assert!(assumed["starts"] == easy["starts"]);
    assert!(by_words("preset=easy")["starts"] == easy["starts"]);
    let words = "defer,surefill_preset=fast,surefill_predictor=limit,surefill_locked=0.2";
    let plan = config("sched/surefill", words);
    assert_eq!(plan["rule"], "surefill, preset=fast predictor=limit");
    assert!(plan["starts"] == by_words("preset=fast predictor=limit")["starts"]);
    assert!(plan["starts"] != easy["starts"]);
    assert!(config("sched/surefill", "surefill_mode=shadow")["starts"] == easy["starts"]);
    let text = String::from_utf8(advise_at(folder, NOW, &["--config", "scontrol"]).stdout).unwrap();
    assert!(text.contains("played forward by EASY, as surefill with mode=shadow, "), "{text}");
    let refused = advise_at(folder, NOW, &["--settings", "preset=best"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("preset= fair, fast"), "{refused:?}");
    let builtin = config("sched/builtin", "");
    assert!(builtin["remarks"].to_string().contains("sched/builtin cannot be played forward"), "{builtin}");
}

/// A median stays from answer to answer while the levels beside it allow it.
#[test]
fn an_answer_follows_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    unequal(folder);
    let keep = |name: &str, how: &[&str], now: i64| {
        let found = json(&advise_at(folder, now, &[&["--json"], how].concat()));
        std::fs::write(folder.join(name), found.to_string()).unwrap();
        found
    };
    let medians = |found: &Value, now: i64| -> Vec<i64> {
        let starts = found["starts"].as_array().unwrap().iter();
        starts.map(instants).filter(|known| known.len() == 5).map(|known| now + known[2]).collect()
    };
    let later = NOW + 300;
    let first = keep("first", &[], NOW);
    let alone = medians(&keep("alone", &[], later), later);
    let second = keep("second", &["--previous", "first"], later);
    let (before, after) = (medians(&first, NOW), medians(&second, later));
    assert_eq!((before.len(), after.len()), (alone.len(), alone.len()));
    let moved = |medians: &[i64]| medians.iter().zip(&before).filter(|(one, other)| one != other).count();
    println!("{} of {} medians have moved, {} by themselves", moved(&after), after.len(), moved(&alone));
    assert!(10 * moved(&after) < after.len() && 2 * moved(&alone) > alone.len());
    // The time of the first answer goes along.
    assert!(second["starts"].as_array().unwrap().iter().all(|start| start["since"] == NOW));
    let third = keep("third", &["--previous", "second"], later + 300);
    assert!(third["starts"].as_array().unwrap().iter().all(|start| start["since"] == NOW));
    // Nothing but medians is kept, and `serve` and `predict-wait` have the same.
    let levels = |found: &Value, level: usize| -> Vec<i64> {
        found["starts"].as_array().unwrap().iter().map(|start| instants(start)[level]).collect()
    };
    let alone = json(&advise_at(folder, later, &["--json"]));
    for level in [0, 1, 3, 4] {
        assert_eq!(levels(&alone, level), levels(&second, level));
    }
    agree(folder, &["--previous", "first"]);
    // Answers of another cluster, from the future, too old, damaged, or missing.
    let kept = first.to_string();
    let changed = |from: &str, to: &str| {
        std::fs::write(folder.join("changed"), kept.replace(from, to)).unwrap();
        advise_at(folder, later, &["--json", "--previous", "changed"])
    };
    let other = json(&changed("\"u2\"", "\"u3\""));
    assert!(other["starts"] == alone["starts"]);
    let now = |time: i64| (format!("\"now\":{NOW}"), format!("\"now\":{time}"));
    for ((from, to), why) in [
        (now(later + 1), "is after now"),
        (now(later - 86_401), "more than a day before now"),
        ((format!("\"since\":{NOW}"), "\"since\":-9".to_owned()), "before 1970"),
        (("\"starts\"".to_owned(), "\"ends\"".to_owned()), "missing field"),
    ] {
        let refused = changed(&from, &to);
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(1) && text.contains(why) && text.contains("changed"), "{text}");
    }
    let missing = advise_at(folder, NOW, &["--previous", "nothing"]);
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
}

/// All answers about a queue that is played by the plan are those of one distribution as well.
#[test]
fn a_queue_by_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let left = unequal(folder.path());
    assert_eq!(agree(folder.path(), &["--settings", "preset=fair"]).len(), left.len());
    let found = json(&advise_at(folder.path(), NOW, &["--json", "--settings", "preset=fair"]));
    assert!(
        found["remarks"].to_string().contains("629 jobs wait: starts are predicted by simplified scenarios"),
        "{found}"
    );
}

/// The machine has been down for a day, three days, and a week: that a job may start is no reason to say that it does.
#[test]
fn a_machine_that_may_be_down() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for quiet in [86_400, 3 * 86_400, 7 * 86_400] {
        let last = NOW - quiet;
        let past = (0..200).map(|job: i64| {
            let start = last - 1900 * (200 - job);
            Job {
                id: 500 + job,
                user: "u2",
                limit: Some(60),
                submit: start - 60,
                start: Some(start),
                end: Some(start + 600),
            }
        });
        let waiting = Job { id: 2000, user: "u2", limit: Some(60), submit: last, start: None, end: None };
        write(folder, past.chain([waiting]).collect());
        let found = json(&advise_at(folder, NOW, &["--json"]));
        let note = found["starts"][0]["note"].to_string();
        assert!(note.contains("cannot tell") && note.contains("the machine may be down"), "{quiet}: {found}");
        assert_eq!(found["starts"][0]["quantiles"], Value::Array(Vec::new()));
    }
}
