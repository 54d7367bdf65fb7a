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
            for (name, count) in &row.known {
                *total.known.entry(name).or_default() += count;
            }
        }
        total
    }
}

fn line(out: &mut fmt::Formatter<'_>, name: &str, cells: [&dyn fmt::Display; 5]) -> fmt::Result {
    let [schemas, instances, valid, known, disagreements] = cells;
    writeln!(out, "{name:<32} {schemas:>8} {instances:>10} {valid:>10} {known:>8} {disagreements:>14}")
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            write!(out, "{row}")?;
        }
        for (name, reason) in &self.failures {
            writeln!(out, "{name}: {reason}")?;
        }
        line(out, "document", [&"schemas", &"instances", &"valid", &"known", &"disagreements"])?;
        let total = self.total();
        let counted = self.rows.iter().map(|row| (row, row.disagreements.len()));
        for (row, disagreements) in counted.chain([(&total, self.disagreements())]) {
            let Row { name, schemas, instances, valid, known, .. } = row;
            line(out, name, [schemas, instances, valid, &known.values().sum::<usize>(), &disagreements])?;
        }
        if !total.known.is_empty() {
            writeln!(out, "\nknown differences:")?;
        }
        for (name, count) in total.known {
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
