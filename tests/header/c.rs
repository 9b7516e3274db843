//! The interface as a C header: block comments, so that a compiler for C89 reads it.

use crate::items::{Declared, Item, Kind, Paragraph, Section, wrap};

/// The longest line.
const WIDTH: usize = 118;

/// One header.
pub struct Header<'a> {
    pub guard: &'a str,
    /// The comment at its top.
    pub about: &'a str,
    pub includes: &'a str,
    pub sections: &'a [Section],
}

impl Header<'_> {
    pub fn text(&self) -> String {
        let guard = self.guard;
        let mut text = format!("{}\n#ifndef {guard}\n#define {guard}\n\n{}\n", self.about, self.includes);
        text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
        for section in self.sections {
            text += "\n";
            text += &head(section);
            for item in &section.items {
                text += "\n";
                text += &declaration(item);
            }
        }
        text + &format!("\n#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n")
    }
}

/// A section's title and introduction.
fn head(section: &Section) -> String {
    let rule = "-".repeat(WIDTH.saturating_sub(9 + section.title.chars().count()));
    let mut text = format!("/* ---- {} {rule}\n", section.title);
    for paragraph in &section.use_ {
        text += " *\n";
        match paragraph {
            Paragraph::Text(paragraph) => {
                for line in wrap(paragraph, WIDTH - 3) {
                    text += &format!(" * {line}\n");
                }
            }
            Paragraph::Code(lines) => {
                for line in lines {
                    text += format!(" *     {line}").trim_end();
                    text += "\n";
                }
            }
        }
    }
    text + " */\n"
}

/// Paragraphs as one comment.
fn comment(paragraphs: &[String], indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut listed = false;
    for paragraph in paragraphs {
        let entry = paragraph.strip_prefix("- ");
        if !(lines.is_empty() || listed && entry.is_some()) {
            lines.push(String::new());
        }
        listed = entry.is_some();
        let width = WIDTH - 6 - indent.len();
        match entry {
            None => lines.extend(wrap(paragraph, width)),
            Some(entry) => {
                let marks = ["- "].into_iter().chain(std::iter::repeat("  "));
                lines.extend(marks.zip(wrap(entry, width - 2)).map(|(mark, line)| format!("{mark}{line}")));
            }
        }
    }
    let Some(last) = lines.last_mut() else { return String::new() };
    last.push_str(" */\n");
    let mut text = format!("{indent}/* {}", lines[0]);
    for line in &lines[1..] {
        text += format!("\n{indent} * {line}").trim_end_matches(' ');
    }
    text
}

/// A constant's value. One that C89's long may not hold is a power of two.
fn constant(value: &str) -> String {
    match value.parse::<i64>() {
        Ok(large) if i32::try_from(large).is_err() => {
            assert!(large.unsigned_abs().is_power_of_two(), "{large}");
            format!("((int64_t)1 << {})", large.trailing_zeros())
        }
        _ => value.to_owned(),
    }
}

fn declaration(item: &Item) -> String {
    let doc = comment(&item.doc, "");
    doc + &match &item.kind {
        Kind::Constant { name, value } => format!("#define {name} {}\n", constant(value)),
        Kind::Opaque { name } => format!("typedef struct {name} {name};\n"),
        Kind::Structure { name, members } => {
            let mut text = format!("typedef struct {name} {{\n");
            for (doc, member) in members {
                text += &comment(doc, "  ");
                text += &format!("  {};\n", member.in_c());
            }
            text + &format!("}} {name};\n")
        }
        Kind::Function { function, arguments } => call(function, arguments) + &sized(function, arguments),
    }
}

/// The macro that passes the program's size of a structure to the function that sets it to its defaults.
fn sized(function: &Declared, arguments: &[Declared]) -> String {
    let Some((last, own)) =
        arguments.split_last().filter(|(last, _)| last.name == "size" && last.kind == "int64_t")
    else {
        return String::new();
    };
    let structure = own.iter().find(|argument| argument.kind.ends_with('*')).unwrap();
    let (name, size) = (&function.name, &last.name);
    assert!(name.ends_with("_init"), "{name} takes {size}");
    let names: Vec<&str> = own.iter().map(|argument| argument.name.as_str()).collect();
    let names = names.join(", ");
    format!("#define {name}({names}) {name}({names}, (int64_t)sizeof *({}))\n", structure.name)
}

/// A function on one line when it fits, else with one argument a line.
fn call(function: &Declared, arguments: &[Declared]) -> String {
    let start = format!("{}(", function.in_c());
    let arguments: Vec<String> = arguments.iter().map(Declared::in_c).collect();
    let list = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    if start.len() + list.len() + 2 <= WIDTH {
        return format!("{start}{list});\n");
    }
    format!("{start}{});\n", arguments.join(&format!(",\n{}", " ".repeat(start.len()))))
}
