//! `surefill learn`: the state file that it makes of accounting is one that a scheduler opens and goes on from.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use surefill::engine::{JobReport, JobState, Scheduler, SchedulerCapacity, hash};

fn learn(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill")).arg("learn").args(args).current_dir(folder).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const ORIGIN: i64 = 1_714_557_600;

/// One job of the history: user, submission, start, end.
type Job = (u32, i64, i64, i64);

/// Jobs of 1000, who is always soon done, and of 1001, who takes fifty minutes; some run side by side.
fn jobs() -> Vec<Job> {
    (0..120)
        .map(|i| {
            let submit = ORIGIN + 700 * i;
            let (user, run_time) = if i % 2 == 0 { (1000, 20 + i % 7) } else { (1001, 3000 + i % 50) };
            let start = submit + 60 + 10 * (i % 5);
            (user, submit, start, start + run_time)
        })
        .collect()
}

fn table(name: impl Fn(u32) -> String) -> String {
    let mut table = String::from("JobID|Submit|Start|End|TimelimitRaw|AllocCPUS|User|State\n");
    for (number, (user, submit, start, end)) in jobs().into_iter().enumerate() {
        table += &format!("{number}|{submit}|{start}|{end}|60|8|{}|COMPLETED\n", name(user));
    }
    // One that was withdrawn, and one that waits.
    let end = ORIGIN + 1000;
    table += &format!("900|{ORIGIN}||{end}|60|8|{}|CANCELLED by 0\n", name(1000));
    table + &format!("901|{ORIGIN}|||60|8|{}|PENDING\n", name(1000))
}

fn open(memory: &mut [u64]) -> Scheduler<'_> {
    Scheduler::open(bytemuck::cast_slice_mut(memory)).unwrap()
}

fn words(file: &Path) -> Vec<u64> {
    let bytes = fs::read(file).unwrap();
    assert!(bytes.len().is_multiple_of(8));
    bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

/// The run times of a waiting job of each user, as they are predicted.
fn predicted(scheduler: &mut Scheduler<'_>, users: [i64; 2], count: u32) -> [[i64; 3]; 2] {
    let now = ORIGIN + 700 * 130;
    for (user, id) in users.into_iter().zip(1..) {
        let job = JobReport { id, user, limit: 3600, count, queues: &[0], ..JobReport::default() };
        scheduler.set_job(now, &job).unwrap();
    }
    [1, 2].map(|id| [0.1, 0.5, 0.9].map(|quantile| scheduler.run_time(id, quantile, now).unwrap()))
}

/// An engine to which the same jobs were reported, event by event.
fn reported(user: impl Fn(u32) -> i64, count: u32) -> Vec<u64> {
    let capacity = SchedulerCapacity { pools: 1, queues: 1, ..SchedulerCapacity::of(256) };
    let mut memory = vec![0_u64; Scheduler::size(&capacity).unwrap().div_ceil(8)];
    let mut scheduler = Scheduler::init(bytemuck::cast_slice_mut(&mut memory), &capacity).unwrap();
    scheduler.set_pool(b"nodes", 1000, None).unwrap();
    scheduler.set_queue(b"nodes", 0).unwrap();
    let mut events: Vec<(i64, JobReport<'static>)> = Vec::new();
    for ((uid, submit, start, end), id) in jobs().into_iter().zip(1000..) {
        let job = JobReport { id, user: user(uid), submit, limit: 3600, count, ..JobReport::default() };
        let job = JobReport { queues: &[0], ..job };
        events.push((submit, JobReport { state: JobState::Waiting, ..job }));
        events.push((start, JobReport { state: JobState::Running, start, ..job }));
        events.push((end, JobReport { state: JobState::Ended, ran: end - start, ..job }));
    }
    events.sort_by_key(|(time, _)| *time);
    events.iter().for_each(|(time, report)| scheduler.set_job(*time, report).unwrap());
    memory
}

#[test]
fn a_scheduler_goes_on_from_what_was_learnt() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("uids.txt"), table(|user| user.to_string())).unwrap();
    let made =
        learn(&["uids.txt", "--for", "slurm-external", "--per-node", "4", "-o", "state"], folder.path());
    assert!(made.status.success(), "{}", errors(&made));
    let said = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(said.starts_with("state: 120 jobs of 2 users in 1 days; "), "{said}");
    let mut memory = words(&folder.path().join("state"));
    let mut scheduler = open(&mut memory);
    let capacity = scheduler.capacity();
    assert_eq!((capacity.pools, capacity.queues, capacity.kinds, capacity.nodes), (1, 1, 3, 0));
    let totals = scheduler.totals();
    assert_eq!((totals.submitted, totals.started, totals.ended, totals.clock_set_back), (120, 120, 120, 0));
    assert_eq!((scheduler.set_pool(b"nodes", 9, None), scheduler.set_queue(b"nodes", 0)), (Ok(0), Ok(0)));
    let found = predicted(&mut scheduler, [1000, 1001], 2);
    assert!(found[0][2] < 100 && found[1][0] > 1000, "{found:?}");
    let mut same = reported(i64::from, 2);
    let mut same = Scheduler::attach(bytemuck::cast_slice_mut(&mut same)).unwrap();
    assert_eq!(found, predicted(&mut same, [1000, 1001], 2));
}

