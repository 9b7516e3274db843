//! Virtual reservations as their users see them, and what `predict-wait` refuses.

use crate::waits_command::{folder, json, sacct, surefill, surefill_with};

#[test]
fn predict_wait_says_when_to_submit() {
    let ask = |args: &[&str]| {
        let fixed =
            ["predict-wait", "--no-adapt", "--no-availability", "--no-visible", "--no-trim", "--no-cluster"];
        surefill_with(&sacct(), &[&fixed[..], args].concat())
    };
    // Of all 200 waits of 1 to 200 s the 161st is the bound of the .75 quantile.
    assert_eq!(surefill::wait::upper_index(200, 0.75, 0.95), Ok(Some(161)));
    let wish = ["--now", "1714569900", "--start-by", "1714570300", "--probability", "0.75"];
    let answer = json(&ask(&[&wish[..], &["--json"]].concat()));
    let reservation = &answer["reservation"];
    assert_eq!(reservation["submit_by"].as_i64(), Some(1_714_570_300 - 161));
    assert_eq!(reservation["from_now_s"].as_i64(), Some(400 - 161));
    assert_eq!(reservation["probability_now"].as_f64(), Some(1.0));
    let text = String::from_utf8(ask(&wish).stdout).unwrap();
    assert!(text.contains("Submitted by 1714570139, 4.0 min from now"), "{text}");
    // 50 s are left, within which 50 of the 200 start.
    let late = ["--now", "1714569900", "--start-by", "1714569950", "--probability", "0.75"];
    let text = String::from_utf8(ask(&late).stdout).unwrap();
    let none = "No start by 1714569950 can be promised with probability 75 % and 95 % confidence any more";
    assert!(
        text.contains(none) && text.contains("25 % of like jobs started within the time that is left"),
        "{text}"
    );
    for refused in [
        &["--now", "1714569900", "--start-by", "1714569899"][..],
        &["--start-by", "1714570300", "--waited", "5"],
        &["--probability", "0.75"],
    ] {
        assert_ne!(ask(refused).status.code(), Some(0), "{refused:?}");
    }
}

#[test]
fn what_would_change_nothing_is_refused() {
    // What changes the paper's history is refused where bounds do not rest on it, not ignored.
    for ignored in [&["--no-trim"][..], &["--no-cluster"], &["--by", "product"]] {
        let args = [&["predict-wait"], ignored].concat();
        let output = surefill_with(&sacct(), &args);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && message.contains("add --no-visible"), "{message}");
        assert_eq!(surefill_with(&sacct(), &[&args[..], &["--no-visible"]].concat()).status.code(), Some(0));
        let weibull = [&args[..], &["--method", "weibull"]].concat();
        assert_eq!(surefill_with(&sacct(), &weibull).status.code(), Some(0));
    }
}

/// Of a handful of jobs too little is known, so that no reservation is accepted; later those with hours to go are.
#[test]
fn reservations_are_asked_for_and_counted() {
    let folder = folder();
    let ask = |args: &[&str]| {
        let fixed = ["reservations", "t.swf", "--policy", "easy", "--lead", "6h", "--probability", "0.75"];
        json(&surefill(&[&fixed[..], args].concat(), folder.path()))
    };
    let few = &ask(&["--limit-jobs", "10", "--each", "3", "--json"])[0]["measures"][0];
    assert_eq!((few["asked"].as_u64(), few["accepted"].as_u64()), (Some(3), Some(0)));
    let many = &ask(&["--each", "30", "--json"])[0]["measures"][0];
    let count = |key: &str| many[key].as_u64().unwrap();
    assert_eq!((count("asked"), count("lead_s")), (90, 6 * 3600));
    assert!(count("accepted") > 80 && count("met") > 80 && count("met") <= count("accepted"), "{many}");
    for wrong in [&["--each", "1"][..], &["--probability", "1"], &["--lead", "x"], &["--seeds", "2"]] {
        let output = surefill(&[&["reservations", "t.swf"], wrong].concat(), folder.path());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
