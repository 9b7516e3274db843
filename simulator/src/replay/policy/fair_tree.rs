//! Fair share in a tree of accounts and users: Slurm's Fair Tree, and its classic formula (`NO_FAIR_TREE`).
//!
//! ```text
//! S = shares / shares of all siblings      U = usage / usage of the parent      LF = S / U
//! ```
//!
//! **Fair Tree.** Siblings are sorted by LF, the largest first, and the tree is gone through so, depth first. Users are
//! ranked as they are met, from their number down; a user's factor is the rank over the number of users. Sibling users
//! with equal LF have equal ranks, sibling accounts with equal LF are merged before their children are sorted, and a
//! user with the LF of a sibling account has the rank of that account's first user. No usage is the largest LF, no
//! shares are the smallest.
//!
//! **Classic.** The factor is 2^-(E / N), where N is the product of S from the root down, and E the effective usage: of
//! a child of the root its part of the usage of all, below that u + (E of the parent - u) S with its part u.

use crate::trace::site::Shares;
use std::cmp::Ordering;
use std::collections::HashMap;

/// An account or a user in the tree.
#[derive(Debug, Clone)]
struct Member {
    /// The place of the account above; 0 for the root, which is above itself.
    parent: usize,
    shares: f64,
    is_user: bool,
    children: Vec<usize>,
}

/// The tree: the accounts and users that a site has listed, and those of whom jobs were seen.
#[derive(Debug)]
pub struct Tree {
    shares: Shares,
    members: Vec<Member>,
    accounts: HashMap<i64, usize>,
    users: HashMap<(i64, i64), usize>,
}

/// The state of a walk through the tree.
struct Ranks<'t> {
    tree: &'t Tree,
    /// LF of each member.
    level: Vec<f64>,
    /// The rank in use, and the next one.
    rank: usize,
    next: usize,
    factors: Vec<f64>,
}

impl Tree {
    /// The tree of these shares.
    pub fn new(shares: &Shares) -> Tree {
        let root = Member { parent: 0, shares: 1.0, is_user: false, children: Vec::new() };
        let (accounts, users) = (HashMap::new(), HashMap::new());
        let mut tree = Tree { shares: shares.clone(), members: vec![root], accounts, users };
        for &account in shares.accounts.keys() {
            tree.account(account, 0);
        }
        for &(account, user) in shares.users.keys() {
            tree.user(account, user);
        }
        tree
    }

    /// Number of members; their places are below it.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    fn add(&mut self, parent: usize, shares: f64, is_user: bool) -> usize {
        let place = self.members.len();
        self.members.push(Member { parent, shares: shares.max(0.0), is_user, children: Vec::new() });
        self.members[parent].children.push(place);
        place
    }

    /// The place of an account; `depth` accounts lie below it in the chain that is being made.
    fn account(&mut self, account: i64, depth: usize) -> usize {
        if let Some(&place) = self.accounts.get(&account) {
            return place;
        }
        let (shares, above) = self.shares.accounts.get(&account).copied().unwrap_or((1.0, None));
        // A chain that leads back to itself ends at the root.
        let above = above.filter(|_| depth <= self.shares.accounts.len());
        let parent = above.map_or(0, |above| self.account(above, depth + 1));
        if let Some(&place) = self.accounts.get(&account) {
            return place;
        }
        let place = self.add(parent, shares, false);
        self.accounts.insert(account, place);
        place
    }

    /// The place of a user in an account, which are added if they are new.
    pub fn user(&mut self, account: i64, user: i64) -> usize {
        if let Some(&place) = self.users.get(&(account, user)) {
            return place;
        }
        let parent = self.account(account, 0);
        let shares = self.shares.users.get(&(account, user)).copied().unwrap_or(1.0);
        let place = self.add(parent, shares, true);
        self.users.insert((account, user), place);
        place
    }

    /// The usage of every member, from those of the users at their places; places beyond these have none.
    fn usage(&self, of_users: &[f64]) -> Vec<f64> {
        let mut usage = vec![0.0; self.members.len()];
        for (place, member) in self.members.iter().enumerate().filter(|(_, member)| member.is_user) {
            let own = of_users.get(place).copied().unwrap_or(0.0);
            usage[place] = own;
            let mut above = member.parent;
            while above != 0 {
                usage[above] += own;
                above = self.members[above].parent;
            }
            usage[0] += own;
        }
        usage
    }

    /// Share of a member among its siblings.
    fn share(&self, place: usize) -> f64 {
        let siblings = &self.members[self.members[place].parent].children;
        let all: f64 = siblings.iter().map(|&sibling| self.members[sibling].shares).sum();
        if all > 0.0 { self.members[place].shares / all } else { 0.0 }
    }

    /// Fair Tree's factors of the users, 0 to 1, at their places.
    pub fn ranks(&self, of_users: &[f64]) -> Vec<f64> {
        let usage = self.usage(of_users);
        let level = (0..self.members.len()).map(|place| {
            let (share, parent) = (self.share(place), self.members[place].parent);
            let used = if usage[parent] > 0.0 { usage[place] / usage[parent] } else { 0.0 };
            if share <= 0.0 { 0.0 } else { share / used }
        });
        let (rank, level) = (self.users.len(), level.collect());
        let factors = vec![0.0; self.members.len()];
        let mut ranks = Ranks { tree: self, level, rank, next: rank, factors };
        ranks.visit(self.members[0].children.clone(), false);
        ranks.factors
    }

    /// The classic factors of the users, 0 to 1, at their places.
    pub fn classic(&self, of_users: &[f64]) -> Vec<f64> {
        let usage = self.usage(of_users);
        let mut factors = vec![1.0; self.members.len()];
        // Place, N and E of members whose children are still to come.
        let mut open = vec![(0, 1.0, 1.0)];
        while let Some((parent, normal, effective)) = open.pop() {
            for &place in &self.members[parent].children {
                let share = self.share(place);
                let used = if usage[0] > 0.0 { usage[place] / usage[0] } else { 0.0 };
                let below = if parent == 0 { used } else { used + (effective - used) * share };
                let own = normal * share;
                factors[place] = if own > 0.0 { libm::exp2(-below / own) } else { 0.0 };
                open.push((place, own, below));
            }
        }
        factors
    }
}

