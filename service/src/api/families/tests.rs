//! Tests that each field of a request body is read, or that tasks list it in `ignored`.
//!
//! An attached engine lists the fields that its templates do not read. A built-in engine gets parameters that a function
//! of `api::work` creates from the body, and `built-in.toml` lists the fields that the engine does not read. So the test
//! changes each field of a request body and compares the parameters.

use std::collections::BTreeSet;

use asset_api_validation::OPERATIONS;
use openapi_crates_runtime::codec::{Decode, ValueReader};
use serde_json::{Value, json};

use crate::api::work::{self, SeededWork};
use crate::engine::builtin::{Declared, declared};
use crate::engine::family::{self, Family};
use crate::engine::schema::{self, Create, parts};
use crate::families::task_families;

/// A parameter of an engine that checks its bounds, and does not use it otherwise.
const CHECKED: &str = "num_inference_steps";

/// A create operation that a built-in engine can serve.
struct Served {
    family: &'static Family,
    id: &'static str,
    /// Returns the parameters for a body; `None` if the body has another type.
    work: fn(&Value) -> Option<SeededWork>,
}

fn decoded<T: Decode>(body: &Value) -> Option<T> {
    T::decode(&mut ValueReader::strict(body)).ok()
}

macro_rules! served {
    ($($tag:ident::$api:ident { $(
        $family:ident = $name:literal $model:tt, $result:ident $(, $engine:literal)? {
            $(create $create:ident($create_input:ident) $(by $work:ident)?;)*
            $(list $list:ident($list_input:ident) $(-> $list_response:ident)?;)?
            get $get:ident($get_input:ident) $(-> $get_response:ident)?;
            $(other $other:ident($other_input:ident) -> $other_response:ident by $method:ident;)*
        }
    )* })*) => {
        static SERVED: &[Served] = &[$($($($(Served {
            family: &family::$family,
            id: stringify!($create),
            work: |body| Some(work::$work(&decoded(body)?)),
        },)?)*)*)*];
    };
}

task_families!(served);

/// A step of a path through a body.
#[derive(Clone, Copy)]
enum Step<'s> {
    Field(&'s str),
    Item,
}

/// A field of a body: its path and its schema.
struct Field<'s> {
    steps: Vec<Step<'s>>,
    schema: &'s Value,
    /// Whether each body has it.
    is_required: bool,
}

