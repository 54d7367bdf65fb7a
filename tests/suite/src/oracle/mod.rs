//! An oracle on source compatibility: does Rust that was written for one document compile with the crates of another?
//!
//! From the lowered old document, [`programs`] writes the program of a client user and that of a server implementor:
//!
//! | | client | server |
//! |---|---|---|
//! | operations | calls each, with its input and with each value that converts into it | implements each method of each trait with its exact signature, and mounts each trait |
//! | types that requests reach | builds | reads |
//! | types that responses, callbacks and webhooks reach | reads | builds |
//! | types that responses to callbacks and webhooks reach | builds | reads |
//! | other types, such as the union of all webhooks | reads and builds | reads and builds |
//! | security | gives the builder of the client all credentials | names all schemes |
//!
//! To read a type is to read every field with its type written out, and to match every variant. An arm `_` is only where
//! Rust asks for one. To build a type is to call `new` or `default`, every setter and every conversion, to assign every
//! field, and to name every variant. Both need the traits that the type derives. So the programs use more than any single
//! user: if they compile, no program that stays within this table stops compiling. They don't see what only a manifest says
//! (features), and a type in the direction in which no operation has it, as in a test that builds a response.
//!
//! The crates of all documents become modules of one package, and the programs modules of another. A compiler that finds an
//! unresolved name can be silent on types. So the programs that fail are taken out, and the others are compiled again, until
//! all that remain compile.

mod crates;
mod failures;
pub mod programs;
mod reach;
mod types;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use openapi_crates::{Options, Source};

use crate::{Result, workspace};
use crates::{Crates, Side};

/// Judges pairs of documents.
#[derive(Debug, Clone)]
pub struct Oracle {
    name: String,
    target: PathBuf,
}

/// A document with the settings of its crates.
#[derive(Debug, Clone)]
pub struct Document {
    /// The text.
    pub text: String,
    /// The overlays, in the order in which they are applied.
    pub overlays: Vec<Source>,
    /// The options of the crates. Those of manifests have no effect.
    pub options: Options,
}

/// Two documents.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The name, for messages.
    pub name: String,
    /// The document from which the programs are written.
    pub old: Document,
    /// The document whose crates they use. `None` means the old one.
    pub new: Option<Document>,
}

/// The compiler's verdicts on the programs of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Of the program of a client user.
    pub client: Verdict,
    /// Of the program of a server implementor.
    pub server: Verdict,
}

/// The compiler's verdict on a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It compiles.
    Compiles,
    /// It does not compile. These are the first errors, each with the line of the program.
    ///
    /// Others can follow once these are corrected.
    Fails(Vec<String>),
}

impl Verdict {
    /// Returns whether the program compiles.
    #[must_use]
    pub fn compiles(&self) -> bool {
        *self == Self::Compiles
    }
}

impl Oracle {
    /// Creates an oracle that compiles in `target/oracle-<name>`, with dependencies from a target folder.
    ///
    /// Oracles that run at the same time need different names.
    #[must_use]
    pub fn new(name: &str, target: &Path) -> Self {
        Self { name: format!("oracle-{name}"), target: target.to_owned() }
    }

    /// Returns the outcome of each pair.
    ///
    /// # Errors
    /// The generator refuses a document, crates don't compile, or the programs of a document don't compile with its own
    /// crates. Each of these is a mistake in a pair, in the generator or in the oracle, and no outcome.
    pub fn judge(&self, pairs: &[Pair]) -> Result<Vec<Outcome>> {
        let crates = Crates::of(pairs, &self.name)?;
        let folder = workspace::root().join("target").join(&self.name);
        crates.write(&folder)?;
        let failures = failures::failures(&crates, &folder, &self.target)?;
        crates.check(pairs, &failures)?;
        let verdict = |pair: usize, side: Side| match failures.get(&crates.program(pair, side)) {
            Some(errors) => Verdict::Fails(errors.clone()),
            None => Verdict::Compiles,
        };
        let outcome =
            |pair| Outcome { client: verdict(pair, Side::Client), server: verdict(pair, Side::Server) };
        Ok((0..pairs.len()).map(outcome).collect())
    }
}

/// The errors of each program that does not compile.
type Failures = BTreeMap<String, Vec<String>>;
