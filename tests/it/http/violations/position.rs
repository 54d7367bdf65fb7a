//! Positions in a request: how to reach them, their names, and how to change them.

use openapi_crates_runtime::table::{Additional, ContentFormat, Object, Operation, Schema, Style, Type};

use super::{
    cross::settle,
    rules::{kept_key, type_of},
    samples::sample,
};
use crate::http::{draft::Draft, json::Json};

/// A step from a value to a part of it.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// To a field with a row.
    Field(&'static str),
    /// To the first item.
    Item,
    /// To a kept additional property, which has no row.
    Key,
    /// To the value itself, as this variant of its union.
    Variant(usize),
}

/// A position in a request.
///
/// It is a parameter by its index, or the body, and the steps from there.
#[derive(Debug, Clone)]
pub struct Position {
    pub operation: &'static Operation,
    pub parameter: Option<usize>,
    pub steps: Vec<Step>,
    pub schema: &'static Schema,
}

/// A change at a position.
#[derive(Debug, Clone)]
pub enum Change {
    Set(Json),
    Remove,
}

impl Position {
    /// Returns the position one step further.
    pub fn step(&self, step: Step, schema: &'static Schema) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { steps, schema, ..*self }
    }

    /// Returns the example with this position in it. Everything else is valid.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::example(self.operation);
        let root = self.root(&mut draft);
        let value = root.get_or_insert_with(|| sample(self.root_schema()));
        ensure(value, self.root_schema(), &self.steps);
        draft
    }

    /// Returns the value at this position in the draft.
    pub fn value(&self) -> Json {
        self.value_behind(self.steps.len())
    }

    /// Returns the value in the draft after some of the steps.
    fn value_behind(&self, steps: usize) -> Json {
        let mut draft = self.draft();
        let mut value = self.root(&mut draft).as_mut().expect("the draft has this position");
        for (index, step) in self.steps[..steps].iter().enumerate() {
            value = part(value, self.schema_before(index), *step).expect("the draft has this position");
        }
        value.clone()
    }

    /// Returns the draft with this position changed.
    ///
    /// Other fields are adjusted so that the cross-field rules still hold.
    pub fn changed(&self, change: &Change) -> Draft {
        let mut draft = self.draft();
        let schema = self.root_schema();
        let root = self.root(&mut draft);
        if self.steps.is_empty() {
            *root = match change {
                Change::Set(value) => Some(value.clone()),
                Change::Remove => None,
            };
        } else if let Some(value) = root {
            apply(value, schema, &self.steps, change);
        }
        draft
    }

    /// Returns the name that a violation here is reported under.
    pub fn name(&self) -> String {
        let parameter = self.parameter.and_then(|index| self.operation.parameters.get(index));
        let (mut name, is_dotted) = match parameter {
            None => (String::new(), true),
            Some(row) => (row.name.to_owned(), row.content == Some(ContentFormat::Json)),
        };
        let is_deep = parameter.is_some_and(|row| row.style == Style::DeepObject);
        for (index, step) in self.steps.iter().enumerate() {
            let field = match step {
                Step::Field(field) => (*field).to_owned(),
                Step::Key => self.key(index),
                Step::Item => {
                    name.push_str("[0]");
                    continue;
                }
                Step::Variant(_) => continue,
            };
            name = join(&name, &field, is_dotted, is_deep);
        }
        if name.is_empty() { "body".to_owned() } else { name.replace("[][", "[") }
    }

    /// Returns the name of a field of this position.
    pub fn field_name(&self, field: &str) -> String {
        let is_deep = self.is_deep();
        let name = if self.parameter.is_none() && self.name_is_root() { String::new() } else { self.name() };
        join(&name, field, self.parameter.is_none(), is_deep)
    }

    /// Returns whether the parameter is written as `filters[people][age]`.
    pub fn is_deep(&self) -> bool {
        self.parameter
            .and_then(|index| self.operation.parameters.get(index))
            .is_some_and(|row| row.style == Style::DeepObject)
    }

    fn name_is_root(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Variant(_)))
    }

    /// Returns the name of the additional property that a step leads to.
    fn key(&self, index: usize) -> String {
        let rules = object_of(self.schema_before(index));
        kept_key(rules, &self.value_behind(index)).expect("the draft has this position")
    }

    fn root<'a>(&self, draft: &'a mut Draft) -> &'a mut Option<Json> {
        match self.parameter {
            Some(index) => &mut draft.parameters[index],
            None => &mut draft.body,
        }
    }

    fn root_schema(&self) -> &'static Schema {
        match (self.parameter, &self.operation.body) {
            (Some(index), _) => self.operation.parameters[index].schema,
            (None, Some(body)) => body.contents[0].schema,
            (None, None) => panic!("{} has no body", self.operation.id),
        }
    }

    /// Returns the schema of the value that step `index` starts from.
    fn schema_before(&self, index: usize) -> &'static Schema {
        self.steps[..index].iter().fold(self.root_schema(), |schema, step| schema_behind(schema, *step))
    }
}

