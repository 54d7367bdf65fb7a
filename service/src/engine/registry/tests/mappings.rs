//! Tests of the mappings in `assets/engines/models` against the API's document and the inputs of the models.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::config::read;
use crate::engine::environment::Environment;
use crate::engine::family::{self, Family};
use crate::engine::limits::Limit;
use crate::engine::registry::Registry;
use crate::engine::registry::shipped::MODELS;
use crate::engine::settings::{FamilySettings, Settings};
use crate::engine::template::{Template, Variables};
use crate::engine::{Input, Request, media_fields, schema};

const INPUTS: &str = include_str!("mappings/inputs.toml");

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/providers.md");

/// The input of a model, by its vendor's schema.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inputs {
    required: Vec<String>,
    optional: Vec<String>,
    /// All values of fields that have a list of them.
    #[serde(default)]
    values: BTreeMap<String, Vec<Value>>,
}

impl Inputs {
    /// Returns the violations of an input.
    fn errors(&self, input: &Map<String, Value>) -> Vec<String> {
        let missing = self.required.iter().filter(|name| !input.contains_key(*name));
        let missing = missing.map(|name| format!("`{name}` is missing"));
        let known = |name: &String| self.required.contains(name) || self.optional.contains(name);
        let unknown = input.keys().filter(|name| !known(name)).map(|name| format!("`{name}` is unknown"));
        let invalid = input.iter().filter_map(|(name, value)| {
            let values = self.values.get(name)?;
            (!values.contains(value)).then(|| format!("`{name}` must not be {value}"))
        });
        missing.chain(unknown).chain(invalid).collect()
    }
}

/// Returns the mappings, by the name of their engine.
fn mappings() -> impl Iterator<Item = (&'static str, Settings)> {
    MODELS.iter().map(|models| (models.engine, toml::from_str(models.text).unwrap()))
}

/// Returns the inputs of the models, by engine and model.
fn inputs() -> BTreeMap<String, BTreeMap<String, Inputs>> {
    toml::from_str(INPUTS).unwrap()
}

/// Returns the documented example of a family's requests, and it with one field changed: left out, at its
/// bounds, or with another value of its list.
fn bodies(family: &'static Family) -> Vec<Map<String, Value>> {
    let mut bodies = Vec::new();
    for create in schema::creates(family) {
        let example = create.example.as_object().unwrap().clone();
        for body in schema::bodies(family) {
            let required: BTreeSet<&str> = keyword(body, "required").filter_map(Value::as_str).collect();
            for (name, property) in schema::properties(body) {
                if name == "webhook_url" {
                    continue;
                }
                if !required.contains(name) {
                    bodies.push(Map::from_iter(example.clone().into_iter().filter(|field| field.0 != name)));
                }
                let parts = schema::parts(property);
                let bounds = parts.iter().flat_map(|part| [part.get("minimum"), part.get("maximum")]);
                let boolean = parts.iter().any(|part| part.get("type") == Some(&json!("boolean")));
                let booleans = [json!(false), json!(true)].into_iter().filter(|_| boolean);
                let values = bounds.flatten().chain(keyword(property, "enum")).cloned().chain(booleans);
                bodies.extend(values.map(|value| {
                    let changed = [(name.to_owned(), value)];
                    example.clone().into_iter().chain(changed).collect()
                }));
            }
        }
        bodies.push(example);
    }
    bodies
}

/// Returns the items that a keyword has in all parts of a schema.
fn keyword<'s>(schema: &'s Value, keyword: &'s str) -> impl Iterator<Item = &'s Value> {
    let lists = schema::parts(schema).into_iter().filter_map(move |part| part.get(keyword)?.as_array());
    lists.flatten()
}

/// Returns the media of a request as an engine's variables have them: a URL each, or an array of URLs.
fn media(family: &Family, body: &Map<String, Value>) -> Value {
    let names = media_fields::names(family);
    let given = names.iter().filter_map(|name| {
        let url = json!("data:image/png;base64,iVBORw0KGgo=");
        Some((
            name.clone(),
            match body.get(name)? {
                Value::Array(items) => items.iter().map(|_| url.clone()).collect(),
                _ => url,
            },
        ))
    });
    Value::Object(given.collect())
}

/// The templates of a mapping.
#[derive(Deserialize)]
struct Mapping {
    #[serde(default = "none")]
    model: Template,
    #[serde(default)]
    input: Template,
}

fn none() -> Template {
    Template::literal("")
}

impl Mapping {
    fn new(family: &'static Family, settings: &FamilySettings) -> Self {
        let key_path = |key: &str| format!("families.{}.{key}", family.name);
        let names = &["request", "media", "model", "seed", "voice"];
        let fields = schema::fields(family).into_keys().collect();
        let variables = Variables { has_voices: true, ..Variables::of(family, names, fields) };
        let mapping: Self =
            read("families", &settings.mapping, &[]).unwrap_or_else(|error| panic!("{error}"));
        for (key, template) in [("model", &mapping.model), ("input", &mapping.input)] {
            template.check(&key_path(key), &variables).unwrap_or_else(|error| panic!("{error}"));
        }
        mapping
    }

    /// Returns the model and its input for a request.
    fn rendered(&self, family: &Family, body: &Map<String, Value>) -> (String, Map<String, Value>) {
        let variables = json!({
            "request": body, "media": media(family, body), "model": "standard", "seed": 7, "voice": "a voice",
        });
        let rendered = |template: &Template| template.render(&variables).unwrap().unwrap();
        let (model, input) = (rendered(&self.model), rendered(&self.input));
        (model.as_str().unwrap().to_owned(), input.as_object().unwrap().clone())
    }
}

