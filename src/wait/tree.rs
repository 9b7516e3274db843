//! Sorted multisets with selection by rank: counted B+ trees that share one pool of nodes.
//!
//! Every entry of a node carries the number of values under it, so that the k-th smallest value, and the number of
//! values below a given one, are found on one path: O(log n). Equal values share an entry. Insertion splits full nodes
//! and removal fills up sparse ones on the way down, so neither comes back up. A whole tree is given back in O(1): its
//! nodes are recovered one by one when new ones are wanted.

use crate::error::{Error, Result};
use crate::memory::{at, at_mut, range_mut};
use bytemuck::{Pod, Zeroable};

/// Entries of a node.
const FAN: usize = 32;

/// Entries that every node but a root keeps; two such nodes and one more entry still fit into one node.
const FEWEST: usize = 15;

/// No node.
const NONE: u32 = u32::MAX;

/// Filler instead of a key that is not there; no value.
const FILLER: u64 = u64::MAX;

/// One node. In a leaf an entry is a value, its number of occurrences, and the number its first insertion gave it.
/// Above, it is an upper bound for the child's keys (below the next entry's keys), the number of values the child
/// holds, and the child's index.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Node {
    len: u32,
    /// 0 for a leaf.
    level: u32,
    /// Next in the list of nodes given back.
    next: u32,
    reserved: u32,
    keys: [u64; FAN],
    counts: [u32; FAN],
    links: [u32; FAN],
}

/// One entry of a node.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u64,
    count: u32,
    link: u32,
}

/// Puts `value` at the front; the last element, which is not in use, is lost.
fn shift_in<T>(slots: &mut [T], mut value: T) {
    for slot in slots {
        core::mem::swap(slot, &mut value);
    }
}

/// Takes the front element away; `filler` comes last.
fn shift_out<T>(slots: &mut [T], mut filler: T) {
    for slot in slots.iter_mut().rev() {
        core::mem::swap(slot, &mut filler);
    }
}

impl Node {
    fn new(level: u32) -> Node {
        Node { level, keys: [FILLER; FAN], ..Node::zeroed() }
    }

    fn len(&self) -> usize {
        (self.len as usize).min(FAN)
    }

    /// The number of keys below this one.
    fn position(&self, key: u64) -> usize {
        self.keys.partition_point(|k| *k < key)
    }

    fn entry(&self, index: usize) -> Result<Entry> {
        Ok(Entry {
            key: *at(&self.keys, index)?,
            count: *at(&self.counts, index)?,
            link: *at(&self.links, index)?,
        })
    }

    fn insert(&mut self, index: usize, entry: Entry) -> Result<()> {
        let moved = (self.len() + 1).checked_sub(index).ok_or(Error::Corrupt)?;
        shift_in(range_mut(&mut self.keys, index, moved)?, entry.key);
        shift_in(range_mut(&mut self.counts, index, moved)?, entry.count);
        shift_in(range_mut(&mut self.links, index, moved)?, entry.link);
        self.len += 1;
        Ok(())
    }

    fn remove(&mut self, index: usize) -> Result<()> {
        let moved = self.len().checked_sub(index).filter(|moved| *moved > 0).ok_or(Error::Corrupt)?;
        shift_out(range_mut(&mut self.keys, index, moved)?, FILLER);
        shift_out(range_mut(&mut self.counts, index, moved)?, 0);
        shift_out(range_mut(&mut self.links, index, moved)?, 0);
        self.len -= 1;
        Ok(())
    }

    /// Number of values that its entries stand for.
    fn total(&self) -> u32 {
        self.counts.iter().take(self.len()).fold(0, |sum, count| sum.wrapping_add(*count))
    }

    fn last_key(&self) -> Result<u64> {
        at(&self.keys, self.len().wrapping_sub(1)).copied()
    }

    /// Distributes the entries of two neighbours again: the first `left_len` to the left.
    fn share(left: &mut Node, right: &mut Node, left_len: usize) -> Result<()> {
        while left.len() > left_len {
            let entry = left.entry(left.len() - 1)?;
            left.remove(left.len() - 1)?;
            right.insert(0, entry)?;
        }
        while left.len() < left_len {
            let entry = right.entry(0)?;
            right.remove(0)?;
            left.insert(left.len(), entry)?;
        }
        Ok(())
    }
}

