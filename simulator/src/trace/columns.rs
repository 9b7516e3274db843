//! The grammar of columns: which names stand for what, in every table and in every record with named values.
//!
//! Columns are found by their names, in any order; capitals, blanks, `_` and `-` in them do not matter. Others are
//! passed over. [`COLUMNS`] is the one list: `surefill import --columns` prints it, and the manual has it.

use super::record::{BadColumns, Reason};
use super::text::excerpt;
use super::values::{self, Bare};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Columns of processors.
pub(super) const PROCESSORS: [Role; 5] =
    [Role::Used, Role::Requested, Role::UsedTres, Role::RequestedTres, Role::UsedIds];

/// The meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Submit,
    Eligible,
    Start,
    Wait,
    End,
    RunTime,
    Id,
    Task,
    Number,
    LimitMinutesOnly,
    LimitMinutes,
    LimitSeconds,
    Used,
    UsedTres,
    UsedIds,
    Requested,
    RequestedTres,
    Gpus,
    Nodes,
    RequestedMemory,
    RequestedMemoryEach,
    UsedMemoryEach,
    StepMemory,
    Tasks,
    TotalCpu,
    CpuTimeEach,
    State,
    CondorState,
    User,
    Account,
    Group,
    Program,
    Partition,
    Queue,
    Qos,
}

/// One meaning, its names and its unit.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub(crate) role: Role,
    /// The first that a table has counts.
    pub names: &'static [&'static str],
    /// The meaning and the unit, in words.
    pub meaning: &'static str,
}

const fn column(role: Role, names: &'static [&'static str], meaning: &'static str) -> Column {
    Column { role, names, meaning }
}

