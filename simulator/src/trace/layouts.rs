//! Tables without a line of names: which lines are data, and the columns of those that known programs write.

use super::columns::{Columns, NAMES, plain, plausible};
use super::values;

/// Open XDMoD's of two generations, and those that the manual asks for.
const LAYOUTS: [&str; 5] = [
    "jobid,jobidraw,-,partition,-,account,group,gid,user,uid,submit,eligible,start,end,elapsed,-,state,nnodes,ncpus,reqcpus,\
     reqmem,reqtres,alloctres,timelimit,-,jobname",
    "jobid,jobidraw,-,partition,account,group,gid,user,uid,submit,eligible,start,end,elapsed,-,state,nnodes,ncpus,reqcpus,\
     reqmem,-,-,timelimit,-,jobname",
    "jobid,jobidraw,submit,eligible,start,end,state,timelimitraw,alloccpus,reqcpus,user,account,partition",
    "jobid,jobidraw,submit,eligible,start,end,state,timelimitraw,alloccpus,reqcpus,nnodes,reqmem,maxrss,ntasks,totalcpu,\
     user,account,partition,jobname",
    "jobid,submit,eligible,start,end,state,timelimitraw,alloccpus,user,account,partition",
];

impl Columns {
    /// Whether a line is one of data, not of names: two dates or more.
    pub(crate) fn are_data(cells: &[&str]) -> bool {
        let date = |cell: &&&str| {
            values::is_date(cell.trim()) && values::time(cell.trim()).is_ok_and(|time| time.is_some())
        };
        cells.iter().filter(date).count() >= 2
    }

    /// The columns of a known layout that a line without names fits, and no other does.
    pub(crate) fn by_position(cells: &[&str]) -> Option<Columns> {
        let cells =
            if cells.last().is_some_and(|cell| cell.is_empty()) { &cells[..cells.len() - 1] } else { cells };
        let fits = |layout: &&&str| {
            let titles: Vec<&str> = layout.split(',').collect();
            let fit = |(title, cell): (&&str, &&str)| {
                NAMES.get(&plain(title)).is_none_or(|(role, _)| plausible(*role, cell.trim()))
            };
            titles.len() == cells.len() && titles.iter().zip(cells).all(fit)
        };
        let mut fitting = LAYOUTS.iter().filter(fits);
        let layout = fitting.next()?;
        let none = fitting.next().is_none();
        Columns::new(&layout.split(',').collect::<Vec<_>>()).ok().filter(|_| none)
    }
}