#[test]
fn each_scheduler_finds_its_users_and_its_pool() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let name = |user: u32| if user == 1000 { "ada" } else { "eve" }.to_owned();
    fs::write(path("names.txt"), table(name)).unwrap();
    fs::write(path("users"), "ada:x:1000:100::/:/bin/sh\neve:x:1001:100::/:/bin/sh\n").unwrap();
    for (shell, pool, users, rooms) in [
        ("slurm", "pool0", [1001, 1002], (16, 63, 8)),
        ("slurm-external", "nodes", [1000, 1001], (1, 1, 3)),
        ("pbs", "vnodes", [hash(b"ada"), hash(b"eve")], (1, 1, 3)),
        ("flux", "flux", [hash(b"1000"), hash(b"1001")], (4, 16, 3)),
    ] {
        let made = learn(&["names.txt", "--for", shell, "--passwd", "users", "-o", shell], folder.path());
        assert!(made.status.success(), "{}", errors(&made));
        let mut memory = words(&path(shell));
        let mut scheduler = open(&mut memory);
        let capacity = scheduler.capacity();
        assert_eq!((capacity.pools, capacity.queues, capacity.kinds), rooms, "{shell}");
        let units = if shell == "slurm-external" { 9 } else { 0 };
        assert_eq!(scheduler.set_pool(pool.as_bytes(), units, None), Ok(0), "{shell}");
        let found = predicted(&mut scheduler, users, 8);
        assert!(found[0][2] < 100 && found[1][0] > 1000, "{shell}: {found:?}");
    }
}

#[test]
fn what_cannot_be_learnt_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("names.txt"), table(|user| format!("nobody{user}"))).unwrap();
    fs::write(path("users"), "nobody1000:x:1000:100::/:/bin/sh\n").unwrap();
    let run = |args: &[&str]| {
        let output = learn(args, folder.path());
        (output.status.code(), errors(&output))
    };
    let some = ["names.txt", "--for", "slurm", "--passwd", "users", "-o", "state"];
    let (status, said) = run(&some);
    assert_eq!(status, Some(0));
    assert!(said.contains("60 jobs are left out: their users have no UID"), "{said}");
    let before = fs::read(path("state")).unwrap();
    let (status, said) = run(&some);
    assert!(status == Some(2) && said.contains("state: it exists"), "{said}");
    assert_eq!(run(&[&some[..], &["--force"]].concat()).0, Some(0));
    assert!(before == fs::read(path("state")).unwrap());
    let (status, said) = run(&["names.txt", "--for", "slurm", "-o", "other"]);
    assert!(status == Some(1) && said.contains("--passwd names another list"), "{said}");
    assert_eq!(run(&["names.txt", "-o", "other"]).0, Some(2));
    let (status, said) = run(&["names.txt", "--for", "pbs", "--settings", "preset=slow", "-o", "other"]);
    assert!(status == Some(1) && said.contains("wanted is preset="), "{said}");
    assert!(!path("other").exists());
    let (status, _) = run(&["names.txt", "--for", "pbs", "--settings", "predictor=limit", "-o", "other"]);
    assert_eq!(status, Some(0));
}
