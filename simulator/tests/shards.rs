//! `compare --shard` and `surefill merge`: shards put together are the unsharded run, and others are refused.

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn surefill(args: &str, folder: &Path, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefill"));
    for name in ["ID", "COUNT", "MIN", "STEP"] {
        command.env_remove(format!("SLURM_ARRAY_TASK_{name}"));
    }
    command.envs(environment.iter().copied()).args(args.split_whitespace()).current_dir(folder);
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The output of a call that succeeds.
fn stdout(args: &str, folder: &Path) -> String {
    let output = surefill(args, folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{args}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The text without measured times, which no two runs share.
fn timeless(text: &str) -> String {
    let measured = ["scheduler_s", "p99_pass_s", "max_pass_s", "wall_s", "seconds"];
    let timed =
        |line: &&str| !measured.iter().any(|name| line.trim_start().starts_with(&format!("\"{name}\"")));
    text.lines().filter(timed).map(|line| line.to_owned() + "\n").collect()
}

/// The table without its last column, the scheduler's seconds.
fn without_times(text: &str) -> String {
    let cut = |line: &str| {
        let end = line.strip_suffix('|').and_then(|row| row.rfind('|')).unwrap_or(line.len());
        line[..end].to_owned() + "\n"
    };
    text.lines().map(cut).collect()
}

/// A folder with two traces: all jobs of the first are of one user.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, seed) in [("one.swf", 1), ("two.swf", 2)] {
        let args = format!("generate -n 300 --procs 32 --load 1.2 --users 5 --seed {seed} -o {name}");
        stdout(&args, folder.path());
    }
    folder
}

const COMPARE: &str =
    "compare one.swf two.swf --policies easy,fair,prob:limit:sjbf:seconds=60,easy++ --seeds 2 --seed 5";

/// Writes a run's shards as `PREFIX-I.json`, and says their names.
fn shards(run: &str, count: usize, prefix: &str, folder: &Path) -> Vec<String> {
    let one = |index: usize| {
        let name = format!("{prefix}-{index}.json");
        std::fs::write(folder.join(&name), stdout(&format!("{run} --shard {index}/{count}"), folder))
            .unwrap();
        name
    };
    (1..=count).map(one).collect()
}

#[test]
fn merged_shards_of_compare_are_the_whole() {
    let folder = folder();
    let folder = folder.path();
    let whole = stdout(&format!("{COMPARE} --json"), folder);
    assert!(whole.contains("\"calibration\": [\n            {"), "backfills are judged: {whole}");
    let table = stdout(&format!("{COMPARE} --markdown"), folder);
    // Sixteen cells: two traces, four policies, two seeds.
    for count in [1, 3, 16, 19] {
        let mut files = shards(COMPARE, count, "shard", folder);
        files.reverse();
        let files = files.join(" ");
        let merged = stdout(&format!("merge --json {files}"), folder);
        assert_eq!(timeless(&merged), timeless(&whole), "{count}");
        if count != 3 {
            continue;
        }
        assert_eq!(
            without_times(&stdout(&format!("merge --markdown {files}"), folder)),
            without_times(&table)
        );
        let views = "--table means,fairness,delays,calibration,spread";
        let by_view = stdout(&format!("{COMPARE} {views}"), folder);
        assert_eq!(stdout(&format!("merge {views} {files}"), folder), by_view);
        let csv = stdout(&format!("merge --csv {files}"), folder);
        assert_eq!(csv.lines().count(), 1 + 8, "{csv}");
        let sentence = |text: &str| text.lines().last().map(str::to_owned);
        let plain = stdout(&format!("merge {files}"), folder);
        assert_eq!(sentence(&plain), sentence(&stdout(COMPARE, folder)));
    }
    // On a machine of nodes there is another measure.
    let nodes = "compare one.swf --policies easy,easy++ --nodes 8x(cores=4)";
    let whole = stdout(&format!("{nodes} --json"), folder);
    let files = shards(nodes, 2, "nodes", folder).join(" ");
    assert_eq!(timeless(&stdout(&format!("merge --json {files}"), folder)), timeless(&whole));
    assert!(whole.contains("\"fragmented_share\""), "{whole}");
    // A machine in a file is entered as what the file says, and may be put together where there is no such file.
    std::fs::write(folder.join("machine"), "8x(cores=4)\n").unwrap();
    let from_file = "compare one.swf --policies easy,easy++ --nodes @machine";
    let files = shards(from_file, 2, "listed", folder).join(" ");
    std::fs::remove_file(folder.join("machine")).unwrap();
    assert_eq!(timeless(&stdout(&format!("merge --json {files}"), folder)), timeless(&whole));
}

/// The tasks of a job array are shards by the variables that Slurm sets; without them `--shard array` is refused, and
/// without `--shard` a task does all of it.
#[test]
fn tasks_of_a_job_array_are_shards() {
    let folder = folder();
    let folder = folder.path();
    let run = "compare one.swf --policies easy,easy++,fcfs";
    // sbatch --array=10-18:4
    for index in 1..=3 {
        let id = (6 + 4 * index).to_string();
        let array = [
            ("SLURM_ARRAY_TASK_ID", &id[..]),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_STEP", "4"),
        ];
        let output = surefill(&format!("{run} --shard array"), folder, &array);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        std::fs::write(folder.join(format!("array-{index}.json")), output.stdout).unwrap();
        let all = surefill(&format!("{run} --json"), folder, &array);
        let whole = stdout(&format!("{run} --json"), folder);
        assert_eq!(timeless(&String::from_utf8(all.stdout).unwrap()), timeless(&whole));
    }
    let merged = stdout("merge --json array-1.json array-2.json array-3.json", folder);
    assert_eq!(timeless(&merged), timeless(&stdout(&format!("{run} --json"), folder)));
    for (environment, why) in [
        (&[][..], "SLURM_ARRAY_TASK_ID is not set"),
        (&[("SLURM_ARRAY_TASK_ID", "2")], "SLURM_ARRAY_TASK_COUNT is not set"),
        (&[("SLURM_ARRAY_TASK_ID", "7"), ("SLURM_ARRAY_TASK_COUNT", "3")], "task 7 is none of 3"),
    ] {
        let output = surefill(&format!("{run} --shard array"), folder, environment);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}

#[test]
fn shards_that_do_not_belong_together_are_refused() {
    let folder = folder();
    let folder = folder.path();
    let run = "compare one.swf two.swf --policies easy,easy++";
    let files = shards(run, 2, "shard", folder);
    let refuses = |files: &str, code: i32, why: &str| {
        let output = surefill(&format!("merge {files}"), folder, &[]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{files}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    };
    let (one, two) = (&files[0], &files[1]);
    refuses(one, 1, "2 of 4 cells are missing: those of shard 2 of 2");
    refuses(&format!("{one} {two} {one}"), 1, "shard-1.json: the same shard as shard-1.json: 1 of 2");
    std::fs::write(folder.join("quarter.json"), stdout(&format!("{run} --shard 2/4"), folder)).unwrap();
    refuses(&format!("{one} {two} quarter.json"), 1, "quarter.json: cell 1 is in shard-2.json already");
    let other = shards(&format!("{run} --seed 3"), 2, "other", folder);
    refuses(
        &format!("{one} {}", other[1]),
        1,
        "other-2.json: made with other options than shard-1.json: --seed=3",
    );
    let fewer = shards("compare one.swf --policies easy,easy++", 2, "fewer", folder);
    refuses(&format!("{one} {}", fewer[1]), 1, "made of other traces than shard-1.json: 1 of them, not 2");
    refuses("one.swf", 1, "one.swf: ");
    std::fs::write(folder.join("kind.json"), "{\"kind\": \"else\"}").unwrap();
    refuses("kind.json", 1, "kind.json: 'else' is no kind of shard");
    // A study of the papers.
    let study = stdout(&format!("{run} --shard 1/2"), folder).replace("\"compare\"", "\"gain\"");
    std::fs::write(folder.join("gain.json"), study).unwrap();
    refuses("gain.json", 1, "gain.json: shards of gain are not merged here");
    // Another trace by the same name, moved to another folder, is another; the same trace elsewhere is the same.
    std::fs::create_dir(folder.join("elsewhere")).unwrap();
    for name in ["one.swf", "two.swf"] {
        std::fs::copy(folder.join(name), folder.join("elsewhere").join(name)).unwrap();
    }
    let elsewhere =
        "compare elsewhere/one.swf elsewhere/two.swf --quiet --policies easy --policies easy++ --shard 2/2";
    std::fs::write(folder.join("same.json"), stdout(elsewhere, folder)).unwrap();
    let merged = stdout(&format!("merge --json {one} same.json"), folder);
    assert_eq!(timeless(&merged), timeless(&stdout(&format!("{run} --json"), folder)));
    std::fs::copy(folder.join("one.swf"), folder.join("elsewhere/two.swf")).unwrap();
    std::fs::write(folder.join("changed.json"), stdout(elsewhere, folder)).unwrap();
    refuses(
        &format!("{one} changed.json"),
        1,
        "changed.json: made of other traces than shard-1.json: two.swf has other",
    );
    // Whole cells of a part: the first trace's cells are in shards 1 and 2 of 4.
    let parts = shards(run, 4, "part", folder);
    let output =
        surefill(&format!("merge --json --partial {} {} {}", parts[0], parts[1], parts[3]), folder, &[]);
    let warned = "two.swf is left out: 1 of 2 cells are missing";
    assert!(output.status.success() && stderr(&output).contains(warned), "{}", stderr(&output));
    let alone = stdout("compare one.swf --policies easy,easy++ --json", folder);
    assert_eq!(timeless(&String::from_utf8(output.stdout).unwrap()), timeless(&alone));
    refuses(&format!("--partial {}", parts[3]), 1, "no trace has all of its cells");
    // Tables that a shard cannot show.
    for wrong in ["--html p.html", "--csv", "--markdown", "--table means"] {
        let output = surefill(&format!("{run} --shard 1/2 {wrong}"), folder, &[]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong}");
    }
    let piped = surefill("compare - --policies easy --shard 1/2", folder, &[]);
    assert!(stderr(&piped).contains("not from standard input"), "{}", stderr(&piped));
}

#[test]
fn rows_are_said_as_they_finish() {
    let folder = folder();
    let run = "compare one.swf two.swf --policies easy,easy++,fair --seeds 2";
    let silent = surefill(run, folder.path(), &[]);
    assert_eq!(stderr(&silent), "", "standard error is no terminal");
    let output = surefill(&format!("{run} --progress"), folder.path(), &[]);
    let said = stderr(&output);
    let rows: Vec<&str> = said.lines().collect();
    assert_eq!(rows.len(), 6, "{said}");
    for (index, row) in rows.iter().enumerate() {
        let trace = if index < 3 { "one.swf: " } else { "two.swf: " };
        assert!(row.starts_with(trace) && row.contains(", means over 2 seeds; "), "{row}");
        assert!(row.contains(&format!("; {} of 3 policies after ", index % 3 + 1)), "{row}");
    }
    assert_eq!(said.matches("easy (limit, fcfs): mean wait ").count(), 2, "{said}");
    let quiet = surefill(&format!("{run} --progress --quiet"), folder.path(), &[]);
    assert_eq!(quiet.status.code(), Some(2));
}
