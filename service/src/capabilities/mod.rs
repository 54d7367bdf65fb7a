//! The capabilities of this instance: the engine of each operation that creates tasks, and its limits below the API's.

mod overlay;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::engine::builtin::{Declared, declared};
use crate::engine::family::{self, Family};
use crate::engine::limits::loras;
use crate::engine::limits::loras::Lora;
use crate::engine::limits::{Limits, Rule};
use crate::engine::registry::Registry;
use crate::engine::{Input, Request, schema};

/// The capabilities of this instance.
#[derive(Debug, Clone, Serialize)]
pub struct Capabilities {
    /// The operations that create tasks, by id.
    operations: BTreeMap<String, Operation>,
}

/// An operation that creates tasks.
#[derive(Debug, Clone, Serialize)]
struct Operation {
    method: &'static str,
    path: String,
    /// The name of the family in the settings.
    family: &'static str,
    /// The path that lists the tasks.
    tasks: &'static str,
    #[serde(flatten)]
    served: Served,
    /// The models that the path may name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<String>,
    /// The engine of the requests that have one of some fields; the rest is about all other requests then.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<Instead>,
}

/// The engine of some requests of an operation.
#[derive(Debug, Clone, Serialize)]
struct Instead {
    /// The fields of which a request has one.
    with: Vec<String>,
    #[serde(flatten)]
    served: Served,
}

/// An engine, and its limits below those of the API.
#[derive(Debug, Clone, Default, Serialize)]
struct Served {
    /// The engine; `null` without one.
    engine: Option<Server>,
    /// The limits of the engine below the API's, by fields of the request.
    limits: Limits,
    /// Limits that hold for some requests only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<Rule>,
    /// The voices, if the engine has only some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    voices: Vec<String>,
    /// The LoRAs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loras: Vec<Lora>,
    /// Fields that have no effect.
    ignored: Vec<String>,
}

/// The engine of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Server {
    name: String,
    /// `built-in`, or the kind of an attached engine.
    kind: String,
}

impl Capabilities {
    /// Returns the capabilities of a registry's engines.
    ///
    /// App runs are left out: their steps name the engines.
    #[must_use]
    pub fn of(registry: &Registry) -> Self {
        let families = family::ALL.iter().filter(|family| family.name != family::APP_RUNS.name);
        let operations = families.flat_map(|family| {
            let served = Operation::of(registry, family);
            schema::creates(family).into_iter().map(move |create| {
                let mut operation = Operation { path: create.path, ..served.clone() };
                operation.served.narrow(create.post);
                // Not all operations of the family have the fields.
                let has = |field: &String| schema::has_field(create.post, field);
                operation.instead = operation.instead.filter(|instead| instead.with.iter().any(has));
                if let Some(instead) = &mut operation.instead {
                    instead.served.narrow(create.post);
                }
                (create.operation, operation)
            })
        });
        Self { operations: operations.collect() }
    }

    /// Returns an OpenAPI overlay that narrows the API's document to this instance.
    #[must_use]
    pub fn overlay(&self) -> Value {
        let actions = self.operations.values().flat_map(overlay::actions);
        json!({
            "overlay": "1.1.0",
            "info": {"title": "What this instance can do", "version": "1.0.0"},
            "actions": actions.collect::<Vec<_>>(),
        })
    }
}

impl Operation {
    /// Returns an operation of a family, without its path.
    fn of(registry: &Registry, family: &'static Family) -> Self {
        let (with, mut served, mut instead) = (registry.with(family), Served::default(), None);
        if let Some(name) = registry.built_in_name(family) {
            let Declared { mut limits, ignored } = declared(name).clone();
            let is_below =
                |field: &str, name: &str| field.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
            limits.retain(|field, _| !with.iter().any(|name| name == field || is_below(field, name)));
            let engine = Some(Server { name: name.to_owned(), kind: "built-in".to_owned() });
            served = Served { engine, limits, ignored, ..Served::default() };
        }
        if let Some((lane, engine)) = registry.attached(family) {
            let loras = registry.loras(family).to_vec();
            let input = everything(family, &loras);
            let (limits, rules) = registry.limits(family);
            let attached = Served {
                engine: Some(Server { name: lane.name.clone(), kind: lane.kind.clone() }),
                limits,
                rules,
                voices: engine.voices().into_iter().map(ToOwned::to_owned).collect(),
                loras,
                ignored: engine.ignored(Request { family, input: Some(&input), work: None }),
            };
            match with {
                [] => served = attached,
                with => instead = Some(Instead { with: with.to_vec(), served: attached }),
            }
        }
        let models = registry.models(family).into_iter().map(ToOwned::to_owned).collect();
        let (path, tasks) = (String::new(), family.path);
        Self { method: "post", path, family: family.name, tasks, served, models, instead }
    }
}

impl Served {
    /// Removes the fields that an operation does not have, because those of a family have different bodies.
    fn narrow(&mut self, post: &Value) {
        let Self { limits, ignored, .. } = self;
        limits.retain(|field, _| schema::has_field(post, field));
        // A request with a field that the limits exclude is refused.
        ignored.retain(|field| schema::has_field(post, field) && !is_refused(limits, field));
    }
}

/// Returns whether the limits exclude a field.
fn is_refused(limits: &Limits, field: &str) -> bool {
    limits.get(field).is_some_and(|limit| limit.supported == Some(false))
}

/// Returns an input with all fields of a family, to ask an engine which of them it ignores.
fn everything(family: &'static Family, known: &[Lora]) -> Input {
    let fields = schema::fields(family).into_keys().filter(|field| field != schema::LORAS);
    let mut body: Map<String, Value> = fields.map(|field| (field, Value::Null)).collect();
    if let Some(lora) = known.first() {
        let list = match lora.kind {
            loras::Kind::Style => "styles",
            loras::Kind::Character => "characters",
        };
        body.insert("styling".to_owned(), json!({list: [{"id": lora.id}]}));
    }
    Input { operation: String::new(), model: None, body: Value::Object(body) }
}

#[cfg(test)]
mod tests;
