//! `serve --starts`: files of predicted starts, and the faults for which they are refused.

use super::predict_wait_command::folder;
use super::serve_command::{PATIENCE, refused, serve};
use std::time::{Duration, Instant};
use surefill_simulator::live::advise::starts::{Probability, Quantile};
use surefill_simulator::live::starts::Starts;

fn clock() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

/// Output of `advise --json` stands on the page and at `/api/starts`, and is read again when it has changed.
#[test]
fn serve_tells_when_waiting_jobs_start() {
    let folder = folder();
    let now = std::cell::Cell::new(clock());
    let predictions = |within: i64| {
        serde_json::json!({
            "now": now.get(), "learnt": 3, "heads": [],
            "starts": [
                {"job": "4711<b>", "user": "zelda", "partition": "long", "waited": 7200, "calibrated_by": 50, "started": [],
                 "tasks": 5, "at_once": 2, "last": [{"probability": 0.5, "within": 20_000}],
                 "quantiles": [{"probability": 0.05, "within": 0}, {"probability": 0.5, "within": within},
                               {"probability": 0.95, "within": 9000}]},
                {"job": "4712", "user": "zelda", "partition": "long", "waited": 60, "calibrated_by": 50, "started": [],
                 "quantiles": []},
            ],
        })
    };
    let path = folder.path().join("starts.json");
    std::fs::write(&path, predictions(600).to_string()).unwrap();
    let server = serve(folder.path(), &["t.swf", "--starts", "starts.json", "--reload", "1"]);
    let (status, found) = server.json("/api/starts");
    let anonymous = |within| {
        let mut starts = predictions(within)["starts"].clone();
        for start in starts.as_array_mut().unwrap() {
            let start = start.as_object_mut().unwrap();
            start.remove("user");
            // Files of before know of no tasks and notes.
            for (name, value) in [
                ("tasks", 1.into()),
                ("at_once", serde_json::Value::Null),
                ("last", serde_json::json!([])),
                ("note", serde_json::Value::Null),
            ] {
                start.entry(name).or_insert(value);
            }
        }
        starts
    };
    assert_eq!((status, &found["now"], &found["starts"]), (200, &predictions(600)["now"], &anonymous(600)));
    assert!((0..60).contains(&found["reported_s_ago"].as_i64().unwrap()), "{found}");
    assert_eq!(found["out_of_date"], false);
    let described = server.json("/openapi.json").1["components"]["schemas"]["Starts"]["properties"].clone();
    let names = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&described), names(&found));
    assert_eq!(names(&described["starts"]["items"]["properties"]), names(&found["starts"][0]));
    let page = server.get("/").2;
    assert!(page.contains("4711&lt;b&gt;") && !page.contains("4711<b>") && !page.contains("zelda"), "{page}");
    assert!(
        page.contains("corrected by 50 starts predicted likewise") && page.contains("min</td>"),
        "{page}"
    );
    assert!(page.contains("asks for more than is in service"), "{page}");
    assert!(page.contains("the first of 5 tasks"), "{page}");
    // A file that cannot be read changes nothing; a right one is read.
    std::fs::write(&path, "{").unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(server.json("/api/starts").1["starts"], anonymous(600));
    std::fs::write(&path, predictions(1200).to_string()).unwrap();
    let begun = Instant::now();
    while server.json("/api/starts").1["starts"] != anonymous(1200) {
        assert!(begun.elapsed() < PATIENCE, "the starts are not read again");
        std::thread::sleep(Duration::from_millis(100));
    }
    // An old prediction is taken back by the time that has passed since, and reported as old: by its own time, however
    // new the file is.
    let aged = |ago: i64, args: &[&str]| {
        now.set(clock() - ago);
        std::fs::write(&path, predictions(1200).to_string()).unwrap();
        serve(folder.path(), &[&["t.swf", "--starts", "starts.json"], args].concat())
    };
    let old = aged(3600, &[]);
    let page = old.get("/").2;
    assert!(page.contains("ago, and the queue has changed since") && page.contains("90 min"), "{page}");
    assert!((3600..3660).contains(&old.json("/api/starts").1["reported_s_ago"].as_i64().unwrap()));
    let day = aged(90_000, &[]);
    assert_eq!(day.json("/api/starts").1["out_of_date"], true);
    let page = day.get("/").2;
    assert!(page.contains("too long ago to be shown") && !page.contains("4711"), "{page}");
    // A time that is given for the present stands for the clock; one that lies ahead of it is said.
    let given = aged(0, &["--now", &(clock() + 600).to_string()]).json("/api/starts").1;
    assert!((600..602).contains(&given["reported_s_ago"].as_i64().unwrap()), "{given}");
    assert!(aged(-7200, &[]).get("/").2.contains("ahead of this computer's clock"));
    let without = serve(folder.path(), &["t.swf"]);
    assert_eq!(without.json("/api/starts").0, 404);
    assert!(!without.get("/").2.contains("Jobs that wait"));
    std::fs::write(&path, "[]").unwrap();
    assert_eq!(refused(folder.path(), &["t.swf", "--starts", "starts.json"]), Some(1));
}

