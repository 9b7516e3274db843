//! `wait-bounds`, `predict-wait` and `serve` as their users see them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Nothing here takes so long.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn surefill(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefill")).args(args).current_dir(folder).output().unwrap()
}

pub fn surefill_with(input: &str, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who refuses the arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn json(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// `t.swf`: two queues of 1,500 jobs; the wait grows with the requested time.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("; MaxProcs: 64\n; Queue: 1 short\n; Queue: 2 long\n");
    for i in 0..3000i64 {
        let requested = 600 * (1 + i * 7 % 5);
        let wait = (1 + i * 37 % 100) * requested / 100;
        text +=
            &format!("{i} {} {wait} 60 1 -1 -1 1 {requested} -1 1 1 1 1 {} -1 -1 -1\n", i * 60, 1 + i % 2);
    }
    std::fs::write(folder.path().join("t.swf"), text).unwrap();
    folder
}

#[test]
fn wait_bounds_prints_tables_json_and_a_page() {
    let folder = folder();
    let args = ["wait-bounds", "t.swf", "--by-queue", "--rate", "0.01,0.05", "--json", "--html", "p.html"];
    let json = json(&surefill(&args, folder.path()));
    let queues = json["traces"][0]["queues"].as_array().unwrap();
    assert_eq!(queues.len(), 2);
    for queue in queues {
        assert_eq!((queue["jobs"].as_u64(), queue["training"].as_u64()), (Some(1500), Some(150)));
        let measured = queue["measured"].as_array().unwrap();
        // Four methods alone, with components, adapted, and adapted from all waits; two other attributes; one other
        // rate; the visible queue.
        assert_eq!(measured.len(), 20);
        for predictor in measured {
            let count = |key: &str| predictor[key].as_u64().unwrap();
            assert_eq!(count("jobs"), count("judged") + count("too_little_history") + count("may_be_down"));
            let halves = |key: &str| {
                predictor["halves"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|half| half[key].as_u64().unwrap())
                    .sum::<u64>()
            };
            assert_eq!((halves("judged"), halves("correct")), (count("judged"), count("correct")));
        }
    }
    let page = std::fs::read_to_string(folder.path().join("p.html")).unwrap();
    assert_eq!(page.matches("waits and bounds over time</h3>").count(), 2);
    assert!(page.contains("explains best") && !page.contains("<script"));

    let args = ["wait-bounds", "t.swf", "--method", "binomial", "--markdown", "--table", "alone,attributes"];
    let output = surefill(&args, folder.path());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("| t/ALL ") && text.contains("(Table 1)") && !text.contains("LogN"), "{text}");
    assert!(text.contains("| t/ALL         | requested time |"), "{text}");
    for wrong in [["--quantile", "1"], ["--confidence", "nan"], ["--rate", "0"], ["--clusters", "17"]] {
        let output = surefill(&["wait-bounds", "t.swf", wrong[0], wrong[1]], folder.path());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    // A quantile that no history reaches.
    for verb in ["wait-bounds", "predict-wait"] {
        let output = surefill(&[verb, "t.swf", "--quantile", "0.99999999"], folder.path());
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("needs 299573225 waits; 4194304 are remembered"), "{message}");
    }
    std::fs::write(folder.path().join("empty.swf"), "").unwrap();
    let output = surefill(&["wait-bounds", "empty.swf"], folder.path());
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("no queue of at least 1000 jobs; empty: 0 jobs"), "{message}");

    let args = ["wait-bounds", "t.swf", "--by-queue", "--markdown", "--table", "following,chosen"];
    let text = String::from_utf8(surefill(&args, folder.path()).stdout).unwrap();
    assert!(text.contains("follow their own misses") && text.contains("tightest afterwards"), "{text}");
    // No correct predictor is tighter than the one that is known to be so afterwards.
    let table = text.split("tightest afterwards").nth(1).unwrap();
    let mut correct = 0;
    for row in table.lines().filter(|line| line.starts_with("| t/")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let best: f64 = cells[6].parse().unwrap();
        for cell in &cells[3..5] {
            let Some((share, accuracy)) = cell.trim_matches('*').split_once(" (") else { panic!("{row}") };
            assert_eq!(cell.starts_with("**"), share.parse::<f64>().unwrap() >= 0.95, "{row}");
            if cell.starts_with("**") {
                assert!(accuracy.trim_end_matches(')').parse::<f64>().unwrap() <= best, "{row}");
                correct += 1;
            }
        }
    }
    assert!(correct > 0, "{table}");

    // The tightest of the paper's predictors beside those that follow their misses: as the other tables have them.
    let args =
        ["wait-bounds", "t.swf", "--by-queue", "--rate", "0.01,0.05", "--markdown", "--table", "rivals"];
    let text = String::from_utf8(surefill(&args, folder.path()).stdout).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| t/")).collect();
    let queues = json["traces"][0]["queues"].as_array().unwrap();
    assert_eq!(rows.len(), queues.len());
    for (row, queue) in rows.iter().zip(queues) {
        let measured = queue["measured"].as_array().unwrap();
        let rms = |m: &serde_json::Value| m["rms_over_s"].as_f64().unwrap();
        let papers = measured
            .iter()
            .filter(|m| m["kind"] == "alone" || (m["kind"] == "full" && m["by"] == "requested"));
        let correct = papers.filter(|m| m["correctness"].as_f64().unwrap() >= 0.95);
        let tightest = correct.map(rms).fold(f64::INFINITY, f64::min);
        for (column, kind) in [(4, "adapted"), (5, "whole")] {
            let own = measured.iter().find(|m| m["kind"] == kind && m["method"] == "binomial").unwrap();
            let expected = format!("({:.2})", tightest / rms(own));
            let cell = row.split('|').nth(column).unwrap();
            assert!(cell.contains(&expected), "{row}: {kind} {expected}");
        }
    }
}

