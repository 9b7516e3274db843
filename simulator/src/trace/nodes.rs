//! Machines of nodes as text, and what jobs ask of them.
//!
//! `64x(cores=128,mem=512G,gpu=4)+8x(cores=64,mem=1T,fat)` is a machine of two classes of nodes. A word without a value
//! is a feature. Memory (`mem`) has a unit (K, M, G or T, else it is MiB) and is counted in MiB; everything else
//! (cores, GPUs) is counted in thousandths, so that half a GPU is an amount.

use super::record::{Header, MAX_FEATURES, Record, unit};
use std::fmt;
use std::str::FromStr;
use surefill::error::Error;
use surefill::nodes::{Amounts, Fit, MAX_NODES, MAX_RESOURCES, Nodes, NodesCapacity, Request, Spread};

/// Like nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeClass {
    /// Number of nodes.
    pub count: u32,
    /// Amounts that each has, in the order of [`Machine::resources`].
    pub amounts: Amounts,
    /// Bits of [`Machine::features`].
    pub features: u64,
}

/// A machine of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The text that it was read from.
    text: String,
    /// The names of its resources, in the order in which they were named first.
    pub resources: Vec<String>,
    /// The names of its features, in the order of their bits.
    pub features: Vec<String>,
    /// The nodes.
    pub classes: Vec<NodeClass>,
    /// Choice of nodes for a job; `None` for the policy's own way.
    pub fit: Option<Fit>,
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An amount of a resource: memory in MiB, others in thousandths.
fn amount(name: &str, text: &str) -> Result<u32, String> {
    let wrong = || format!("{name}={text} is no amount");
    let (number, scale) = match text.chars().last().filter(|_| name == "mem") {
        Some('K') => (text.trim_end_matches('K'), 1.0 / 1024.0),
        Some('M') => (text.trim_end_matches('M'), 1.0),
        Some('G') => (text.trim_end_matches('G'), 1024.0),
        Some('T') => (text.trim_end_matches('T'), 1024.0 * 1024.0),
        _ => (text, unit(name)),
    };
    let parts = number.parse::<f64>().map_err(|_| wrong())? * scale;
    if (0.0..=f64::from(i32::MAX)).contains(&parts) { Ok(parts.round() as u32) } else { Err(wrong()) }
}

/// Where a name stands in a list to which it is added if there is room.
fn place(names: &mut Vec<String>, name: &str, most: usize) -> Result<usize, String> {
    if let Some(place) = names.iter().position(|known| known == name) {
        return Ok(place);
    }
    if names.len() == most {
        return Err(format!("more than {most} different names"));
    }
    names.push(name.to_owned());
    Ok(names.len() - 1)
}

impl FromStr for Machine {
    type Err = String;

    fn from_str(text: &str) -> Result<Machine, String> {
        let (mut resources, mut features, mut classes) = (Vec::new(), Vec::new(), Vec::new());
        let mut nodes = 0u64;
        for class in text.split('+') {
            let form = || format!("'{class}' is not of the form 64x(cores=128,mem=512G,gpu=4)");
            let (count, rest) = class.trim().split_once('x').ok_or_else(form)?;
            let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(form)?;
            let count: u32 = count.parse().ok().filter(|&count| count > 0).ok_or_else(form)?;
            nodes += u64::from(count);
            let (mut amounts, mut bits) = (Amounts::default(), 0u64);
            for word in inner.split(',').map(str::trim).filter(|word| !word.is_empty()) {
                match word.split_once('=') {
                    Some((name, value)) => {
                        let name = name.trim().to_lowercase();
                        let to = &mut amounts[place(&mut resources, &name, MAX_RESOURCES)?];
                        *to = amount(&name, value.trim())?;
                    }
                    None => bits |= 1 << place(&mut features, word, MAX_FEATURES)?,
                }
            }
            classes.push(NodeClass { count, amounts, features: bits });
        }
        if nodes > u64::from(MAX_NODES) || resources.is_empty() {
            return Err(format!("a machine has up to {MAX_NODES} nodes with a resource at least"));
        }
        Ok(Machine { text: text.to_owned(), resources, features, classes, fit: None })
    }
}

impl Machine {
    /// The machine with another way of choosing nodes.
    pub fn placing(self, fit: Option<Fit>) -> Machine {
        Machine { fit, ..self }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.classes.iter().map(|class| class.count).sum()
    }

