//! Rules of keywords: a constraint on a value is stricter, less strict or different.

use super::Flow;
use crate::diff::verdict::{Verdict, Verdicts};

/// The effect of a changed keyword on the valid values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Fewer values are valid.
    Tightened,
    /// More values are valid.
    Loosened,
    /// Other values are valid, or the comparison is undecidable.
    Changed,
}

impl Effect {
    /// Returns the name: `tightened`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tightened => "tightened",
            Self::Loosened => "loosened",
            Self::Changed => "changed",
        }
    }

    /// Returns the effect of a bound that went from one value to another. `None` means no bound.
    ///
    /// `stricter` compares two bounds: whether the second one is stricter than the first.
    pub(in crate::diff) fn of_bound<T: PartialEq>(
        old: Option<T>,
        new: Option<T>,
        stricter: impl Fn(&T, &T) -> bool,
    ) -> Option<Self> {
        match (old, new) {
            (None, None) => None,
            (None, Some(_)) => Some(Self::Tightened),
            (Some(_), None) => Some(Self::Loosened),
            (Some(old), Some(new)) if old == new => None,
            (Some(old), Some(new)) if stricter(&old, &new) => Some(Self::Tightened),
            (Some(old), Some(new)) if stricter(&new, &old) => Some(Self::Loosened),
            (Some(_), Some(_)) => Some(Self::Changed),
        }
    }
}

const BOUND: &[Effect] = &[Effect::Tightened, Effect::Loosened];
const ANY: &[Effect] = &[Effect::Tightened, Effect::Loosened, Effect::Changed];

/// Defines the keywords: variant, name, keyword in the document, effects, the verdict if a response has a value that its reader
/// doesn't expect, and the constraint that the keyword describes.
macro_rules! constraints {
    ($($variant:ident = $name:literal $keyword:literal $effects:ident $unexpected:ident $what:literal,)+) => {
        /// A constraint on a value, which a keyword or several of them describe.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Constraint {
            $(#[doc = $what] $variant,)+
        }

        impl Constraint {
            /// All keywords.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the name in kebab-case: `max-length`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the keyword as the document has it: `maxLength`.
            #[must_use]
            pub const fn keyword(self) -> &'static str {
                match self { $(Self::$variant => $keyword,)+ }
            }

            /// Returns a description of the constraint: `the minimum length of a string`.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$variant => $what,)+ }
            }

            /// Returns the effects that a change can have.
            #[must_use]
            pub const fn effects(self) -> &'static [Effect] {
                match self { $(Self::$variant => $effects,)+ }
            }

            /// Returns the verdict if a response has a value that its reader doesn't expect.
            const fn unexpected(self) -> Verdict {
                match self { $(Self::$variant => Verdict::$unexpected,)+ }
            }
        }
    };
}