/// A job whose start is predicted has the same start wherever it is asked for; without a prediction its wait is bounded
/// by the history.
#[test]
fn a_job_has_one_start() {
    let folder = folder();
    let now = 299_700;
    let mut history = "JobID|Submit|Start|End|TimelimitRaw|ReqCPUS|State\n".to_owned();
    for job in 0..300 {
        let submit = 1000 * job;
        history += &format!("{job}|{submit}|{}|{}|60|4|COMPLETED\n", submit + 30, submit + 900);
    }
    history += &format!("500|{}|||60|4|PENDING\n501|{}|||60|4|PENDING\n", now - 600, now - 600);
    std::fs::write(folder.path().join("h.txt"), &history).unwrap();
    let json = JSON
        .replace("1700000000", &(now - 60).to_string())
        .replace("\"job\": \"1\", \"waited\": 60", "\"job\": \"500\", \"waited\": 540");
    std::fs::write(folder.path().join("starts.json"), json).unwrap();
    let at = now.to_string();
    let server = serve(folder.path(), &["h.txt", "--starts", "starts.json", "--now", &at]);
    let (status, found) = server.json("/api/wait?job=500&within=3540&quantile=0.75");
    assert_eq!((status, found["answer"].as_str()), (200, Some("forecast")), "{found}");
    // The file is a minute old; the job was to start in it with probability .095: .75 of the rest is up to .77375.
    assert_eq!((found["from_now_s"].as_i64(), found["bound_s"].as_i64()), (Some(4181), Some(4781)));
    let probability = found["start"]["probability"].as_f64().unwrap();
    assert!((probability - (0.75 - 0.095) / 0.905).abs() < 1e-9 && found["confidence"].is_null(), "{found}");
    let sooner =
        serve(folder.path(), &["h.txt", "--starts", "starts.json", "--now", &(now - 90).to_string()]);
    assert_eq!(sooner.json("/api/wait?job=500&quantile=0.75").1["from_now_s"], 3600);
    assert_ne!(server.json("/api/wait?job=501").1["answer"], "forecast");
    let ask = |extra: &[&str]| {
        let args = [&["predict-wait", "h.txt", "--now", &at, "--within", "3540"], extra].concat();
        let output = super::command_line::surefill(&args, folder.path());
        String::from_utf8(output.stdout).unwrap()
    };
    let answer = ask(&["--job", "500", "--starts", "starts.json"]);
    assert!(
        answer.contains("with probability 95 % within 9795 s") && answer.contains("probability 72.38 %"),
        "{answer}"
    );
    let answer = ask(&["--job", "501", "--starts", "starts.json"]);
    assert!(!answer.contains("played forward"), "{answer}");
}

/// The distribution of a start is that of its quantiles and probabilities, linear between them.
#[test]
fn a_start_is_a_distribution() {
    let all = Starts::read(JSON.as_bytes()).unwrap();
    let start = all.of("1").unwrap();
    let by = [0.05, 0.5, 0.75, 0.95, 0.99, 1.0].map(|probability| start.by(probability));
    assert_eq!(by, [0, 600, 3600, 9000, 16_200, 18_000].map(Some));
    for (within, probability) in
        [(0, 0.05), (300, 0.275), (3600, 0.75), (9000, 0.95), (18_000, 1.0), (99_000, 1.0)]
    {
        assert!((start.probability(within).unwrap() - probability).abs() < 1e-9, "{within}");
    }
    // The forecast says nothing of a job that still waits after its interval of 90 %.
    assert_eq!((start.left_by(0.5, 0), start.left_by(0.5, 600)), (Some(600), Some(3000)));
    assert_eq!((start.left_by(0.5, 9000), start.left_probability(60, 9001)), (None, None));
    let none = all.of("2").unwrap();
    assert_eq!((none.by(0.5), none.probability(60)), (None, None));
    assert!(all.of("3").is_none());
    // The last two levels agree: the job starts by then.
    let certain = JSON.replace("9000", "600").replace("\"within\": 3600", "\"within\": 600");
    let certain = Starts::read(certain.as_bytes()).unwrap();
    assert_eq!(
        certain.of("1").map(|start| (start.by(0.99), start.probability(600))),
        Some((Some(600), Some(1.0)))
    );
}