    /// Amounts of all nodes together, kind by kind.
    pub fn total(&self) -> [u64; MAX_RESOURCES] {
        std::array::from_fn(|kind| {
            let of = |class: &NodeClass| u64::from(class.count) * u64::from(class.amounts[kind]);
            self.classes.iter().map(of).sum()
        })
    }

    /// Amounts by the names of the machine's resources: memory in MiB, all else in whole units (cores, GPUs).
    pub fn named(&self, amounts: &Amounts) -> Vec<(&str, f64)> {
        let all = self.resources.iter().zip(amounts);
        all.map(|(name, &amount)| (name.as_str(), f64::from(amount) / unit(name))).collect()
    }

    /// The names of these features.
    pub fn feature_names(&self, bits: u64) -> Vec<&str> {
        let has = |place: usize| bits >> place & 1 == 1;
        self.features
            .iter()
            .enumerate()
            .filter(|(place, _)| has(*place))
            .map(|(_, name)| name.as_str())
            .collect()
    }

    /// Number of tasks that take this much which the empty nodes can hold; none where a task takes nothing.
    pub fn rooms(&self, each: &Amounts) -> u64 {
        let on = |class: &NodeClass| {
            let needs = each.iter().zip(class.amounts).filter(|(each, _)| **each > 0);
            needs.map(|(each, has)| u64::from(has / each)).min().unwrap_or(0)
        };
        self.classes.iter().map(|class| u64::from(class.count) * on(class)).sum()
    }

    /// Whether the nodes are alike and each of these requests takes whole ones: a task of any job leaves no room for a
    /// task of another, so that only the number of free nodes counts.
    pub fn is_whole<'a>(&self, mut requests: impl Iterator<Item = &'a Request>) -> bool {
        let [class] = &self.classes[..] else { return false };
        let filled = |request: &Request, kind: usize| {
            class.amounts[kind] > 0 && request.each[kind] == class.amounts[kind]
        };
        let mut kinds: Vec<usize> = (0..MAX_RESOURCES).collect();
        requests.all(|request| {
            kinds.retain(|&kind| filled(request, kind));
            !kinds.is_empty()
        })
    }

    /// Its cores, as a number of processors; its nodes, where they have no cores.
    pub fn processors(&self) -> u32 {
        match self.resources.iter().position(|name| name == "cores") {
            Some(cores) => u32::try_from(self.total()[cores] / 1000).unwrap_or(u32::MAX).max(1),
            None => self.nodes(),
        }
    }

    /// The machine on which each of these features is one bit: a name with bars (`V100|T4`) is a feature of the nodes
    /// that have one of them, and one that no node has stays so.
    ///
    /// # Errors
    /// More different features than [`MAX_FEATURES`].
    pub fn with_features(&self, names: &[String]) -> Result<Machine, String> {
        let mut machine = self.clone();
        for name in names {
            let any = name.split('|').filter_map(|part| self.feature(part)).fold(0, |any, bit| any | bit);
            let bit = 1 << place(&mut machine.features, name, MAX_FEATURES)?;
            for class in machine.classes.iter_mut().filter(|class| class.features & any != 0) {
                class.features |= bit;
            }
        }
        Ok(machine)
    }

    /// Width of a request on this machine, in processors: the share that it asks for of the resource of which its
    /// share is the largest, of all nodes whatever their features, times the machine's cores. At least 1.
    pub fn width(&self, request: &Request) -> u32 {
        let share = |(kind, total): (usize, u64)| {
            let asked = f64::from(request.each[kind]) * f64::from(request.count);
            if total == 0 { 0.0 } else { asked / total as f64 }
        };
        let largest = self.total().into_iter().enumerate().map(share).fold(0.0, f64::max);
        ((largest * f64::from(self.processors())).round() as u32).max(1)
    }

    /// The bit of a feature.
    fn feature(&self, name: &str) -> Option<u64> {
        self.features.iter().position(|known| known == name).map(|place| 1 << place)
    }

    /// The request of a job: its tasks, where the trace has them; else one core for each of its processors, with the
    /// memory that it asked for a processor, or, where the trace does not say that, used.
    ///
    /// # Errors
    /// The name of a resource or a feature that the job wants and the machine does not have.
    pub fn request(&self, record: &Record, processors: u32, header: &Header) -> Result<Request, String> {
        let mut request = Request { count: processors, spread: Spread::Tasks, ..Request::default() };
        let mut set = |name: &str, amount: u32| match self.resources.iter().position(|own| own == name) {
            Some(place) => {
                request.each[place] = amount;
                Ok(())
            }
            None if amount == 0 => Ok(()),
            None => Err(name.to_owned()),
        };
        if let Some(tasks) = record.tasks {
            for (name, amount) in header.resources.iter().zip(tasks.each) {
                set(name, amount)?;
            }
            request.count = tasks.count;
            if let Some(index) = tasks.feature {
                let name = header.features.get(index as usize).cloned();
                let name = name.unwrap_or_else(|| format!("feature {}", u64::from(index) + 1));
                request.features = self.feature(&name).ok_or(name)?;
            }
            return Ok(request);
        }
        set("cores", 1000)?;
        // KB a processor; machines without memory do not count it.
        let counted = self.resources.iter().any(|name| name == "mem");
        if let Some(memory) = record.memory().filter(|_| counted) {
            set("mem", (memory / 1024.0).ceil().min(f64::from(i32::MAX)) as u32)?;
        }
        Ok(request)
    }
}

