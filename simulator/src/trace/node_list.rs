//! A machine of nodes as an option names it: as text, or `@FILE` with that text or with the node list of Alibaba's GPU
//! cluster trace of 2023 (`openb_node_list_*.csv`: `cpu_milli`, `memory_mib`, `gpu`, `model` of every node), compressed
//! or not. Like nodes of a list are one class, in the order in which they come first; the GPUs' model is a feature.

use super::nodes::Machine;
use super::source;
use super::text::printable;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

const COLUMNS: &str = "sn,cpu_milli,memory_mib,gpu,model";

/// No list of nodes is longer.
const MAX_BYTES: u64 = 64 << 20;

/// The machine that an option names.
///
/// # Errors
/// A sentence: what is wrong with the text or the file, and in which line.
pub fn machine(option: &str) -> Result<Machine, String> {
    let Some(path) = option.strip_prefix('@') else { return option.parse() };
    let path = Path::new(path);
    let name = source::name(path);
    let unreadable = |error: std::io::Error| format!("{name}: {error}");
    let (text, _) = source::bytes(path).and_then(|bytes| source::text(bytes, &name)).map_err(unreadable)?;
    let mut content = String::new();
    text.take(MAX_BYTES + 1).read_to_string(&mut content).map_err(unreadable)?;
    if content.len() as u64 > MAX_BYTES {
        return Err(format!("{name}: more than {} MiB", MAX_BYTES >> 20));
    }
    let mut lines = content.lines();
    if lines.next().is_none_or(|first| first.trim() != COLUMNS) {
        return content.trim().parse().map_err(|why| format!("{name}: {why}"));
    }
    let mut classes: Vec<(String, u32)> = Vec::new();
    for (number, line) in (2..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
        let class = class(line.trim()).map_err(|why| format!("{name}, line {number}: {why}"))?;
        match classes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, count)) => *count += 1,
            None => classes.push((class, 1)),
        }
    }
    let mut text = String::new();
    for (class, count) in &classes {
        let plus = if text.is_empty() { "" } else { "+" };
        write!(text, "{plus}{count}x({class})").expect("text takes everything");
    }
    text.parse().map_err(|why| format!("{name}: {why}"))
}

/// Resources of a line's node, as a class of a machine's text.
fn class(line: &str) -> Result<String, String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [_, cpu, memory, gpus, model] = cells[..] else { return Err("not 5 fields".to_owned()) };
    let number = |column: &str, cell: &str| {
        cell.parse::<u32>().map_err(|_| format!("{column} is not a whole number: '{}'", printable(cell)))
    };
    let (cpu, memory) = (number("cpu_milli", cpu)?, number("memory_mib", memory)?);
    let mut class = format!("cores={},mem={memory}M", f64::from(cpu) / 1000.0);
    match number("gpu", gpus)? {
        0 => {}
        gpus => write!(class, ",gpu={gpus}").expect("text takes everything"),
    }
    let named = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    match model {
        "" => {}
        model if model.chars().all(named) => write!(class, ",{model}").expect("text takes everything"),
        model => return Err(format!("no name of a model: '{}'", printable(model))),
    }
    Ok(class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write as _;

    fn of(content: &str) -> Result<Machine, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nodes.csv.gz");
        let mut file = GzEncoder::new(std::fs::File::create(&path).unwrap(), Compression::fast());
        file.write_all(content.as_bytes()).unwrap();
        file.finish().unwrap();
        machine(&format!("@{}", path.display()))
    }

    #[test]
    fn like_nodes_of_a_list_are_a_class() {
        let list = format!("{COLUMNS}\na,96000,393216,8,G2\nb,32500,262144,0,\n\nc,96000,393216,8,G2\n");
        let read = of(&list).unwrap();
        assert_eq!(read.to_string(), "2x(cores=96,mem=393216M,gpu=8,G2)+1x(cores=32.5,mem=262144M)");
        assert_eq!((read.nodes(), read.processors()), (3, 224));
        assert_eq!(read.features, ["G2"]);
        // The text itself, in a file or not.
        assert_eq!(of("2x(cores=4)+1x(cores=8)\n").unwrap(), machine("2x(cores=4)+1x(cores=8)").unwrap());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |line: &str| {
            let why = of(&format!("{COLUMNS}\na,1000,1024,0,\n{line}\n")).unwrap_err();
            why.split_once("nodes.csv.gz").unwrap().1.to_owned()
        };
        assert_eq!(wrong("b,1000,1024,0"), ", line 3: not 5 fields");
        assert_eq!(wrong("b,1000,-1,0,"), ", line 3: memory_mib is not a whole number: '-1'");
        assert_eq!(wrong("b,1000,1024,1,A(1)"), ", line 3: no name of a model: 'A(1)'");
        assert!(of(COLUMNS).unwrap_err().ends_with("is not of the form 64x(cores=128,mem=512G,gpu=4)"));
        assert!(machine("@/nowhere/nodes.csv").unwrap_err().starts_with("/nowhere/nodes.csv: "));
    }
}
