//! Settings as words: `preset=fast proposals=25`.

use crate::error::{Error, Result};
use crate::nodes::Fit;
use crate::plan::{LEAST_BUDGET, NO_BUDGET, PlanRule};
use bytemuck::{Pod, Zeroable};
use core::fmt;

/// A rule with all its numbers, by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum PresetWord {
    /// The plan: short waits, and tails shorter than EASY's.
    #[default]
    Fair = 0,
    /// The plan: the shortest mean wait, at the price of some long ones.
    Fast = 1,
    /// EASY backfilling by the time limits, in the site's order.
    Easy = 2,
}

/// Whether decisions are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Mode {
    /// Jobs are offered.
    #[default]
    On = 0,
    /// The engine reports the jobs that it would start, and starts nothing.
    Shadow = 1,
}

/// Part of the site's priorities in the plan. Tiers always count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum OrderWord {
    /// Jobs of a higher priority come first, whatever the cost; the plan orders those of equal ones.
    #[default]
    Ties = 0,
    /// A point of priority is worth some seconds of waiting ([`Settings::seconds`]).
    Priority = 1,
    /// Priorities do not matter.
    Free = 2,
}

/// The predictor of run times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum PredictorWord {
    /// 31 contexts of like jobs, learnt on line.
    #[default]
    Contexts = 0,
    /// Every job runs to its limit.
    Limit = 1,
}

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

/// All settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// `preset=`: sets the plan's numbers too.
    pub preset: PresetWord,
    /// `mode=`.
    pub mode: Mode,
    /// `order=`.
    pub order: OrderWord,
    /// `predictor=`; it cannot be changed once a job has been reported.
    pub predictor: PredictorWord,
    /// `fit=`: choice of nodes in a pool of nodes, among those with the smallest weights: a [`Fit`].
    pub fit: Fit,
    /// `fit=sparing`: nodes that other jobs seek come last, then by [`Fit::Best`].
    pub sparing: bool,
    /// `short=`, `steep=`, `long=`, `front=`, `proposals=`, `budget=`, `slack=`.
    pub rule: PlanRule,
    /// `cut=`: quantile at which predicted run times of waiting jobs are cut: longer ones count as the quantile.
    pub cut: f64,
    /// `running=`: quantile of the rest of their predicted run time at which running jobs are expected to end.
    pub running: f64,
    /// `seconds=`: with `order=priority`, seconds of waiting that a point of priority is worth (PriorityMaxAge /
    /// PriorityWeightAge with Slurm's multifactor plugin).
    pub seconds: f64,
    /// `grace=`: seconds for which a job is remembered that the manager no longer lists.
    pub grace: f64,
    /// `settle=`: seconds for which the manager may report a started job as waiting before it counts as put back.
    pub settle: f64,
    /// `refused=`: seconds for which a refused job is not offered again, at least one; after a refusal for want of room
    /// it is offered sooner where its pool changes.
    pub refused: f64,
    /// `seed=`: seed of the plan's generator; it cannot be changed once there is a pool.
    pub seed: u64,
}

impl Settings {
    /// The settings without any word.
    pub const DEFAULT: Settings = Settings {
        preset: PresetWord::Fair,
        mode: Mode::On,
        order: OrderWord::Ties,
        predictor: PredictorWord::Contexts,
        fit: Fit::Best,
        sparing: true,
        rule: PlanRule::FAIR,
        cut: 0.95,
        running: 0.85,
        seconds: 0.0,
        grace: 300.0,
        settle: 60.0,
        refused: 60.0,
        seed: 1,
    };
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::DEFAULT
    }
}

/// The choices of a word, in the order of their numbers.
struct Choices {
    word: &'static str,
    names: &'static [&'static str],
    wanted: &'static str,
}

const CHOICES: [Choices; 5] = [
    Choices { word: "preset", names: &["fair", "fast", "easy"], wanted: "preset= fair, fast or easy" },
    Choices { word: "mode", names: &["on", "shadow"], wanted: "mode= on or shadow" },
    Choices { word: "order", names: &["ties", "priority", "free"], wanted: "order= ties, priority or free" },
    Choices { word: "predictor", names: &["contexts", "limit"], wanted: "predictor= contexts or limit" },
    Choices {
        word: "fit",
        names: &["sparing", "best", "first", "apart"],
        wanted: "fit= sparing, best, first or apart",
    },
];

/// The range of a number.
struct Range {
    word: &'static str,
    least: f64,
    most: f64,
    whole: bool,
    wanted: &'static str,
}