/// Who reads the answer may have gone.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = folder();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefill"));
    command
        .args(["predict-wait", "t.swf", "--queue", "long", "--requested", "30m"])
        .current_dir(folder.path());
    let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}

/// Dates are those of a clock on the wall: with it for the present, no job has waited for hours.
#[test]
fn the_wall_clock_fits_dates() {
    let now = Command::new("date").env("TZ", "XYZ8").arg("+%s").output().unwrap();
    let now: i64 = String::from_utf8(now.stdout).unwrap().trim().parse().unwrap();
    let mut text = String::from("JobID|Submit|Start\n");
    for job in 0..200 {
        let date = |time: i64| {
            let time = format!("@{time}");
            let args = ["-d", &time, "+%Y-%m-%dT%H:%M:%S"];
            let output = Command::new("date").env("TZ", "XYZ8").args(args).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let submit = now - 60 * (201 - job);
        text += &format!("{job}|{}|{}\n", date(submit), date(submit + 5 + job % 40));
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dates.txt"), &text).unwrap();
    let ask = |zone: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefill"));
        let args = ["predict-wait", "dates.txt", "--now", "clock", "--json"];
        command.env("TZ", zone).args(args).current_dir(folder.path());
        json(&command.output().unwrap())
    };
    let (there, elsewhere) = (ask("XYZ8"), ask("XYZ0"));
    assert_eq!(there["answer"], "bound");
    // The wall's time as if it were UTC; hours later where the clock on the wall is another.
    let present = |answer: &serde_json::Value| answer["now"].as_i64().unwrap();
    assert!((0..60).contains(&(present(&there) + 8 * 3600 - now)), "{there}");
    assert!((0..60).contains(&(present(&elsewhere) - now)), "{elsewhere}");
}

/// Jobs a minute apart that wait 1 to 200 s, and one that waits since the last.
fn sacct_of(jobs: i64) -> String {
    let mut text = String::from("JobID|Submit|Start|TimelimitRaw|ReqCPUS|Partition|State\n");
    let submit = |job: i64| 1_714_557_600 + 60 * job;
    for i in 0..jobs {
        let start = submit(i) + 1 + i * 37 % 200;
        text += &format!("{i}|{}|{start}|60|4|batch|COMPLETED\n", submit(i));
    }
    text + &format!("{jobs}|{}|1799999999|60|4|batch|PENDING\n", submit(jobs))
}

pub fn sacct() -> String {
    sacct_of(200)
}

#[test]
fn predict_wait_answers_one_question() {
    let ask = |args: &[&str]| {
        let fixed =
            ["predict-wait", "--no-adapt", "--no-availability", "--no-visible", "--no-trim", "--no-cluster"];
        surefill_with(&sacct(), &[&fixed[..], args].concat())
    };
    // At the last start all 200 waits of 1 to 200 s are known: the upper_index(200, .95, .95)-th, the 196th, is 196 s.
    let answer = json(&ask(&["--now", "1714569900", "--within", "50s", "--json"]));
    assert_eq!(surefill::wait::upper_index(200, 0.95, 0.95), Ok(Some(196)));
    assert_eq!((answer["answer"].as_str(), answer["bound_s"].as_i64()), (Some("bound"), Some(196)));
    assert_eq!((answer["remembered"].as_u64(), answer["waiting"].as_u64()), (Some(200), Some(1)));
    let start = &answer["start"];
    assert_eq!((start["probability"].as_f64(), start["waits"].as_u64()), (Some(0.25), Some(200)));
    assert!((0.19..0.25).contains(&start["at_least"].as_f64().unwrap()));

    // The job that waits since 100 s: 101 waits are as long or longer, of which the 101st order statistic is the bound.
    let answer = json(&ask(&["--now", "1714569700", "--job", "200", "--quantile", "0.95", "--json"]));
    assert_eq!((answer["waited_s"].as_i64(), answer["requested_s"].as_i64()), (Some(100), Some(3600)));
    assert_eq!(surefill::wait::upper_index(101, 0.95, 0.95), Ok(Some(100)));
    let (bound, left) = (answer["bound_s"].as_i64().unwrap(), answer["from_now_s"].as_i64().unwrap());
    assert!((198..=200).contains(&bound) && left == bound - 100, "{answer}");
    let same = json(&ask(&["--now", "1714569700", "--waited", "100s", "--requested", "1h", "--json"]));
    assert_eq!(same["bound_s"].as_i64(), Some(bound));

    let output = ask(&["--quantile", "0.9999"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(0) && text.contains("Too few waits"), "{text}");
    let text = String::from_utf8(ask(&["--within", "50s"]).stdout).unwrap();
    assert!(text.starts_with("With 95 % confidence 95 % of jobs like this one start within"), "{text}");
    for (args, code) in [
        (&["--queue", "none"][..], 2),
        (&["--job", "17"], 2),
        (&["--requested", "x"], 2),
        (&["--now", "yesterday"], 2),
        (&["--listen", "x"], 2),
    ] {
        assert_eq!(ask(args).status.code(), Some(code), "{args:?}");
    }
    assert_eq!(surefill_with("JobID|Start\n", &["predict-wait"]).status.code(), Some(1));
    assert_eq!(surefill_with("", &["predict-wait"]).status.code(), Some(1));
    // A job still waits long after all others have started: the machine may be down. With few releases a lower quantile
    // of the gaps says so.
    for (jobs, verdict) in [(200, "may-be-down"), (400, "may-be-down"), (4000, "may-be-down")] {
        let output = surefill_with(&sacct_of(jobs), &["predict-wait", "--now", "1719999999", "--json"]);
        let answer = json(&output);
        assert_eq!(answer["answer"], verdict);
        assert_eq!(answer["bound_s"].is_null(), verdict == "may-be-down");
    }
}

/// A server that ends with the test.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(folder: &Path, args: &[&str]) -> Server {
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (says, hears) = mpsc::channel();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = out.read_line(&mut line);
        // Nobody listens any more when the time is up.
        let _ = says.send(line);
    });
    // From here on it is ended whatever happens.
    let mut server = Server { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
    let line = hears.recv_timeout(PATIENCE).expect("the server says where it listens");
    server.address = line.trim().trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    server
}

