//! The engine against a stand-in for a resource manager, and against independent oracles: the same history reported in
//! different ways, EASY and the plan decision by decision, the books, and hostile calls.
//!
//! `SUREFILL_ENGINE_TESTS=20` makes the drawn tests twenty times as long.

mod answers;
mod arrays;
mod block;
mod caps;
mod cycles;
mod decisions;
mod delays;
mod facts;
mod fuzz;
mod long_queues;
mod machine;
#[path = "../plan_naive/naive.rs"]
#[allow(dead_code)]
mod naive;
mod nodes;
mod nodes_drawn;
mod oracles;
#[path = "../outcomes/outcomes.rs"]
mod outcomes;
mod predicted;
mod promises;
mod reasons;
mod regions;
mod reported;
#[path = "../common/splitmix.rs"]
mod splitmix;
mod starts;
mod tried;
mod world;

/// Factor by which the drawn tests are longer than they are by default.
fn longer() -> u64 {
    std::env::var("SUREFILL_ENGINE_TESTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}
