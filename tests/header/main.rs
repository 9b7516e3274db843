//! The committed headers and Fortran modules are what cbindgen and the writers here make of `src/capi`.
//! `SUREFILL_BLESS=1 cargo test --test header` rewrites them.

mod c;
mod fortran;
mod items;
mod used;
mod words;

use items::{Item, Kind, Section};
use std::path::Path;

/// The sections of `surefill.h`, the scheduler, in the order in which a reader needs them: files of `src/capi`.
const SCHEDULER: [&[&str]; 4] = [
    &["status"],
    &["bins"],
    &["distribution"],
    &[
        "engine",
        "engine/settings",
        "parts",
        "engine/machine",
        "engine/events",
        "engine/cycle",
        "engine/reason",
        "engine/starts",
    ],
];

/// Those of `surefill_parts.h`, which a scheduler of one's own is built of.
const PARTS: [&[&str]; 16] = [
    &["pass", "pass/many", "pass/head_start"],
    &["forecast"],
    &["nodes"],
    &["nodes/node_pass"],
    &["nodes/node_forecast"],
    &["predictor", "predictor/events", "predictor/answers", "markov"],
    &["wait", "wait/ask"],
    &["allocate", "allocate/sizing", "allocate/choose"],
    &["names"],
    &["hmm"],
    &["online"],
    &["predictor/model"],
    &["wait/bounds"],
    &["wait/study"],
    &["allocate/lifetime"],
    &["detail"],
];

#[test]
fn the_committed_files_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sections = |files: &[&[&str]]| -> Vec<Section> {
        files.iter().map(|files| items::section(root, files)).collect()
    };
    let (mut scheduler, parts) = (sections(&SCHEDULER), sections(&PARTS));
    scheduler[0].items.insert(0, version());
    let all: Vec<&Item> = scheduler.iter().chain(&parts).flat_map(|section| &section.items).collect();
    fortran::check_tables(&all);
    let structures: Vec<&str> = all
        .iter()
        .filter_map(|item| match &item.kind {
            Kind::Structure { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();

    let includes = "#include <stdint.h>\n";
    let header =
        c::Header { guard: "SUREFILL_H", about: include_str!("about.h"), includes, sections: &scheduler };
    let includes = "#include \"surefill.h\"\n";
    let about = include_str!("about_parts.h");
    let parts_header = c::Header { guard: "SUREFILL_PARTS_H", about, includes, sections: &parts };
    let module = fortran::Module {
        name: "surefill",
        about: include_str!("about.f90"),
        uses: include_str!("uses.f90"),
        sections: &scheduler,
        end: include_str!("end.f90"),
    };
    let parts_module = fortran::Module {
        name: "surefill_parts",
        about: include_str!("about_parts.f90"),
        uses: "  use surefill\n",
        sections: &parts,
        end: "  end interface\n\nend module surefill_parts\n",
    };
    let mut stale = Vec::new();
    for (path, made) in [
        ("include/surefill.h", header.text()),
        ("include/surefill_parts.h", parts_header.text()),
        ("include/surefill.f90", module.text(&structures)),
        ("include/surefill_parts.f90", parts_module.text(&structures)),
        ("tests/fortran/layout.c", fortran::layout_c(&all)),
        ("tests/fortran/layout.f90", fortran::layout_f90(&all)),
    ] {
        if std::env::var_os("SUREFILL_BLESS").is_some() {
            std::fs::write(root.join(path), &made).unwrap();
        }
        if std::fs::read_to_string(root.join(path)).unwrap_or_default() != made {
            stale.push(path);
        }
    }
    assert!(stale.is_empty(), "stale: {stale:?}; SUREFILL_BLESS=1 cargo test --test header makes them again");
}

/// The constant that comes from `Cargo.toml`, which cbindgen does not see.
fn version() -> Item {
    let parts: Vec<i32> = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap()).collect();
    let number = parts[0] * 1_000_000 + parts[1] * 1_000 + parts[2];
    Item {
        doc: vec!["Version of this header: major x 1,000,000 + minor x 1,000 + patch.".to_owned()],
        kind: Kind::Constant { name: "SUREFILL_VERSION_NUMBER".to_owned(), value: number.to_string() },
    }
}