/// The exit status of a server that refuses to serve.
fn refused(folder: &Path, args: &[&str]) -> Option<i32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .arg("serve")
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it serves: {args:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Server {
    /// Status, headers and body.
    fn send(&self, request: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect_timeout(&self.address, PATIENCE).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase(), body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, String, String) {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    fn json(&self, path: &str) -> (u16, serde_json::Value) {
        let (status, head, body) = self.get(path);
        assert!(head.contains("content-type: application/json"), "{head}");
        (status, serde_json::from_str(&body).unwrap())
    }
}

#[test]
fn serve_answers_as_predict_wait_does() {
    let folder = folder();
    let server = serve(folder.path(), &["t.swf"]);
    let begun = Instant::now();
    let (status, over_http) =
        server.json("/api/wait?queue=long&requested=3000&processors=1&within=600&waited=60");
    assert_eq!(status, 200);
    let asked =
        ["predict-wait", "t.swf", "--queue", "long", "--requested", "50min", "--processors", "1", "--json"];
    let more = ["--within", "10min", "--waited", "1min"];
    assert_eq!(over_http, json(&surefill(&[&asked[..], &more].concat(), folder.path())));
    assert!(over_http["bound_s"].as_i64().unwrap() > 1000);

    let (status, all) = server.json("/api/queues");
    let names: Vec<&str> =
        all["queues"].as_array().unwrap().iter().map(|q| q["queue"].as_str().unwrap()).collect();
    assert_eq!((status, names), (200, vec!["long", "short"]));
    // Where bounds rest on like situations there are no clusters, and no more than 300 waits count.
    assert!(
        all["queues"]
            .as_array()
            .unwrap()
            .iter()
            .all(|queue| queue["clusters"].as_array().unwrap().is_empty())
    );
    let (rests_on, remembered) = (&over_http["like"]["waits"], &over_http["remembered"]);
    assert!((59..=300).contains(&rests_on.as_i64().unwrap()), "{rests_on} of {remembered}");
    let clustered = serve(folder.path(), &["t.swf", "--no-visible"]).json("/api/queues").1;
    let described = server.json("/openapi.json").1;
    let wanted =
        &described["components"]["schemas"]["Queue"]["properties"]["clusters"]["items"]["properties"];
    for cluster in
        clustered["queues"].as_array().unwrap().iter().flat_map(|q| q["clusters"].as_array().unwrap())
    {
        let bound = |key: &str| cluster[key].as_i64().unwrap();
        assert!(bound("median_bound_s") <= bound("bound_s"), "{cluster}");
        let names = |value: &serde_json::Value| -> std::collections::BTreeSet<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(names(cluster), names(wanted));
    }
    let (status, head, page) = server.get("/");
    assert!(
        status == 200 && head.contains("content-type: text/html") && head.contains("content-security-policy")
    );
    assert!(page.contains("<h2>long</h2>") && page.contains("95 % start within") && page.contains("<svg"));
    // Nothing is loaded but the service's own script, which has nothing to say where the page does.
    assert_eq!((page.matches("<script").count(), page.matches(" src=").count()), (1, 1));
    let (status, head, script) = server.get("/live.js");
    assert!(
        status == 200 && head.contains("content-type: text/javascript") && script.contains("setInterval")
    );

    for (path, status) in [
        ("/api/wait", 400),
        ("/api/wait?queue=none", 404),
        ("/api/wait?queue=long&job=17", 404),
        ("/api/wait?queue=long&requested=-1", 400),
        ("/api/wait?queue=long&requested=x", 400),
        ("/api/wait?queue=long&quantile=1.5", 400),
        ("/api/wait?queue=long&waited=99999999999999", 400),
        ("/api/wait?queue=long&bogus=1", 400),
        ("/api/wait/more", 404),
    ] {
        let (found, error) = server.json(path);
        assert_eq!(found, status, "{path}");
        assert!(error["error"].as_str().is_some_and(|error| !error.is_empty()), "{path}");
    }
    let (status, _, body) = server
        .send("PUT /api/wait HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    assert!(status == 405 && body.contains("\"error\""), "{status} {body}");
    let (status, ..) = server.send("nonsense\r\n\r\n");
    assert_eq!(status, 400);
    // Somebody who says nothing does not keep others waiting.
    let _silent = TcpStream::connect_timeout(&server.address, PATIENCE).unwrap();
    assert_eq!(server.get("/api/queues").0, 200);
    assert!(begun.elapsed() < PATIENCE);
}

/// What `advise --json` prints stands on the page and at `/api/starts`, and is read again when it has changed.
#[test]
fn serve_tells_when_waiting_jobs_start() {
    let folder = folder();
    let told = |within: i64| {
        serde_json::json!({
            "now": 1_700_000_000, "learnt": 3, "heads": [],
            "starts": [
                {"job": "4711<b>", "user": "zelda", "partition": "long", "waited": 7200, "calibrated_by": 50, "started": [],
                 "quantiles": [{"probability": 0.05, "within": 0}, {"probability": 0.5, "within": within},
                               {"probability": 0.95, "within": 9000}]},
                {"job": "4712", "user": "zelda", "partition": "long", "waited": 60, "calibrated_by": 50, "started": [],
                 "quantiles": []},
            ],
        })
    };
    let path = folder.path().join("starts.json");
    std::fs::write(&path, told(600).to_string()).unwrap();
    let server = serve(folder.path(), &["t.swf", "--starts", "starts.json", "--reload", "1"]);
    let (status, found) = server.json("/api/starts");
    let anonymous = |within| {
        let mut starts = told(within)["starts"].clone();
        for start in starts.as_array_mut().unwrap() {
            start.as_object_mut().unwrap().remove("user");
        }
        starts
    };
    assert_eq!((status, &found["now"], &found["starts"]), (200, &told(600)["now"], &anonymous(600)));
    assert!(found["told_s_ago"].as_i64().unwrap() < 60, "{found}");
    let described = server.json("/openapi.json").1["components"]["schemas"]["Starts"]["properties"].clone();
    let names = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&described), names(&found));
    assert_eq!(names(&described["starts"]["items"]["properties"]), names(&found["starts"][0]));
    let page = server.get("/").2;
    assert!(page.contains("4711&lt;b&gt;") && !page.contains("4711<b>") && !page.contains("zelda"), "{page}");
    assert!(page.contains("stretched by what 50 starts") && page.contains("min</td>"), "{page}");
    // A file that cannot be read changes nothing; a right one is read.
    std::fs::write(&path, "{").unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(server.json("/api/starts").1["starts"], anonymous(600));
    std::fs::write(&path, told(1200).to_string()).unwrap();
    let begun = Instant::now();
    while server.json("/api/starts").1["starts"] != anonymous(1200) {
        assert!(begun.elapsed() < PATIENCE, "the starts are not read again");
        std::thread::sleep(Duration::from_millis(100));
    }
    // What was told long ago is taken back by what has passed since, and said to be old.
    let hour_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
    std::fs::File::open(&path).unwrap().set_modified(hour_ago).unwrap();
    let old = serve(folder.path(), &["t.swf", "--starts", "starts.json"]);
    let page = old.get("/").2;
    assert!(page.contains("ago, and the queue has changed since") && page.contains("90 min"), "{page}");
    assert!(old.json("/api/starts").1["told_s_ago"].as_i64().unwrap() >= 3600);
    let without = serve(folder.path(), &["t.swf"]);
    assert_eq!(without.json("/api/starts").0, 404);
    assert!(!without.get("/").2.contains("Jobs that wait"));
    std::fs::write(&path, "[]").unwrap();
    assert_eq!(refused(folder.path(), &["t.swf", "--starts", "starts.json"]), Some(1));
}