/// Every column that is read, in the order of its role.
pub const COLUMNS: [Column; 35] = [
    column(
        Role::Submit,
        &[
            "Submit",
            "submit_time",
            "submission_time",
            "submitted",
            "submission",
            "t_submit",
            "subtime",
            "QDate",
        ],
        "when it was submitted, a date or seconds of any clock; required",
    ),
    column(
        Role::Eligible,
        &["Eligible", "eligible_time"],
        "when nothing but the queue held it back any more: it then counts as submitted",
    ),
    column(
        Role::Start,
        &["Start", "start_time", "started", "starting_time", "t_run", "JobCurrentStartDate", "JobStartDate"],
        "when it started",
    ),
    column(
        Role::Wait,
        &["wait", "wait_time", "waiting_time"],
        "how long it waited, where its start is unknown: seconds, or [days-]hours:minutes:seconds",
    ),
    column(
        Role::End,
        &[
            "End",
            "end_time",
            "ended",
            "finish_time",
            "t_cleanup",
            "t_inactive",
            "CompletionDate",
            "EnteredCurrentStatus",
        ],
        "when it ended",
    ),
    column(
        Role::RunTime,
        &[
            "Elapsed",
            "ElapsedRaw",
            "run_time",
            "duration",
            "execution_time",
            "ru_wallclock",
            "RemoteWallClockTime",
        ],
        "how long it ran, where its end is unknown: seconds, or [days-]hours:minutes:seconds",
    ),
    column(Role::Id, &["JobID", "id", "job", "number", "job_number", "ClusterId"], "its name"),
    column(Role::Task, &["task_number", "array_task_id", "ProcId"], "the task of an array"),
    column(Role::Number, &["JobIDRaw"], "its number, beside its name"),
    column(Role::LimitMinutesOnly, &["TimelimitRaw"], "its limit in minutes"),
    column(
        Role::LimitMinutes,
        &["Timelimit"],
        "its limit: [days-]hours:minutes:seconds; a bare number is minutes, as in Slurm, unless jobs that were ended at it \
         show that it is seconds",
    ),
    column(
        Role::LimitSeconds,
        &[
            "requested_time",
            "limit",
            "walltime",
            "requested_walltime",
            "req_time",
            "run_limit",
            "RequestWalltime",
            "AllowedExecuteDuration",
        ],
        "its limit: seconds, unless jobs that were ended at it show another unit, or [days-]hours:minutes:seconds",
    ),
    column(
        Role::Used,
        &[
            "AllocCPUS",
            "NCPUS",
            "CPUS",
            "used_processors",
            "processors",
            "procs",
            "cores",
            "allocated_processors",
            "num_cpus",
            "num_cpu",
            "cpu_num",
            "num_cores",
            "core_num",
            "num_procs",
            "num_processors",
            "nprocs",
            "ncores",
            "cpu_count",
            "core_count",
            "slots",
            "CpusProvisioned",
        ],
        "processors it held",
    ),
    column(
        Role::UsedTres,
        &["AllocTRES"],
        "resources it held: cpu=4,mem=8G,node=1,gres/gpu=2; its GPUs are its width where nothing says its processors",
    ),
    column(Role::UsedIds, &["allocated_resources"], "the processors it held, by name: 0-3 7"),
    column(
        Role::Requested,
        &[
            "ReqCPUS",
            "requested_processors",
            "requested_cpus",
            "requested_cores",
            "req_procs",
            "req_cores",
            "requested_number_of_processors",
            "requested_number_of_resources",
            "RequestCpus",
            "res",
        ],
        "processors it asked for",
    ),
    column(
        Role::RequestedTres,
        &["ReqTRES", "tres_req_str"],
        "resources it asked for: cpu=4,mem=8G,node=1,gres/gpu=2",
    ),
    column(
        Role::Gpus,
        &[
            "num_gpus",
            "num_gpu",
            "gpu_num",
            "gpus",
            "gpu",
            "n_gpus",
            "gpu_count",
            "gpus_num",
            "alloc_gpus",
            "used_gpus",
            "req_gpus",
            "requested_gpus",
            "RequestGpus",
        ],
        "GPUs: its width where a table has no column of processors",
    ),
    column(
        Role::Nodes,
        &["NNodes", "AllocNodes", "nodes", "ReqNodes", "num_nodes", "node_num"],
        "nodes it held, for sizes of memory a node and for what-if --site; they are no width",
    ),
    column(
        Role::RequestedMemory,
        &["ReqMem"],
        "memory it asked for: 4Gc (a processor), 16Gn (a node), 64G (the job); a bare number is MB",
    ),
    column(Role::RequestedMemoryEach, &["requested_memory"], "memory it asked for, in KB a processor"),
    column(Role::UsedMemoryEach, &["used_memory"], "memory it used, in KB a processor"),
    column(Role::StepMemory, &["MaxRSS"], "of steps: the memory of their largest task"),
    column(Role::Tasks, &["NTasks"], "of steps: their tasks"),
    column(
        Role::TotalCpu,
        &["TotalCPU"],
        "processor time of all its processors: seconds, or [days-]hours:minutes:seconds",
    ),
    column(Role::CpuTimeEach, &["cpu_time"], "processor time in seconds a processor"),
    column(
        Role::State,
        &["State", "ST", "status", "job_state", "result", "success"],
        "COMPLETED, FAILED, CANCELLED by 7, PENDING, ...; or 1, 0, 5 as in SWF",
    ),
    column(Role::CondorState, &["JobStatus"], "HTCondor's number: 4 completed, 3 removed, ..."),
    column(Role::User, &["User", "user_name", "UID", "user_id", "owner"], "its user"),
    column(
        Role::Account,
        &["Account", "project", "bank", "AcctGroup", "AccountingGroup"],
        "the account that pays",
    ),
    column(
        Role::Group,
        &["Group", "group_name", "GID", "group_id"],
        "the user's group, where there is no account",
    ),
    column(Role::Program, &["JobName", "name", "executable", "application", "Cmd"], "its program"),
    column(Role::Partition, &["Partition"], "its partition"),
    // A table with `vc` may have the wait in `queue`.
    column(Role::Queue, &["vc", "Queue", "queue_name", "class", "qname"], "its queue"),
    column(Role::Qos, &["QOS"], "its quality of service"),
];

const ROLES: usize = COLUMNS.len();

/// Titles whose cells may hold the separator.
const FREE: [&str; 16] = [
    "jobname",
    "name",
    "submitline",
    "comment",
    "admincomment",
    "systemcomment",
    "workdir",
    "extra",
    "reason",
    "command",
    "cmd",
    "nodelist",
    "alloctres",
    "reqtres",
    "stdout",
    "stderr",
];