constraints! {
    Type = "type" "type" ANY Breaking "the type of the value",
    Null = "null" "null" BOUND Breaking "whether the value can be null",
    Enum = "enum" "enum" BOUND Risky "whether only certain values are allowed (`enum`)",
    Const = "const" "const" ANY Breaking "the only value that is allowed (`const`)",
    Format = "format" "format" ANY Breaking "the format of a string, or the range of an integer (`format`)",
    Pattern = "pattern" "pattern" ANY Risky "the regular expression that a string matches (`pattern`)",
    MinLength = "min-length" "minLength" BOUND Risky "the minimum length of a string (`minLength`)",
    MaxLength = "max-length" "maxLength" BOUND Risky "the maximum length of a string (`maxLength`)",
    Minimum = "minimum" "minimum" BOUND Risky "the minimum of a number (`minimum`)",
    Maximum = "maximum" "maximum" BOUND Risky "the maximum of a number (`maximum`)",
    ExclusiveMinimum = "exclusive-minimum" "exclusiveMinimum" BOUND Risky "the exclusive minimum of a number (`exclusiveMinimum`)",
    ExclusiveMaximum = "exclusive-maximum" "exclusiveMaximum" BOUND Risky "the exclusive maximum of a number (`exclusiveMaximum`)",
    MultipleOf = "multiple-of" "multipleOf" ANY Risky "the step of a number (`multipleOf`)",
    MinItems = "min-items" "minItems" BOUND Risky "the minimum number of items (`minItems`)",
    MaxItems = "max-items" "maxItems" BOUND Risky "the maximum number of items (`maxItems`)",
    UniqueItems = "unique-items" "uniqueItems" BOUND Risky "whether all items differ (`uniqueItems`)",
    MinProperties = "min-properties" "minProperties" BOUND Risky "the minimum number of properties (`minProperties`)",
    MaxProperties = "max-properties" "maxProperties" BOUND Risky "the maximum number of properties (`maxProperties`)",
    PropertyNames = "property-names" "names" BOUND Risky "the names of properties (`propertyNames`, `patternProperties`)",
    Discriminator = "discriminator" "discriminator" ANY Breaking
        "the property that selects an alternative (`discriminator`)",
    Rules = "rules" "x-rules" BOUND Risky "the rules across several properties (`x-rules`)",
    Media = "media" "x-media" ANY Risky "the medium that a string holds or refers to (`x-media`)",
    Unchecked = "unchecked-pattern" "unchecked pattern" ANY Risky "a pattern that is documented and not checked (`x-unchecked`)",
    Json = "other-keywords" "other keywords" ANY Risky "keywords that the Rust type can't express, such as `not`, `if` or `contains`",
}

impl Constraint {
    /// Returns the verdict for each audience.
    ///
    /// A change breaks clients in use if values that they send are no longer valid.
    pub(in crate::diff) const fn verdicts(self, flow: Flow, effect: Effect) -> Verdicts {
        use Verdict::{Breaking, Fine, Risky};
        let (clients, servers) = match (flow, effect) {
            (Flow::Request, Effect::Tightened) => (Breaking, Fine),
            (Flow::Request, Effect::Loosened) => (Fine, Risky),
            (Flow::Request, Effect::Changed) => (Breaking, Risky),
            (Flow::Response, Effect::Tightened) => (Fine, self.unexpected()),
            (Flow::Response, Effect::Loosened) => (self.unexpected(), Fine),
            (Flow::Response, Effect::Changed) => (self.unexpected(), self.unexpected()),
        };
        // Servers don't check documented constraints of this kind, so they refuse no value.
        let clients = match (self, clients) {
            (Self::Unchecked, Breaking) => Risky,
            _ => clients,
        };
        Verdicts { clients, servers, client_users: Fine, implementors: Fine }
    }

    pub(in crate::diff) fn explanation(self, flow: Flow, effect: Effect) -> String {
        let what = self.what();
        let of = flow.name();
        let values = match effect {
            Effect::Tightened => "fewer values are valid",
            Effect::Loosened => "more values are valid",
            Effect::Changed => "other values are valid",
        };
        let follows = match (flow, effect) {
            (Flow::Request, _) if self == Self::Unchecked => {
                "Servers don't check it, so the effect depends on the program."
            }
            (Flow::Request, Effect::Tightened) => {
                "Clients in use that send values that are no longer valid get 400."
            }
            (Flow::Request, Effect::Loosened) => "Servers in use respond with 400 to the new ones.",
            (Flow::Request, Effect::Changed) => {
                "Clients in use that send values that are no longer valid get 400; servers in use refuse the new ones."
            }
            (Flow::Response, Effect::Tightened) => {
                "Servers in use can still send values that are no longer valid."
            }
            (Flow::Response, Effect::Loosened) => "Clients in use may not expect the new ones.",
            (Flow::Response, Effect::Changed) => {
                "Clients in use may not expect the new ones, and servers in use can still send the old ones."
            }
        };
        format!("In a {of}, {what} changed: {values}. {follows}")
    }
}
