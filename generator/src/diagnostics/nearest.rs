//! "Did you mean …?": which of the known names a misspelled one was meant to be.

/// Longer names are not compared; nobody misspells those.
const LONGEST: usize = 80;

/// The name that is nearest to this one, if any is near. Among equally near ones, the first.
#[must_use]
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = folded(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    // A third of a name may be wrong; and whoever looks for a part of a name, or for more than it, finds it too.
    let limit = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in names {
        let letters = folded(candidate);
        if letters.is_empty() || letters.len() > LONGEST {
            continue;
        }
        let distance = if letters.len().abs_diff(wanted.len()) <= limit {
            edits(&wanted, &letters)
        } else if wanted.len() >= 4
            && letters.len() >= 4
            && (letters.starts_with(&wanted) || wanted.starts_with(&letters))
        {
            limit
        } else {
            continue;
        };
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The letters and digits, without case: `pet_owner` and `PetOwner` are the same.
fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(LONGEST + 1).collect()
}

/// How many letters must be put in, taken out, replaced, or swapped with their neighbour.
fn edits(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (row, a) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in to.iter().enumerate() {
            let at = |line: &[usize], place: usize| line.get(place).copied().unwrap_or(usize::MAX - 1);
            let replaced = at(&above, column) + usize::from(a != b);
            let mut least = replaced.min(at(&above, column + 1) + 1).min(at(&current, column) + 1);
            let is_swap = || {
                let (a_before, b_before) = (from.get(row.checked_sub(1)?)?, to.get(column.checked_sub(1)?)?);
                (a == b_before && b == a_before).then_some(())
            };
            if is_swap().is_some() {
                least = least.min(at(&before, column - 1) + 1);
            }
            current.push(least);
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        let count = |a: &str, b: &str| edits(&folded(a), &folded(b));
        for (a, b, expected) in [
            ("pet", "pet", 0),
            ("pet", "pets", 1),
            ("pte", "pet", 1),
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("ab", "ba", 1),
        ] {
            assert_eq!(count(a, b), expected, "{a} {b}");
            assert_eq!(count(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["Pet", "PetOwner", "VoiceoverRequest", "ä", "Order"];
        for (name, expected) in [
            ("pet", Some("Pet")),
            ("Pets", Some("Pet")),
            ("pet_owner", Some("PetOwner")),
            ("PetOwne", Some("PetOwner")),
            ("VoiceoverReqest", Some("VoiceoverRequest")),
            ("Voiceover", Some("VoiceoverRequest")),
            ("Customer", None),
            ("", None),
            ("§", None),
        ] {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
    }
}
