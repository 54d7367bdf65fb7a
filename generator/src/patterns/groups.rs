//! The groups of a pattern, found before it is parsed: a back-reference may come before its group.

use super::parse::is_name;

/// The groups that capture.
#[derive(Debug)]
pub(super) struct Groups {
    count: u32,
    /// The names with the numbers of their groups, in order.
    names: Vec<(String, u32)>,
}

impl Groups {
    /// Finds the groups of a pattern.
    pub fn of(chars: &[char]) -> Self {
        let mut groups = Self { count: 0, names: Vec::new() };
        let mut in_class = false;
        let mut rest = chars;
        loop {
            rest = match rest {
                [] => return groups,
                ['\\', _, rest @ ..] => rest,
                ['[', rest @ ..] if !in_class => {
                    in_class = true;
                    rest
                }
                [']', rest @ ..] => {
                    in_class = false;
                    rest
                }
                ['(', rest @ ..] if !in_class => {
                    groups.add(rest);
                    rest
                }
                [_, rest @ ..] => rest,
            };
        }
    }

    /// Adds the group whose `(` these characters follow, if it captures.
    fn add(&mut self, rest: &[char]) {
        match rest {
            ['?', '<', '=' | '!', ..] => {}
            ['?', '<', rest @ ..] => {
                self.count += 1;
                let name: String = rest.iter().take_while(|next| **next != '>').collect();
                if is_name(&name) {
                    self.names.push((name, self.count));
                }
            }
            ['?', ..] => {}
            _ => self.count += 1,
        }
    }

    /// Returns the number of groups.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the number of the first group of this name.
    pub fn named(&self, name: &str) -> Option<u32> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    /// Returns whether several groups have this name.
    pub fn is_ambiguous(&self, name: &str) -> bool {
        self.names.iter().filter(|(known, _)| known == name).count() > 1
    }
}
