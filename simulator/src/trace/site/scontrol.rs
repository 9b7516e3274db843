//! The printed descriptions of a Slurm site as records of named values: what `scontrol show config`, `partition`,
//! `node` and
//! `reservation` print, as text or as JSON, and the tables of `sacctmgr -P show`, in any order behind each other.

use serde_json::{Deserializer, Value};
use std::collections::BTreeMap;

/// A record: its values by their names in small letters.
pub(super) type Record = BTreeMap<String, String>;

/// The records of a site by their kinds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Records {
    /// The configuration: one record.
    pub config: Record,
    pub partitions: Vec<Record>,
    pub nodes: Vec<Record>,
    pub reservations: Vec<Record>,
    pub qos: Vec<Record>,
    /// Accounts and users, in the order of their tree; the name of an account begins with as many blanks as it is
    /// deep.
    pub associations: Vec<Record>,
    pub events: Vec<Record>,
}

/// The kinds of records by the name that begins them.
const BEGINNINGS: [&str; 3] = ["nodename", "partitionname", "reservationname"];

impl Records {
    /// Adds what a text holds; `name` stands for it in errors.
    ///
    /// # Errors
    /// A sentence: the text is none of the known ones, or its JSON is damaged.
    pub fn read(&mut self, name: &str, text: &str) -> Result<(), String> {
        let before = self.count();
        let mut rest = text;
        // Lines up to one that begins an object, that object, and so on.
        while !rest.trim().is_empty() {
            let ahead = rest.trim_start();
            let begins =
                if ahead.starts_with('{') { Some(rest.len() - ahead.len()) } else { rest.find("\n{") };
            let (lines, object) = rest.split_at(begins.unwrap_or(rest.len()));
            self.lines(lines);
            let object = object.trim_start();
            let mut values = Deserializer::from_str(object).into_iter::<Value>();
            if let Some(value) = values.next() {
                self.json(&value.map_err(|why| format!("{name}: {why}"))?);
            }
            rest = object.get(values.byte_offset()..).unwrap_or_default();
        }
        if self.count() > before {
            return Ok(());
        }
        Err(format!(
            "{name}: nothing of a site: wanted is what scontrol show config, partition, node or reservation prints (as text or \
             --json), or sacctmgr -P show qos, assoc or event (with -P, and the line of names)"
        ))
    }

    /// Keeps the rows of tables that are of the cluster of the configuration, where it says its name.
    pub fn of_cluster(&mut self) {
        let Some(name) = self.config.get("clustername").filter(|name| !name.is_empty()) else { return };
        let mine = |row: &Record| row.get("cluster").is_none_or(|cluster| cluster.trim() == name);
        for rows in [&mut self.associations, &mut self.events, &mut self.reservations] {
            rows.retain(mine);
        }
    }

    fn count(&self) -> usize {
        let lists =
            [&self.partitions, &self.nodes, &self.reservations, &self.qos, &self.associations, &self.events];
        self.config.len() + lists.iter().map(|list| list.len()).sum::<usize>()
    }

    fn lines(&mut self, text: &str) {
        let mut titles: Option<Vec<String>> = None;
        // The kind of the record that the next line belongs to.
        let mut open: Option<&str> = None;
        for line in text.lines() {
            if line.trim().is_empty() {
                (titles, open) = (None, None);
                continue;
            }
            // Cores of a reservation's nodes.
            if line.contains("CoreIDs=") {
                continue;
            }
            if is_row(line) {
                let cells: Vec<&str> = line.split('|').collect();
                match &titles {
                    Some(titles) if !is_title(&cells) => self.row(titles, &cells),
                    _ => titles = Some(cells.iter().map(|title| plain(title)).collect()),
                }
                continue;
            }
            let first = line.trim().split('=').next().map(plain).unwrap_or_default();
            if let Some(kind) = BEGINNINGS.iter().find(|kind| **kind == first) {
                open = Some(kind);
                self.list(kind).push(Record::new());
            }
            if let Some(kind) = open {
                if let Some(record) = self.list(kind).last_mut() {
                    record.extend(words(line));
                }
            } else if let Some((key, value)) = line.split_once('=').filter(|(key, _)| is_setting(key)) {
                self.config.insert(plain(key), value.trim().to_owned());
            }
        }
    }