/// The core's machine in memory of its own. The default is none: nothing may be asked of it.
#[derive(Debug, Clone, Default)]
pub struct NodesBlock(Vec<u64>);

impl NodesBlock {
    /// The empty machine, with room for this number of jobs and of pairs of a job and a node at a time.
    ///
    /// # Panics
    /// Never: a [`Machine`] is within the core's limits.
    pub fn new(machine: &Machine, jobs: usize, parts: usize) -> NodesBlock {
        let capacity = NodesCapacity {
            nodes: machine.nodes(),
            classes: machine.classes.len() as u32,
            resources: machine.resources.len() as u32,
            jobs: jobs.min(1 << 20) as u32,
            parts: parts.min(1 << 20) as u32,
        };
        let made = || {
            let mut memory = vec![0; Nodes::size(&capacity)?.div_ceil(8)];
            let mut nodes = Nodes::init(bytemuck::cast_slice_mut(&mut memory), &capacity)?;
            for class in &machine.classes {
                let index = nodes.add_class(class.features, &class.amounts)?;
                nodes.add_nodes(index, class.count)?;
            }
            Ok::<_, Error>(memory)
        };
        NodesBlock(made().expect("a machine within the core's limits"))
    }

    /// The machine.
    ///
    /// # Panics
    /// Never: nothing else writes the block.
    pub fn view(&mut self) -> Nodes<'_> {
        Nodes::attach(bytemuck::cast_slice_mut(&mut self.0)).expect("a block that was made here")
    }

    /// Becomes another of the same machine.
    pub fn copy_from(&mut self, other: &NodesBlock) {
        self.0.copy_from_slice(&other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::swf::{Strictness, Trace, read};

    #[test]
    fn whole_nodes_are_those_that_a_task_fills() {
        let machine: Machine = "4x(cores=8,gpu=2)".parse().unwrap();
        let request =
            |cores, gpu| Request { count: 2, each: [cores, gpu, 0, 0, 0, 0, 0, 0], ..Request::default() };
        let whole = |machine: &Machine, requests: &[Request]| machine.is_whole(requests.iter());
        assert!(whole(&machine, &[request(8000, 0), request(8000, 2000)]));
        assert!(whole(&machine, &[request(1000, 2000), request(8000, 2000)]));
        // One fills the cores, the other the GPUs: the third kind of pair could share a node.
        assert!(!whole(&machine, &[request(8000, 0), request(0, 2000)]));
        assert!(!whole(&machine, &[request(4000, 0)]));
        let two: Machine = "4x(cores=8)+1x(cores=8,fat)".parse().unwrap();
        assert!(!whole(&two, &[request(8000, 0)]));
    }

    fn trace(text: &str) -> Trace {
        read(text.as_bytes(), "t.swf", Strictness::Strict).unwrap()
    }

    /// The request of the job on the last line of a trace.
    fn asked(machine: &Machine, text: &str) -> Result<Request, String> {
        let trace = trace(text);
        machine.request(trace.records.last().unwrap(), 3, &trace.header)
    }

    #[test]
    fn memory_is_what_was_asked_for_else_what_was_used() {
        let machine: Machine = "4x(cores=8,mem=16G)".parse().unwrap();
        let job = |used, asked| {
            let rest = " -1".repeat(8);
            format!("1 0 -1 10 3 -1 {used} 3 60 {asked}{rest}")
        };
        let each = |text: &str| asked(&machine, text).unwrap().each[..2].to_vec();
        assert_eq!(each(&job("1048577", "2048")), [1000, 2]);
        // KB, of which a part of a MiB counts as a whole one.
        assert_eq!(each(&job("1048577", "-1")), [1000, 1025]);
        assert_eq!(each(&job("-1", "-1")), [1000, 0]);
        let without: Machine = "4x(cores=8)".parse().unwrap();
        assert_eq!(asked(&without, &job("1048577", "-1")).unwrap().each[..2], [1000, 0]);
        for (text, only) in [(job("5", "-1"), true), (job("5", "5"), false), (job("-1", "-1"), false)] {
            assert_eq!(trace(&text).records[0].has_used_memory_alone(), only, "{text}");
        }
    }

    #[test]
    fn a_feature_of_a_trace_is_one_of_several_of_the_machine() {
        let machine: Machine = "4x(cores=8,T4)+2x(cores=8,V100)+1x(cores=8)".parse().unwrap();
        let trace = trace("; Resources: cores\n; Features: V100 T4|V100 A10|T4 A10\n");
        let with = machine.with_features(&trace.header.features).unwrap();
        assert_eq!(with.features, ["T4", "V100", "T4|V100", "A10|T4", "A10"]);
        let of: Vec<u64> = with.classes.iter().map(|class| class.features).collect();
        assert_eq!(of, [0b01101, 0b00110, 0]);
        let asks = |number: &str| {
            let head = "; Resources: cores\n; Features: V100 T4|V100 A10|T4 A10\n";
            asked(&with, &format!("{head}1 0 -1 10 1 -1 -1 1 60 -1{} 2 1.5 {number}", " -1".repeat(8)))
        };
        let nodes = |number: &str| {
            let request = asks(number).unwrap();
            assert_eq!((request.count, request.each[0]), (2, 1500));
            with.classes.iter().map(|class| class.features & request.features == request.features).collect()
        };
        for (number, expected) in [
            ("1", vec![false, true, false]),
            ("2", vec![true, true, false]),
            ("3", vec![true, false, false]),
            ("4", vec![false, false, false]),
            ("-1", vec![true, true, true]),
        ] {
            let found: Vec<bool> = nodes(number);
            assert_eq!(found, expected, "{number}");
        }
        for wrong in ["0", "5", "-2", "1.5", "x"] {
            let text = format!(
                "; Resources: cores\n; Features: a b c d\n1 0 -1 10 1 -1 -1 1 60 -1{} 2 1.5 {wrong}",
                " -1".repeat(8)
            );
            let read = read(text.as_bytes(), "t.swf", Strictness::Lenient).unwrap();
            assert_eq!((read.records.len(), read.problems.len()), (0, 1), "{wrong}");
        }
        let many: Vec<String> = (0..64).map(|number| format!("f{number}")).collect();
        assert_eq!(machine.with_features(&many).unwrap_err(), "more than 64 different names");
    }

    #[test]
    fn the_scarcest_resource_is_how_wide_a_job_is() {
        let machine: Machine = "2x(cores=8,mem=64G,gpu=2)".parse().unwrap();
        let width = |count, cores, mem, gpu| {
            let each = [cores, mem, gpu, 0, 0, 0, 0, 0];
            machine.width(&Request { count, each, ..Request::default() })
        };
        // 2 of 4 GPUs are 8 of 16 cores.
        assert_eq!(width(2, 1000, 0, 1000), 8);
        assert_eq!(width(3, 4000, 0, 1000), 12);
        assert_eq!(width(1, 1000, 96 << 10, 0), 12);
        assert_eq!(width(1, 10, 0, 0), 1);
    }

    #[test]
    fn machines_are_read_and_wrong_ones_say_why() {
        let machine: Machine =
            "64x(cores=128,mem=512G,gpu=4)+8x(gpu=0.5, cores=64,mem=1T,fat)".parse().unwrap();
        assert_eq!(machine.resources, ["cores", "mem", "gpu"]);
        assert_eq!(machine.classes[0].amounts[..3], [128_000, 512 << 10, 4000]);
        assert_eq!(machine.classes[1].amounts[..3], [64_000, 1 << 20, 500]);
        assert_eq!((machine.classes[1].features, machine.nodes()), (1, 72));
        assert_eq!((machine.total()[2], machine.processors()), (260_000, 64 * 128 + 8 * 64));
        for (text, why) in [
            ("64", "not of the form"),
            ("0x(cores=1)", "not of the form"),
            ("2x(cores=many)", "cores=many is no amount"),
            ("2x(cores=1G)", "cores=1G is no amount"),
            ("2x(fat)", "with a resource"),
            ("99999x(cores=1)", "up to 65536 nodes"),
        ] {
            let error = text.parse::<Machine>().unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