const RANGES: [Range; 14] = [
    Range { word: "short", least: 0.0, most: 16.0, whole: false, wanted: "short= a number from 0 to 16" },
    Range { word: "steep", least: 0.0, most: 255.0, whole: false, wanted: "steep= a number from 0 to 255" },
    Range {
        word: "long",
        least: LEAST,
        most: 1.0,
        whole: false,
        wanted: "long= a quantile, above 0, at most 1",
    },
    Range {
        word: "front",
        least: LEAST,
        most: 1.0,
        whole: false,
        wanted: "front= a quantile, above 0, at most 1",
    },
    Range {
        word: "proposals",
        least: 0.0,
        most: 4096.0,
        whole: true,
        wanted: "proposals= a whole number up to 4096",
    },
    Range {
        word: "cut",
        least: LEAST,
        most: 1.0,
        whole: false,
        wanted: "cut= a quantile, above 0, at most 1",
    },
    Range {
        word: "running",
        least: LEAST,
        most: 1.0,
        whole: false,
        wanted: "running= a quantile, above 0, at most 1",
    },
    Range {
        word: "seconds",
        least: 0.0,
        most: 1e6,
        whole: false,
        wanted: "seconds= of waiting that a point of priority is worth, up to 1e6",
    },
    Range { word: "grace", least: 0.0, most: 1e6, whole: true, wanted: "grace= whole seconds up to 1000000" },
    Range {
        word: "settle",
        least: 0.0,
        most: 1e6,
        whole: true,
        wanted: "settle= whole seconds up to 1000000",
    },
    Range {
        word: "refused",
        least: 0.0,
        most: 1e6,
        whole: true,
        wanted: "refused= whole seconds up to 1000000",
    },
    Range {
        word: "budget",
        least: LEAST_BUDGET,
        most: NO_BUDGET,
        whole: false,
        wanted: "budget= a share of a head job's promised wait, .25 to 1000; 1000 is none",
    },
    Range {
        word: "slack",
        least: 0.0,
        most: NO_BUDGET,
        whole: false,
        wanted: "slack= a share of the front job's promised wait, 0 to 1000",
    },
    Range { word: "seed", least: 0.0, most: 9e15, whole: true, wanted: "seed= a whole number up to 9e15" },
];

/// The smallest quantile that a word can name.
const LEAST: f64 = 1e-9;

const UNKNOWN: &str = "one of preset, mode, order, predictor, fit, short, steep, long, front, proposals, cut, running, seconds, grace, settle, refused, budget, slack, seed";

/// Places for the numbers of choices, an even one.
const CHOSEN: usize = CHOICES.len().next_multiple_of(2);

/// Values of all numbers in a preset.
const fn rule_of(preset: u32) -> PlanRule {
    if preset == PresetWord::Fast as u32 { PlanRule::FAST } else { PlanRule::FAIR }
}

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
            self.choose(name, chosen as u32);
            return Ok(());
        }
        let range = RANGES.iter().find(|range| range.word == name).ok_or(UNKNOWN)?;
        let number = number(value).ok_or(range.wanted)?;
        if !(range.least..=range.most).contains(&number) || range.whole && libm::trunc(number) != number {
            return Err(range.wanted);
        }
        self.assign(name, number);
        Ok(())
    }

    fn choose(&mut self, name: &str, chosen: u32) {
        match (name, chosen) {
            ("preset", _) => {
                self.rule = rule_of(chosen);
                self.preset = match chosen {
                    1 => PresetWord::Fast,
                    2 => PresetWord::Easy,
                    _ => PresetWord::Fair,
                };
            }
            ("mode", _) => self.mode = if chosen == 1 { Mode::Shadow } else { Mode::On },
            ("order", 1) => self.order = OrderWord::Priority,
            ("order", 2) => self.order = OrderWord::Free,
            ("order", _) => self.order = OrderWord::Ties,
            ("predictor", 1) => self.predictor = PredictorWord::Limit,
            ("predictor", _) => self.predictor = PredictorWord::Contexts,
            (_, 1) => (self.fit, self.sparing) = (Fit::Best, false),
            (_, 2) => (self.fit, self.sparing) = (Fit::First, false),
            (_, 3) => (self.fit, self.sparing) = (Fit::Apart, false),
            _ => (self.fit, self.sparing) = (Fit::Best, true),
        }
    }

    fn assign(&mut self, name: &str, number: f64) {
        match name {
            "short" => self.rule.short = number,
            "steep" => self.rule.steep = number,
            "long" => self.rule.long = number,
            "front" => self.rule.front = number,
            "proposals" => self.rule.proposals = number as u32,
            "cut" => self.cut = number,
            "running" => self.running = number,
            "seconds" => self.seconds = number,
            "grace" => self.grace = number,
            "settle" => self.settle = number,
            "refused" => self.refused = number,
            "budget" => self.rule.budget = number,
            "slack" => self.rule.slack = number,
            _ => self.seed = number as u64,
        }
    }

    fn chosen(&self) -> [u32; CHOSEN] {
        let fit = match self.fit {
            Fit::Best => u32::from(!self.sparing),
            Fit::First => 2,
            Fit::Apart => 3,
        };
        [self.preset as u32, self.mode as u32, self.order as u32, self.predictor as u32, fit, 0]
    }

    fn numbers(&self) -> [f64; 14] {
        let &Settings { rule, cut, running, seconds, grace, settle, refused, seed, .. } = self;
        let PlanRule { short, steep, long, front, proposals, budget, slack } = rule;
        let proposals = f64::from(proposals);
        [
            short,
            steep,
            long,
            front,
            proposals,
            cut,
            running,
            seconds,
            grace,
            settle,
            refused,
            budget,
            slack,
            seed as f64,
        ]
    }

    /// Refuses numbers that no word could have set, in a caller's structure or a damaged block.
    ///
    /// # Errors
    /// [`Error::NotANumber`], [`Error::OutOfRange`].
    pub fn check(&self) -> Result<()> {
        let numbers = self.numbers();
        if numbers.iter().any(|number| number.is_nan()) {
            return Err(Error::NotANumber);
        }
        let in_range = |(range, number): (&Range, f64)| {
            (range.least..=range.most).contains(&number) && !(range.whole && libm::trunc(number) != number)
        };
        if RANGES.iter().zip(numbers).all(in_range) { Ok(()) } else { Err(Error::OutOfRange) }
    }
}

