//! Settings as words, `preset=fast proposals=25`: the values of each, and the texts by which wrong ones are refused.

use super::digits::{number, write_number};
use super::settings::{Mode, OrderWord, PredictorWord, PresetWord, RuleWord, Settings};
use crate::backfill::Criterion;
use crate::error::{Error, Result};
use crate::nodes::Fit;
use crate::plan::{LEAST_BUDGET, NO_BUDGET};
use crate::runtime::MAX_EVENTS_PER_BIN;
use bytemuck::{Pod, Zeroable};
use core::fmt;

/// A word with names for values, in the order of their numbers.
pub(super) struct Choices {
    pub word: &'static str,
    pub names: &'static [&'static str],
    pub wanted: &'static str,
    pub get: fn(&Settings) -> u32,
    pub set: fn(&mut Settings, u32),
}

impl Choices {
    /// Whether there is a value of this number.
    pub fn knows(&self, chosen: u32) -> bool {
        (chosen as usize) < self.names.len()
    }
}

pub(super) const CHOICES: [Choices; 7] = [
    Choices {
        word: "preset",
        names: &["fair", "fast", "easy", "papers"],
        wanted: "preset= fair, fast, easy or papers",
        get: |settings| settings.preset as u32,
        set: |settings, chosen| {
            settings.set_preset(match chosen {
                1 => PresetWord::Fast,
                2 => PresetWord::Easy,
                3 => PresetWord::Papers,
                _ => PresetWord::Fair,
            });
        },
    },
    Choices {
        word: "rule",
        names: &["auto", "plan", "delay"],
        wanted: "rule= auto, plan or delay",
        get: |settings| settings.by as u32,
        set: |settings, chosen| {
            settings.by = match chosen {
                1 => RuleWord::Plan,
                2 => RuleWord::Delay,
                _ => RuleWord::Auto,
            };
        },
    },
    Choices {
        word: "mode",
        names: &["on", "shadow"],
        wanted: "mode= on or shadow",
        get: |settings| settings.mode as u32,
        set: |settings, chosen| settings.mode = if chosen == 1 { Mode::Shadow } else { Mode::On },
    },
    Choices {
        word: "order",
        names: &["auto", "ties", "priority", "free"],
        wanted: "order= auto, ties, priority or free",
        get: |settings| settings.order as u32,
        set: |settings, chosen| {
            settings.order = match chosen {
                1 => OrderWord::Ties,
                2 => OrderWord::Priority,
                3 => OrderWord::Free,
                _ => OrderWord::Auto,
            };
            settings.set_front();
        },
    },
    Choices {
        word: "predictor",
        names: &["contexts", "limit"],
        wanted: "predictor= contexts or limit",
        get: |settings| settings.predictor as u32,
        set: |settings, chosen| {
            let limit = chosen == 1;
            settings.predictor = if limit { PredictorWord::Limit } else { PredictorWord::Contexts };
        },
    },
    Choices {
        word: "fit",
        names: &["sparing", "best", "first", "apart"],
        wanted: "fit= sparing, best, first or apart",
        get: |settings| match settings.fit {
            Fit::Best => u32::from(!settings.sparing),
            Fit::First => 2,
            Fit::Apart => 3,
        },
        set: |settings, chosen| {
            (settings.fit, settings.sparing) = match chosen {
                1 => (Fit::Best, false),
                2 => (Fit::First, false),
                3 => (Fit::Apart, false),
                _ => (Fit::Best, true),
            };
        },
    },
    Choices {
        word: "criterion",
        names: &["probability", "bound", "seconds", "relative"],
        wanted: "criterion= probability, bound, seconds or relative",
        get: |settings| settings.criterion as u32,
        set: |settings, chosen| {
            settings.criterion = Criterion::from_number(chosen).unwrap_or(Criterion::Probability);
            settings.tau = settings.criterion.usual_threshold();
        },
    },
];

