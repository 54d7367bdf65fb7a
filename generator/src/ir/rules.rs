//! Constraints across several fields of one object.

use super::Literal;

/// A constraint across several fields of one object (`x-rules`).
///
/// Field names are wire names.
#[derive(Debug, Clone, PartialEq)]
pub enum CrossRule {
    /// If all of `when` hold, all of `require` must hold.
    When {
        /// The field named in the violation.
        name: String,
        /// The condition: fields and their values.
        when: Vec<(String, Literal)>,
        /// The requirement: fields and their values.
        require: Vec<(String, Literal)>,
    },
    /// At most one of the fields is present.
    NotTogether {
        /// The field named in the violation.
        name: String,
        /// The fields.
        fields: Vec<String>,
    },
    /// At least one of the fields is present.
    AtLeastOne {
        /// The field named in the violation.
        name: String,
        /// The fields.
        fields: Vec<String>,
        /// If set, the field must also be a number above this.
        above: Option<f64>,
    },
    /// Exactly one of the fields is present.
    ExactlyOne {
        /// The field named in the violation.
        name: String,
        /// The fields.
        fields: Vec<String>,
    },
    /// The total number of items of several arrays has bounds.
    TotalItems {
        /// The field named in the violation.
        name: String,
        /// The arrays.
        fields: Vec<String>,
        /// The minimum total.
        minimum: Option<u64>,
        /// The maximum total.
        maximum: Option<u64>,
    },
}
