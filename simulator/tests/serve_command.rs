//! `serve` as its users see it.

use super::predict_wait_command::{folder, json, sacct, surefill};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Nothing here takes so long.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A server that ends with the test.
pub(super) struct Server {
    child: Child,
    address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn serve(folder: &Path, args: &[&str]) -> Server {
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefill"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (says, lines) = mpsc::channel();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = out.read_line(&mut line);
        // No process listens any more when the time is up.
        let _ = says.send(line);
    });
    // From here on it is ended whatever happens.
    let mut server = Server { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
    let line = lines.recv_timeout(PATIENCE).expect("the server says where it listens");
    server.address = line.trim().trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    server
}

/// The exit status of a server that refuses to serve.
pub(super) fn refused(folder: &Path, args: &[&str]) -> Option<i32> {
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

    pub(super) fn get(&self, path: &str) -> (u16, String, String) {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    pub(super) fn json(&self, path: &str) -> (u16, serde_json::Value) {
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
    // A client that says nothing does not keep others waiting.
    let _silent = TcpStream::connect_timeout(&server.address, PATIENCE).unwrap();
    assert_eq!(server.get("/api/queues").0, 200);
    assert!(begun.elapsed() < PATIENCE);
}

/// A clock's seconds since 1970.
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
    for (body, wanted) in [("nonsense", 400), ("[{\"bogus\": 1}]", 400), ("{}", 400)] {
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
    // A question typed by hand is answered by a page as well.
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

/// The description of the interface has the members of the answers, no more and no fewer.
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
        (&answer["history"], schema("Age")),
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
        // No file says when waiting jobs start.
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

/// Spans and dates are those of the command line, in the address and in a list of questions.
#[test]
fn serve_reads_spans_as_the_command_line_does() {
    let folder = folder();
    let server = serve(folder.path(), &["t.swf"]);
    let rest = "queue=long&processors=1";
    let written = server.json(&format!("/api/wait?{rest}&requested=50min&within=0:10:00&waited=1m"));
    assert_eq!(written, server.json(&format!("/api/wait?{rest}&requested=3000&within=600&waited=60")));
    assert_eq!(written.0, 200);
    let dated = server.json(&format!("/api/wait?{rest}&requested=1h&start_by=1970-01-11T10:00:00"));
    assert_eq!((dated.0, dated.1["reservation"]["start_by"].as_i64()), (200, Some(900_000)));
    for wrong in ["requested=2x", "waited=1:30", "within=-5m", "start_by=soon"] {
        let (status, answer) = server.json(&format!("/api/wait?{rest}&{wrong}"));
        assert!(status == 400 && answer["error"].as_str().unwrap().len() > 10, "{wrong}: {answer}");
    }
    let body =
        r#"[{"queue": "long", "processors": 1, "requested": "50min", "within": "10min", "waited": 60}]"#;
    let request = format!(
        "POST /api/wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, head, answers) = server.send(&request);
    assert_eq!(
        (status, serde_json::from_str::<serde_json::Value>(&answers).unwrap()[0] == written.1),
        (200, true)
    );
    // One question a connection, whatever the client would like.
    assert!(head.contains("connection: close"), "{head}");
}

/// Unknown parameters are refused, with a list of those that exist.
#[test]
fn serve_refuses_unknown_parameters() {
    let folder = folder();
    let server = serve(folder.path(), &["t.swf"]);
    let described = server.json("/openapi.json").1;
    let names: Vec<&str> = described["paths"]["/api/wait"]["get"]["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|parameter| parameter["name"].as_str().unwrap())
        .collect();
    let error = |path: &str| {
        let (status, answer) = server.json(path);
        assert_eq!(status, 400, "{path}");
        answer["error"].as_str().unwrap().to_owned()
    };
    let wanted = format!("no parameter 'reqested'; there are: {}", names.join(", "));
    assert_eq!(error("/api/wait?queue=long&reqested=2h"), wanted);
    for path in ["/health", "/api/queues", "/api/starts", "/fragment", "/openapi.json"] {
        assert_eq!(error(&format!("{path}?queue=long")), "no parameter 'queue'; there are: none", "{path}");
    }
    for (path, names) in [("/?queue=long", "none"), ("/ask?queu=long", "queue, processors, hours, minutes")] {
        let (status, head, page) = server.get(path);
        assert!(status == 400 && head.contains("content-type: text/html"), "{head}");
        assert!(page.contains(&format!("there are: {names}.")), "{path}");
    }
}

/// Where the newest event is older than the gaps that are usual, nothing is predicted, and everything says why.
#[test]
fn serve_says_that_a_history_is_out_of_date() {
    let folder = folder();
    let last = serve(folder.path(), &["t.swf"]).json("/health").1["now"].as_i64().unwrap();
    let at = |age: i64| serve(folder.path(), &["t.swf", "--now", &(last + age).to_string()]);
    let asked = "/api/wait?queue=long&requested=50min&processors=1&within=10min&start_by=90000000";
    let day = 86_400;
    let recent = at(day);
    let health = recent.json("/health").1;
    assert_eq!((&health["status"], &health["history"]["out_of_date"]), (&"ok".into(), &false.into()));
    assert_eq!((&health["history"]["age_s"], &health["history"]["last"]), (&day.into(), &last.into()));
    // Jobs are submitted every minute; the last ones start some minutes apart.
    assert!((60..3000).contains(&health["history"]["longest_gap_s"].as_i64().unwrap()), "{health}");
    assert_ne!(recent.json(asked).1["answer"], "out-of-date");
    let old = at(day + 1);
    let health = old.json("/health").1;
    assert_eq!((&health["status"], &health["history"]["out_of_date"]), (&"out-of-date".into(), &true.into()));
    let answer = old.json(asked).1;
    assert_eq!((&answer["answer"], &answer["history"]["age_s"]), (&"out-of-date".into(), &(day + 1).into()));
    for nothing in ["bound_s", "from_now_s", "start", "reservation"] {
        assert!(answer[nothing].is_null(), "{nothing}: {answer}");
    }
    for queue in old.json("/api/queues").1["queues"].as_array().unwrap() {
        assert!(queue["quantiles"].as_array().unwrap().iter().all(|quantile| quantile["bound_s"].is_null()));
    }
    let page = old.get("/").2;
    assert!(
        page.contains("The history is out of date: its newest event is 24 h old, older than a day"),
        "{page}"
    );
    let page = old.get("/ask?queue=long&processors=1&hours=1&minutes=0").2;
    assert!(page.contains("nothing is predicted, as the history is out of date"), "{page}");
}

/// The part with the queues, for a page of others: no html, no head, no script, and rules for itself alone.
#[test]
fn serve_gives_out_a_fragment() {
    let folder = folder();
    let server = serve(folder.path(), &["t.swf", "--site", "Cluster <7>"]);
    let (status, head, fragment) = server.get("/fragment");
    assert!(status == 200 && head.contains("content-type: text/html"), "{head}");
    assert!(fragment.starts_with("<div class=\"surefill\"><style>@scope (.surefill) {"), "{fragment}");
    for none in ["<html", "<head", "<body", "<script", "<main", "<h1", "prefers-color-scheme"] {
        assert!(!fragment.contains(none), "{none}");
    }
    assert!(fragment.contains("<h2>long</h2>") && fragment.contains("for Cluster &lt;7&gt;."), "{fragment}");
    let (open, closed) = (fragment.matches("<div").count(), fragment.matches("</div>").count());
    assert!(open == closed && fragment.ends_with("</div>"));
    // The page has an icon, one main part and the same queues.
    let page = server.get("/").2;
    assert!(
        page.contains("<link rel=\"icon\" href=\"data:image/svg+xml,") && page.matches("<main>").count() == 1
    );
    assert!(page.contains("<h2>long</h2>"));
}

/// Clients that ask for as much as they can and read nothing of it, more than there are places for.
#[test]
fn serve_is_not_locked_by_clients_that_do_not_read() {
    let folder = folder();
    let server = serve(folder.path(), &["t.swf"]);
    let question = r#"{"queue": "long", "requested": 3000, "processors": 1, "within": 600}"#;
    let body = format!("[{}]", vec![question; 1000].join(","));
    let post = format!(
        "POST /api/wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let requests = [post.repeat(5), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(500)];
    let deaf: Vec<TcpStream> = (0..400)
        .map(|client| {
            let mut stream = TcpStream::connect_timeout(&server.address, PATIENCE).unwrap();
            stream.set_nonblocking(true).unwrap();
            // The most that the system takes at once.
            let _ = stream.write(requests[client % 2].as_bytes());
            stream
        })
        .collect();
    for _ in 0..5 {
        assert_eq!(server.json("/health").0, 200);
        assert_eq!(server.get("/").0, 200);
    }
    assert_eq!(deaf.len(), 400);
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
    // A socket on which no process listens gives way.
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
    // Its dates are of another year: by this computer's clock it is out of date, at its end it was not.
    let status = |server: &Server| server.json("/health").1["status"].as_str().unwrap().to_owned();
    let end = serve(folder.path(), &["h.txt", "--now", "end"]);
    assert_eq!([status(&server), status(&end)], ["out-of-date", "ok"]);
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