/// Places for the numbers of choices, an even one.
pub(super) const CHOSEN: usize = CHOICES.len().next_multiple_of(2);

/// The range of a number.
pub(super) struct Range {
    pub word: &'static str,
    pub least: f64,
    pub most: f64,
    pub whole: bool,
    pub wanted: &'static str,
    pub get: fn(&Settings) -> f64,
    pub set: fn(&mut Settings, f64),
}

impl Range {
    /// Whether the word can have this number.
    pub fn holds(&self, number: f64) -> bool {
        (self.least..=self.most).contains(&number) && !(self.whole && libm::trunc(number) != number)
    }
}

/// The smallest quantile that a word can name.
pub(super) const LEAST: f64 = 1e-9;

pub(super) const RANGES: [Range; 17] = [
    // Before the front's quantile, which it sets too.
    Range {
        word: "seconds",
        least: 0.0,
        most: 1e6,
        whole: false,
        wanted: "seconds= of waiting that a point of priority is worth, up to 1000000",
        get: |settings| settings.seconds,
        set: |settings, number| {
            settings.seconds = number;
            settings.set_front();
        },
    },
    Range {
        word: "tie",
        least: 0.0,
        most: 100.0,
        whole: false,
        wanted: "tie= a percentage of the range of priorities, 0 to 100",
        get: |settings| settings.tie,
        set: |settings, number| settings.tie = number,
    },
    Range {
        word: "short",
        least: 0.0,
        most: 16.0,
        whole: false,
        wanted: "short= a number from 0 to 16",
        get: |settings| settings.rule.short,
        set: |settings, number| settings.rule.short = number,
    },
    Range {
        word: "steep",
        least: 0.0,
        most: 255.0,
        whole: false,
        wanted: "steep= a number from 0 to 255",
        get: |settings| settings.rule.steep,
        set: |settings, number| settings.rule.steep = number,
    },
    Range {
        word: "long",
        least: LEAST,
        most: 1.0,
        whole: false,
        wanted: "long= a quantile, above 0, at most 1",
        get: |settings| settings.rule.long,
        set: |settings, number| settings.rule.long = number,
    },
    Range {
        word: "front",
        least: LEAST,
        most: 1.0,
        whole: false,
        wanted: "front= a quantile, above 0, at most 1",
        get: |settings| settings.rule.front,
        set: |settings, number| settings.rule.front = number,
    },
    Range {
        word: "proposals",
        least: 0.0,
        most: 4096.0,
        whole: true,
        wanted: "proposals= a whole number up to 4096",
        get: |settings| f64::from(settings.rule.proposals),
        set: |settings, number| settings.rule.proposals = number as u32,
    },
    Range {
        word: "cut",
        least: LEAST,
        most: 1.0,
        whole: false,
        wanted: "cut= a quantile, above 0, at most 1",
        get: |settings| settings.cut,
        set: |settings, number| settings.cut = number,
    },
    Range {
        word: "running",
        least: LEAST,
        most: 1.0,
        whole: false,
        wanted: "running= a quantile, above 0, at most 1",
        get: |settings| settings.running,
        set: |settings, number| settings.running = number,
    },
    Range {
        word: "grace",
        least: 0.0,
        most: 1e6,
        whole: true,
        wanted: "grace= whole seconds up to 1000000",
        get: |settings| settings.grace,
        set: |settings, number| settings.grace = number,
    },
    Range {
        word: "settle",
        least: 0.0,
        most: 1e6,
        whole: true,
        wanted: "settle= whole seconds up to 1000000",
        get: |settings| settings.settle,
        set: |settings, number| settings.settle = number,
    },
    Range {
        word: "refused",
        least: 0.0,
        most: 1e6,
        whole: true,
        wanted: "refused= whole seconds up to 1000000",
        get: |settings| settings.refused,
        set: |settings, number| settings.refused = number,
    },
    Range {
        word: "budget",
        least: LEAST_BUDGET,
        most: NO_BUDGET,
        whole: false,
        wanted: "budget= a share of a head job's promised wait, .25 to 1000; 1000 is none",
        get: |settings| settings.rule.budget,
        set: |settings, number| settings.rule.budget = number,
    },
    Range {
        word: "slack",
        least: 0.0,
        most: NO_BUDGET,
        whole: false,
        wanted: "slack= a share of the front job's promised wait, 0 to 1000",
        get: |settings| settings.rule.slack,
        set: |settings, number| settings.rule.slack = number,
    },
    Range {
        word: "seed",
        least: 0.0,
        most: 9e15,
        whole: true,
        wanted: "seed= a whole number up to 9000000000000000",
        get: |settings| settings.seed as f64,
        set: |settings, number| settings.seed = number as u64,
    },
    Range {
        word: "tau",
        least: 0.0,
        most: 1e6,
        whole: false,
        wanted: "tau= a number from 0 to 1000000",
        get: |settings| settings.tau,
        set: |settings, number| settings.tau = number,
    },
    Range {
        word: "events",
        least: 1.0,
        most: MAX_EVENTS_PER_BIN as f64,
        whole: true,
        wanted: "events= a whole number from 1 to 16",
        get: |settings| f64::from(settings.events),
        set: |settings, number| settings.events = number as u32,
    },
];