fn join(name: &str, field: &str, is_dotted: bool, is_deep: bool) -> String {
    match (is_dotted, is_deep) {
        (_, true) => format!("{name}[{field}]"),
        (true, _) if name.is_empty() => field.to_owned(),
        (true, _) => format!("{name}.{field}"),
        _ => name.to_owned(),
    }
}

fn object_of(schema: &'static Schema) -> &'static Object {
    match type_of(schema) {
        Type::Object(rules) => rules,
        other => panic!("expected an object, found {other:?}"),
    }
}

fn schema_behind(schema: &'static Schema, step: Step) -> &'static Schema {
    match (type_of(schema), step) {
        (Type::Object(rules), Step::Field(name)) => {
            rules.fields.iter().find(|field| field.name == name).expect("steps follow the rows").schema
        }
        (Type::Object(Object { additional: Additional::Kept(schema), .. }), Step::Key) => schema,
        (Type::Array(rules), Step::Item) => rules.items,
        (Type::Union(union), Step::Variant(index)) => union.variants[index],
        (of, step) => panic!("{step:?} doesn't lead into {of:?}"),
    }
}

/// Makes sure that a value exists at the end of the steps.
fn ensure(value: &mut Json, schema: &'static Schema, steps: &[Step]) {
    let Some((step, further)) = steps.split_first() else { return };
    let behind = schema_behind(schema, *step);
    match step {
        Step::Field(name) if value.get(name).is_none() => value.set(name, sample(behind)),
        Step::Item if value.items().is_empty() => *value = Json::Array(vec![sample(behind)]),
        Step::Key if kept_key(object_of(schema), value).is_none() => value.set("a-key", sample(behind)),
        Step::Variant(_) => *value = sample(behind),
        Step::Field(_) | Step::Item | Step::Key => {}
    }
    let part = part(value, schema, *step).expect("it was put there");
    // A null is a value, but has no parts.
    if *part == Json::Null {
        *part = sample(behind);
    }
    ensure(part, behind, further);
    if let (Type::Object(rules), Step::Field(name)) = (type_of(schema), step) {
        settle(value, rules, &[name]);
    }
}

/// Returns the part of a value that a step leads to.
fn part<'a>(value: &'a mut Json, schema: &'static Schema, step: Step) -> Option<&'a mut Json> {
    match step {
        Step::Field(name) => value.get_mut(name),
        Step::Key => {
            let key = kept_key(object_of(schema), value)?;
            value.get_mut(&key)
        }
        Step::Item => match value {
            Json::Array(items) => items.first_mut(),
            _ => None,
        },
        Step::Variant(_) => Some(value),
    }
}

fn apply(value: &mut Json, schema: &'static Schema, steps: &[Step], change: &Change) {
    let Some((step, further)) = steps.split_first() else {
        if let Change::Set(new) = change {
            *value = new.clone();
        }
        return;
    };
    match (step, change, further) {
        (Step::Field(name), Change::Remove, []) => value.remove(name),
        _ => {
            let part = part(value, schema, *step).expect("the draft has this position");
            apply(part, schema_behind(schema, *step), further, change);
        }
    }
    if let (Type::Object(rules), Step::Field(name)) = (type_of(schema), step) {
        settle(value, rules, &[name]);
    }
}