/// The root of one tree. All zero: nothing yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Tree {
    /// The root's index plus one; 0 without one.
    root: u32,
    /// Values, repetitions included.
    pub count: u32,
}

/// Free nodes of a pool. All zero: all of them.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Spare {
    /// The first node given back, plus one; 0 without one.
    given_back: u32,
    /// Nodes from this one on were never used.
    fresh: u32,
}

/// A distinct value of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Distinct {
    pub key: u64,
    pub count: u32,
    /// The number given at the key's first insertion.
    pub link: u32,
}

/// The nodes of several trees.
pub(crate) struct Pool<'a> {
    pub nodes: &'a mut [Node],
    pub spare: &'a mut Spare,
}

/// Nodes that `trees` trees with together at most `values` values can need.
pub(crate) fn nodes_for(values: usize, trees: usize) -> Option<usize> {
    // All but the roots have FEWEST entries, on every level; two more for splitting the root.
    (values / (FEWEST - 1)).checked_add(trees.checked_mul(3)?)
}

impl Pool<'_> {
    pub(crate) fn read(&self) -> Nodes<'_> {
        Nodes(self.nodes)
    }

    fn node(&self, index: u32) -> Result<&Node> {
        at(self.nodes, index as usize)
    }

    fn node_mut(&mut self, index: u32) -> Result<&mut Node> {
        at_mut(self.nodes, index as usize)
    }

    /// A free node, made a new one of this level.
    fn take(&mut self, level: u32) -> Result<u32> {
        let index = match self.spare.given_back.checked_sub(1) {
            None => {
                let index = self.spare.fresh;
                self.node(index)?;
                self.spare.fresh += 1;
                index
            }
            Some(index) => {
                let node = *self.node(index)?;
                self.spare.given_back = node.next;
                if node.level > 0 {
                    // The children of a tree that was given back as a whole.
                    for child in node.links.iter().take(node.len()) {
                        self.give_back(*child)?;
                    }
                }
                index
            }
        };
        *self.node_mut(index)? = Node::new(level);
        Ok(index)
    }

    /// Gives a node back with all its descendants.
    fn give_back(&mut self, index: u32) -> Result<()> {
        let next = self.spare.given_back;
        self.node_mut(index)?.next = next;
        self.spare.given_back = index.checked_add(1).ok_or(Error::Corrupt)?;
        Ok(())
    }

    /// Gives back one node, without its children.
    fn give_back_alone(&mut self, index: u32) -> Result<()> {
        *self.node_mut(index)? = Node::new(0);
        self.give_back(index)
    }

    /// Empties a tree. O(1).
    pub(crate) fn clear(&mut self, tree: &mut Tree) -> Result<()> {
        if let Some(root) = tree.root.checked_sub(1) {
            self.give_back(root)?;
        }
        *tree = Tree::default();
        Ok(())
    }

    /// Splits the full child at `index` of `parent`, which is not full.
    fn split(&mut self, parent: u32, index: usize) -> Result<()> {
        let upper = self.node(parent)?.entry(index)?;
        let mut left = *self.node(upper.link)?;
        let fresh = self.take(left.level)?;
        let mut right = Node::new(left.level);
        Node::share(&mut left, &mut right, FAN / 2)?;
        let moved = right.total();
        let parent = self.node_mut(parent)?;
        *at_mut(&mut parent.keys, index)? = left.last_key()?;
        *at_mut(&mut parent.counts, index)? = upper.count.wrapping_sub(moved);
        parent.insert(index + 1, Entry { key: upper.key, count: moved, link: fresh })?;
        *self.node_mut(upper.link)? = left;
        *self.node_mut(fresh)? = right;
        Ok(())
    }

    /// Fills up the sparse child at `index` of `parent`, which has at least two, from a neighbour.
    fn fill(&mut self, parent: u32, index: usize) -> Result<()> {
        let first = index.saturating_sub(1);
        let (low, high) = (self.node(parent)?.entry(first)?, self.node(parent)?.entry(first + 1)?);
        let (mut left, mut right) = (*self.node(low.link)?, *self.node(high.link)?);
        let together = left.len() + right.len();
        if together <= FAN {
            Node::share(&mut left, &mut right, together)?;
            *self.node_mut(low.link)? = left;
            self.give_back_alone(high.link)?;
            let parent = self.node_mut(parent)?;
            parent.remove(first + 1)?;
            *at_mut(&mut parent.keys, first)? = high.key;
            *at_mut(&mut parent.counts, first)? = low.count.wrapping_add(high.count);
        } else {
            Node::share(&mut left, &mut right, together / 2)?;
            let moved_to = left.total();
            *self.node_mut(low.link)? = left;
            *self.node_mut(high.link)? = right;
            let parent = self.node_mut(parent)?;
            *at_mut(&mut parent.keys, first)? = left.last_key()?;
            *at_mut(&mut parent.counts, first)? = moved_to;
            *at_mut(&mut parent.counts, first + 1)? =
                low.count.wrapping_add(high.count).wrapping_sub(moved_to);
        }
        Ok(())
    }

    /// Inserts a value; `link` is kept with it if it was not there before.
    pub(crate) fn insert(&mut self, tree: &mut Tree, key: u64, link: u32) -> Result<()> {
        let mut index = match tree.root.checked_sub(1) {
            Some(root) => root,
            None => self.take(0)?,
        };
        let root = self.node(index)?;
        if root.len() == FAN {
            let (key, level) = (root.last_key()?, root.level);
            let above = self.take(level.wrapping_add(1))?;
            self.node_mut(above)?.insert(0, Entry { key, count: tree.count, link: index })?;
            self.split(above, 0)?;
            index = above;
        }
        tree.root = index.checked_add(1).ok_or(Error::Corrupt)?;
        tree.count = tree.count.checked_add(1).ok_or(Error::Full)?;
        loop {
            let node = self.node(index)?;
            let mut place = node.position(key);
            if node.level == 0 {
                let node = self.node_mut(index)?;
                match node.keys.get(place) {
                    Some(found) if *found == key => *at_mut(&mut node.counts, place)? += 1,
                    _ => node.insert(place, Entry { key, count: 1, link })?,
                }
                return Ok(());
            }
            place = place.min(node.len().saturating_sub(1));
            if self.node(node.entry(place)?.link)?.len() == FAN {
                self.split(index, place)?;
                let node = self.node(index)?;
                place = node.position(key).min(node.len().saturating_sub(1));
            }
            let node = self.node_mut(index)?;
            let bound = at_mut(&mut node.keys, place)?;
            *bound = (*bound).max(key);
            let count = at_mut(&mut node.counts, place)?;
            *count = count.wrapping_add(1);
            let child = *at(&node.links, place)?;
            index = self.read().below(self.node(index)?, child)?;
        }
    }

    /// Removes one occurrence of a value that is there; returns its link if it was the last one.
    pub(crate) fn remove(&mut self, tree: &mut Tree, key: u64) -> Result<Option<u32>> {
        let mut index = tree.root.checked_sub(1).ok_or(Error::Corrupt)?;
        tree.count = tree.count.checked_sub(1).ok_or(Error::Corrupt)?;
        loop {
            let node = self.node(index)?;
            let mut place = node.position(key);
            let entry = node.entry(place)?;
            if node.level == 0 {
                if entry.key != key || entry.count == 0 {
                    return Err(Error::Corrupt);
                }
                let node = self.node_mut(index)?;
                *at_mut(&mut node.counts, place)? -= 1;
                if entry.count > 1 {
                    return Ok(None);
                }
                node.remove(place)?;
                if node.len() == 0 {
                    // Only a root can run empty.
                    self.clear(tree)?;
                }
                return Ok(Some(entry.link));
            }
            if node.len() > 1 && self.node(entry.link)?.len() <= FEWEST {
                self.fill(index, place)?;
                place = self.node(index)?.position(key);
            }
            let node = self.node_mut(index)?;
            let child = *at(&node.links, place)?;
            let count = at_mut(&mut node.counts, place)?;
            *count = count.wrapping_sub(1);
            let alone = node.len() == 1;
            self.read().below(self.node(index)?, child)?;
            if alone {
                // Only a root can have a single child: the child takes its place.
                self.give_back_alone(index)?;
                tree.root = child.checked_add(1).ok_or(Error::Corrupt)?;
            }
            index = child;
        }
    }
}

