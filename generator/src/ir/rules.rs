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
    /// A condition in JSON Schema's keywords.
    ///
    /// From `not`, `if`, `dependentRequired` or alternatives of `required`.
    Holds {
        /// The field named in the violation.
        name: String,
        /// The condition.
        condition: Condition,
    },
}

/// A condition on the fields of an object.
///
/// Corresponds to the runtime's `table::Condition`.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The field is present, null or not.
    Given(String),
    /// The field is present and has this value.
    Is(String, Literal),
    /// All of these hold.
    All(Vec<Condition>),
    /// At least one of these holds.
    Any(Vec<Condition>),
    /// Exactly one of these holds.
    One(Vec<Condition>),
    /// This does not hold.
    Not(Box<Condition>),
    /// If the first holds, the second holds.
    If(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// Returns the fields that the condition names, in order and with repetitions.
    #[must_use]
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::Given(name) | Self::Is(name, _) => vec![name],
            Self::All(several) | Self::Any(several) | Self::One(several) => {
                several.iter().flat_map(Self::fields).collect()
            }
            Self::Not(inner) => inner.fields(),
            Self::If(when, then) => [when.fields(), then.fields()].concat(),
        }
    }
}
