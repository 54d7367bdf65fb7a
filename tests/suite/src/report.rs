//! The result as text.

use std::{collections::BTreeMap, fmt};

use crate::{
    compare::{Disagreement, Row},
    known::KNOWN,
};

/// The number of disagreements that are shown for a schema.
const SHOWN: usize = 2;

/// The longest instance that is shown, in characters.
const MAX_INSTANCE_CHARACTERS: usize = 600;

/// The results of all documents.
#[derive(Debug, Default)]
pub struct Report {
    /// A row per document.
    pub rows: Vec<Row>,
    /// The documents that the generator refuses or whose crates don't compile, with the reason.
    pub failures: Vec<(String, String)>,
}

impl Report {
    /// Returns the number of disagreements.
    #[must_use]
    pub fn disagreements(&self) -> usize {
        self.rows.iter().map(|row| row.disagreements.len()).sum()
    }

    fn total(&self) -> Row {
        let mut total = Row { name: format!("{} documents", self.rows.len()), ..Row::default() };
        for row in &self.rows {
            total.schemas += row.schemas;
            total.instances += row.instances;
            total.valid += row.valid;
        }
        total
    }

    fn known(&self) -> BTreeMap<&'static str, usize> {
        let mut known = BTreeMap::new();
        for (name, count) in self.rows.iter().flat_map(|row| &row.known) {
            *known.entry(*name).or_default() += count;
        }
        known
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            write!(out, "{row}")?;
        }
        for (name, reason) in &self.failures {
            writeln!(out, "{name}: {reason}")?;
        }
        let line = |out: &mut fmt::Formatter<'_>, row: &Row, disagreements: usize| {
            let known: usize = row.known.values().sum();
            let Row { name, schemas, instances, valid, .. } = row;
            writeln!(
                out,
                "{name:<32} {schemas:>8} {instances:>10} {valid:>10} {known:>8} {disagreements:>14}"
            )
        };
        let head = ["document", "schemas", "instances", "valid", "known", "disagreements"];
        let [name, schemas, instances, valid, known, disagreements] = head;
        writeln!(out, "{name:<32} {schemas:>8} {instances:>10} {valid:>10} {known:>8} {disagreements:>14}")?;
        for row in &self.rows {
            line(out, row, row.disagreements.len())?;
        }
        let known = self.known();
        let total = Row { known: known.clone(), ..self.total() };
        line(out, &total, self.disagreements())?;
        if !known.is_empty() {
            writeln!(out, "\nknown differences:")?;
        }
        for (name, count) in known {
            let row = KNOWN.iter().find(|known| known.name == name);
            writeln!(out, "{count:>8} {name}: {}", row.map_or("several of these", |row| row.reason))?;
        }
        let unread: usize = self.rows.iter().map(|row| row.unread.len()).sum();
        let empty: usize = self.rows.iter().map(|row| row.empty.len()).sum();
        writeln!(
            out,
            "\n{unread} schemas that the other validator can't read, {empty} without samples of one kind"
        )
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        for (schema, reason) in &self.unread {
            writeln!(out, "{name}: {schema} is not compared: {}", cut(reason, 200))?;
        }
        for (schema, kind) in &self.empty {
            writeln!(out, "{name}: {schema} has no {kind} samples")?;
        }
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        for disagreement in &self.disagreements {
            let count = shown.entry(&disagreement.schema).or_default();
            *count += 1;
            if *count <= SHOWN {
                writeln!(out, "{name}: {disagreement}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = |is_valid: bool| if is_valid { "valid" } else { "invalid" };
        let fast = self.seen.fast.map_or("undecided", verdict);
        let walked = match self.seen.codes.as_slice() {
            [] => "valid".to_owned(),
            codes => format!("invalid ({})", codes.join(", ")),
        };
        let (schema, kind) = (&self.schema, &self.kind);
        writeln!(
            out,
            "{schema}, {kind} sample: fast {fast}, walk {walked}, jsonschema {}",
            verdict(self.other)
        )?;
        write!(out, "    {}", cut(&self.seen.instance.to_string(), MAX_INSTANCE_CHARACTERS))
    }
}

fn cut(text: &str, most: usize) -> String {
    let mut cut: String = text.chars().take(most).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