/// The nodes of several trees, to read.
#[derive(Clone, Copy)]
pub(crate) struct Nodes<'s>(pub &'s [Node]);

impl<'s> Nodes<'s> {
    fn node(self, index: u32) -> Result<&'s Node> {
        at(self.0, index as usize)
    }

    /// The k-th smallest value, counted from 1.
    pub(crate) fn select(self, tree: &Tree, k: u64) -> Result<u64> {
        let mut left =
            k.checked_sub(1).filter(|below| *below < u64::from(tree.count)).ok_or(Error::NoSuchIndex)?;
        let mut index = tree.root.checked_sub(1).ok_or(Error::Corrupt)?;
        loop {
            let node = self.node(index)?;
            let mut place = 0;
            for count in node.counts.iter().take(node.len()) {
                let count = u64::from(*count);
                if left < count {
                    break;
                }
                left -= count;
                place += 1;
            }
            let entry = node.entry(place)?;
            if node.level == 0 {
                return Ok(entry.key);
            }
            index = self.below(node, entry.link)?;
        }
    }

    /// The child `link` of `node`, which lies below it: damaged links do not lead in circles.
    fn below(self, node: &Node, link: u32) -> Result<u32> {
        if self.node(link)?.level < node.level { Ok(link) } else { Err(Error::Corrupt) }
    }

    /// The number of values below `key`.
    pub(crate) fn rank(self, tree: &Tree, key: u64) -> Result<u64> {
        let mut below = 0;
        let Some(mut index) = tree.root.checked_sub(1) else { return Ok(0) };
        loop {
            let node = self.node(index)?;
            let place = node.position(key).min(node.len());
            below += node.counts.iter().take(place).map(|count| u64::from(*count)).sum::<u64>();
            if node.level == 0 || place == node.len() {
                return Ok(below);
            }
            index = self.below(node, node.entry(place)?.link)?;
        }
    }

    /// The smallest value that is at least `key`.
    pub(crate) fn at_least(self, tree: &Tree, key: u64) -> Result<Option<Distinct>> {
        let Some(root) = tree.root.checked_sub(1) else { return Ok(None) };
        // A child's bound may exceed its values (removals leave it): then the next child's first value is meant.
        let (mut index, mut next) = (root, NONE);
        let mut from = key;
        loop {
            let node = self.node(index)?;
            let place = node.position(from);
            if place >= node.len() {
                if next == NONE {
                    return Ok(None);
                }
                (index, next, from) = (next, NONE, 0);
                continue;
            }
            let entry = node.entry(place)?;
            if node.level == 0 {
                // A walk through the values continues from here: it must make progress.
                if entry.key < key || entry.key == FILLER {
                    return Err(Error::Corrupt);
                }
                return Ok(Some(Distinct { key: entry.key, count: entry.count, link: entry.link }));
            }
            if place + 1 < node.len() {
                next = self.below(node, node.entry(place + 1)?.link)?;
            }
            index = self.below(node, entry.link)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::mix::{GOLDEN, finalise};
    use std::vec;
    use std::vec::Vec;

    /// Checks all that holds between the nodes; collects the values below and returns the number of nodes.
    fn check(pool: &Pool, index: u32, root: bool, values: &mut Vec<u64>) -> usize {
        let node = *pool.node(index).unwrap();
        assert!(node.len() >= if root { 1 } else { FEWEST }, "{node:?}");
        assert!(node.keys[node.len()..].iter().all(|key| *key == FILLER));
        assert!(node.keys[..node.len()].is_sorted_by(|a, b| a < b));
        let mut nodes = 1;
        for i in 0..node.len() {
            let before = values.len();
            if node.level == 0 {
                values.extend(vec![node.keys[i]; node.counts[i] as usize]);
            } else {
                assert_eq!(pool.node(node.links[i]).unwrap().level, node.level - 1);
                nodes += check(pool, node.links[i], false, values);
                assert!(values[before..].iter().all(|value| *value <= node.keys[i]));
                assert!(i == 0 || values[before..].iter().all(|value| *value > node.keys[i - 1]));
            }
            assert_eq!(values.len() - before, node.counts[i] as usize);
        }
        nodes
    }

    fn agree(pool: &Pool, tree: &Tree, naive: &[u64]) -> usize {
        let mut values = Vec::new();
        let nodes = if tree.root == 0 { 0 } else { check(pool, tree.root - 1, true, &mut values) };
        assert_eq!(values, naive);
        assert_eq!(tree.count as usize, naive.len());
        nodes
    }

    #[test]
    fn agrees_with_a_sorted_vector() {
        for (seed, spread) in [(1, 10), (2, 300), (3, 100_000), (4, u64::MAX - 1)] {
            let mut random: u64 = seed;
            let mut next = move || {
                random = random.wrapping_add(GOLDEN);
                finalise(random)
            };
            let capacity = nodes_for(2 * 3000, 2).unwrap();
            let (mut nodes, mut spare) = (vec![Node::zeroed(); capacity], Spare::default());
            let mut pool = Pool { nodes: &mut nodes, spare: &mut spare };
            let mut trees = [Tree::default(); 2];
            let mut naive = [Vec::new(), Vec::new()];
            for step in 0..40_000 {
                let which = (next() % 2) as usize;
                let (tree, sorted) = (&mut trees[which], &mut naive[which]);
                // Phases of growth and of decline.
                let grow = next() % 10 < if step / 5000 % 2 == 0 { 8 } else { 3 };
                if grow && sorted.len() < 3000 {
                    let value = next() % spread;
                    pool.insert(tree, value, step).unwrap();
                    sorted.insert(sorted.partition_point(|v| *v < value), value);
                } else if let Some(index) = (next() as usize).checked_rem(sorted.len()) {
                    let value = sorted.remove(index);
                    let last = !sorted.contains(&value);
                    assert_eq!(pool.remove(tree, value).unwrap().is_some(), last);
                }
                let k = next() % (sorted.len() as u64 + 1);
                let wanted = (k as usize).checked_sub(1).map(|below| sorted[below]);
                assert_eq!(pool.read().select(tree, k).ok(), wanted, "{step}");
                let probe = next() % spread;
                let below = sorted.partition_point(|v| *v < probe);
                assert_eq!(pool.read().rank(tree, probe), Ok(below as u64));
                let found = pool.read().at_least(tree, probe).unwrap();
                assert_eq!(found.map(|found| found.key), sorted.get(below).copied());
                if let Some(found) = found {
                    let same = sorted.iter().filter(|v| **v == found.key).count();
                    assert_eq!(found.count as usize, same);
                }
                if step % 500 == 0 {
                    agree(&pool, &trees[0], &naive[0]);
                    agree(&pool, &trees[1], &naive[1]);
                }
                if step % 7001 == 7000 {
                    pool.clear(&mut trees[0]).unwrap();
                    naive[0].clear();
                }
            }
            assert!(pool.spare.fresh as usize <= capacity);
        }
    }

    #[test]
    fn nodes_are_never_lost() {
        // Filled and emptied, as a whole or one by one, many times over in a pool that holds it just once.
        let (mut nodes, mut spare) = (vec![Node::zeroed(); nodes_for(2000, 1).unwrap()], Spare::default());
        let mut pool = Pool { nodes: &mut nodes, spare: &mut spare };
        let mut tree = Tree::default();
        for round in 0..20 {
            for i in 0..2000_u64 {
                pool.insert(&mut tree, i * 7919 % 2003, 0).unwrap();
            }
            if round % 2 == 0 {
                pool.clear(&mut tree).unwrap();
            } else {
                for i in 0..2000_u64 {
                    pool.remove(&mut tree, (1999 - i) * 7919 % 2003).unwrap();
                }
            }
            assert_eq!(tree, Tree::default());
        }
        assert_eq!(pool.remove(&mut tree, 3), Err(Error::Corrupt));
        assert_eq!(pool.read().select(&tree, 1), Err(Error::NoSuchIndex));
    }

    #[test]
    fn keeps_the_first_link_of_a_value() {
        let (mut nodes, mut spare) = (vec![Node::zeroed(); 10], Spare::default());
        let mut pool = Pool { nodes: &mut nodes, spare: &mut spare };
        let mut tree = Tree::default();
        pool.insert(&mut tree, 5, 70).unwrap();
        pool.insert(&mut tree, 5, 71).unwrap();
        assert_eq!(pool.read().at_least(&tree, 0), Ok(Some(Distinct { key: 5, count: 2, link: 70 })));
        assert_eq!(pool.remove(&mut tree, 5), Ok(None));
        assert_eq!(pool.remove(&mut tree, 5), Ok(Some(70)));
        assert_eq!(pool.read().at_least(&tree, 0), Ok(None));
    }
}