#[test]
fn serve_answers_many_questions_and_a_form() {
    let folder = folder();
    let server = serve(folder.path(), &["t.swf", "--site", "Cluster <7>", "--host", "portal.example"]);
    let post = |body: &str| {
        let request = format!(
            "POST /api/wait HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let (status, head, body) = server.send(&request);
        assert!(head.contains("content-type: application/json"), "{head}");
        (status, serde_json::from_str::<serde_json::Value>(&body).unwrap())
    };
    let questions = r#"[{"queue": "long", "requested": 3000, "processors": 1, "within": 600, "waited": 60},
        {"queue": "none"}, {"queue": "short", "requested": -1}]"#;
    let (status, answers) = post(questions);
    assert_eq!((status, answers.as_array().map(Vec::len)), (200, Some(3)));
    let alone = server.json("/api/wait?queue=long&requested=3000&processors=1&within=600&waited=60").1;
    assert_eq!(answers[0], alone);
    assert_eq!((answers[1]["status"].as_u64(), answers[2]["status"].as_u64()), (Some(404), Some(400)));
    assert!(answers[1]["error"].is_string() && answers[2]["error"].is_string());
    for (body, wanted) in [("nonsense", 400), ("[{\"bogus\": 1}]", 422), ("{}", 422)] {
        let (status, answer) = post(body);
        assert!(status == wanted && answer["error"].is_string(), "{body}: {status} {answer}");
    }
    let many = format!("[{}]", vec!["{}"; 1001].join(","));
    assert_eq!(post(&many).0, 413);

    // The form's answer is that of the interface for programs.
    let bound =
        server.json("/api/wait?queue=long&requested=3000&processors=1").1["bound_s"].as_i64().unwrap();
    assert!((120..7200).contains(&bound));
    let (status, _, page) = server.get("/ask?queue=long&processors=1&hours=0&minutes=50");
    let minutes = bound as f64 / 60.0;
    let text = if minutes < 10.0 { format!("{minutes:.1} min") } else { format!("{minutes:.0} min") };
    assert!(status == 200 && page.contains(&format!("<strong>{text}</strong>")), "{text}: {page}");
    assert!(page.contains("Waiting times at Cluster &lt;7&gt;"));
    assert_eq!(server.get("/ask?queue=none&processors=1&hours=0&minutes=50").0, 404);
    // What was typed by hand is answered by a page as well.
    let (status, _, page) = server.get("/ask?queue=long&processors=-1&hours=0&minutes=50");
    assert!(status == 400 && page.contains("No answer: the number of processors is out of range."), "{page}");
    assert_eq!((server.get("/ask?queue=long").0, server.get("/ask").0), (200, 400));
    let (_, _, page) = server.get("/ask?queue=long&processors=100000&hours=0&minutes=50");
    assert!(page.contains("But no job of the history asked for more than"), "{page}");

    // A stranger's name that leads here is not answered; the name of a proxy is where it is allowed.
    let asked_as = |host: &str| {
        server.send(&format!("GET /api/queues HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).0
    };
    assert_eq!(
        (asked_as("evil.example"), asked_as("portal.example"), asked_as("127.0.0.1:80")),
        (421, 200, 200)
    );
    let (status, health) = server.json("/health");
    assert_eq!((status, health["status"].as_str()), (200, Some("ok")));
    assert_eq!(health["history"]["last"], server.json("/api/queues").1["history"]["last"]);
}

/// What the description of the interface has are the members of the answers, no more and no fewer.
#[test]
fn serve_describes_its_answers() {
    let folder = folder();
    let server = serve(folder.path(), &["t.swf"]);
    let described = server.json("/openapi.json").1;
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let schema = |name: &str| described["components"]["schemas"][name]["properties"].clone();
    let answer = server.json("/api/wait?queue=long&requested=3000&processors=1&within=600&start_by=900000").1;
    let queues = server.json("/api/queues").1;
    let queue = &queues["queues"][0];
    for (found, wanted) in [
        (&answer, schema("Answer")),
        (&answer["start"], schema("Answer")["start"]["properties"].clone()),
        (&answer["reservation"], schema("Answer")["reservation"]["properties"].clone()),
        (&answer["like"], schema("Like")),
        (&queues, schema("Queues")),
        (&queues["history"], schema("History")),
        (queue, schema("Queue")),
        (&queue["quantiles"][0], schema("Queue")["quantiles"]["items"]["properties"].clone()),
        (&server.json("/health").1, schema("Health")),
    ] {
        assert_eq!(keys(found), keys(&wanted));
    }
    for path in keys(&described["paths"]) {
        assert_ne!(server.get(&path).0, 405, "{path}");
        // Nobody has said when waiting jobs start.
        let status = if path == "/api/starts" { vec![404] } else { vec![200, 400] };
        assert!(status.contains(&server.get(&path).0), "{path}");
    }
    // Bounds do not fall from one quantile to a higher one.
    for queue in queues["queues"].as_array().unwrap() {
        let bounds: Vec<i64> =
            queue["quantiles"].as_array().unwrap().iter().filter_map(|q| q["bound_s"].as_i64()).collect();
        assert!(bounds.len() == 4 && bounds.is_sorted(), "{bounds:?}");
    }
}

/// Connections that say half of a question, more than there are places for: others are answered all the same.
#[test]
fn serve_is_not_locked_by_half_open_connections() {
    let folder = folder();
    let server = serve(folder.path(), &["t.swf"]);
    let half_open: Vec<TcpStream> = (0..600)
        .map(|_| {
            let mut stream = TcpStream::connect_timeout(&server.address, PATIENCE).unwrap();
            // A connection that has given way already refuses it.
            let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: loc");
            stream
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(server.json("/health").0, 200);
    }
    assert_eq!(half_open.len(), 600);
}

#[cfg(unix)]
#[test]
fn serve_listens_on_a_socket_in_the_file_system() {
    use std::os::unix::net::UnixStream;
    let folder = folder();
    let path = folder.path().join("s");
    // What nobody listens on any more gives way.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(["serve", "t.swf", "--listen", "unix:s"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut text = String::new();
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n").unwrap();
    stream.read_to_string(&mut text).unwrap();
    let refused = refused(folder.path(), &["t.swf", "--listen", "unix:s"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(line, "unix:s\n");
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("\"status\":\"ok\""), "{text}");
    assert_eq!(refused, Some(1));
}

#[test]
fn serve_sees_a_new_history_and_keeps_the_old_one_when_it_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h.txt");
    std::fs::write(&path, sacct()).unwrap();
    let server = serve(folder.path(), &["h.txt", "--reload", "1"]);
    let waiting = || server.json("/api/wait?queue=batch").1["waiting"].as_u64().unwrap();
    assert_eq!(waiting(), 1);
    std::fs::write(&path, sacct() + "201|1714569600|Unknown|60|4|batch|PENDING\n").unwrap();
    let begun = Instant::now();
    while waiting() != 2 {
        assert!(begun.elapsed() < PATIENCE, "not read again");
        std::thread::sleep(Duration::from_millis(100));
    }
    std::fs::write(&path, "nonsense|\n").unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(waiting(), 2);
}

#[test]
fn serve_listens_on_this_computer_only() {
    let folder = folder();
    assert_eq!(refused(folder.path(), &["t.swf", "--listen", "0.0.0.0:0"]), Some(2));
    assert_eq!(refused(folder.path(), &["none.swf"]), Some(1));
}
