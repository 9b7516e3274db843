//! Virtual reservations as their users see them.

use crate::waits_command::{folder, json, papers};

/// Too little is known of a handful of jobs, so that no reservation is accepted; later those with hours to go are.
#[test]
fn reservations_are_asked_for_and_counted() {
    let folder = folder();
    let ask = |args: &[&str]| {
        let fixed = ["reservations", "t.swf", "--policy", "easy", "--lead", "6h", "--probability", "0.75"];
        json(&papers(&[&fixed[..], args].concat(), folder.path()))
    };
    let few = &ask(&["--limit-jobs", "10", "--each", "3", "--json"])[0]["measures"][0];
    assert_eq!((few["asked"].as_u64(), few["accepted"].as_u64()), (Some(3), Some(0)));
    let many = &ask(&["--each", "30", "--json"])[0]["measures"][0];
    let count = |key: &str| many[key].as_u64().unwrap();
    assert_eq!((count("asked"), count("lead_s")), (90, 6 * 3600));
    assert!(count("accepted") > 80 && count("met") > 80 && count("met") <= count("accepted"), "{many}");
    for wrong in [&["--each", "1"][..], &["--probability", "1"], &["--lead", "x"], &["--seeds", "2"]] {
        let output = papers(&[&["reservations", "t.swf"], wrong].concat(), folder.path());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
