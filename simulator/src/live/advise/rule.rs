//! The rule by which the site's scheduler decides, as its configuration says: the queue is played forward by that one.

use crate::live::engine::Block;
use crate::trace::values::elapsed;
use anyhow::{Context, Result, bail};
use std::ops::RangeInclusive;
use surefill::engine::{Mode, SchedulerCapacity, Settings, Way};

/// The beginning of the words of Slurm's plugin in SchedulerParameters.
const PREFIX: &str = "surefill_";

/// The words of the plugin's own, which the engine does not know: its mode, its pace and its files.
const OF_PLUGIN: [&str; 6] = ["mode", "locked", "interval", "save", "starts", "record"];

/// The most seconds that a point may be worth to the engine.
const MOST_S: f64 = 1e6;

/// The rule of a scheduler.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The engine's settings.
    pub settings: String,
    /// The rule's name in titles.
    pub name: String,
    /// A restriction of the answers, if the scheduler has a rule that cannot be played.
    pub remark: Option<String>,
    /// Whether each decision searches for a plan of the whole queue, which takes some forty times as long as EASY.
    pub plans: bool,
    /// Points of age, where points are worth seconds of waiting: the wait itself counts in their place.
    pub age: Option<Age>,
    /// Whether priorities say only who came first, and so are all equal to a plan: `priority/basic`.
    pub basic: bool,
}

/// The priorities that `priority/basic` gives: the first job has the highest, each later one the next lower.
const BASIC: RangeInclusive<i64> = 0x8000_0000..=0xFFFF_0000;

/// The points that a job's age earns, by `priority/multifactor`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Age {
    /// PriorityWeightAge.
    weight: f64,
    /// PriorityMaxAge, in seconds.
    most_s: f64,
}

impl Default for Rule {
    /// EASY by the limits, the rule of Slurm's sched/backfill.
    fn default() -> Rule {
        let (settings, name) = ("preset=easy".to_owned(), "EASY, as sched/backfill".to_owned());
        Rule { settings, name, remark: None, plans: false, age: None, basic: false }
    }
}

impl Rule {
    /// EASY, where nothing says which rule the site has.
    pub fn assumed() -> Rule {
        Rule { name: "EASY, as no --config says which rule".to_owned(), ..Rule::default() }
    }

    /// The rule of a site by the output of `scontrol show config`.
    ///
    /// # Errors
    /// When there is no line of SchedulerType, or a word of the plugin's that the engine does not know.
    pub fn configured(config: &str) -> Result<Rule> {
        let scheduler = value(config, "SchedulerType")
            .context("no line of SchedulerType: wanted is scontrol show config")?;
        match scheduler.to_lowercase().as_str() {
            "" => bail!("SchedulerType is empty"),
            "sched/surefill" => {
                Rule::of_plugin(value(config, "SchedulerParameters").unwrap_or_default(), config)
            }
            "sched/backfill" => Ok(Rule::default()),
            other => Ok(Rule {
                name: "EASY".to_owned(),
                remark: Some(format!("{other} cannot be played forward: starts are those by EASY")),
                ..Rule::default()
            }),
        }
    }

    /// The rule of Slurm's plugin, were it installed with this preset where the output of `scontrol show config` is so.
    ///
    /// # Errors
    /// For a preset that the engine does not know.
    pub fn installed(config: &str, preset: &str) -> Result<Rule> {
        Rule::of_plugin(&format!("{PREFIX}preset={preset}"), config)
    }

    /// The rule of Slurm's plugin by its words among SchedulerParameters and the site's priorities.
    fn of_plugin(parameters: &str, config: &str) -> Result<Rule> {
        let priorities = value(config, "PriorityType");
        let weight = value(config, "PriorityWeightAge").and_then(|text| text.parse::<f64>().ok());
        let most = value(config, "PriorityMaxAge").and_then(|text| elapsed(text).ok().flatten());
        let multifactor = priorities == Some("priority/multifactor");
        let age = weight.zip(most).filter(|&(weight, most)| multifactor && weight > 0.0 && most > 0);
        let age = age.map(|(weight, most)| Age { weight, most_s: most as f64 });
        let mut words = Vec::new();
        // First, so that what the site says counts, as in the plugin.
        if let Some(Age { weight, most_s }) = age {
            words.push(format!("seconds={:.6}", (most_s / weight).min(MOST_S)));
        }
        for word in parameters.split(',').map(|word| word.trim().to_lowercase()) {
            let Some(word) = word.strip_prefix(PREFIX) else { continue };
            let name = word.split('=').next().unwrap_or_default();
            if word == "mode=limits" {
                return Ok(Rule::by_limits(word));
            }
            if word == "mode=shadow" || !OF_PLUGIN.contains(&name) {
                words.push(word.to_owned());
            }
        }
        let rule = Rule::of_words(&words.join(" "))?;
        let by_points =
            Settings::DEFAULT.changed(&rule.settings, "").is_ok_and(|settings| settings.by_points());
        let basic = priorities == Some("priority/basic");
        Ok(Rule { age: age.filter(|_| by_points), basic, ..rule })
    }

    /// A job's priority to the engine, of what squeue says and of a job that has waited for so long, in seconds. Under
    /// `priority/basic` all are equal but those that an administrator has set; how nice users are squeue does not say.
    pub fn priority(&self, priority: i64, waited: i64) -> f64 {
        if self.basic && BASIC.contains(&priority) {
            return *BASIC.end() as f64;
        }
        let aged = |age: Age| age.weight * (waited.max(0) as f64 / age.most_s).min(1.0);
        (priority as f64 - self.age.map_or(0.0, aged)).max(0.0)
    }