impl Settings {
    /// Writes all words, in an order in which they can be read again.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let mut apart = "";
        for (choices, chosen) in CHOICES.iter().zip(self.chosen()) {
            let name = choices.names.get(chosen as usize).copied().unwrap_or_default();
            for part in [apart, choices.word, "=", name] {
                out.write_str(part)?;
            }
            apart = " ";
        }
        for (range, number) in RANGES.iter().zip(self.numbers()) {
            for part in [apart, range.word, "="] {
                out.write_str(part)?;
            }
            write_number(out, number)?;
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

/// A decimal number without sign or exponent, with at most 17 digits and at most 9 of them behind the point.
fn number(text: &str) -> Option<f64> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.len() + rest.len();
    if digits == 0 || digits > 17 || rest.len() > 9 {
        return None;
    }
    let mut value = 0_u64;
    let mut scale = 1_u64;
    for digit in whole.bytes().chain(rest.bytes()) {
        let digit = digit.checked_sub(b'0').filter(|&digit| digit < 10)?;
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    for _ in 0..rest.len() {
        scale = scale.checked_mul(10)?;
    }
    Some(value as f64 / scale as f64)
}

/// Writes a number so that [`number`] reads it again, up to nine digits behind the point.
fn write_number(out: &mut impl fmt::Write, number: f64) -> fmt::Result {
    const SCALE: u64 = 1_000_000_000;
    let whole = libm::trunc(number);
    let mut units = whole as u64;
    let mut parts = libm::round((number - whole) * SCALE as f64) as u64;
    if parts >= SCALE {
        (units, parts) = (units + 1, 0);
    }
    write_digits(out, units, 1)?;
    if parts == 0 {
        return Ok(());
    }
    let mut places = 9;
    while parts % 10 == 0 && places > 1 {
        (parts, places) = (parts / 10, places - 1);
    }
    out.write_str(".")?;
    write_digits(out, parts, places)
}

/// Writes a number with at least this many digits. The standard library's formatting contains a panic in the linked
/// library.
pub(super) fn write_digits(out: &mut impl fmt::Write, number: u64, least: usize) -> fmt::Result {
    let mut digits = [0_u8; 20];
    let mut rest = number;
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        if rest == 0 && count >= least {
            break;
        }
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
    }
    let written = digits.get(digits.len() - count..).unwrap_or_default();
    out.write_str(core::str::from_utf8(written).unwrap_or_default())
}

/// [`Settings`] as plain data.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RawSettings {
    chosen: [u32; CHOSEN],
    numbers: [f64; 14],
}

impl RawSettings {
    pub fn new(settings: &Settings) -> RawSettings {
        RawSettings { chosen: settings.chosen(), numbers: settings.numbers() }
    }

    /// The settings; [`Error::Corrupt`] for numbers that no word could have set.
    pub fn settings(&self) -> Result<Settings> {
        let mut settings = Settings::default();
        for (choices, &chosen) in CHOICES.iter().zip(&self.chosen) {
            if chosen as usize >= choices.names.len() {
                return Err(Error::Corrupt);
            }
            settings.choose(choices.word, chosen);
        }
        for (range, &number) in RANGES.iter().zip(&self.numbers) {
            settings.assign(range.word, number);
        }
        settings.check().map_err(|_| Error::Corrupt)?;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        for range in &RANGES {
            assert!(UNKNOWN.contains(range.word) && range.wanted.starts_with(range.word));
        }
    }

    proptest! {
        #[test]
        fn words_are_read_as_written(
            chosen in (0u32..3, 0u32..2, 0u32..3, 0u32..2, 0u32..3),
            parts in proptest::collection::vec(0.0..1.0_f64, 14),
        ) {
            let (preset, mode, order, predictor, fit) = chosen;
            let numbers = core::array::from_fn(|i| {
                let range = &RANGES[i];
                let number = range.least + parts[i] * (range.most - range.least);
                // Rounded to the number of digits that words have.
                if range.whole { number.trunc() } else { (number * 1e6).round().max(1.0) / 1e6 }
            });
            let settings = RawSettings { chosen: [preset, mode, order, predictor, fit, 0], numbers }.settings().unwrap();
            let read = Settings::default().changed(&settings.to_string(), "").unwrap();
            for (read, written) in read.numbers().into_iter().zip(settings.numbers()) {
                prop_assert!((read - written).abs() <= 1e-9 * written.max(1.0), "{settings}");
            }
            prop_assert_eq!(read.chosen(), settings.chosen());
        }
    }
}
