//! `surefill packaging`: the manual pages and the shells' completions, made of the same definitions as `--help`.
//! Hidden: `make install` and the packages call it.

use super::{Cli, Failure};
use anyhow::Context;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs;
use std::path::{Path, PathBuf};

/// Options of `packaging`.
#[derive(Debug, Args)]
pub struct Packaging {
    /// Where to write man1/*.1 and completions/surefill.bash, _surefill, surefill.fish
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// The command line as users know it: without hidden verbs, which the generators do not all leave out.
fn visible() -> Command {
    let whole = Cli::command();
    let verbs: Vec<Command> = whole.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned().collect();
    let mut command = Command::new("surefill").version(env!("CARGO_PKG_VERSION")).subcommand_required(true);
    if let Some(about) = whole.get_about() {
        command = command.about(about.clone());
    }
    command.args(whole.get_arguments().cloned()).subcommands(verbs)
}

/// One page. What stands below the options in `--help` has its own line breaks: they are kept.
fn manual_page(command: &Command, name: &str) -> std::io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    // No date: the title line of the generator would leave it out, and call the version a date.
    let title = format!(
        ".TH {} 1 \"\" \"surefill {}\" \"User Commands\"\n",
        name.to_uppercase(),
        env!("CARGO_PKG_VERSION")
    );
    let (mut page, mut notes) = (title.into_bytes(), Vec::new());
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if command.get_after_long_help().is_some() || command.get_after_help().is_some() {
        man.render_extra_section(&mut notes)?;
        let notes = String::from_utf8_lossy(&notes);
        let body = notes.split_once(".SH EXTRA\n").map_or(&*notes, |(_, body)| body);
        page.extend_from_slice(format!(".SH NOTES\n.nf\n{}\n.fi\n", body.trim_end()).as_bytes());
    }
    Ok(page)
}

fn write(folder: &Path) -> anyhow::Result<()> {
    let (manual, completions) = (folder.join("man1"), folder.join("completions"));
    for made in [&manual, &completions] {
        fs::create_dir_all(made).with_context(|| made.display().to_string())?;
    }
    let mut command = visible().disable_help_subcommand(true);
    command.build();
    for page in command.get_subcommands().chain([&command]) {
        let name = page.get_display_name().unwrap_or("surefill");
        let path = manual.join(format!("{name}.1"));
        fs::write(&path, manual_page(page, name)?).with_context(|| path.display().to_string())?;
    }
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut visible(), "surefill", &completions)
            .with_context(|| completions.display().to_string())?;
    }
    Ok(())
}

impl Packaging {
    pub(super) fn run(self) -> Result<(), Failure> {
        Ok(write(&self.folder)?)
    }
}
