//! The fields of an object.

use super::Node;

/// The fields of an object, in the order of the text.
///
/// A name may occur twice. The document reports that, and lookups return the first field.
#[derive(Debug, Clone)]
pub struct Object {
    fields: Vec<(String, Node)>,
    /// The positions of the fields in the order of their names, for large objects.
    ///
    /// Small objects are searched linearly.
    by_name: Option<Box<ByName>>,
}

#[derive(Debug, Clone)]
struct ByName(Vec<usize>);

/// The maximum number of fields for a linear search.
const SEARCHED: usize = 16;

impl Object {
    pub(crate) fn new(fields: Vec<(String, Node)>) -> Self {
        let by_name = (fields.len() > SEARCHED).then(|| {
            let mut positions: Vec<usize> = (0..fields.len()).collect();
            positions.sort_by_key(|position| fields.get(*position).map(|(name, _)| name.as_str()));
            Box::new(ByName(positions))
        });
        Self { fields, by_name }
    }

    pub(crate) fn fields(&self) -> &[(String, Node)] {
        &self.fields
    }

    pub(crate) fn into_fields(self) -> Vec<(String, Node)> {
        self.fields
    }

    pub(crate) fn fields_mut(&mut self) -> &mut [(String, Node)] {
        &mut self.fields
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.fields.get(self.position(name)?).map(|(_, node)| node)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        let position = self.position(name)?;
        self.fields.get_mut(position).map(|(_, node)| node)
    }

    /// Adds fields after the others.
    pub(crate) fn extend(&mut self, fields: Vec<(String, Node)>) {
        if !fields.is_empty() {
            let mut all = std::mem::take(&mut self.fields);
            all.extend(fields);
            *self = Self::new(all);
        }
    }

    /// Adds the fields of another object that this one does not have.
    pub(crate) fn add_missing(&mut self, other: Self) {
        let missing = other.fields.into_iter().filter(|(name, _)| self.get(name).is_none()).collect();
        self.extend(missing);
    }

    /// Keeps the fields for which `keep` returns `true`.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&str, &Node) -> bool) {
        let mut fields = std::mem::take(&mut self.fields);
        fields.retain(|(name, node)| keep(name, node));
        *self = Self::new(fields);
    }

    /// Renames a field if `is_renamed` returns `true`.
    pub(crate) fn rename(&mut self, from: &str, to: &str, is_renamed: impl Fn(&Node) -> bool) {
        let position = self.position(from);
        let Some((name, _)) =
            position.and_then(|position| self.fields.get_mut(position)).filter(|it| is_renamed(&it.1))
        else {
            return;
        };
        to.clone_into(name);
        *self = Self::new(std::mem::take(&mut self.fields));
    }

    /// Returns the position of the first field of this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let Some(by_name) = &self.by_name else {
            return self.fields.iter().position(|(other, _)| other == name);
        };
        let name_at = |position: usize| self.fields.get(position).map(|(name, _)| name.as_str());
        let first = by_name.0.partition_point(|position| name_at(*position) < Some(name));
        by_name.0.get(first).copied().filter(|position| name_at(*position) == Some(name))
    }

    /// Returns the fields whose name has occurred before, after the first field of that name.
    pub(crate) fn duplicates(&self) -> impl Iterator<Item = (&str, &Node, &Node)> {
        self.fields.iter().enumerate().filter_map(|(position, (name, second))| {
            let (_, first) = self.fields.get(self.position(name).filter(|first| *first != position)?)?;
            Some((name.as_str(), first, second))
        })
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}