    fn list(&mut self, kind: &str) -> &mut Vec<Record> {
        match kind {
            "nodename" => &mut self.nodes,
            "partitionname" => &mut self.partitions,
            _ => &mut self.reservations,
        }
    }

    /// A row of a table of sacctmgr.
    fn row(&mut self, titles: &[String], cells: &[&str]) {
        let row: Record =
            titles.iter().cloned().zip(cells.iter().map(|cell| cell.trim_end().to_owned())).collect();
        let has = |title: &str| row.contains_key(title);
        if has("user") && has("account") && (has("share") || has("fairshare")) {
            self.associations.push(row);
        } else if has("timestart") && has("nodename") {
            self.events.push(row);
        } else if has("name") && has("priority") {
            self.qos.push(row);
        } else if has("timestart") || has("start") || has("starttime") {
            self.reservations.push(row);
        }
    }

    fn json(&mut self, value: &Value) {
        for (key, list) in [("nodes", 0), ("partitions", 1), ("reservations", 2)] {
            for one in value.get(key).and_then(Value::as_array).into_iter().flatten() {
                let record = flat(one);
                match list {
                    0 => self.nodes.push(record),
                    1 => self.partitions.push(record),
                    _ => self.reservations.push(record),
                }
            }
        }
    }
}

/// Whether a line is one of a table: there are bars, and before the first no `Key=`.
fn is_row(line: &str) -> bool {
    line.split_once('|').is_some_and(|(first, _)| !first.contains('='))
}

/// Whether a text before `=` is the name of a line of the configuration, which has blanks behind it.
fn is_setting(key: &str) -> bool {
    let name = key.trim_end();
    name.len() < key.len() && !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name without capitals and blanks around it.
fn plain(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Whether cells are titles of another table.
fn is_title(cells: &[&str]) -> bool {
    const TITLES: [&str; 3] = ["cluster", "name", "resvname"];
    const BEHIND: [&str; 8] =
        ["account", "nodename", "priority", "start", "starttime", "user", "cluster", "gracetime"];
    let title = |place: usize| cells.get(place).map(|cell| plain(cell)).unwrap_or_default();
    TITLES.contains(&title(0).as_str()) && BEHIND.contains(&title(1).as_str())
}

/// The words `Key=Value` of a line; a value ends where the next word with a key begins.
fn words(line: &str) -> Vec<(String, String)> {
    let mut words: Vec<(String, String)> = Vec::new();
    for word in line.split_whitespace() {
        let key = word.split_once('=').filter(|(key, _)| {
            !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_:/".contains(c))
        });
        match (key, words.last_mut()) {
            (Some((key, value)), _) => words.push((plain(key), value.to_owned())),
            (None, Some((_, value))) => {
                value.push(' ');
                value.push_str(word);
            }
            (None, None) => {}
        }
    }
    words
}

/// The values of a JSON object by the names that the text has for them.
fn flat(object: &Value) -> Record {
    const NAMES: [(&str, &[&str]); 16] = [
        ("nodename", &["/name"]),
        ("partitionname", &["/name"]),
        ("cputot", &["/effective_cpus", "/cpus"]),
        ("realmemory", &["/real_memory"]),
        ("memspeclimit", &["/specialized_memory"]),
        ("gres", &["/gres"]),
        ("weight", &["/weight"]),
        ("partitions", &["/partitions"]),
        ("nodes", &["/nodes/configured", "/node_list", "/nodes"]),
        ("priorityjobfactor", &["/priority/job_factor", "/priority_job_factor"]),
        ("prioritytier", &["/priority/tier", "/priority_tier"]),
        ("shares", &["/maximums/shares"]),
        ("starttime", &["/start_time"]),
        ("endtime", &["/end_time"]),
        ("flags", &["/flags"]),
        ("qos", &["/qos/assigned"]),
    ];
    let text = |path: &str| match object.pointer(path)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")),
        // A number that may be infinite or not set.
        Value::Object(parts) => {
            let set = parts.get("set").and_then(Value::as_bool).unwrap_or(false);
            parts.get("number").filter(|_| set).map(Value::to_string)
        }
        _ => None,
    };
    let found = |(name, paths): &(&str, &[&str])| {
        Some(((*name).to_owned(), paths.iter().find_map(|path| text(path))?))
    };
    NAMES.iter().filter_map(found).collect()
}
