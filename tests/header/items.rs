//! Declarations of the C interface, read from cbindgen's output for one section of `src/capi`.

use std::path::Path;

/// A part of a header: an object with all that belongs to it.
pub struct Section {
    /// The first line of the first file's documentation.
    pub title: String,
    /// The rest of that documentation, in paragraphs; code keeps its lines.
    pub use_: Vec<Paragraph>,
    pub items: Vec<Item>,
}

pub enum Paragraph {
    Text(String),
    Code(Vec<String>),
}

/// A declaration and its documentation in paragraphs.
pub struct Item {
    pub doc: Vec<String>,
    pub kind: Kind,
}

pub enum Kind {
    Constant { name: String, value: String },
    Opaque { name: String },
    Structure { name: String, members: Vec<(Vec<String>, Declared)> },
    Function { function: Declared, arguments: Vec<Declared> },
}

/// A type as C writes it, "const surefill_bins *" for example, the name that has it, and for an array its length.
#[derive(Clone)]
pub struct Declared {
    pub kind: String,
    pub name: String,
    pub length: Option<String>,
}

impl Declared {
    /// From "const struct surefill_bins *bins" or "int32_t each[8]".
    fn new(text: &str) -> Declared {
        let (text, length) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((text, length)) => (text, Some(length.to_owned())),
            None => (text, None),
        };
        let spaced = text.replace('*', " * ").replace("struct ", " ");
        let mut words: Vec<&str> = spaced.split_whitespace().collect();
        let name = words.pop().unwrap().to_owned();
        Declared { kind: words.join(" ").replace("* *", "**"), name, length }
    }

    /// "const surefill_bins *bins", the other way round.
    pub fn in_c(&self) -> String {
        let space = if self.kind.ends_with('*') { "" } else { " " };
        let length = self.length.as_ref().map(|length| format!("[{length}]")).unwrap_or_default();
        format!("{}{space}{}{length}", self.kind, self.name)
    }
}

/// These files of `src/capi` as one section.
pub fn section(root: &Path, files: &[&str]) -> Section {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in files {
        builder = builder.with_src(root.join(format!("src/capi/{file}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let source = std::fs::read_to_string(root.join(format!("src/capi/{}.rs", files[0]))).unwrap();
    let (title, use_) = introduction(&source);
    Section { title, use_, items: items(&String::from_utf8(made).unwrap()) }
}

/// The documentation of a file: its first line, then paragraphs of text and of code.
fn introduction(source: &str) -> (String, Vec<Paragraph>) {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let mut paragraphs = Vec::new();
    let mut text = String::new();
    let mut code = None::<Vec<String>>;
    for line in lines[1..].iter().chain(&[""]) {
        if line.starts_with("```") {
            match code.take() {
                Some(lines) => paragraphs.push(Paragraph::Code(lines)),
                None => code = Some(Vec::new()),
            }
        } else if let Some(lines) = &mut code {
            lines.push((*line).to_owned());
        } else if !line.is_empty() {
            text = format!("{text} {line}").trim().to_owned();
        } else if !text.is_empty() {
            paragraphs.push(Paragraph::Text(std::mem::take(&mut text)));
        }
    }
    (lines[0].trim_end_matches('.').to_owned(), paragraphs)
}

/// Documentation in paragraphs, without Rust's section on safety, which has nothing new on pointers for C programmers.
fn paragraphs(lines: &[&str]) -> Vec<String> {
    let kept: Vec<&str> =
        lines.iter().map(|line| line.trim()).take_while(|line| *line != "# Safety").collect();
    let mut found: Vec<String> = Vec::new();
    let mut apart = true;
    for line in kept {
        // An entry of a list is a paragraph of its own.
        if line.is_empty() || line.starts_with("- ") || apart {
            found.push(line.to_owned());
        } else if let Some(last) = found.last_mut() {
            *last = format!("{last} {line}");
        }
        apart = line.is_empty();
    }
    found.iter().filter(|text| !text.is_empty()).filter_map(|text| own_errors(text)).collect()
}

/// Errors that any function may return; the header has them once.
const COMMON: [&str; 9] = [
    "NULL",
    "MISALIGNED",
    "TOO_SMALL",
    "WRONG_OBJECT",
    "WRONG_VERSION",
    "FOREIGN_BYTE_ORDER",
    "CORRUPT",
    "NOT_A_NUMBER",
    "SPAN_TOO_LONG",
];

/// A paragraph on errors without those that any function may return; `None` when nothing is left of it.
fn own_errors(paragraph: &str) -> Option<String> {
    let Some((before, list)) = paragraph.split_once("Errors: ") else { return Some(paragraph.to_owned()) };
    let (list, rest) = match list.split_once(". ") {
        Some((list, rest)) => (list, rest),
        None => (list.trim_end_matches('.'), ""),
    };
    let mut depth = 0;
    let mut errors = vec![String::new()];
    for c in list.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match c {
            ',' if depth == 0 => errors.push(String::new()),
            c => errors.last_mut().unwrap().push(c),
        }
    }
    let common = |error: &str| COMMON.contains(&error) || error == "OUT_OF_RANGE (length)";
    errors.retain(|error| !common(error.trim()));
    let kept = errors.iter().map(|error| error.trim()).collect::<Vec<_>>().join(", ");
    let kept = if kept.is_empty() { kept } else { format!("Errors: {kept}.") };
    let all = [before, &kept, rest].into_iter().map(str::trim).filter(|text| !text.is_empty());
    let all = all.collect::<Vec<_>>().join(" ");
    if all.is_empty() { None } else { Some(all) }
}

fn items(made: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut doc: Vec<&str> = Vec::new();
    let mut lines = made.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("//") {
            doc.push(text);
            continue;
        }
        if line.is_empty() || line.starts_with("#include") {
            doc.clear();
            continue;
        }
        let documentation = paragraphs(&std::mem::take(&mut doc));
        let kind = if let Some(definition) = line.strip_prefix("#define ") {
            let (name, value) = definition.split_once(' ').unwrap();
            Kind::Constant { name: name.to_owned(), value: value.to_owned() }
        } else if let Some(name) = line.strip_prefix("typedef struct ") {
            if name.ends_with('{') {
                let mut members = Vec::new();
                let mut doc = Vec::new();
                for line in lines.by_ref().take_while(|line| !line.starts_with('}')) {
                    match line.strip_prefix("//") {
                        Some(text) => doc.push(text),
                        None => members.push((
                            paragraphs(&std::mem::take(&mut doc)),
                            Declared::new(line.trim_end_matches(';')),
                        )),
                    }
                }
                Kind::Structure { name: name.trim_end_matches(" {").to_owned(), members }
            } else {
                Kind::Opaque { name: name.split_whitespace().next().unwrap().to_owned() }
            }
        } else {
            let mut declaration = line.to_owned();
            while !declaration.ends_with(';') {
                declaration += lines.next().unwrap();
            }
            let declaration = declaration.trim_end_matches(");");
            let (function, arguments) = declaration.split_once('(').unwrap();
            let arguments = arguments.split(',').map(str::trim).filter(|argument| *argument != "void");
            Kind::Function {
                function: Declared::new(function),
                arguments: arguments.map(Declared::new).collect(),
            }
        };
        items.push(Item { doc: documentation, kind });
    }
    items
}

/// Text in lines of at most `width`.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