pub(super) const UNKNOWN: &str = "one of preset, rule, mode, order, predictor, fit, criterion, tau, events, short, steep, long, front, proposals, cut, running, seconds, tie, grace, settle, refused, budget, slack, seed";

/// A word that was not understood. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadWord {
    /// Place in the text at which it begins, in bytes.
    pub at: usize,
    /// Its length in bytes.
    pub length: usize,
    /// The word that would have been understood.
    pub wanted: &'static str,
}

impl BadWord {
    /// The last word of this name in a text in which only words with the prefix count.
    pub(super) fn named(text: &str, prefix: &str, name: &str, wanted: &'static str) -> BadWord {
        let mut found = BadWord { at: 0, length: text.len(), wanted };
        let mut at = 0;
        for word in text.split(APART) {
            if word.strip_prefix(prefix).is_some_and(|word| parted(word).0 == name) {
                found = BadWord { at, length: word.len(), wanted };
            }
            at += word.len() + 1;
        }
        found
    }
}

/// The characters between words.
const APART: [char; 6] = [' ', '\t', '\n', '\r', ',', '+'];

impl Settings {
    /// These settings with those changed that the text names, in its order; words are separated by blanks, tabs, line
    /// ends, commas or pluses. With a `prefix` only words that begin with it are looked at. An empty text changes
    /// nothing.
    ///
    /// # Errors
    /// [`BadWord`].
    pub fn changed(&self, text: &str, prefix: &str) -> core::result::Result<Settings, BadWord> {
        let mut settings = *self;
        let mut at = 0;
        for word in text.split(APART) {
            let bad = |wanted| BadWord { at, length: word.len(), wanted };
            if let Some((name, value)) = word.strip_prefix(prefix).filter(|word| !word.is_empty()).map(parted)
            {
                settings.set(name, value).map_err(bad)?;
            }
            at += word.len() + 1;
        }
        Ok(settings)
    }

    /// Sets one word.
    fn set(&mut self, name: &str, value: &str) -> core::result::Result<(), &'static str> {
        if let Some(choices) = CHOICES.iter().find(|choices| choices.word == name) {
            let chosen = choices.names.iter().position(|&known| known == value).ok_or(choices.wanted)?;
            (choices.set)(self, chosen as u32);
            return Ok(());
        }
        let range = RANGES.iter().find(|range| range.word == name).ok_or(UNKNOWN)?;
        let number = number(value).filter(|&number| range.holds(number)).ok_or(range.wanted)?;
        (range.set)(self, number);
        Ok(())
    }

    /// Refuses numbers that no word could have set, in a caller's structure or a damaged block.
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn check(&self) -> Result<()> {
        RawSettings::new(self).check()
    }
}

