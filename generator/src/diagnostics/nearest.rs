//! Finds the known name that is most similar to a misspelled one.

/// The maximum length of a name to compare. Nobody types longer names by hand.
const MAX_CHARACTERS: usize = 80;

const TOO_MANY: usize = MAX_CHARACTERS + 1;

/// Returns the most similar name, if one is similar. Of equally similar ones, returns the first.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = folded(name);
    let length = wanted.chars().count();
    if length == 0 || length > MAX_CHARACTERS {
        return None;
    }
    // Up to a third of a name may be wrong. A prefix or an extension of a name is similar, too.
    let limit = (length / 3).max(1);
    let near = |candidate: &'n str| {
        let letters = folded(candidate);
        let count = letters.chars().count();
        let is_part = || letters.starts_with(&wanted) || wanted.starts_with(&letters);
        let distance = match count {
            0 | TOO_MANY.. => None,
            _ if count.abs_diff(length) <= limit => Some(strsim::osa_distance(&wanted, &letters)),
            _ => (length >= 4 && count >= 4 && is_part()).then_some(limit),
        };
        Some((distance.filter(|distance| *distance <= limit)?, candidate))
    };
    names.into_iter().filter_map(near).min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// Returns the name of which this one is likely a misspelling.
///
/// At most one letter is wrong, missing or superfluous, or two adjacent letters are swapped. Use it where other names are
/// common, such as those of other tools' extensions.
pub(crate) fn misspelled<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = folded(name);
    let is_near = |other: &&str| strsim::osa_distance(&wanted, &folded(other)) <= 1;
    names.into_iter().find(|other| other.len().abs_diff(name.len()) <= 2 && is_near(other))
}

/// Returns the letters and digits in lower case: `pet_owner` and `PetOwner` are equal.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(TOO_MANY).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["Pet", "PetOwner", "VoiceoverRequest", "ä", "Order"];
        for (name, expected) in [
            ("pet", Some("Pet")),
            ("Pets", Some("Pet")),
            ("Pte", Some("Pet")),
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

    #[test]
    fn misspelled_names_differ_in_one_letter() {
        let names = ["x-task", "x-pagination", "x-enum-varnames"];
        for (name, expected) in [
            ("x-taks", Some("x-task")),
            ("x-tasks", Some("x-task")),
            ("x-pagintion", Some("x-pagination")),
            ("x-enumVarnames", Some("x-enum-varnames")),
            ("x-tags", None),
            ("x-task-queue", None),
        ] {
            assert_eq!(misspelled(name, names), expected, "{name}");
        }
    }
}