/// Returns a request without the fields that the limits refuse; `None` if they refuse the rest as well.
fn within(
    settings: &FamilySettings,
    family: &'static Family,
    mut body: Map<String, Value>,
) -> Option<Map<String, Value>> {
    let refused = |body: &Map<String, Value>| -> Vec<String> {
        let input = Input { operation: String::new(), model: None, body: Value::Object(body.clone()) };
        let request = Request { family, input: Some(&input), work: None };
        let refuses = |(name, limit): &(&String, &Limit)| limit.refuse(name, request).is_some();
        settings.limits.iter().filter(refuses).map(|(name, _)| name.clone()).collect()
    };
    for name in refused(&body) {
        body.remove(&name);
    }
    refused(&body).is_empty().then_some(body)
}

/// Returns the models of a family that requests reach, after a check of all their inputs.
fn checked(
    engine: &str,
    family: &'static Family,
    settings: &FamilySettings,
    inputs: &BTreeMap<String, Inputs>,
) -> BTreeSet<String> {
    let mapping = Mapping::new(family, settings);
    let mut models = BTreeSet::new();
    for body in bodies(family).into_iter().filter_map(|body| within(settings, family, body)) {
        let (model, input) = mapping.rendered(family, &body);
        let known = inputs.get(&model).unwrap_or_else(|| panic!("{engine} {model}: not in inputs.toml"));
        let errors = known.errors(&input);
        assert!(errors.is_empty(), "{engine} {} {model}: {errors:?} in {input:?}, of {body:?}", family.name);
        models.insert(model);
    }
    assert!(!models.is_empty(), "{engine} {}: the limits refuse all requests", family.name);
    models
}

/// Returns the models of each family, by engine.
fn models() -> BTreeMap<&'static str, BTreeMap<&'static str, BTreeSet<String>>> {
    let inputs = inputs();
    let mut models = BTreeMap::<_, BTreeMap<_, _>>::new();
    for (engine, mapping) in mappings() {
        for (name, settings) in &mapping.families {
            let family = Family::named(name).unwrap_or_else(|| panic!("{engine}: no family {name}"));
            assert_eq!(settings.engine.as_deref(), Some(engine), "{name}");
            let fields = schema::fields(family);
            let stray = settings.limits.keys().find(|field| !fields.contains_key(*field));
            assert_eq!(stray, None, "{engine} {name}: a limit of no field");
            models
                .entry(family.name)
                .or_default()
                .insert(engine, checked(engine, family, settings, &inputs[engine]));
        }
    }
    models
}

#[test]
fn every_request_becomes_an_input_that_the_model_takes() {
    let models = models();
    let unserved = family::ALL.iter().filter(|family| family.engine.is_none());
    // The models of these providers make files.
    for family in unserved.filter(|family| family.makes.is_some()) {
        assert!(models.contains_key(family.name), "{} has no model", family.name);
    }
    let reached: BTreeSet<(&str, &String)> = models
        .values()
        .flatten()
        .flat_map(|(engine, models)| models.iter().map(|model| (*engine, model)))
        .collect();
    let inputs = inputs();
    let known =
        inputs.iter().flat_map(|(engine, models)| models.keys().map(|model| (engine.as_str(), model)));
    assert_eq!(known.filter(|model| !reached.contains(model)).collect::<Vec<_>>(), [], "models of no family");
}

#[test]
fn the_page_lists_the_models() {
    const HEAD: &str = "| family | fal.toml | replicate.toml |\n|---|---|---|\n";
    let mut table = HEAD.to_owned();
    for (family, by_engine) in models() {
        let cell = |engine: &str| {
            let names: Vec<String> =
                by_engine.get(engine).into_iter().flatten().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        };
        table.push_str(&format!("| {family} | {} | {} |\n", cell("fal"), cell("replicate")));
    }
    let page = std::fs::read_to_string(PAGE).unwrap();
    if std::env::var_os("ACCEPT_PAGES").is_some() {
        let (before, rest) = page.split_once(HEAD).unwrap();
        let after: String = rest.split_inclusive('\n').skip_while(|line| line.starts_with('|')).collect();
        std::fs::write(PAGE, before.to_owned() + &table + &after).unwrap();
    } else {
        assert!(
            page.contains(&table),
            "docs/providers.md must have this table (`cargo xtask pages` writes it):\n{table}"
        );
    }
}

#[test]
fn mistakes_in_an_input_are_found() {
    let input = json!({"image_url": "x", "resolution": "720P", "seed": 1});
    let errors = inputs()["fal"]["veed/fabric-1.0"].errors(input.as_object().unwrap());
    let expected = ["`audio_url` is missing", "`seed` is unknown", "`resolution` must not be \"720P\""];
    assert_eq!(errors, expected);
}

#[test]
fn the_engines_take_the_settings() {
    let environment = Environment::on_this_machine();
    for (engine, mut mapping) in mappings() {
        for settings in mapping.engines.values_mut() {
            // The environment of tests has no keys.
            settings.own.remove("key");
        }
        let registry = Registry::new(&mapping.engines, &mapping.families, &BTreeMap::new(), &environment);
        let registry = registry.unwrap_or_else(|error| panic!("{engine}: {error}"));
        for name in mapping.families.keys() {
            assert!(registry.attached(Family::named(name).unwrap()).is_some(), "{engine} {name}");
        }
    }
}
