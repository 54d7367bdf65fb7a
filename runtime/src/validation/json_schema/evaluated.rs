//! The names and items that keywords evaluated.
//!
//! The evaluator records the keywords that succeeded at one location of the value, not the names or items: their number
//! depends on the schema alone. Nothing is recorded unless a keyword `unevaluated…` will ask.

use crate::table::Keyword;

/// A keyword that succeeded.
#[derive(Debug)]
pub enum Mark {
    Keyword(&'static Keyword),
    /// The items that matched a `contains`, in ascending order.
    Items(Vec<usize>),
}

impl Mark {
    /// Returns whether the keyword evaluated the value of this name.
    pub fn has_name(&self, name: &str) -> bool {
        match self {
            Self::Keyword(Keyword::Properties { listed, patterns, others }) => {
                others.is_some()
                    || listed.binary_search_by(|(listed, _)| (*listed).cmp(name)).is_ok()
                    || patterns.iter().any(|(pattern, _)| pattern.is_match(name))
            }
            Self::Keyword(Keyword::UnevaluatedProperties(_)) => true,
            _ => false,
        }
    }

    /// Returns whether the keyword evaluated the item at this index.
    pub fn has_item(&self, index: usize) -> bool {
        match self {
            Self::Keyword(Keyword::Items { prefix, others }) => others.is_some() || index < prefix.len(),
            Self::Keyword(Keyword::UnevaluatedItems(_)) => true,
            Self::Items(items) => items.binary_search(&index).is_ok(),
            Self::Keyword(_) => false,
        }
    }

    /// Returns the steps that a question for this name takes.
    pub fn cost_of_name(&self, name: &str) -> u64 {
        match self {
            Self::Keyword(Keyword::Properties { patterns, .. }) => patterns
                .iter()
                .fold(1, |cost, (pattern, _)| cost + super::budget::cost_of_match(pattern, name)),
            _ => 1,
        }
    }
}

/// Returns whether a keyword evaluates names.
pub const fn evaluates_names(keyword: &Keyword) -> bool {
    matches!(keyword, Keyword::Properties { .. } | Keyword::UnevaluatedProperties(_))
}

/// Returns whether a keyword evaluates items. `contains` has marks of its own.
pub const fn evaluates_items(keyword: &Keyword) -> bool {
    matches!(keyword, Keyword::Items { .. } | Keyword::UnevaluatedItems(_))
}
