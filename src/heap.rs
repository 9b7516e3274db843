//! A binary heap in a slice, sorting by it, and lists that close and open gaps.
//!
//! Written out because the standard library's sorts and copies inside a slice contain panics.

use crate::error::Result;
use crate::memory::{at, at_mut};

/// Lets the element at `place` sink until no child comes before it. `first(a, b)` is true when `a` comes before `b`.
fn sink<T: Copy>(heap: &mut [T], mut place: usize, first: impl Fn(&T, &T) -> bool) -> Result<()> {
    let moving = *at(heap, place)?;
    loop {
        let left = 2 * place + 1;
        let Some(mut child) = heap.get(left) else { break };
        let mut index = left;
        if let Some(right) = heap.get(left + 1).filter(|right| first(right, child)) {
            (child, index) = (right, left + 1);
        }
        if !first(child, &moving) {
            break;
        }
        let child = *child;
        *at_mut(heap, place)? = child;
        place = index;
    }
    *at_mut(heap, place)? = moving;
    Ok(())
}

/// Inserts an element into a heap with the smallest element at the front; `heap` already has the new place, at its end.
pub(crate) fn push<T: Copy + Ord>(heap: &mut [T], element: T) -> Result<()> {
    let mut place = heap.len().saturating_sub(1);
    while let Some(parent) = place.checked_sub(1).map(|below| below / 2) {
        let above = *at(heap, parent)?;
        if above <= element {
            break;
        }
        *at_mut(heap, place)? = above;
        place = parent;
    }
    *at_mut(heap, place)? = element;
    Ok(())
}

/// Makes a heap with the smallest element at the front of values in any order, O(n).
pub(crate) fn build<T: Copy + Ord>(values: &mut [T]) -> Result<()> {
    for place in (0..values.len() / 2).rev() {
        sink(values, place, |a, b| a < b)?;
    }
    Ok(())
}

/// Takes the smallest element out; afterwards the last place of `heap` is no longer part of it.
pub(crate) fn pop<T: Copy + Ord>(heap: &mut [T]) -> Result<T> {
    let smallest = *at(heap, 0)?;
    let last = heap.len().saturating_sub(1);
    *at_mut(heap, 0)? = *at(heap, last)?;
    if let Some(rest) = heap.get_mut(..last).filter(|rest| !rest.is_empty()) {
        sink(rest, 0, |a, b| a < b)?;
    }
    Ok(smallest)
}

/// Sorts in increasing order, O(n log n).
pub(crate) fn sort<T: Copy + Ord>(values: &mut [T]) -> Result<()> {
    for place in (0..values.len() / 2).rev() {
        sink(values, place, |a, b| a > b)?;
    }
    for end in (1..values.len()).rev() {
        let (largest, last) = (*at(values, 0)?, *at(values, end)?);
        *at_mut(values, 0)? = last;
        *at_mut(values, end)? = largest;
        if let Some(rest) = values.get_mut(..end) {
            sink(rest, 0, |a, b| a > b)?;
        }
    }
    Ok(())
}

/// Sorts a nearly sorted list in increasing order: by insertion, O(n + moves), until more than `budget` elements have
/// moved, then by the heap. Elements that are not equal end in the same places either way. Returns the steps of work.
pub(crate) fn sort_again<T: Copy + Ord>(values: &mut [T], budget: usize) -> Result<u64> {
    let count = values.len();
    let mut moved = 0;
    for end in 1..count {
        let element = *at(values, end)?;
        let mut place = end;
        while let Some(below) = place.checked_sub(1) {
            let before = *at(values, below)?;
            if before <= element {
                break;
            }
            *at_mut(values, place)? = before;
            place = below;
        }
        if place == end {
            continue;
        }
        *at_mut(values, place)? = element;
        moved += end - place;
        if moved > budget {
            sort(values)?;
            return Ok((moved + count * levels(count)) as u64);
        }
    }
    Ok((count + moved) as u64)
}

/// Number of binary digits of `count`: the height of a heap of that number of elements.
pub(crate) fn levels(count: usize) -> usize {
    (usize::BITS - count.leading_zeros()) as usize
}

/// Takes an element out of a list; the last place is free afterwards.
pub(crate) fn remove<T: Copy>(list: &mut [T], place: usize) {
    let mut rest = list.get_mut(place..).unwrap_or(&mut []).iter_mut();
    if let Some(mut to) = rest.next() {
        for from in rest {
            *to = *from;
            to = from;
        }
    }
}

/// Puts an element into a list whose last place is free.
pub(crate) fn insert<T: Copy>(list: &mut [T], place: usize, element: T) {
    let mut carried = element;
    for slot in list.get_mut(place..).unwrap_or(&mut []) {
        core::mem::swap(slot, &mut carried);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn heaps_and_lists_are_those_of_the_standard_library(values in proptest::collection::vec(-9i64..9, 0..60)) {
            let mut expected = values.clone();
            expected.sort_unstable();
            let mut sorted = values.clone();
            sort(&mut sorted).unwrap();
            prop_assert_eq!(&sorted, &expected);
            for budget in [0, 1, 20, 10_000] {
                let mut sorted = values.clone();
                sort_again(&mut sorted, budget).unwrap();
                prop_assert_eq!(&sorted, &expected);
            }
            let mut heap = values.clone();
            for (i, &value) in values.iter().enumerate() {
                push(&mut heap[..=i], value).unwrap();
            }
            let mut built = values.clone();
            build(&mut built).unwrap();
            for (i, &value) in expected.iter().enumerate() {
                prop_assert_eq!(pop(&mut built[..values.len() - i]).unwrap(), value);
                prop_assert_eq!(pop(&mut heap[..values.len() - i]).unwrap(), value);
            }
            for place in 0..values.len() {
                let mut list = values.clone();
                remove(&mut list, place);
                let mut without = values.clone();
                without.remove(place);
                prop_assert_eq!(&list[..values.len() - 1], &without[..]);
                insert(&mut list, place, 77);
                without.insert(place, 77);
                prop_assert_eq!(&list, &without);
            }
        }
    }
}
