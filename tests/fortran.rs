//! The Fortran modules declare the same constants, structures and functions as the C headers, in names, order and
//! kinds. Reads both texts independently of the writers (`tests/header`); `tests/fortran/run.sh` compares their
//! compiled layouts.

use std::collections::BTreeMap;

/// Arguments that may be NULL: in Fortran addresses by value.
const OPTIONAL: [(&str, &str); 12] = [
    ("surefill_distribution_init_samples", "weights"),
    ("surefill_pass_add_running", "index"),
    ("surefill_pass_add_candidate", "index"),
    ("surefill_pass_add_running_many", "wrong"),
    ("surefill_pass_add_candidates_many", "wrong"),
    ("surefill_node_pass_add_running", "index"),
    ("surefill_node_pass_add_candidate", "index"),
    ("surefill_node_pass_add_placed", "index"),
    ("surefill_node_forecast_add_running", "index"),
    ("surefill_node_forecast_add_waiting", "index"),
    ("surefill_forecast_add_running", "index"),
    ("surefill_forecast_add_waiting", "index"),
];

/// Arguments that are read as well as written, beside structures.
const FILLED: [(&str, &str); 1] = [("surefill_pass_head_start_quantiles", "whens")];

/// A name and its kind, the kind in Fortran's words.
type Named = (String, String);

/// Declarations of both files, by their names in C.
#[derive(Debug, Default, PartialEq)]
struct Interface {
    constants: BTreeMap<String, (i64, String)>,
    structures: BTreeMap<String, Vec<Named>>,
    /// Arguments, then the result.
    functions: BTreeMap<String, (Vec<Named>, String)>,
}

fn text(path: &str) -> String {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// "const struct surefill_bins *bins" is the type "const surefill_bins *" and the name "bins".
fn c_declaration(declaration: &str) -> (String, String) {
    let spaced = declaration.replace('*', " * ").replace("struct ", " ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    let name = words.pop().unwrap();
    (words.join(" "), name.to_owned())
}

fn scalar(c: &str) -> Option<&'static str> {
    Some(match c {
        "int32_t" | "uint32_t" => "integer(c_int32_t)", // Fortran has no unsigned numbers
        "int64_t" => "integer(c_int64_t)",
        "double" => "real(c_double)",
        _ => return None,
    })
}

/// The kind of a C argument in Fortran.
fn argument(function: &str, declaration: &str, structures: &BTreeMap<String, Vec<Named>>) -> Named {
    let (kind, name) = c_declaration(declaration);
    if let Some(scalar) = scalar(&kind) {
        return (name, format!("{scalar}, value"));
    }
    let pointee = kind.strip_suffix(" *").unwrap_or_else(|| panic!("{function}: {declaration}"));
    let (intent, pointee) = match pointee.strip_prefix("const ") {
        Some(pointee) => ("in", pointee),
        // Arguments that several calls fill, and structures, whose size is read but by init functions.
        None if FILLED.contains(&(function, &name)) => ("inout", pointee),
        None if structures.contains_key(pointee) && !function.ends_with("_init") => ("inout", pointee),
        None => ("out", pointee),
    };
    let to = match scalar(pointee) {
        Some(scalar) => scalar.to_owned(),
        None if structures.contains_key(pointee) => format!("type({pointee})"),
        None if pointee.ends_with('*') => "type(c_ptr)".to_owned(),
        None => return (name, "type(c_ptr), value".to_owned()), // a handle or a block of memory
    };
    if OPTIONAL.contains(&(function, &name)) {
        return (name, "type(c_ptr), value".to_owned());
    }
    (name, format!("{to}, intent({intent})"))
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once("*/").unwrap().1)
}

/// Both headers.
fn c_text() -> String {
    text("include/surefill.h") + &text("include/surefill_parts.h")
}

fn header(text: &str) -> Interface {
    let mut found = Interface::default();
    let text = without_comments(text);
    let lines = text.lines().map(str::trim);
    for line in lines.clone() {
        if let Some((name, value)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) {
            if name.contains('(') {
                continue; // the macro of an init function
            }
            let shift = value.strip_prefix("((int64_t)1 << ").and_then(|shift| shift.strip_suffix(')'));
            let value: i64 =
                shift.map_or_else(|| value.parse().unwrap(), |shift| 1 << shift.parse::<u32>().unwrap());
            let short = i32::try_from(value).is_ok() && !name.ends_with("_SIZE");
            let kind = if short { "c_int32_t" } else { "c_int64_t" };
            found.constants.insert(name.to_lowercase(), (value, kind.to_owned()));
        }
    }
    let code: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
    let code = code.join(" ");
    for definition in code.split("typedef struct ").skip(1) {
        let (name, rest) = definition.split_once(' ').unwrap();
        let Some(members) = rest.strip_prefix("{ ") else { continue };
        let members = members.split('}').next().unwrap().split(';').map(str::trim);
        let members = members.filter(|member| !member.is_empty()).map(c_declaration);
        let members = members.map(|(kind, name)| {
            let kind = scalar(&kind).unwrap_or("type(c_ptr)");
            match name.trim_end_matches(']').split_once('[') {
                Some((name, length)) => (name.to_owned(), format!("{kind}({length})")),
                None => (name, kind.to_owned()),
            }
        });
        let members = members.collect();
        found.structures.insert(name.to_owned(), members);
    }
    for statement in code.split(';').filter(|statement| statement.ends_with(')')) {
        let (declaration, arguments) = statement.trim_end_matches(')').split_once('(').unwrap();
        let declaration = declaration.rsplit('{').next().unwrap(); // behind extern "C" {
        let (kind, name) = c_declaration(declaration);
        let result = scalar(&kind).unwrap_or("type(c_ptr)").to_owned();
        let arguments = arguments.split(',').map(str::trim).filter(|argument| *argument != "void");
        let arguments = arguments.map(|text| argument(&name, text, &found.structures)).collect();
        found.functions.insert(name, (arguments, result));
    }
    found
}

