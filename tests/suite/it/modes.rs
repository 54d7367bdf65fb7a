//! The modes: which files of the suite, generated with which options.

use openapi_crates::{Formats, Options, Untyped};

/// A part of the suite, and the options of the generator for it.
///
/// A new mode is a new row of [`MODES`].
pub struct Mode {
    /// The name in the report and in the names of crates.
    pub name: &'static str,
    /// The folder of the files, relative to the draft's folder.
    pub folder: &'static str,
    /// The only files of the folder, without extension. Empty: all of them.
    pub files: &'static [&'static str],
    /// Whether the options read a schema without `type` as the type that its keywords imply.
    ///
    /// Tests whose verdict that changes are counted apart.
    pub implied: bool,
    /// The files that expect `format` and content keywords to be annotations, if the options make them constraints.
    ///
    /// They are counted apart.
    pub annotated: &'static [&'static str],
    /// Whether the tests expect `format` to be a constraint.
    pub formats: bool,
    /// Changes the default options.
    pub options: fn(Options) -> Options,
}

/// The default mode.
const IMPLIED: Mode = Mode {
    name: "implied",
    folder: "",
    files: &[],
    implied: true,
    annotated: &["content", "format"],
    formats: false,
    options: |options| options,
};

const UNTYPED: Mode =
    Mode { name: "untyped", implied: false, options: |options| options.untyped(Untyped::Any), ..IMPLIED };

/// All modes.
pub const MODES: &[Mode] = &[
    IMPLIED,
    UNTYPED,
    Mode {
        name: "annotation",
        files: &["content", "format"],
        annotated: &[],
        options: |options| options.formats(Formats::Annotation).untyped(Untyped::Any),
        ..UNTYPED
    },
    Mode {
        name: "formats",
        folder: "optional/format",
        annotated: &[],
        formats: true,
        options: |options| options.formats(Formats::Assert).untyped(Untyped::Any),
        ..UNTYPED
    },
];
