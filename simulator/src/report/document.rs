//! The frame of every page: the head with its icon and style sheet, and the parts that readers of
//! screens go to; what the queue's page and the pages of studies share.

use super::plot;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The icon: bars that become shorter. Its slashes are written as %2F, so that a page holds no address.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http:%2F%2Fwww.w3.org%2F2000%2Fsvg' viewBox='0 0 16 16'%3E\
                    %3Crect width='16' height='16' rx='3' fill='%230072b2'%2F%3E\
                    %3Cpath d='M3 4h10M3 8h7M3 12h4' stroke='%23fff' stroke-width='2'%2F%3E%3C%2Fsvg%3E";

/// The name of what scrolls sideways where there is no room for it: who has no mouse reaches it by the tabulator key.
pub const SCROLLS: &str = "table, which scrolls sideways where it is wider than the window";

/// The style sheet, with what it knows of the figures' lines.
pub(super) fn style() -> Markup {
    html! { style { (PreEscaped(include_str!("style.css"))) (PreEscaped(plot::series_css())) } }
}

/// A page. `head` is what its head has beside, `end` what comes behind everything else.
pub(super) fn page(title: &str, head: &Markup, content: &Markup, footer: &Markup, end: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="icon" href=(ICON);
                (style())
                (head)
            }
            body {
                header { h1 { (title) } }
                main { (content) }
                footer { (footer) }
                (end)
            }
        }
    };
    page.into_string()
}