const JSON: &str = r#"{
  "now": 1700000000,
  "starts": [
    {"job": "1", "waited": 60, "quantiles": [{"probability": 0.05, "within": 0},
      {"probability": 0.5, "within": 600}, {"probability": 0.95, "within": 9000}],
      "started": [{"within": 3600, "probability": 0.75}]},
    {"job": "2", "waited": 0, "quantiles": []}
  ]
}"#;

const TABLE: &str = "job,asked,waited_so_far,within_at_0.5,within_at_0.05,within_at_0.95,probability_within_3600\n\
                     1,1700000000,60,600,0,9000,0.75\n\
                     2,1700000000,0,,,,\n";

fn fault(text: &str) -> String {
    format!("{:#}", Starts::read(text.as_bytes()).expect_err(text))
}

/// A table and an object with the same content are the same starts.
#[test]
fn starts_are_read_from_tables_as_well() {
    let [json, mut table] = [JSON, TABLE].map(|text| Starts::read(text.as_bytes()).expect("starts"));
    assert_eq!((json.now, json.starts.len()), (1_700_000_000, 2));
    assert_eq!(json.starts[0].quantiles[1], Quantile { probability: 0.5, within: 600 });
    assert_eq!(json.starts[0].started, [Probability { within: 3600, probability: 0.75 }]);
    assert_eq!(json, table);
    let more = TABLE.replace("job,", "user,partition,job,").replace("\n1,", "\nada,long,1,");
    table.starts[0].user = "ada".to_owned();
    table.starts[0].partition = "long".to_owned();
    assert_eq!(Starts::read(more.replace("\n2,", "\n,,2,").as_bytes()).expect("starts"), table);
}

/// Every fault is reported with its line, in both kinds of files.
#[test]
fn wrong_starts_are_refused_with_their_line() {
    for (right, wrong, line, why) in [
        ("1700000000", "1700000000000", 2, "is after the year 2200: wanted are seconds, not milliseconds"),
        ("1700000000", "-5", 2, "is before 1970"),
        ("\"waited\": 60", "\"waited\": -60", 4, "-60 s is before the time of the forecast"),
        ("0.95", "1.95", 5, "the probability 1.95 is not within 0 to 1"),
        ("0.75", "-0.75", 6, "the probability -0.75 is not within 0 to 1"),
        ("9000", "900000000000", 5, "is more than ten years: wanted are seconds, not milliseconds"),
        ("9000", "500", 5, "quantiles out of order: 600 s with probability 0.5, then 500 s with 0.95"),
        ("9000", "\"soon\"", 5, "invalid type: string"),
        ("\"job\": \"2\", ", "", 7, "missing field `job`"),
    ] {
        let found = fault(&JSON.replacen(right, wrong, 1));
        assert!(found.starts_with(&format!("line {line}: ")) && found.contains(why), "{wrong}: {found}");
    }
    for (right, wrong, line, why) in [
        ("job,", "task,", 1, "no column job among task, asked"),
        ("waited_so_far", "waited", 1, "no column waited_so_far among job, asked, waited"),
        ("within_at_0.95", "within_at_95", 1, "the probability 95 is not within 0 to 1"),
        ("within_3600", "within_an_hour", 1, "probability_within_an_hour: no seconds"),
        ("1,1700000000", "1,1700000000000", 2, "wanted are seconds, not milliseconds"),
        ("2,1700000000", "2,1700000060", 3, "asked at 1700000060, and the rows before at 1700000000"),
        ("60,600", "60,soon", 2, "a quantile is no whole number of seconds: \"soon\""),
        ("60,600", "60,-600", 2, "-600 s is before the time of the forecast"),
        ("9000", "500", 2, "quantiles out of order"),
        ("0.75", "75", 2, "the probability 75 is not within 0 to 1"),
        ("0.75", "0.75,1", 2, "8 fields, and 7 columns"),
        ("0,,,,", "ago,,,,", 3, "the wait is no whole number of seconds: \"ago\""),
    ] {
        let found = fault(&TABLE.replacen(right, wrong, 1));
        assert!(found.starts_with(&format!("line {line}: ")) && found.contains(why), "{wrong}: {found}");
    }
    assert!(fault("job,asked,waited_so_far,within_at_0.5\n").contains("no row"));
    let without = TABLE.replace("within_at", "start");
    assert!(fault(&without).contains("no column within_at_0.5 among"), "{}", fault(&without));
}
