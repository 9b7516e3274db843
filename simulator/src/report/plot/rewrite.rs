//! Rewriting the backend's SVG text, an element or an end of one a line, before it stands on a page.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The fewest marks of one look in a row that are worth a path.
const MANY: usize = 8;

/// Long rows of small circles or of rectangles of one look as one path each: a tenth of the text.
pub(super) fn joined(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len());
    let mut row: Vec<&str> = Vec::new();
    let mut look = None;
    for line in svg.split_inclusive('\n') {
        let mark = Mark::of(line);
        let next = mark.as_ref().map(|mark| mark.look.clone());
        if next.is_none() || next != look {
            finish(&mut out, &mut row);
        }
        look = next;
        match mark {
            Some(_) => row.push(line),
            None => out += line,
        }
    }
    finish(&mut out, &mut row);
    out
}

fn finish(out: &mut String, row: &mut Vec<&str>) {
    let marks = || row.iter().filter_map(|line| Mark::of(line));
    match marks().next() {
        Some(Mark { look, .. }) if row.len() >= MANY => {
            let places: String = marks().map(|mark| mark.place).collect();
            // A string takes everything.
            let _ = writeln!(out, "<path d=\"{places}\" {look}/>");
        }
        _ => out.extend(row.iter().copied()),
    }
    row.clear();
}

/// A filled circle or rectangle as a part of a path.
struct Mark {
    /// Its part of the path's data.
    place: String,
    /// The path's other attributes, which all parts have in common.
    look: String,
}

impl Mark {
    fn of(line: &str) -> Option<Mark> {
        let line = line.trim();
        let value = |name: &str| attribute(line, name);
        (value("stroke")? == "none").then_some(())?;
        let (fill, opacity) = (value("fill")?, value("opacity")?);
        if line.starts_with("<circle ") {
            // A line without length, whose round ends are the circle.
            let radius: u32 = value("r")?.parse().ok()?;
            let look = format!(
                "fill=\"none\" stroke=\"{fill}\" opacity=\"{opacity}\" stroke-width=\"{}\" stroke-linecap=\"round\"",
                2 * radius
            );
            Some(Mark { place: format!("M{} {}h0", value("cx")?, value("cy")?), look })
        } else if line.starts_with("<rect ") {
            let (width, height) = (value("width")?, value("height")?);
            let place = format!("M{} {}h{width}v{height}h-{width}z", value("x")?, value("y")?);
            Some(Mark { place, look: format!("fill=\"{fill}\" opacity=\"{opacity}\"") })
        } else {
            None
        }
    }
}

/// The value of an attribute of the element that begins on this line.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Leaves out labels of a horizontal axis that would touch the one before them, and moves text that would be cut into
/// the picture, which has this width. A text's element, its words and its end are three lines.
pub(super) fn spaced(svg: &str, width: u32) -> String {
    let lines: Vec<&str> = svg.split_inclusive('\n').collect();
    let mut out = String::with_capacity(svg.len());
    // For every height, where its last label ends.
    let mut ends: BTreeMap<&str, f64> = BTreeMap::new();
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        let words = lines.get(at + 1).map_or("", |words| words.trim());
        let Some(label) = Label::of(line, words) else {
            out += line;
            at += 1;
            continue;
        };
        let end = ends.entry(label.height).or_insert(f64::NEG_INFINITY);
        let middle = label.middle.min(f64::from(width) - label.half).max(label.half);
        if middle - label.half > *end {
            *end = middle + label.half;
            out +=
                &line.replacen(&format!(" x=\"{}\"", label.middle), &format!(" x=\"{}\"", middle.round()), 1);
            out.extend(lines[at + 1..].iter().take(2).copied());
        }
        at += 3;
    }
    out
}

/// Text that stands upright and in the middle over its place.
struct Label<'a> {
    height: &'a str,
    middle: f64,
    /// Half its width and half a letter, which keeps labels apart.
    half: f64,
}

impl<'a> Label<'a> {
    fn of(line: &'a str, words: &str) -> Option<Label<'a>> {
        let upright = line.starts_with("<text ") && !line.contains("transform=");
        (upright && attribute(line, "text-anchor")? == "middle").then_some(())?;
        let size: f64 = attribute(line, "font-size")?.parse().ok()?;
        // Letters are about half as wide as they are high.
        let half = (words.chars().count() + 1) as f64 * 0.55 * size / 2.0;
        Some(Label { height: attribute(line, "y")?, middle: attribute(line, "x")?.parse().ok()?, half })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Drawn, SOLID, font, px, svg};
    use super::*;
    use plotters::prelude::*;

    #[test]
    fn rows_of_points_are_paths() {
        let circle = |x: usize| {
            format!("<circle cx=\"{x}\" cy=\"7\" r=\"2\" opacity=\"1\" fill=\"#000000\" stroke=\"none\"/>\n")
        };
        let row: String = (0..40).map(circle).collect();
        let few: String = (0..5).map(circle).collect();
        let text = joined(&format!("<svg>\n{row}<g/>\n{few}</svg>"));
        assert!(text.starts_with("<svg>\n<path d=\"M0 7h0M1 7h0M2 7h0"));
        assert_eq!((text.matches("h0").count(), text.matches("<circle").count()), (40, 5));
        assert!(text.contains(
            "stroke=\"#000000\" opacity=\"1\" stroke-width=\"4\" stroke-linecap=\"round\"/>\n<g/>"
        ));
        // Circles from the backend itself.
        let drawn = svg(100, 100, |area| {
            for x in 0..50 {
                area.draw(&Circle::new((x, 7), px(1), SOLID.color.filled()))?;
            }
            Drawn::Ok(())
        });
        for drawn in [drawn.wide, drawn.narrow] {
            assert_eq!((drawn.matches("h0").count(), drawn.matches("<circle").count()), (50, 0));
        }
    }

    #[test]
    fn labels_of_an_axis_do_not_touch() {
        let drawn = svg(800, 100, |area| {
            let mut chart = ChartBuilder::on(area)
                .margin_right(px(40))
                .x_label_area_size(px(44))
                .y_label_area_size(px(44))
                .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
            let label = |x: &f64| format!("at {x:.1}");
            chart.configure_mesh().x_labels(11).x_label_formatter(&label).label_style(font(13.0)).draw()?;
            Drawn::Ok(())
        });
        let labels = |svg: &str| {
            let words = svg.lines().filter_map(|line| line.strip_prefix("at "));
            words.map(str::to_owned).collect::<Vec<String>>()
        };
        assert_eq!(labels(&drawn.wide).len(), 11);
        assert_eq!(labels(&drawn.narrow), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert!([drawn.wide, drawn.narrow].iter().all(|svg| roxmltree::Document::parse(svg).is_ok()));
    }

    #[test]
    fn rectangles_of_one_look_are_a_path() {
        let drawn = svg(100, 100, |area| {
            for x in 0..20 {
                let shade = if x < 10 { BLACK.filled() } else { RED.filled() };
                area.draw(&Rectangle::new([(x * 4, 0), (x * 4 + 4, 9)], shade))?;
            }
            Drawn::Ok(())
        });
        assert_eq!((drawn.wide.matches("<path").count(), drawn.wide.matches("<rect").count()), (2, 0));
        assert!(drawn.wide.contains("M4 0h4v9h-4z"));
    }
}
