//! Drawing into SVG text: what the plots share.
//!
//! Everything is drawn at twice its size, as the backend rounds to whole units. Colours are written by the backend and
//! replaced by the page's style sheet where they must follow light and dark; dashes, which the backend does not know,
//! are added there as well ([`series_css`]).

pub mod chart;
pub mod reliability;
mod rewrite;
pub mod utilization;
pub mod wait_bands;
pub mod wait_cdf;

use maud::{Markup, PreEscaped, html};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// An area that is drawn on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The end of a drawing.
pub type Drawn = Result<(), Box<dyn Error>>;

/// Units a pixel.
const SCALE: u32 = 2;

/// Text and axes: the style sheet makes it the colour of the page's text.
pub const INK: RGBColor = RGBColor(0, 0, 0);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(204, 204, 204);
/// Colour of the diagonal that is there for comparison.
pub const REFERENCE: RGBColor = RGBColor(136, 136, 136);

/// Colour and dashes of one series.
pub struct Style {
    /// The colour as it is drawn, on light pages.
    pub color: RGBColor,
    /// The colour that the style sheet makes of it on dark pages.
    dark: RGBColor,
    dash: &'static str,
}

/// The colours of Okabe & Ito 2008, which colour-blind people tell apart (without yellow, which is lost on white), then
/// further ones; with dashes of their own for those who print. The first, the text's own colour and solid, is EASY's,
/// as in the paper.
const STYLES: [Style; 13] = [
    style(0x000000, 0xe6e6e6, "none"),
    style(0x0072b2, 0x3a9bdc, "9 3"),
    style(0xd55e00, 0xe8702a, "2 3"),
    style(0x009e73, 0x1fb58a, "9 3 2 3"),
    style(0xcc79a7, 0xcc79a7, "5 3"),
    style(0xe69f00, 0xe69f00, "14 4"),
    style(0x56b4e9, 0x8fd0f5, "9 3 2 3 2 3"),
    style(0x004c78, 0x9cb8d8, "3 6"),
    style(0x8c3e00, 0xf0b08c, "14 4 2 4"),
    style(0x006449, 0x90d8be, "1 2"),
    style(0x854f6d, 0xeac0d8, "6 6"),
    style(0x966800, 0xf5d58a, "14 4 6 4"),
    style(0x387597, 0xc8e4f4, "2 8"),
];

const fn style(color: u32, dark: u32, dash: &'static str) -> Style {
    Style { color: rgb(color), dark: rgb(dark), dash }
}

const fn rgb(color: u32) -> RGBColor {
    let [_, r, g, b] = color.to_be_bytes();
    RGBColor(r, g, b)
}

/// The style of the n-th series beside EASY, whose style is [`EASY`].
pub fn other(n: usize) -> &'static Style {
    &STYLES[1 + n % (STYLES.len() - 1)]
}

/// EASY's style.
pub const EASY: &Style = SOLID;

/// The style of a series that is alone.
pub const SOLID: &Style = &STYLES[0];

/// A colour as style sheets write it.
pub fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// The part of the style sheet that knows series by the colours which the backend gave them: dashes, and colours for
/// dark pages.
pub fn series_css() -> String {
    let mut dashes = String::new();
    let mut colors = String::new();
    for Style { color, dark, dash } in &STYLES {
        let (color, dark) = (hex(*color), hex(*dark));
        dashes += &format!(".lines polyline[stroke=\"{color}\"] {{ stroke-dasharray: {dash}; }}\n");
        colors += &format!(
            "svg [stroke=\"{color}\"] {{ stroke: {dark}; }} svg [fill=\"{color}\"] {{ fill: {dark}; }}\n"
        );
    }
    format!("{dashes}@media (prefers-color-scheme: dark) {{\n{colors}}}\n")
}

/// A sample of a line, for legends.
pub fn line_sample(style: &Style) -> String {
    let color = hex(style.color);
    sample(
        40,
        &format!("<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"0,5 40,5\"/>"),
    )
}

/// A sample of a point, for legends.
pub fn point_sample(style: &Style) -> String {
    sample(10, &format!("<circle fill=\"{}\" cx=\"5\" cy=\"5\" r=\"4\"/>", hex(style.color)))
}

/// A sample of this width for a legend; the shape is SVG in a field 10 high.
pub fn sample(width: u32, shape: &str) -> String {
    format!("<svg viewBox=\"0 0 {width} 10\" aria-hidden=\"true\">{shape}</svg>")
}

/// A figure, drawn once for windows that are wide and once for those of phones, so that its text keeps its size: the
/// style sheet shows one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// SVG for wide windows.
    pub wide: String,
    /// SVG for phones.
    pub narrow: String,
}

/// Pixels across a figure on a phone.
const NARROW: u32 = 360;

/// The drawing of `draw` on an area of this size in pixels, and on one that is narrower.
pub fn svg(width: u32, height: u32, draw: impl Fn(&Area) -> Drawn) -> Picture {
    let on = |width: u32| {
        let mut text = String::new();
        {
            let size = (width * SCALE, height * SCALE);
            let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
            // A string takes everything, and the ranges of all axes are finite and not empty.
            draw(&area).and_then(|()| Ok(area.present()?)).expect("drawing into a string");
        }
        rewrite::spaced(&rewrite::joined(&text), width * SCALE)
    };
    Picture { wide: on(width), narrow: on(NARROW) }
}

/// A figure with the title and description that screen readers read.
pub fn described(picture: &Picture, title: &str, description: &str) -> Markup {
    let one = |svg: &str, class: &str| {
        let (start, rest) = svg.split_once('>').unwrap_or((svg, ""));
        html! { (PreEscaped(start)) (PreEscaped(format!(" class=\"{class}\">"))) title { (title) } desc { (description) } (PreEscaped(rest)) }
    };
    html! { (one(&picture.wide, "on-wide")) (one(&picture.narrow, "on-narrow")) }
}

/// Pixels to units.
pub const fn px(pixels: u32) -> u32 {
    pixels * SCALE
}

/// Text of this height in pixels, as the backend sizes it.
pub fn font(pixels: f64) -> TextStyle<'static> {
    ("sans-serif", pixels * f64::from(SCALE) * 1.24).into_font().color(&INK)
}

/// A series' line.
pub fn line(style: &Style) -> ShapeStyle {
    style.color.stroke_width(2)
}

/// A number without the traces that adding up steps of an axis leaves in it.
pub fn plain(value: f64) -> String {
    // + 0.0: no negative zero.
    format!("{}", (value * 1000.0).round() / 1000.0 + 0.0)
}

/// Seconds in the unit that people use for them.
pub fn seconds(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    let unit = UNITS.iter().find(|unit| value >= unit.0);
    unit.map_or_else(|| format!("{value} s"), |(size, name)| format!("{} {name}", value / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_differ() {
        for (i, a) in STYLES.iter().enumerate() {
            for b in &STYLES[..i] {
                assert!(a.color != b.color && a.dark != b.dark && a.dash != b.dash);
            }
        }
        assert!(series_css().contains(".lines polyline[stroke=\"#0072B2\"] { stroke-dasharray: 9 3; }"));
    }

    #[test]
    fn units_of_time() {
        assert_eq!(
            [1.0, 60.0, 600.0, 36_000.0, 864_000.0].map(seconds),
            ["1 s", "1 min", "10 min", "10 h", "10 d"]
        );
        assert_eq!(seconds(0.1), "0.1 s");
        assert_eq!([0.1 + 0.2, -0.000_01].map(plain), ["0.3", "0"]);
    }
}
