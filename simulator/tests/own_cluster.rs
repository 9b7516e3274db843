//! The commands of docs/your-own-cluster.md print what stands there. `SUREFILL_BLESS=1 cargo test -p surefill-simulator
//! --test simulator own_cluster` writes their output anew.

use std::path::Path;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/your-own-cluster.md");
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/example");
const FENCE: &str = "```console\n";

/// Output of a command in this folder, on a terminal of 110 columns.
fn printed(command: &str, folder: &Path) -> String {
    let own = Path::new(env!("CARGO_BIN_EXE_surefill")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(own.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let output = Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .current_dir(folder)
        .env("PATH", path.unwrap())
        .env("COLUMNS", "110")
        .output()
        .unwrap();
    assert!(output.status.success(), "{command}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_page_has_what_its_commands_print() {
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(EXAMPLE).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let page = std::fs::read_to_string(PAGE).unwrap();
    let mut parts = page.split(FENCE);
    let mut now = parts.next().unwrap().to_owned();
    let mut commands = 0;
    for part in parts {
        let (block, rest) = part.split_once("```\n").expect("a block ends");
        now += FENCE;
        for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let output = printed(command, folder.path());
            now += &format!("$ {command}\n{}", output.trim_end());
            now += if output.is_empty() { "" } else { "\n" };
            commands += 1;
        }
        now += &format!("```\n{rest}");
    }
    assert!(commands > 5 && folder.path().join("answer.html").exists());
    if std::env::var_os("SUREFILL_BLESS").is_some() {
        std::fs::write(PAGE, now).unwrap();
    } else {
        for (now, page) in now.lines().zip(page.lines()) {
            assert_eq!(now, page);
        }
        assert_eq!(now.lines().count(), page.lines().count());
    }
}

/// Where another policy is ahead of the default, the answer has both, and the page shows by the default who pays.
#[test]
fn the_default_stands_beside_the_best() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/workload.swf.gz");
    let folder = tempfile::tempdir().unwrap();
    let args =
        ["compare", trace, "--policies", "easy,fair,fast", "--limit-jobs", "1500", "--html", "page.html"];
    let output = super::command_line::surefill(&args, folder.path());
    let text = String::from_utf8(output.stdout).unwrap();
    let answer = text.lines().last().unwrap();
    assert!(answer.starts_with("fast: mean wait ") && answer.contains(" below EASY's, longest "), "{answer}");
    assert!(answer.contains(" times. fair, the default: -"), "{answer}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    let places = ["Who pays", "Mean wait with fair", "The same with fast", "Mean wait with fast"]
        .map(|words| page.find(words).unwrap());
    assert!(places.is_sorted(), "{places:?}");
}

/// Changes are counted from EASY in the order of the site's priorities, where that is among the policies, and say so.
#[test]
fn the_base_of_a_comparison_is_named() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/workload.swf.gz");
    let args = [
        "compare",
        trace,
        "--policies",
        "easy,easy:limit:multifactor,fair",
        "--limit-jobs",
        "1000",
        "--quiet",
    ];
    let told = super::command_line::surefill(&args, std::path::Path::new("."));
    let text = String::from_utf8(told.stdout).unwrap();
    let answer = text.lines().last().unwrap();
    assert!(
        answer.contains("fair: mean wait ") && answer.contains(" that of EASY (limit, multifactor), "),
        "{answer}"
    );
}

/// A share of a wait below a minute says nothing: the second of two jobs waits 30 s for the first.
#[test]
fn no_share_of_waits_below_a_minute_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let job = |id: i64| format!("{id} {} -1 30 1 -1 -1 1 60 -1 1 1 1 1 1 -1 -1 -1\n", id / 2 * 100);
    let text: String = (0..200).map(job).collect();
    std::fs::write(folder.path().join("t.swf"), format!("; MaxProcs: 1\n{text}")).unwrap();
    let args = ["compare", "t.swf", "--policies", "easy,fcfs"];
    let told = super::command_line::surefill(&args, folder.path());
    let text = String::from_utf8(told.stdout).unwrap();
    assert!(text.contains(" 0.2 ") && !text.contains("0.0 %"), "{text}");
}