/// Roles by names without capitals, blanks, `_` and `-`, and which of the role's names it is.
pub(super) static NAMES: LazyLock<HashMap<String, (Role, usize)>> = LazyLock::new(|| {
    let names = |column: &Column| {
        let role = column.role;
        column
            .names
            .iter()
            .enumerate()
            .map(move |(rank, name)| (plain(name), (role, rank)))
            .collect::<Vec<_>>()
    };
    COLUMNS.iter().flat_map(names).collect()
});

/// A title without what does not matter in it.
pub(super) fn plain(title: &str) -> String {
    let matters = |c: &char| !matches!(c, ' ' | '_' | '-' | '\t' | '"');
    title.chars().filter(matters).flat_map(char::to_lowercase).collect()
}

/// The first names of a role, for messages.
fn accepted(role: Role) -> String {
    const SOME: usize = 8;
    let names = COLUMNS.get(role as usize).map_or(&[][..], |column| column.names);
    let more = if names.len() > SOME { ", ..." } else { "" };
    names.iter().take(SOME).copied().collect::<Vec<_>>().join(", ") + more
}

/// A row's cells by their roles; those that are not there are empty.
pub(crate) struct Row<'a> {
    cells: [Cow<'a, str>; ROLES],
}

impl<'a> Row<'a> {
    pub(crate) fn get(&self, role: Role) -> &str {
        self.cells.get(role as usize).map_or("", |cell| cell.trim())
    }

    fn set(&mut self, role: Role, cell: Cow<'a, str>) {
        if let Some(place) = self.cells.get_mut(role as usize) {
            *place = cell;
        }
    }

    /// A record of named values, and its columns; values that are empty are as if they were not there.
    ///
    /// # Errors
    /// [`BadColumns`].
    pub(crate) fn named(pairs: &'a [(Cow<'a, str>, Cow<'a, str>)]) -> Result<(Row<'a>, Columns), BadColumns> {
        let there = || pairs.iter().filter(|(_, cell)| !cell.trim().is_empty());
        let titles: Vec<&str> = there().map(|(title, _)| &**title).collect();
        let columns = Columns::new(&titles)?;
        let mut row = Row { cells: std::array::from_fn(|_| Cow::Borrowed("")) };
        for ((_, cell), role) in there().zip(&columns.roles) {
            if let Some(role) = role {
                row.set(*role, Cow::Borrowed(&**cell));
            }
        }
        Ok((row, columns))
    }
}

/// Which column has which role.
#[derive(Debug)]
pub(crate) struct Columns {
    roles: Vec<Option<Role>>,
    /// Where the cells may hold the separator.
    free: Vec<usize>,
    /// The line of names as it stands, for messages.
    titles: Vec<String>,
}

impl Columns {
    /// # Errors
    /// [`BadColumns`].
    pub(crate) fn new(titles: &[&str]) -> Result<Columns, BadColumns> {
        let names: Vec<String> = titles.iter().map(|title| plain(title)).collect();
        // Batsim's older table has names of processors under a title that is a count elsewhere.
        let batsim = names.iter().any(|name| name == "executiontime");
        let role = |name: &String| match name.as_str() {
            "allocatedprocessors" if batsim => Some((Role::UsedIds, 0)),
            name => NAMES.get(name).copied(),
        };
        let mut best: HashMap<Role, (usize, usize)> = HashMap::new();
        for (place, name) in names.iter().enumerate() {
            let Some((role, rank)) = role(name) else { continue };
            match best.get(&role) {
                Some((known, _)) if *known == rank => {
                    let title = titles.get(place).copied().unwrap_or("");
                    return Err(BadColumns::Doubled(excerpt(title.trim().as_bytes(), 40)));
                }
                Some((known, _)) if *known < rank => {}
                _ => drop(best.insert(role, (rank, place))),
            }
        }
        let mut roles = vec![None; titles.len()];
        for (role, (_, place)) in best {
            if let Some(slot) = roles.get_mut(place) {
                *slot = Some(role);
            }
        }
        let free = (0..names.len()).filter(|&place| FREE.contains(&names[place].as_str())).collect();
        let titles = titles.iter().map(|title| title.trim().to_owned()).collect();
        let columns = Columns { roles, free, titles };
        columns.need(&[Role::Submit])?;
        Ok(columns)
    }