impl Field<'_> {
    /// Returns the path as settings have it: `styling.colors[].weight`.
    fn path(&self) -> String {
        self.steps.iter().fold(String::new(), |path, step| match step {
            Step::Field(name) if path.is_empty() => (*name).to_owned(),
            Step::Field(name) => path + "." + name,
            Step::Item => path + "[]",
        })
    }

    /// Returns whether an entry of `built-in.toml` covers the field: `styling.styles`.
    fn is_below(&self, entry: &str) -> bool {
        let path = self.path();
        path.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// Returns the body with this value in the field, and without the field for `None`.
    fn set(&self, body: &Value, value: Option<&Value>) -> Value {
        let mut body = body.clone();
        let mut slot = &mut body;
        for step in &self.steps {
            slot = match step {
                Step::Field(name) => &mut slot[*name],
                Step::Item => {
                    if !slot.is_array() {
                        *slot = json!([null]);
                    }
                    &mut slot[0]
                }
            };
        }
        *slot = value.cloned().unwrap_or_default();
        without_nulls(body)
    }

    /// Returns values that the field accepts.
    fn values(&self) -> Vec<Value> {
        let keyword = |name: &str| parts(self.schema).into_iter().find_map(|part| part.get(name).cloned());
        let listed = keyword("enum").and_then(|values| values.as_array().cloned()).unwrap_or_default();
        let bounds = ["minimum", "maximum", "default"].into_iter().filter_map(keyword);
        let others =
            [json!(false), json!(true), json!("de"), json!("https://example.com/"), json!(1), json!([])];
        listed.into_iter().chain(bounds).chain(others).collect()
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let given = fields.into_iter().filter(|(_, value)| !value.is_null());
            given.map(|(name, value)| (name, without_nulls(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        value => value,
    }
}

/// Adds the fields of a schema that have no fields of their own.
fn leaves<'s>(schema: &'s Value, steps: &[Step<'s>], is_required: bool, found: &mut Vec<Field<'s>>) {
    let parts = parts(schema);
    let required: BTreeSet<&str> = parts
        .iter()
        .filter_map(|part| part.get("required")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let before = found.len();
    let properties = parts.iter().filter_map(|part| part.get("properties")?.as_object()).flatten();
    for (name, property) in properties {
        let steps = [steps, &[Step::Field(name)]].concat();
        leaves(property, &steps, is_required && required.contains(name.as_str()), found);
    }
    if let Some(items) = parts.iter().find_map(|part| part.get("items")) {
        leaves(items, &[steps, &[Step::Item]].concat(), is_required, found);
    }
    if found.len() == before {
        found.push(Field { steps: steps.to_vec(), schema, is_required });
    }
}

impl Served {
    fn create(&self) -> Create {
        schema::creates(self.family).into_iter().find(|create| create.operation == self.id).unwrap()
    }

    /// Returns the example without its optional top-level fields that are neither objects nor arrays.
    ///
    /// `fixed_generation` would make the seed depend on the whole body.
    fn body(&self, create: &Create, fields: &[Field<'_>]) -> Value {
        let mut body = create.example.clone();
        let optional = fields.iter().filter_map(|field| match *field.steps {
            [Step::Field(name)] if !field.is_required => Some(name),
            _ => None,
        });
        let object = body.as_object_mut().unwrap();
        optional.for_each(|name| drop(object.remove(name)));
        object.insert("webhook_url".to_owned(), json!("https://client.example.com/"));
        assert!((self.work)(&body).is_some(), "{}: {body}", self.id);
        body
    }

    /// Returns whether the parameters depend on a field.
    fn reads(&self, field: &Field<'_>, body: &Value) -> bool {
        let values = field.values();
        let changed = values.iter().map(Some).chain([None]).map(|value| field.set(body, value));
        let works = changed.filter_map(|body| Some(format!("{:?}", (self.work)(&body)?)));
        works.collect::<BTreeSet<_>>().len() > 1
    }
}

/// Returns the leaves of the request body of an operation, without the URL that the service itself calls.
fn fields_of(create: &Create) -> Vec<Field<'static>> {
    let schema = create.post.pointer("/requestBody/content/application~1json/schema").unwrap();
    let mut fields = Vec::new();
    leaves(schema, &[], true, &mut fields);
    fields.retain(|field| field.path() != "webhook_url");
    fields
}

#[test]
fn built_in_engines_read_each_field_or_declare_it() {
    let mut wrong = Vec::new();
    for served in SERVED {
        let Declared { limits, ignored } = declared(served.family.engine.unwrap());
        let create = served.create();
        let fields = fields_of(&create);
        let body = served.body(&create, &fields);
        for field in &fields {
            let refused = limits.iter().filter(|(_, limit)| limit.supported == Some(false));
            let is_declared =
                ignored.iter().chain(refused.map(|(name, _)| name)).any(|name| field.is_below(name));
            // A built-in engine takes the media of a request in addition to its parameters.
            let is_medium = parts(field.schema).iter().any(|part| part.get("x-media").is_some());
            let is_read = field.is_required && is_medium || served.reads(field, &body);
            if !is_read && !is_declared {
                wrong.push(format!(
                    "{} {}: read it in api/work, or add it to `ignored`",
                    served.id,
                    field.path()
                ));
            }
            if is_read && ignored.contains(&field.path()) && field.path() != CHECKED {
                wrong.push(format!(
                    "{} {}: it is read, so remove it from `ignored`",
                    served.id,
                    field.path()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "assets/engines/built-in.toml: {wrong:#?}");
}

/// The fields of the bodies that no engine gets. An operation of the API reads each of them.
#[test]
fn other_operations_read_each_field() {
    let creates: BTreeSet<&str> = family::ALL.iter().flat_map(|family| family.creates).copied().collect();
    let others = OPERATIONS.iter().flat_map(|tag| *tag).filter(|operation| !creates.contains(operation.id));
    let mut fields = BTreeSet::new();
    for operation in others.filter(|operation| operation.body.is_some()) {
        let post = schema::post(operation.path).unwrap();
        let body = post.pointer("/requestBody/content/application~1json/schema").unwrap();
        let names = parts(body).into_iter().filter_map(|part| part.get("properties")?.as_object()).flatten();
        fields.extend(names.map(|(name, _)| format!("{}: {name}", operation.id)));
    }
    // `tasks::submit::Request::run` reads both.
    assert_eq!(fields, ["run_app: inputs", "run_app: webhook_url"].map(str::to_owned).into());
}
