//! The interface as Fortran modules, and the two programs that compare its structures with C's
//! (`tests/fortran/layout.*`).

use crate::items::{Declared, Item, Kind, Section, wrap};

/// Fortran's limit is 132.
const WIDTH: usize = 118;

/// Arguments that may be NULL though they point to numbers: addresses by value.
pub const OPTIONAL: &[(&str, &str)] = &[
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

/// Arguments that point to several numbers or structures, which C does not show: the arguments of the functions whose
/// names begin so.
const ARRAYS: &[(&str, &[&str])] = &[
    ("surefill_distribution_init_counts", &["counts"]),
    ("surefill_distribution_init_samples", &["runtimes"]),
    ("surefill_distribution_recalculate", &["probabilities"]),
    ("surefill_distribution_remaining", &["seconds", "probabilities"]),
    ("surefill_pass_add_", &["jobs"]),
    ("surefill_pass_head_start_quantiles", &["probabilities", "whens"]),
    ("surefill_nodes_", &["amounts", "parts"]),
    ("surefill_node_pass_", &["parts"]),
    ("surefill_hmm_filter", &["probabilities"]),
    ("surefill_hmm_viterbi", &["path"]),
    ("surefill_online_hmm_learn", &["counts"]),
    ("surefill_online_hmm_probabilities", &["probabilities"]),
    ("surefill_predictor_", &["keys", "jobs", "probabilities"]),
    ("surefill_experts_init", &["experts"]),
    ("surefill_wait_clusters", &["smallest", "largest", "counts"]),
    ("surefill_speedup_fit_run_times", &["processors", "seconds"]),
    ("surefill_lifetime_fit", &["lifetimes"]),
];

/// Arguments that several calls fill.
const FILLED: [(&str, &str); 1] = [("surefill_pass_head_start_quantiles", "whens")];

/// One module.
pub struct Module<'a> {
    pub name: &'a str,
    /// The comment at its top.
    pub about: &'a str,
    pub uses: &'a str,
    pub sections: &'a [Section],
    /// Text after the interfaces.
    pub end: &'a str,
}

impl Module<'_> {
    pub fn text(&self, structures: &[&str]) -> String {
        let mut text = format!("{}module {}\n{}  implicit none\n", self.about, self.name, self.uses);
        for section in self.sections {
            text += &format!("\n  ! ---- {} ----\n", section.title);
            for item in &section.items {
                match &item.kind {
                    Kind::Constant { name, value } => text += &constant(name, value, &item.doc),
                    Kind::Structure { name, members } => text += &structure(name, members, &item.doc),
                    Kind::Opaque { .. } | Kind::Function { .. } => {}
                }
            }
        }
        text += "\n  interface\n";
        for item in self.sections.iter().flat_map(|section| &section.items) {
            if let Kind::Function { function, arguments } = &item.kind {
                text += &interface(function, arguments, &item.doc, structures);
            }
        }
        text + self.end
    }
}

/// The first sentences of a documentation.
fn comment(doc: &[String], indent: &str) -> String {
    let lines = doc.first().map(|text| wrap(text, WIDTH - indent.len() - 3)).unwrap_or_default();
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        text += &format!("{indent}{} {line}\n", if i == 0 { "!>" } else { "!!" });
    }
    text
}

fn constant(name: &str, value: &str, doc: &[String]) -> String {
    let number: i64 = value.parse().unwrap();
    // Sizes are compared with the lengths of blocks.
    let long = name.ends_with("_SIZE") || i32::try_from(number).is_err();
    let kind = if long { "c_int64_t" } else { "c_int32_t" };
    format!("{}  integer({kind}), parameter :: {name} = {value}_{kind}\n", comment(doc, "  "))
}

fn structure(name: &str, members: &[(Vec<String>, Declared)], doc: &[String]) -> String {
    let mut text = format!("\n{}  type, bind(c) :: {name}\n", comment(doc, "  "));
    for (doc, member) in members {
        let pointer = member.kind.ends_with('*').then_some("type(c_ptr)");
        let kind =
            scalar(&member.kind).or(pointer).unwrap_or_else(|| panic!("Fortran has no {}", member.kind));
        let length = member.length.as_ref().map(|length| format!("({length})")).unwrap_or_default();
        text += &format!("{}    {kind} :: {}{length}\n", comment(doc, "    "), member.name);
    }
    text + &format!("  end type {name}\n")
}

/// The kind of a number.
fn scalar(c: &str) -> Option<&'static str> {
    Some(match c {
        "int32_t" | "uint32_t" => "integer(c_int32_t)", // Fortran has no unsigned numbers
        "int64_t" => "integer(c_int64_t)",
        "double" => "real(c_double)",
        _ => return None,
    })
}

