use super::*;

#[test]
fn arguments_are_checked() {
    assert_eq!(shard("2/3"), Ok(Shard::Given((2, 3))));
    assert_eq!(shard("array"), Ok(Shard::Array));
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "", "Array"] {
        assert!(shard(wrong).is_err(), "{wrong}");
    }
}

fn printed(shard: Numbers, cells: &[usize]) -> (String, Printed) {
    let printed = Printed {
        kind: KIND.to_owned(),
        surefill: env!("CARGO_PKG_VERSION").to_owned(),
        verb: "compare".to_owned(),
        options: vec!["--seeds=2".to_owned()],
        traces: vec![Input { name: "t.swf".to_owned(), blake3: "0".to_owned() }],
        shard,
        of_cells: 5,
        cells: cells.iter().map(|&cell| (cell, to_raw_value(&cell).unwrap())).collect(),
    };
    (format!("{}.json", shard.0), printed)
}

fn refused(shards: Vec<(String, Printed)>) -> String {
    gather(shards, &["compare"], false).unwrap_err().to_string()
}

#[test]
fn only_the_shards_of_one_run_make_one() {
    let whole = || vec![printed((2, 2), &[1, 3]), printed((1, 2), &[0, 2, 4])];
    let (verb, options, names, found) = gather(whole(), &["compare"], false).unwrap();
    assert_eq!((&verb[..], options.len(), &names[0][..]), ("compare", 1, "t.swf"));
    assert_eq!(found.cells.values().map(|cell| cell.get()).collect::<String>(), "01234");
    let with = |change: &dyn Fn(&mut Printed)| {
        let mut shards = whole();
        change(&mut shards[1].1);
        refused(shards)
    };
    assert_eq!(
        with(&|one| one.options[0] = "--seeds=3".to_owned()),
        "1.json: made with other options than 2.json: --seeds=3, not --seeds=2"
    );
    assert_eq!(
        with(&|one| one.options.clear()),
        "1.json: made with other options than 2.json: without --seeds=2"
    );
    assert_eq!(
        with(&|one| one.traces[0].blake3.clear()),
        "1.json: made of other traces than 2.json: t.swf has other contents"
    );
    assert_eq!(
        with(&|one| one.traces[0].name = "u".to_owned()),
        "1.json: made of other traces than 2.json: u, not t.swf"
    );
    assert_eq!(with(&|one| one.traces.clear()), "1.json: made of other traces than 2.json: 0 of them, not 1");
    assert!(
        with(&|one| one.surefill = "0.0.1".to_owned())
            .starts_with("1.json: printed by surefill 0.0.1, this is ")
    );
    assert_eq!(with(&|one| one.verb = "serve".to_owned()), "1.json: shards of serve are not merged here");
    for option in ["--html=somewhere", "-o", "--", "another.swf", "--json"] {
        let refused = with(&|one| one.options.push(option.to_owned()));
        assert_eq!(refused, format!("1.json: {option} is no option of a shard"));
    }
    for (number, of) in [(1, 0), (0, 2), (3, 2)] {
        let refused = with(&|one| one.shard = (number, of));
        assert_eq!(refused, format!("1.json: {number} of {of} is no shard"));
    }
    assert_eq!(with(&|one| one.shard = (2, 2)), "1.json: the same shard as 2.json: 2 of 2");
    assert_eq!(with(&|one| one.cells[0].0 = 3), "1.json: cell 3 is in 2.json already");
    assert_eq!(with(&|one| one.cells[0].0 = 5), "1.json: cell 5 does not belong to this run, which has 5");
    let mut damaged = printed((1, 2), &[0, 2, 4]);
    damaged.1.of_cells = usize::MAX;
    let missing = format!("{} of {} cells are missing: those of shard 2, 1 of 2", usize::MAX - 3, usize::MAX);
    assert_eq!(refused(vec![damaged]).replace("shard 1, 2", "shard 2, 1"), missing);
    assert_eq!(refused(vec![printed((1, 2), &[0, 2, 4])]), "2 of 5 cells are missing: those of shard 2 of 2");
    assert_eq!(
        refused(vec![printed((1, 9), &[0])]),
        "4 of 5 cells are missing: those of shard 2, 3, 4, 5 of 9"
    );
    assert_eq!(
        refused(vec![printed((1, 9), &[0]), printed((2, 2), &[1, 3])]),
        "2 of 5 cells are missing: number 2, 4"
    );
    assert_eq!(gather(vec![printed((1, 2), &[0, 2, 4])], &["compare"], true).unwrap().3.cells.len(), 3);
}