    pub(crate) fn has(&self, role: Role) -> bool {
        self.roles.contains(&Some(role))
    }

    /// The title of a role's column.
    pub(crate) fn title(&self, role: Role) -> Option<&str> {
        let place = self.roles.iter().position(|known| *known == Some(role))?;
        self.titles.get(place).map(String::as_str)
    }

    /// Refuses a table without a column of one of these roles.
    ///
    /// # Errors
    /// [`BadColumns::Missing`].
    pub(crate) fn need(&self, roles: &[Role]) -> Result<(), BadColumns> {
        if roles.iter().any(|role| self.has(*role)) {
            return Ok(());
        }
        let first =
            |role: &Role| COLUMNS.get(*role as usize).and_then(|column| column.names.first().copied());
        let mut names: Vec<&str> = roles.iter().filter_map(first).collect();
        let last = names.pop().unwrap_or("");
        let what = if names.is_empty() { last.to_owned() } else { format!("{} or {last}", names.join(", ")) };
        let accepted = roles.first().map_or_else(String::new, |role| accepted(*role));
        Err(BadColumns::Missing { what, accepted, among: self.among() })
    }

    /// Refuses what no job of the past can be made of: neither start nor end nor run time, or no width.
    ///
    /// # Errors
    /// [`BadColumns`].
    pub(crate) fn need_past(&self) -> Result<(), BadColumns> {
        let begun = [Role::Start, Role::Wait];
        if !self.has(Role::RunTime) {
            match (begun.iter().any(|role| self.has(*role)), self.has(Role::End)) {
                (true, true) => {}
                (true, false) => self.need(&[Role::End, Role::RunTime])?,
                (false, true) => self.need(&[Role::Start, Role::RunTime])?,
                (false, false) => self.need(&[Role::Start, Role::End, Role::RunTime])?,
            }
        }
        if PROCESSORS.iter().chain(&[Role::Gpus]).any(|role| self.has(*role)) {
            return Ok(());
        }
        let nodes = self.title(Role::Nodes).map(str::to_owned);
        Err(BadColumns::NoWidth { nodes, accepted: accepted(Role::Used), among: self.among() })
    }

    fn among(&self) -> String {
        excerpt(self.titles.join("|").as_bytes(), 200)
    }

    /// Whether a line repeats a line of names, as it does where files were joined.
    pub(crate) fn are_names(cells: &[&str]) -> bool {
        // The first letter alone shows of most cells that they are no names.
        let known = |cell: &&str| {
            cell.trim_start().starts_with(['s', 'S', 't', 'T', 'q', 'Q', '"'])
                && NAMES.get(&plain(cell)).is_some_and(|(role, _)| *role == Role::Submit)
        };
        // A job may be called submit, but no name begins with a digit.
        let value = |cell: &&str| cell.trim_start().starts_with(|first: char| first.is_ascii_digit());
        cells.len() > 1 && cells.iter().any(known) && !cells.iter().any(value)
    }

