//! Accounts of the risk spent on earlier head jobs: kept while another job is head, so that a head job that loses its
//! place and gets it back goes on with the risk already spent on it.

use bytemuck::{Pod, Zeroable};

/// Head jobs, besides the present one, whose accounts are kept.
pub const HEADS_KEPT: usize = 16;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Account {
    head_id: i64,
    spent: [f64; 4],
    /// Number of the turn at which it was put aside, rising with time; 0 for no account.
    turn: u64,
}

/// Accounts of head jobs; those put aside longest ago leave.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Accounts {
    accounts: [Account; HEADS_KEPT],
    turn: u64,
}

impl Accounts {
    /// Puts an account aside, in the place of the oldest. One with nothing spent needs no place.
    pub(super) fn keep(&mut self, head_id: i64, spent: [f64; 4]) {
        if !spent.iter().any(|&spent| spent > 0.0) {
            return;
        }
        self.turn = self.turn.wrapping_add(1);
        if let Some(oldest) = self.accounts.iter_mut().min_by_key(|account| account.turn) {
            *oldest = Account { head_id, spent, turn: self.turn };
        }
    }

    /// Takes an account out and returns what is spent on this head job, by criterion.
    pub(super) fn take(&mut self, head_id: i64) -> [f64; 4] {
        let own = |account: &&mut Account| account.turn > 0 && account.head_id == head_id;
        let Some(account) = self.accounts.iter_mut().find(own) else { return [0.0; 4] };
        let spent = account.spent;
        *account = Account::zeroed();
        spent
    }
}
