//! Slurm's lists of nodes: `n[0001-0010,0012],gpu7`.

/// Largest number of nodes of a list.
const MOST: usize = 1 << 17;

/// The names of the nodes of a list, in its order; none for a text that is no such list.
pub fn names(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for part in parts(text)? {
        expand("", part, &mut names)?;
    }
    Some(names)
}

/// The parts of a list between commas outside of brackets.
fn parts(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut from, mut is_inside) = (Vec::new(), 0, false);
    for (at, sign) in text.char_indices() {
        match sign {
            '[' if is_inside => return None,
            ']' if !is_inside => return None,
            '[' | ']' => is_inside = sign == '[',
            ',' if !is_inside => {
                parts.push(text.get(from..at)?);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(from..)?);
    (!is_inside && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

/// Adds the names of one part of a list, which may have several pairs of brackets, behind a beginning.
fn expand(front: &str, part: &str, names: &mut Vec<String>) -> Option<()> {
    let Some((before, rest)) = part.split_once('[') else {
        names.push(format!("{front}{part}"));
        return (names.len() <= MOST).then_some(());
    };
    let (inside, behind) = rest.split_once(']')?;
    for range in inside.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|sign| sign.is_ascii_digit());
        if !is_number(first) || !is_number(last) {
            return None;
        }
        let (width, from, to) = (first.len(), first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        if from > to || to - from >= MOST as u64 {
            return None;
        }
        for number in from..=to {
            expand(&format!("{front}{before}{number:0width$}"), behind, names)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_expanded() {
        let all = |text: &str| names(text).map(|names| names.join(" "));
        assert_eq!(all("n1").as_deref(), Some("n1"));
        assert_eq!(all("n[08-11,3],gpu7").as_deref(), Some("n08 n09 n10 n11 n3 gpu7"));
        assert_eq!(all("r[1-2]n[01-02]-ib").as_deref(), Some("r1n01-ib r1n02-ib r2n01-ib r2n02-ib"));
        for wrong in
            ["", "n[1", "n]1[", "n[[1]]", "n[a-b]", "n[2-1]", "n[]", "a,,b", "n[0-4294967295]", "n[1-2-3]"]
        {
            assert_eq!(names(wrong), None, "{wrong}");
        }
    }
}
