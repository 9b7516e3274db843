//! Figure 3.5 of Nissimov 2006: how many slots of a state hold at least a number of jobs, both axes logarithmic.

use crate::studies::characterize::histogram::Histogram;
use crate::studies::characterize::load::Model;
use plotters::prelude::*;
use surefill_simulator::report::plot::chart::Axes;
use surefill_simulator::report::plot::{Drawn, Picture, Style, line, px, svg};

/// The share of slots with at least n jobs, for every n above 0 that occurs.
pub fn points(loads: &Histogram) -> Vec<(f64, f64)> {
    let bins = loads.bins().iter().filter(|bin| bin.0 > 0);
    bins.filter_map(|&(n, _)| Some((f64::from(n), loads.survival(n)?))).collect()
}

/// The same of a distribution, from 1 to `most`, as far as it is above `lowest`.
pub fn curve(model: &Model, most: u32, lowest: f64) -> Vec<(f64, f64)> {
    const STEPS: i32 = 120;
    let at = |step: i32| f64::from(most).powf(f64::from(step) / f64::from(STEPS)).round() as u32;
    let mut loads: Vec<u32> = (0..=STEPS).map(at).collect();
    loads.dedup();
    let points = loads.into_iter().filter_map(|n| Some((f64::from(n), model.survival(n)?)));
    points.take_while(|point| point.1 >= lowest).collect()
}

/// Draws a state's loads as points, and distributions as lines. Nothing when all slots are empty.
pub fn draw(loads: &Histogram, style: &Style, lines: &[(&Style, &Model)]) -> Option<Picture> {
    let most = loads.range().map(|range| range.1).filter(|&most| most > 0)?;
    let points = points(loads);
    let lowest = points.iter().fold(1.0, |low: f64, point| low.min(point.1)) / 2.0;
    let curves: Vec<_> = lines.iter().map(|(style, model)| (style, curve(model, most, lowest))).collect();
    Some(svg(420, 300, |area| {
        let share = |share: &f64| format!("{}", (share * 1e8).round() / 1e6);
        let axes = Axes::new(("jobs in a slot", "share of slots [%]"), &|n| format!("{n:.0}"), &share);
        let axes = Axes { most: (6, 6), ..axes };
        let mut chart =
            axes.draw(area, (1.0..f64::from(most).max(10.0)).log_scale(), (lowest..1.0).log_scale())?;
        for (style, curve) in &curves {
            chart.draw_series(LineSeries::new(curve.iter().copied(), line(style)))?;
        }
        let mark = |&point: &(f64, f64)| Circle::new(point, px(2), style.color.filled());
        chart.draw_series(points.iter().map(mark))?;
        Drawn::Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::characterize::load::Limit;

    #[test]
    fn by_hand() {
        let loads: Histogram = [0, 0, 1, 4].into_iter().collect();
        assert_eq!(points(&loads), [(1.0, 0.5), (4.0, 0.25)]);
        let half = Model::Geometric { p: 0.5 };
        let curve = curve(&half, 100, 0.1);
        assert_eq!(curve.len(), 3);
        assert!(curve.iter().all(|&(n, share)| (share - 0.5f64.powf(n)).abs() < 1e-12));
        let svg = draw(
            &loads,
            surefill_simulator::report::plot::EASY,
            &[(surefill_simulator::report::plot::other(0), &half)],
        )
        .unwrap();
        assert_eq!(svg.wide.matches("<circle").count(), 2);
        let limit = Model::Limit(Limit::Exponential { rate: 1.0 });
        assert_eq!(draw(&[0, 0].into_iter().collect(), surefill_simulator::report::plot::EASY, &[]), None);
        assert!(
            draw(
                &[7].into_iter().collect(),
                surefill_simulator::report::plot::EASY,
                &[(surefill_simulator::report::plot::other(0), &limit)]
            )
            .is_some()
        );
    }
}