    /// Jobs start by the limits in these modes, whatever the other words say.
    fn by_limits(mode: &str) -> Rule {
        Rule { name: format!("EASY, as surefill with {mode}"), ..Rule::default() }
    }

    /// The rule of the engine by its words.
    ///
    /// # Errors
    /// For words that the engine does not know.
    pub fn of_words(words: &str) -> Result<Rule> {
        let settings = Block::new(&SchedulerCapacity::of(1), words)?.scheduler()?.settings();
        if settings.mode == Mode::Shadow {
            return Ok(Rule::by_limits("mode=shadow"));
        }
        let as_easy = "the delay rule is played forward as EASY by the limits";
        let remark = (settings.way() == Way::Delay).then(|| as_easy.to_owned());
        let name = if words.is_empty() { "preset=fair" } else { words };
        let plans = settings.way() == Way::Plan;
        Ok(Rule {
            settings: words.to_owned(),
            name: format!("surefill, {name}"),
            remark,
            plans,
            ..Rule::default()
        })
    }
}

/// The value of a line of `scontrol show config`.
fn value<'c>(config: &'c str, wanted: &str) -> Option<&'c str> {
    let mut lines = config.lines().filter_map(|line| line.split_once('='));
    lines.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(scheduler: &str, parameters: &str) -> Result<Rule> {
        Rule::configured(&format!(
            "Configuration data as of 2026-11-30T08:00:00\nAccountingStorageType   = (null)\n\
             SchedulerParameters     = {parameters}\nSchedulerTimeSlice      = 30 sec\n\
             SchedulerType           = {scheduler}\n"
        ))
    }

    #[test]
    fn rules_are_those_of_the_configuration() {
        let easy = Rule::default();
        assert_eq!(configured("sched/backfill", "(null)").unwrap(), easy);
        let fair = configured("sched/surefill", "defer,sched_interval=-1").unwrap();
        assert_eq!((fair.settings.as_str(), fair.name.as_str()), ("", "surefill, preset=fair"));
        let words = "sched_interval=-1, surefill_preset=Fast,surefill_locked=0.2,surefill_record=/var/Tmp,surefill_order=free";
        let fast = configured("sched/surefill", words).unwrap();
        assert_eq!(fast.settings, "preset=fast order=free");
        for mode in ["limits", "shadow"] {
            let rule =
                configured("sched/surefill", &format!("surefill_preset=fast,surefill_mode={mode}")).unwrap();
            assert_eq!(rule.settings, easy.settings);
            assert!(rule.name.contains(mode), "{rule:?}");
        }
        // A point is worth the age that earns it, and points of age do not count: 7 days are 100,000 points.
        let parameters = "surefill_order=priority";
        let ages =
            "PriorityType = priority/multifactor\nPriorityWeightAge = 100000\nPriorityMaxAge = 7-00:00:00\n";
        let config = |parameters: &str| {
            format!("SchedulerType = sched/surefill\nSchedulerParameters = {parameters}\n{ages}")
        };
        let by_points = Rule::configured(&config(parameters)).unwrap();
        assert_eq!(by_points.settings, "seconds=6.048000 order=priority");
        assert_eq!(
            (by_points.priority(51_000, 302_400), by_points.priority(60_000, 1_000_000)),
            (1000.0, 0.0)
        );
        let own = Rule::configured(&config("surefill_order=priority,surefill_seconds=2")).unwrap();
        assert_eq!(own.settings, "seconds=6.048000 order=priority seconds=2");
        let auto = Rule::configured(&config("(null)")).unwrap();
        assert_eq!((auto.settings.as_str(), auto.priority(51_000, 302_400)), ("seconds=6.048000", 1000.0));
        assert_eq!(
            Rule::installed(&config("bf_interval=30"), "fast").unwrap().settings,
            "seconds=6.048000 preset=fast"
        );
        // Where a point is worth more than the engine takes, it is worth the most.
        let most =
            "PriorityType = priority/multifactor\nPriorityWeightAge = 1\nPriorityMaxAge = 49710-06:28:15\n";
        assert!(Rule::installed(most, "fair").unwrap().settings.starts_with("seconds=1000000.000000 "));
        let basic = Rule::installed("PriorityType = priority/basic", "fair").unwrap();
        let of_jobs =
            [4_294_901_759, 4_294_900_000, 4_294_901_761, 7].map(|priority| basic.priority(priority, 60));
        assert_eq!(of_jobs, [4_294_901_760.0, 4_294_901_760.0, 4_294_901_761.0, 7.0]);
        let ties = Rule::configured(&config("surefill_order=ties")).unwrap();
        assert_eq!(ties.priority(51_000, 302_400), 51_000.0);
        let builtin = configured("sched/builtin", "").unwrap();
        assert_eq!(builtin.settings, easy.settings);
        assert!(builtin.remark.is_some_and(|remark| remark.contains("sched/builtin")));
        assert!(
            configured("sched/surefill", "surefill_preset=best").unwrap_err().to_string().contains("preset=")
        );
        assert!(Rule::configured("squeue: error").is_err());
        assert!(configured("", "").is_err());
        assert_eq!(configured("SCHED/Surefill", "").unwrap(), fair);
        assert_eq!(Rule::of_words("preset=fast mode=shadow").unwrap().settings, easy.settings);
        let papers = Rule::of_words("preset=easy,preset=papers").unwrap();
        assert!(papers.remark.is_some() && !papers.plans && fair.plans && fast.plans && !easy.plans);
    }
}
