//! Rules over several fields of one object.

use super::Literal;

/// A rule over several fields of one object (`x-rules`); field names are wire names.
#[derive(Debug, Clone, PartialEq)]
pub enum CrossRule {
    /// Where all of `when` hold, all of `require` must.
    When {
        /// The field reported.
        name: String,
        /// The condition.
        when: Vec<(String, Literal)>,
        /// What must hold then.
        require: Vec<(String, Literal)>,
    },
    /// At most one of the fields is there.
    NotTogether {
        /// The field reported.
        name: String,
        /// The fields.
        fields: Vec<String>,
    },
    /// At least one of the fields is there.
    AtLeastOne {
        /// The field reported.
        name: String,
        /// The fields.
        fields: Vec<String>,
        /// And above this.
        above: Option<f64>,
    },
    /// Exactly one of the fields is there.
    ExactlyOne {
        /// The field reported.
        name: String,
        /// The fields.
        fields: Vec<String>,
    },
    /// The arrays hold so many items together.
    TotalItems {
        /// The field reported.
        name: String,
        /// The arrays.
        fields: Vec<String>,
        /// At least.
        minimum: Option<u64>,
        /// At most.
        maximum: Option<u64>,
    },
    /// A condition of JSON Schema's own: `not`, `if`, `dependentRequired`, alternatives of `required`.
    Holds {
        /// The field reported.
        name: String,
        /// The condition.
        condition: Condition,
    },
}

/// What can be asked of the fields of an object; the runtime's `table::Condition`.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The field is there, null or not.
    Given(String),
    /// The field is there, and is this.
    Is(String, Literal),
    /// All of these hold.
    All(Vec<Condition>),
    /// At least one of these holds.
    Any(Vec<Condition>),
    /// Exactly one of these holds.
    One(Vec<Condition>),
    /// This does not hold.
    Not(Box<Condition>),
    /// Where the first holds, the second does.
    If(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// The fields that it speaks of, in order, each as often as it does.
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