    /// A row; a line may end with a separator, and one more may stand in a column of free text: what stands left and
    /// right of it is then read by count.
    ///
    /// # Errors
    /// The number of fields, when it is not that of the names.
    pub(crate) fn row<'a>(&self, cells: &[&'a str], separator: &str) -> Result<Row<'a>, Reason> {
        let (names, mut count) = (self.roles.len(), cells.len());
        while count > names && cells.get(count - 1).is_some_and(|cell| cell.trim().is_empty()) {
            count -= 1;
        }
        let wrong = || Reason::Fields(cells.len(), names);
        let more = count.checked_sub(names).ok_or_else(wrong)?;
        let split = match (more, &self.free[..]) {
            (0, _) => vec![(usize::MAX, 0)],
            (_, []) => return Err(wrong()),
            (_, [only]) => vec![(*only, more)],
            // The count alone does not say which of two columns of free text has them.
            (_, free) => self.splits(free, cells, more).ok_or_else(wrong)?,
        };
        let mut row = Row { cells: std::array::from_fn(|_| Cow::Borrowed("")) };
        let mut next = 0;
        for (place, role) in self.roles.iter().enumerate() {
            let extra = split.iter().find(|(free, _)| *free == place).map_or(0, |(_, extra)| *extra);
            let parts = cells.get(next..=next + extra).unwrap_or_default();
            next += 1 + extra;
            if let Some(role) = role {
                let cell = match parts {
                    [cell] => Cow::Borrowed(*cell),
                    parts => Cow::Owned(parts.join(separator)),
                };
                row.set(*role, cell);
            }
        }
        Ok(row)
    }

    /// The one way to give further cells to columns of free text such that times, states and numbers stand where they
    /// belong.
    fn splits(&self, free: &[usize], cells: &[&str], more: usize) -> Option<Vec<(usize, usize)>> {
        let fits = |owner: usize| {
            let mut next = 0;
            self.roles.iter().enumerate().all(|(place, role)| {
                let cell = cells.get(next).copied().unwrap_or("");
                next += 1 + if place == owner { more } else { 0 };
                role.is_none_or(|role| plausible(role, cell.trim()))
            })
        };
        let mut fitting = free.iter().filter(|&&owner| fits(owner));
        let owner = *fitting.next()?;
        // Side by side it does not matter which has them: none but the program's name is read.
        fitting.all(|&other| other == owner + 1).then(|| vec![(owner, more)])
    }
}

/// Whether a cell can be one of such a column.
pub(super) fn plausible(role: Role, cell: &str) -> bool {
    let number = || cell.bytes().all(|byte| byte.is_ascii_digit() || b".-KMkm".contains(&byte));
    match role {
        Role::Submit | Role::Eligible | Role::Start | Role::End => values::time(cell).is_ok(),
        Role::Used | Role::Requested | Role::Gpus | Role::Nodes | Role::Number => number(),
        Role::State => values::state(cell) != values::State::Unknown,
        Role::LimitMinutes | Role::LimitMinutesOnly => values::limit(cell, Bare::Minutes).is_ok(),
        Role::RunTime | Role::Wait | Role::TotalCpu => values::elapsed(cell).is_ok(),
        Role::Id => cell.starts_with(|c: char| c.is_ascii_digit()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_meaning_and_roles_are_places() {
        let names: Vec<String> =
            COLUMNS.iter().flat_map(|column| column.names).map(|name| plain(name)).collect();
        assert_eq!(names.len(), NAMES.len());
        assert!(COLUMNS.iter().enumerate().all(|(place, column)| column.role as usize == place));
    }

    #[test]
    fn cells_left_and_right_of_free_text_are_read_by_count() {
        let columns = Columns::new(&["Submit", "SubmitLine", "Start", "JobName", "State"]).unwrap();
        let row = |cells: &[&str]| {
            let row = columns.row(cells, "|").ok()?;
            Some([Role::Submit, Role::Start, Role::Program, Role::State].map(|role| row.get(role).to_owned()))
        };
        let read = |program: &str| Some(["1", "2", program, "FAILED"].map(str::to_owned));
        assert_eq!(row(&["1", "s", "2", "n", "FAILED"]), read("n"));
        assert_eq!(row(&["1", "s", "t", "2", "n", "FAILED"]), read("n"));
        assert_eq!(row(&["1", "s", "2", "n", "m", "FAILED", ""]), read("n|m"));
        // Both could be meant.
        assert_eq!(row(&["1", "s", "2", "2", "2", "FAILED"]), None);
        assert_eq!(row(&["1", "s", "2"]), None);
    }

    #[test]
    fn an_xdmod_line_is_read_by_position() {
        let line = "7|7|c|batch|normal|phys|phys|100|ann|1001|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:05:00|\
                    2024-05-01T10:35:00|00:30:00|0:0|COMPLETED|1|4|4|4G|cpu=4|cpu=4|01:00:00|n1|sim";
        let cells: Vec<&str> = line.split('|').collect();
        let columns = Columns::by_position(&cells).unwrap();
        assert_eq!(columns.row(&cells, "|").unwrap().get(Role::Used), "4");
        assert!(Columns::are_data(&cells) && !Columns::are_names(&cells));
        assert!(Columns::are_names(&["JobID", "Submit"]) && !Columns::are_names(&["7", "5", "submit"]));
        assert!(Columns::by_position(&cells[1..]).is_none());
    }
}