impl Ranks<'_> {
    /// Ranks the users at and below these siblings, the first of which have the rank in use if they are `tied`.
    fn visit(&mut self, mut siblings: Vec<usize>, tied: bool) {
        let members = &self.tree.members;
        let by_level = |a: &usize, b: &usize| {
            let level = self.level[*b].partial_cmp(&self.level[*a]).unwrap_or(Ordering::Equal);
            level.then(members[*b].is_user.cmp(&members[*a].is_user))
        };
        siblings.sort_by(by_level);
        let mut tied = tied;
        let mut rest = &siblings[..];
        while let Some(&first) = rest.first() {
            let alike = rest.iter().take_while(|&&place| self.level[place] == self.level[first]).count();
            let (group, others) = rest.split_at(alike);
            rest = others;
            let (users, accounts): (Vec<usize>, Vec<usize>) =
                group.iter().partition(|&&place| members[place].is_user);
            for place in users {
                if !tied {
                    self.rank = self.next;
                }
                tied = true;
                self.factors[place] = self.rank as f64 / self.tree.users.len() as f64;
                self.next -= 1;
            }
            let children: Vec<usize> =
                accounts.iter().flat_map(|&place| members[place].children.iter().copied()).collect();
            self.visit_below(children, tied);
            tied = false;
        }
    }

    fn visit_below(&mut self, children: Vec<usize>, tied: bool) {
        if !children.is_empty() {
            self.visit(children, tied);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    /// The factors of these users of accounts, in hundredths.
    fn hundredths(tree: &Tree, factors: &[f64], users: &[(i64, i64)]) -> Vec<i64> {
        users.iter().map(|user| (100.0 * factors[tree.users[user]]).round() as i64).collect()
    }

    fn used(tree: &Tree, usage: &[((i64, i64), f64)]) -> Vec<f64> {
        let mut of = vec![0.0; tree.count()];
        usage.iter().for_each(|(user, used)| of[tree.users[user]] = *used);
        of
    }

    /// Accounts 1 (40 shares, half of the usage) and 2 (60 shares, the other half) with users of equal shares.
    #[test]
    fn every_user_of_the_better_account_comes_before_those_of_the_other() {
        let accounts = [(1, (40.0, None)), (2, (60.0, None))].into();
        let mut tree = Tree::new(&Shares { accounts, ..Shares::default() });
        let users = [(1, 11), (1, 12), (2, 21), (2, 22), (2, 23)];
        users.iter().for_each(|&(account, user)| {
            tree.user(account, user);
        });
        let usage =
            used(&tree, &[((1, 11), 10.0), ((1, 12), 40.0), ((2, 21), 40.0), ((2, 22), 9.0), ((2, 23), 1.0)]);
        // LF of the accounts .8 and 1.2; within them the least used first.
        assert_eq!(hundredths(&tree, &tree.ranks(&usage), &users), [40, 20, 60, 80, 100]);
        // Without any usage all are equal, at the top.
        assert_eq!(hundredths(&tree, &tree.ranks(&[]), &users), [100; 5]);
        // The account's part of 1/2 over its share of 3/5, the user's 1/100 + (1/2 - 1/100) / 3 over 1/5.
        let wanted = libm::exp2(-(0.01 + 0.49 / 3.0) / 0.2);
        assert!((tree.classic(&usage)[tree.users[&(2, 23)]] - wanted).abs() < 1e-12);
    }

    /// Accounts 1 and 2 are tied with LF 1 and are merged, with a user beside them of the same LF.
    #[test]
    fn tied_accounts_are_merged_and_a_tied_user_has_the_rank_of_their_first() {
        let mut tree = Tree::new(&Shares { accounts: [(9, (1.0, None))].into(), ..Shares::default() });
        tree.shares.accounts.extend([(1, (1.0, Some(9))), (2, (1.0, Some(9)))]);
        let users = [(1, 11), (1, 12), (2, 21), (2, 22), (9, 91)];
        users.iter().for_each(|&(account, user)| {
            tree.user(account, user);
        });
        let usage =
            used(&tree, &[((1, 11), 4.0), ((1, 12), 2.0), ((2, 21), 3.0), ((2, 22), 3.0), ((9, 91), 6.0)]);
        // 91 comes first and has rank 5; 12 has the same, as the first of the merged; 21 and 22 are tied with rank 3,
        // and 11 is the last.
        assert_eq!(hundredths(&tree, &tree.ranks(&usage), &users), [20, 100, 60, 60, 100]);
    }

    #[test]
    fn a_chain_of_accounts_that_leads_back_to_itself_ends_at_the_root() {
        let accounts = [(1, (1.0, Some(2))), (2, (3.0, Some(1)))].into();
        let mut tree = Tree::new(&Shares { accounts, ..Shares::default() });
        let place = tree.user(1, 5);
        assert_eq!(tree.ranks(&[])[place], 1.0);
    }

    /// A user's factor by counting: a user's rank is the number of users less those that the definition puts strictly
    /// before, found by comparing the paths from the root.
    fn by_paths(tree: &Tree, usage: &[f64]) -> HashMap<usize, f64> {
        let all = tree.usage(usage);
        let level = |place: usize| {
            let parent = tree.members[place].parent;
            let share = tree.share(place);
            let used = if all[parent] > 0.0 { all[place] / all[parent] } else { 0.0 };
            if share == 0.0 { 0.0 } else { share / used }
        };
        let path = |mut place: usize| {
            let mut path = Vec::new();
            while place != 0 {
                path.push(level(place));
                place = tree.members[place].parent;
            }
            path.reverse();
            path
        };
        let users: Vec<usize> = tree.users.values().copied().collect();
        let before = |a: &[f64], b: &[f64]| {
            let first = a.iter().zip(b).find(|(a, b)| a != b);
            first.is_some_and(|(a, b)| a > b)
        };
        let paths: HashMap<usize, Vec<f64>> = users.iter().map(|&user| (user, path(user))).collect();
        let rank = |user: usize| {
            let ahead = users.iter().filter(|other| before(&paths[*other], &paths[&user])).count();
            (users.len() - ahead) as f64 / users.len() as f64
        };
        users.iter().map(|&user| (user, rank(user))).collect()
    }

    /// On random trees all of whose users are equally deep: there a tie is one of whole paths.
    #[test]
    fn factors_of_random_trees_are_those_of_the_definition() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let mut shares = Shares::default();
            for account in 1..=(2 + i64::from(random.below(3))) {
                shares.accounts.insert(-account - 1, (f64::from(random.below(4)), None));
                for below in 0..=i64::from(random.below(3)) {
                    let own = 10 * account + below;
                    shares.accounts.insert(own, (f64::from(1 + random.below(3)), Some(-account - 1)));
                    for user in 0..=i64::from(random.below(3)) {
                        shares.users.insert((own, 100 * own + user), f64::from(1 + random.below(2)));
                    }
                }
            }
            let tree = Tree::new(&shares);
            let usage: Vec<f64> = (0..tree.count()).map(|_| f64::from(random.below(5))).collect();
            let (found, wanted) = (tree.ranks(&usage), by_paths(&tree, &usage));
            assert!(!wanted.is_empty());
            for (user, wanted) in wanted {
                assert_eq!(found[user], wanted, "{shares:?} {usage:?}");
            }
        }
    }
}