/// The modules, as one.
fn fortran_text() -> String {
    let first = text("include/surefill.f90");
    let (first, rest) = first.split_once("\ncontains\n").unwrap();
    assert!(rest.contains("end module surefill"));
    format!("{first}\n{}", text("include/surefill_parts.f90"))
}

/// A file's statements in small letters, without comments, continued lines joined.
fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        let line = line.split('!').next().unwrap().trim().to_lowercase();
        match line.strip_suffix('&') {
            Some(part) => open += part,
            None => statements.push(std::mem::take(&mut open) + &line),
        }
    }
    statements.retain(|statement| !statement.is_empty());
    statements
}

/// The kind of "each(8)", of another array than of unknown length.
fn shaped(kind: &str, name: &str) -> String {
    match name.split_once('(').filter(|(_, shape)| *shape != "*)") {
        Some((_, shape)) => format!("{kind}({shape}"),
        None => kind.to_owned(),
    }
}

/// "a, b(*)" of one declaration, without the shapes of arrays.
fn names(list: &str) -> impl Iterator<Item = String> {
    list.split(',').map(|name| name.split('(').next().unwrap().trim().to_owned())
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    Some(text.split_once(before)?.1.split_once(after)?.0)
}

fn module(text: &str) -> Interface {
    let mut found = Interface::default();
    let statements = statements(text);
    let mut lines = statements.iter();
    while let Some(line) = lines.next() {
        if line == "contains" {
            break;
        }
        let declarations = |end: &str, lines: &mut std::slice::Iter<String>| -> Vec<Named> {
            let own = lines.by_ref().take_while(|line| !line.starts_with(end));
            let pairs = own.filter_map(|line| line.split_once(" :: "));
            pairs.flat_map(|(kind, list)| names(list).map(move |name| (name, shaped(kind, list)))).collect()
        };
        if let Some((kind, rest)) = line.split_once(", parameter :: ") {
            let (name, value) = rest.split_once(" = ").unwrap();
            let (value, suffix) = value.split_once('_').unwrap();
            assert_eq!(kind, format!("integer({suffix})"), "{name}");
            found.constants.insert(name.to_owned(), (value.parse().unwrap(), suffix.to_owned()));
        } else if let Some(name) = line.strip_prefix("type, bind(c) :: ") {
            found.structures.insert(name.to_owned(), declarations("end type", &mut lines));
        } else if line.contains("function ") {
            let name = between(line, "name='", "'").unwrap().to_owned();
            let result = between(line, "result(", ")").unwrap();
            let arguments = between(line, "(", ")").unwrap();
            let mut kinds: BTreeMap<String, String> =
                declarations("end function", &mut lines).into_iter().collect();
            let result = kinds.remove(result).unwrap();
            let arguments = names(arguments).filter(|name| !name.is_empty());
            let arguments = arguments.map(|name| kinds.remove_entry(&name).unwrap()).collect();
            assert!(kinds.is_empty(), "{name}: declared, but no arguments: {kinds:?}");
            found.functions.insert(name, (arguments, result));
        }
    }
    // The one function that is not the library's.
    found.functions.remove("strlen").unwrap();
    found
}

#[test]
fn the_fortran_module_says_what_the_header_says() {
    let (c, fortran) = (header(&c_text()), module(&fortran_text()));
    // Nothing was overlooked in the headers: every name that they export is found.
    let results = ["\nint32_t surefill_", "\nint64_t surefill_", "\nconst char *surefill_"];
    assert_eq!(
        c.functions.len(),
        results.iter().map(|result| c_text().matches(result).count()).sum::<usize>()
    );
    assert!(c.constants.len() > 40 && c.structures.len() >= 7);
    for (name, value) in &c.constants {
        assert_eq!(fortran.constants.get(name), Some(value), "constant {name}");
    }
    for (name, members) in &c.structures {
        assert_eq!(fortran.structures.get(name), Some(members), "structure {name}");
    }
    for (name, function) in &c.functions {
        assert_eq!(fortran.functions.get(name), Some(function), "function {name}");
    }
    assert_eq!(c, fortran, "the module has more than the header");
}

/// The compiled layouts of structures are compared by `tests/fortran/layout.c` and `layout.f90`: no member is left out
/// there.
#[test]
fn every_structure_is_laid_out() {
    let layout = text("tests/fortran/layout.c");
    for (name, members) in header(&c_text()).structures {
        assert!(layout.contains(&format!("SIZE({name});")), "{name}");
        for (member, _) in members {
            assert!(layout.contains(&format!("OFFSET({name}, {member});")), "{name}%{member}");
        }
    }
}

#[test]
fn differences_are_noticed() {
    let good = fortran_text();
    let c = header(&c_text());
    assert_eq!(module(&good), c);
    for (from, to) in [
        ("SUREFILL_ERROR_FULL = -7", "SUREFILL_ERROR_FULL = -8"),
        ("real(c_double) :: threshold", "real(c_double) :: treshold"),
        ("    integer(c_int32_t) :: candidates\n", ""),
        ("surefill_bins_count(bins, count)", "surefill_bins_count(count, bins)"),
        ("integer(c_int64_t), value :: length\n", "integer(c_int32_t), value :: length\n"),
        ("real(c_double), intent(out) :: lower", "real(c_double), value :: lower"),
        ("name='surefill_pass_idle'", "name='surefill_pass_idel'"),
    ] {
        assert!(good.contains(from), "{from}");
        assert_ne!(module(&good.replacen(from, to, 1)), c, "{to}");
    }
}