/// The declaration of an argument.
fn argument(function: &str, argument: &Declared, structures: &[&str]) -> String {
    let Declared { kind, name, .. } = argument;
    if let Some(scalar) = scalar(kind) {
        return format!("{scalar}, value :: {name}");
    }
    let pointee = kind.strip_suffix('*').unwrap().trim();
    let (intent, pointee) = match pointee.strip_prefix("const ") {
        Some(pointee) => ("in", pointee),
        None if FILLED.contains(&(function, name.as_str())) => ("inout", pointee),
        // The program has set its size.
        None if structures.contains(&pointee) && !function.ends_with("_init") => ("inout", pointee),
        None => ("out", pointee),
    };
    let to = match scalar(pointee) {
        Some(scalar) => scalar.to_owned(),
        None if structures.contains(&pointee) => format!("type({pointee})"),
        None if pointee.ends_with('*') => "type(c_ptr)".to_owned(),
        None => return format!("type(c_ptr), value :: {name}"), // a handle or a block of memory
    };
    if OPTIONAL.contains(&(function, name.as_str())) {
        return format!("type(c_ptr), value :: {name}");
    }
    let of =
        |(start, names): &&(&str, &[&str])| function.starts_with(start) && names.contains(&name.as_str());
    let shape = if ARRAYS.iter().any(|entry| of(&entry)) { "(*)" } else { "" };
    format!("{to}, intent({intent}) :: {name}{shape}")
}

/// A statement in continued lines.
fn statement(text: &str, indent: &str) -> String {
    let lines = wrap(text, WIDTH - indent.len() - 10);
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let further = if i > 0 { "        " } else { "" };
        let end = if i + 1 < lines.len() { " &" } else { "" };
        out += &format!("{indent}{further}{line}{end}\n");
    }
    out
}

fn interface(function: &Declared, arguments: &[Declared], doc: &[String], structures: &[&str]) -> String {
    let c = &function.name;
    // A constant has this name, and Fortran does not distinguish large letters from small ones.
    let name = if c == "surefill_version_number" || c == "surefill_abi_version" {
        c.replace("surefill_", "surefill_linked_")
    } else {
        c.clone()
    };
    let (result, kind) = match function.kind.as_str() {
        "const char *" => ("string", "type(c_ptr)"),
        kind => ("code", scalar(kind).unwrap()),
    };
    let list = arguments.iter().map(|argument| argument.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut text = format!("\n{}", comment(doc, "    "));
    text += &statement(&format!("function {name}({list}) bind(c, name='{c}') result({result})"), "    ");
    text += "      import\n";
    for given in arguments {
        assert_ne!(given.name, result, "{c}");
        text += &format!("      {}\n", argument(c, given, structures));
    }
    text + &format!("      {kind} :: {result}\n    end function {name}\n")
}

/// Every entry of the tables above is one of these functions' arguments.
pub fn check_tables(items: &[&Item]) {
    let named = |start: &str, exact: bool, argument: &str| {
        items.iter().any(|item| match &item.kind {
            Kind::Function { function, arguments } => {
                let matches = if exact { function.name == start } else { function.name.starts_with(start) };
                matches && arguments.iter().any(|given| given.name == argument)
            }
            _ => false,
        })
    };
    for (function, argument) in OPTIONAL {
        assert!(named(function, true, argument), "{function} has no argument {argument}");
    }
    for (start, arguments) in ARRAYS {
        for argument in *arguments {
            assert!(named(start, false, argument), "no {start}... has an argument {argument}");
        }
    }
}

/// `tests/fortran/layout.c`: prints the C compiler's layout of these structures.
pub fn layout_c(items: &[&Item]) -> String {
    let mut text = String::from(
        "/* What the C compiler makes of the headers' structures: name, bytes; name%member, offset. Generated: tests/header. */
#include \"surefill_parts.h\"
#include <stddef.h>
#include <stdio.h>

#define SIZE(type) printf(#type \" %zu\\n\", sizeof(type))
#define OFFSET(type, member) printf(#type \"%%\" #member \" %zu\\n\", offsetof(type, member))

int main(void) {
",
    );
    for item in items {
        if let Kind::Structure { name, members } = &item.kind {
            text += &format!("    SIZE({name});\n");
            for (_, member) in members {
                text += &format!("    OFFSET({name}, {});\n", member.name);
            }
        }
    }
    text + "    return 0;\n}\n"
}

/// `tests/fortran/layout.f90`: prints the Fortran compiler's layout of them, in the same words.
pub fn layout_f90(items: &[&Item]) -> String {
    let mut declarations = String::new();
    let mut calls = String::new();
    for item in items {
        if let Kind::Structure { name, members } = &item.kind {
            let own = name.replace("surefill_", "a_");
            declarations += &format!("  type({name}), target :: {own}\n");
            calls += &format!("\n  call begin('{name}', c_loc({own}), c_sizeof({own}))\n");
            for (_, member) in members {
                let member = &member.name;
                calls += &format!("  call member('{member}', c_loc({own}%{member}))\n");
            }
        }
    }
    format!(
        "! What the Fortran compiler makes of the modules' types, in the words of layout.c. Generated: tests/header.
program layout
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_sizeof
  use surefill
  use surefill_parts
  implicit none

{declarations}  integer(c_intptr_t) :: start
  character(len=:), allocatable :: name
{calls}{}",
        include_str!("layout_end.f90")
    )
}