impl Settings {
    /// Writes all words, in an order in which they can be read again.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let mut apart = "";
        for choices in &CHOICES {
            let name = choices.names.get((choices.get)(self) as usize).copied().unwrap_or_default();
            for part in [apart, choices.word, "=", name] {
                out.write_str(part)?;
            }
            apart = " ";
        }
        for range in &RANGES {
            for part in [apart, range.word, "="] {
                out.write_str(part)?;
            }
            write_number(out, (range.get)(self))?;
        }
        Ok(())
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

/// A word's name and value.
fn parted(word: &str) -> (&str, &str) {
    word.split_once('=').unwrap_or((word, ""))
}

/// [`Settings`] as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RawSettings {
    chosen: [u32; CHOSEN],
    numbers: [f64; RANGES.len()],
}

impl RawSettings {
    pub fn new(settings: &Settings) -> RawSettings {
        let mut raw = RawSettings::zeroed();
        for (chosen, choices) in raw.chosen.iter_mut().zip(&CHOICES) {
            *chosen = (choices.get)(settings);
        }
        for (number, range) in raw.numbers.iter_mut().zip(&RANGES) {
            *number = (range.get)(settings);
        }
        raw
    }

    /// The settings. O(1): each word by its place.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::DEFAULT;
        // Choices come first: some set numbers too.
        for (choices, &chosen) in CHOICES.iter().zip(&self.chosen) {
            (choices.set)(&mut settings, chosen);
        }
        for (range, &number) in RANGES.iter().zip(&self.numbers) {
            (range.set)(&mut settings, number);
        }
        settings
    }

    /// Refuses what no word could have set.
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn check(&self) -> Result<()> {
        if self.numbers.iter().any(|number| number.is_nan()) {
            return Err(Error::NotANumber);
        }
        let known = CHOICES.iter().zip(&self.chosen).all(|(choices, &chosen)| choices.knows(chosen));
        let valid = RANGES.iter().zip(&self.numbers).all(|(range, &number)| range.holds(number));
        if known && valid { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::Way;
    use super::*;
    use crate::backfill::Rule;
    use crate::plan::PlanRule;
    use crate::schedule::{Preset, PresetName};
    use proptest::prelude::*;
    use std::string::ToString;

    #[test]
    fn words_change_what_they_name() {
        let base = Settings::default();
        let changed =
            base.changed("preset=fast, proposals=25\tshort=.02 order=priority seconds=12.5", "").unwrap();
        assert_eq!(changed.rule, PlanRule { proposals: 25, short: 0.02, ..PlanRule::FAST });
        assert_eq!((changed.preset, changed.order), (PresetWord::Fast, OrderWord::Priority));
        assert_eq!(changed.seconds, 12.5);
        assert_eq!(base.changed("", "").unwrap(), base);
        assert_eq!(
            base.changed("bf_interval=30,surefill_mode=shadow", "surefill_").unwrap().mode,
            Mode::Shadow
        );
    }

    #[test]
    fn says_which_word_is_bad() {
        let bad = |text: &str| Settings::default().changed(text, "").unwrap_err();
        assert_eq!(bad("mode=on prset=fair"), BadWord { at: 8, length: 10, wanted: UNKNOWN });
        assert_eq!(bad("mode=off").wanted, "mode= on or shadow");
        for text in
            ["proposals=2.5", "proposals=", "proposals=-1", "proposals=5000", "proposals=1e3", "proposals"]
        {
            assert_eq!(bad(text).wanted, "proposals= a whole number up to 4096", "{text}");
        }
        assert_eq!(bad("front=0").wanted, "front= a quantile, above 0, at most 1");
        assert_eq!(bad("tau=1e6").wanted, "tau= a number from 0 to 1000000");
        assert_eq!(bad("events=0").wanted, "events= a whole number from 1 to 16");
        assert_eq!(bad("rule=easy").wanted, "rule= auto, plan or delay");
    }

    #[test]
    fn errors_say_what_is_accepted() {
        for choices in &CHOICES {
            assert!(UNKNOWN.contains(choices.word) && choices.wanted.starts_with(choices.word));
            for name in choices.names {
                assert!(choices.wanted.contains(name), "{name}");
                Settings::default().changed(&std::format!("{}={name}", choices.word), "").unwrap();
            }
        }
        for range in &RANGES {
            assert!(UNKNOWN.contains(range.word) && range.wanted.starts_with(range.word));
            // Every number of the text is accepted in the spelling that it has there, but for an open lower end.
            for said in range
                .wanted
                .split([' ', ',', ';'])
                .filter(|said| said.starts_with(['.', '0', '1', '2', '4', '9']))
            {
                let open = range.least == LEAST && said == "0";
                let read = Settings::default().changed(&std::format!("{}={said}", range.word), "");
                assert_eq!(read.is_err(), open, "{}={said}", range.word);
            }
            let most = std::format!("{}={}", range.word, range.most);
            assert!(range.wanted.contains(&std::format!("{}", range.most)), "{most}");
            Settings::default().changed(&most, "").unwrap();
            let beyond = std::format!("{}={}", range.word, range.most + 1.0);
            assert!(Settings::default().changed(&beyond, "").is_err(), "{beyond}");
        }
    }

    #[test]
    fn presets_and_criteria_set_the_delay_rule() {
        let of = |text: &str| Settings::default().changed(text, "").unwrap();
        let papers = of("preset=papers");
        let core = Preset::new(PresetName::Papers);
        assert_eq!(papers.delay_rule(), core.rule);
        assert_eq!(papers.events, core.events_per_bin);
        assert_eq!((papers.way(), of("preset=papers rule=plan").way()), (Way::Delay, Way::Plan));
        assert_eq!((of("rule=delay").way(), of("rule=delay").delay_rule()), (Way::Delay, Rule::EXACT));
        assert_eq!((of("preset=easy").way(), of("preset=easy rule=plan").way()), (Way::Easy, Way::Plan));
        // A probability makes no seconds.
        assert_eq!(of("tau=0.1 criterion=seconds").tau, Criterion::Seconds.usual_threshold());
        assert_eq!(of("criterion=seconds tau=30").tau, 30.0);
        assert_eq!(of("preset=papers preset=fair"), Settings::default());
    }

    proptest! {
        #[test]
        fn words_are_read_as_written(
            drawn in proptest::collection::vec(any::<u32>(), CHOSEN),
            parts in proptest::collection::vec(0.0..1.0_f64, RANGES.len()),
        ) {
            let mut chosen = [0; CHOSEN];
            for ((chosen, choices), drawn) in chosen.iter_mut().zip(&CHOICES).zip(drawn) {
                *chosen = drawn % choices.names.len() as u32;
            }
            let numbers = core::array::from_fn(|i| {
                let range = &RANGES[i];
                let number = range.least + parts[i] * (range.most - range.least);
                // Rounded to the number of digits that words have.
                if range.whole { number.trunc() } else { (number * 1e6).round().max(1.0) / 1e6 }
            });
            let raw = RawSettings { chosen, numbers };
            prop_assert_eq!(raw.check(), Ok(()));
            let settings = raw.settings();
            prop_assert_eq!(RawSettings::new(&settings).chosen, chosen);
            let read = RawSettings::new(&Settings::default().changed(&settings.to_string(), "").unwrap());
            for (read, written) in read.numbers.into_iter().zip(numbers) {
                prop_assert!((read - written).abs() <= 1e-9 * written.max(1.0), "{settings}");
            }
            prop_assert_eq!(read.chosen, chosen);
        }
    }
}
