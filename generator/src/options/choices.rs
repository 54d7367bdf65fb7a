//! The types of the options' values.

/// How operations are grouped into modules and traits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Grouping {
    /// By the first tag of the operation.
    #[default]
    Tag,
    /// By the first specific path segment: `pets` for `/v1/pets/{id}`.
    ///
    /// Segments that are `api`, a version or a parameter don't count.
    Path,
}

/// Which names operations have in Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum OperationNames {
    /// The `operationId`.
    #[default]
    Document,
    /// The name of the function in an `operationId` that FastAPI derived from function, path and method.
    ///
    /// `read_item_items__item_id__get` becomes `read_item`. Ids of another form stay, and so do those that would
    /// become equal.
    FastApi,
}

/// Which string formats are checked.
///
/// Formats of numbers are not affected: they select the Rust type. Neither is `binary`, which stands for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Formats {
    /// None: every string is a `String`, as JSON Schema reads `format` by default.
    Annotation,
    /// Those that have a Rust type, and those of URIs and addresses, leniently.
    #[default]
    Common,
    /// All formats of JSON Schema, exactly as their specifications define them.
    Assert,
}

impl Formats {
    /// All settings.
    pub const ALL: &[Self] = &[Self::Annotation, Self::Common, Self::Assert];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Annotation => "annotation",
            Self::Common => "common",
            Self::Assert => "assert",
        }
    }
}

/// How schemas without `type` are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Untyped {
    /// As the type that their keywords imply: a schema with `properties` is an object.
    #[default]
    Implied,
    /// As JSON Schema defines: a keyword about one type accepts all values of other types.
    Any,
}

impl Untyped {
    /// All settings.
    pub const ALL: &[Self] = &[Self::Implied, Self::Any];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Implied => "implied",
            Self::Any => "any",
        }
    }
}

/// Which types have setters for their optional fields: `NewPet::new("Ada").with_age(3)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Setters {
    /// Inputs of operations, and the schemas that requests can contain.
    #[default]
    Requests,
    /// None. Generated code is shorter.
    None,
}

/// How constructors take the required fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Constructors {
    /// As up to seven arguments: `NewPet::new("Ada", false)`.
    #[default]
    Arguments,
    /// As a struct, if the order of the arguments could be mistaken: `NewPet::new(NewPetFields { name, is_open: false })`.
    ///
    /// That is so if one argument is a `bool`, or two neighbours have one type. A single argument stays one.
    Named,
}

/// Which structs can be destructured with all their fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Exhaustive {
    /// None, so that a new property breaks no program.
    #[default]
    None,
    /// Inputs, and the schemas that requests contain. A handler that destructures one does not compile when the document
    /// adds a property.
    Requests,
}

/// Whether null and absent differ in optional fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Nulls {
    /// They differ: a field is an `Option<Nullable<T>>`.
    #[default]
    Distinct,
    /// Null is read as absent in parameters and in the schemas that only responses contain: a field is an `Option<T>`.
    ///
    /// A field of a response keeps the difference if it has a default other than null.
    Absent,
}

/// How clients read a date-time without an offset in a response: `2024-01-01T00:00:00`.
///
/// RFC 3339 requires an offset, so requests need one in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum NaiveDateTimes {
    /// As an error.
    #[default]
    Error,
    /// As a time in UTC.
    Utc,
}

/// The path of a Rust type or derive, with valid syntax: `url::Url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RustPath {
    text: String,
    last: String,
}

impl RustPath {
    /// Parses the path of a Rust type.
    ///
    /// # Errors
    /// Returns the message of the Rust parser if the text is not the path of a type.
    pub fn parse(text: &str) -> Result<Self, String> {
        let path: syn::TypePath = syn::parse_str(text).map_err(|error| error.to_string())?;
        let last = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        Ok(Self { text: text.trim().to_owned(), last })
    }

    /// Returns the path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the last segment without generic arguments: `BTreeSet`.
    #[must_use]
    pub fn last(&self) -> &str {
        &self.last
    }
}

/// The runtime that generated crates depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Runtime {
    /// The runtime in this folder: `../../runtime`.
    ///
    /// The path is relative to the folder of each generated crate.
    Path(String),
    /// The runtime that is published in Cargo's registry, with the generator's version or a compatible newer one.
    Published,
    /// A copy of the runtime with its own package name.
    ///
    /// The name must be unique: one lock file can't hold two packages with the same name and version.
    Copy {
        /// The package name of the copy: `pet-store-runtime`.
        package: String,
        /// The folder, relative to the folder of each generated crate: `../runtime`.
        path: String,
    },
}

/// A kind of generated crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CrateKind {
    /// The types of schemas, inputs and outputs.
    Models,
    /// The tables that request validation reads.
    Validation,
    /// The server: a trait for each module.
    Server,
    /// The client.
    Client,
}

impl CrateKind {
    /// All kinds; a crate comes after the crates that it depends on.
    pub const ALL: &[Self] = &[Self::Models, Self::Validation, Self::Server, Self::Client];

    /// Returns the name of the folder, which is also the suffix of the crate's name.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Validation => "validation",
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    /// Returns the generated crates that this one depends on.
    #[must_use]
    pub const fn dependencies(self) -> &'static [Self] {
        match self {
            Self::Models => &[],
            Self::Validation => &[Self::Models],
            Self::Server | Self::Client => &[Self::Models, Self::Validation],
        }
    }
}
