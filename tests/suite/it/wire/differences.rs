//! What programs of one document observe of programs of another: values, parts and operations that one of them refuses.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

use jsonschema::Validator;
use openapi_crates::{Audience, Diff, DiffChange, Flow, Rule, Verdict};
use openapi_crates_suite::{Result, readings::Reading};
use serde_json::Value;

use super::{
    contract::{Contract, Operation, Part},
    values::Values,
};

/// A document, with what evaluates its schemas.
pub struct Side<'d> {
    contract: &'d Contract,
    /// What readers accept, in requests and responses.
    read: [Reading<'d>; 2],
    /// What programs send.
    sent: [Reading<'d>; 2],
    /// What was compiled, by the pointer of a schema.
    known: RefCell<HashMap<String, Rc<Allowed>>>,
    values: Values<'d>,
}

/// A difference that one side observes.
#[derive(Debug)]
pub struct Difference {
    flow: Flow,
    /// For whom it is at least risky. `None`: a change must be reported, whatever its verdicts are.
    audience: Option<Audience>,
    /// The `operationId` in the new document, if both have the operation.
    id: Option<String>,
    /// The operation.
    name: String,
    /// What differs.
    what: String,
}

/// What was compared.
#[derive(Debug, Default)]
pub struct Tally {
    /// The values that both schemas have evaluated.
    pub values: usize,
    /// The schemas of parts that differ.
    pub schemas: usize,
    /// Those of them for which no value was valid.
    pub without_valid: usize,
    /// The schemas that the validator can't read.
    pub unread: usize,
}

impl<'d> Side<'d> {
    pub fn new(contract: &'d Contract) -> Self {
        let read = contract.read.each_ref().map(Reading::new);
        let sent = contract.sent.each_ref().map(Reading::new);
        Self { contract, read, sent, known: RefCell::default(), values: Values::new(&contract.written) }
    }

    /// Returns the values of a part that programs send, and those that readers accept.
    fn allowed(&self, part: &Part) -> Result<Rc<Allowed>> {
        let Some(at) = &part.schema else { return Ok(Rc::default()) };
        if let Some(known) = self.known.borrow().get(at) {
            return Ok(Rc::clone(known));
        }
        let validator = |readings: &[Reading<'d>; 2]| of(part.flow, readings).validator(at).map(Some);
        let allowed = Rc::new(Allowed { sent: validator(&self.sent)?, read: validator(&self.read)? });
        self.known.borrow_mut().insert(at.clone(), Rc::clone(&allowed));
        Ok(allowed)
    }

    /// Returns the schema of a part and all that it refers to, by their pointers.
    fn schemas(&self, part: &Part) -> Option<BTreeMap<String, Option<&Value>>> {
        part.schema.as_ref().map(|at| reached(of(part.flow, &self.contract.read), at))
    }

    fn is_untyped(&self, part: &Part) -> bool {
        part.schema.as_ref().is_none_or(|at| self.values.is_untyped(at))
    }

    fn samples(&self, part: &Part) -> Rc<Vec<Value>> {
        part.schema.as_ref().map_or_else(Rc::default, |at| self.values.at(at))
    }
}

/// What a schema allows. `None` allows everything.
#[derive(Default)]
struct Allowed {
    sent: Option<Validator>,
    read: Option<Validator>,
}

/// Returns what belongs to requests or to responses.
fn of<T>(flow: Flow, [requests, responses]: &[T; 2]) -> &T {
    match flow {
        Flow::Request => requests,
        Flow::Response => responses,
    }
}

/// Returns all differences between two documents.
pub fn differences(old: &Side<'_>, new: &Side<'_>, tally: &mut Tally) -> Vec<Difference> {
    let mut all = Vec::new();
    let (from, to) = (&old.contract.operations, &new.contract.operations);
    let mut alone = |operation: &Operation, audience, what: &str| {
        let (name, what) = (operation.name.clone(), what.to_owned());
        all.push(Difference { flow: Flow::Request, audience: Some(audience), id: None, name, what });
    };
    for (_, operation) in from.iter().filter(|(key, _)| !to.contains_key(*key)) {
        alone(operation, Audience::Clients, "is removed");
    }
    for (_, operation) in to.iter().filter(|(key, _)| !from.contains_key(*key)) {
        alone(operation, Audience::Servers, "is new");
    }
    for (from, to) in from.iter().filter_map(|(key, from)| Some((from, to.get(key)?))) {
        let names: BTreeSet<&String> = from.parts.keys().chain(to.parts.keys()).collect();
        for name in names {
            let (old_range, new_range) = (is_in_range(name, &from.parts), is_in_range(name, &to.parts));
            let (from, part) = (from.parts.get(name), to.parts.get(name));
            let mut add = |flow, audience, what: &str| {
                let (id, what) = (Some(to.id.clone()), format!("{name} {what}"));
                all.push(Difference { flow, audience, id, name: to.name.clone(), what });
            };
            match (from, part) {
                (Some(from), Some(to)) => {
                    presence(from, to, &mut add);
                    values((old, from), (new, to), tally, &mut add);
                }
                // The generator adds what a path lacks.
                _ if name.starts_with("path ") => {}
                (Some(_), None) if new_range => {}
                (None, Some(_)) if old_range => {}
                (Some(from), None) => add(from.flow, alone_for(from, Audience::Clients), "is removed"),
                (None, Some(to)) => add(to.flow, alone_for(to, Audience::Servers), "is new"),
                (None, None) => {}
            }
        }
    }
    all
}

/// Returns whether a range of media types covers a part: ``body `image/*` `` covers ``body `image/png` ``.
fn is_in_range<P>(name: &str, parts: &BTreeMap<String, P>) -> bool {
    let Some((of, media_type)) = name.trim_end_matches('`').split_once('`') else { return false };
    let main = media_type.split('/').next().unwrap_or_default();
    [format!("{of}`{main}/*`"), format!("{of}`*/*`")].iter().any(|range| parts.contains_key(range))
}

type Add<'a> = dyn FnMut(Flow, Option<Audience>, &str) + 'a;

/// Returns for whom a part of a request is risky that only one document has.
///
/// A part of a response depends on what it is: an error that is new, or an optional header.
fn alone_for(part: &Part, audience: Audience) -> Option<Audience> {
    match (part.flow, part.is_required, audience) {
        (Flow::Request, Some(true), Audience::Servers) => Some(Audience::Clients),
        (Flow::Request, _, audience) => Some(audience),
        (Flow::Response, Some(true), audience) => Some(audience),
        (Flow::Response, ..) => None,
    }
}

/// Returns who sends and who reads.
const fn audiences(flow: Flow) -> [Audience; 2] {
    match flow {
        Flow::Request => [Audience::Clients, Audience::Servers],
        Flow::Response => [Audience::Servers, Audience::Clients],
    }
}

/// Adds the difference of a part that only one document requires.
fn presence(old: &Part, new: &Part, add: &mut Add<'_>) {
    let [sender, reader] = audiences(old.flow);
    match (old.is_required, new.is_required) {
        (Some(false), Some(true)) => add(new.flow, Some(sender), "is now required"),
        (Some(true), Some(false)) => add(new.flow, Some(reader), "is now optional"),
        _ => {}
    }
}

/// Adds the values of a part that only one document allows, one for each direction.
fn values(
    (old, from): (&Side<'_>, &Part),
    (new, to): (&Side<'_>, &Part),
    tally: &mut Tally,
    add: &mut Add<'_>,
) {
    if from.is_text == to.is_text && old.schemas(from) == new.schemas(to) {
        return;
    }
    let (Ok(before), Ok(after)) = (old.allowed(from), new.allowed(to)) else {
        tally.unread += 1;
        return;
    };
    tally.schemas += 1;
    let (some, others) = (old.samples(from), new.samples(to));
    let is_text = from.is_text && to.is_text;
    // Text without a type is one text.
    let is_flat = is_text && (old.is_untyped(from) || new.is_untyped(to));
    let examples = from.example.iter().chain(&to.example);
    let (mut lost, mut gained, mut is_valid) = (None, None, false);
    for value in examples.chain(some.iter()).chain(others.iter()) {
        if is_flat && (value.is_object() || value.is_array()) {
            continue;
        }
        if lost.is_some() && gained.is_some() {
            break;
        }
        let forms = if is_text { text_forms(value) } else { vec![value.clone()] };
        let valid = |validator: &Option<Validator>| {
            forms.iter().any(|form| validator.as_ref().is_none_or(|it| it.is_valid(form)))
        };
        tally.values += forms.len().min(1);
        if valid(&before.sent) {
            is_valid = true;
            lost = lost.or_else(|| (!valid(&after.read)).then_some(value));
        }
        if valid(&after.sent) {
            is_valid = true;
            gained = gained.or_else(|| (!valid(&before.read)).then_some(value));
        }
    }
    let flow = from.flow;
    tally.without_valid += usize::from(!is_valid);
    let [sender, reader] = audiences(flow);
    if let Some(value) = lost {
        add(flow, Some(sender), &format!("can no longer be {value}"));
    }
    if let Some(value) = gained {
        add(flow, Some(reader), &format!("can now be {value}"));
    }
}

/// Returns a schema and all that it refers to, by their pointers.
fn reached<'v>(root: &'v Value, pointer: &str) -> BTreeMap<String, Option<&'v Value>> {
    let mut all = BTreeMap::from([(String::new(), root.pointer(pointer))]);
    let mut next: Vec<&Value> = root.pointer(pointer).into_iter().collect();
    while let Some(node) = next.pop() {
        match node {
            Value::Array(items) => next.extend(items),
            Value::Object(fields) => {
                if let Some(Value::String(reference)) = fields.get("$ref")
                    && !all.contains_key(reference)
                {
                    let target = root.pointer(reference.trim_start_matches('#'));
                    all.insert(reference.clone(), target);
                    next.extend(target);
                }
                next.extend(fields.values());
            }
            _ => {}
        }
    }
    all
}

/// Returns a value with its texts and numbers as JSON may have them: what is sent has no types.
///
/// What can't be sent as text has no form: null, and nothing.
fn text_forms(value: &Value) -> Vec<Value> {
    let has_nothing = match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty() || items.iter().any(Value::is_null),
        Value::Object(fields) => fields.is_empty() || fields.values().any(Value::is_null),
        _ => false,
    };
    if has_nothing {
        return Vec::new();
    }
    let written = mapped(value, &|leaf| match leaf {
        Value::String(_) => leaf.clone(),
        _ => leaf.to_string().into(),
    });
    let read = mapped(value, &|leaf| match leaf {
        Value::String(text) => text
            .parse::<Value>()
            .ok()
            .filter(|it| !it.is_object() && !it.is_array())
            .unwrap_or_else(|| leaf.clone()),
        _ => leaf.clone(),
    });
    vec![value.clone(), written, read]
}

fn mapped(value: &Value, leaf: &dyn Fn(&Value) -> Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| mapped(item, leaf)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), mapped(field, leaf))).collect()
        }
        _ => leaf(value),
    }
}

/// Returns whether a change can explain something in one direction.
fn is_about(change: &DiffChange, flow: Flow) -> bool {
    let name = change.rule.name();
    let other: &[&str] = match flow {
        Flow::Request => &["response-"],
        Flow::Response => &["request-", "parameter-", "path-parameter-", "query-"],
    };
    !matches!(change.rule, Rule::Rust(_)) && !other.iter().any(|prefix| name.starts_with(prefix))
}

impl Difference {
    /// Returns whether a change of its operation reports it.
    fn is_reported_by(&self, change: &DiffChange) -> bool {
        let is_here = match &self.id {
            Some(id) => change.operations.iter().any(|other| other == id),
            None => change.subject == self.name,
        };
        let is_judged = self.audience.is_none_or(|audience| change.verdicts.of(audience) >= Verdict::Risky);
        is_here && is_judged && is_about(change, self.flow)
    }

    /// Returns the difference in words, if no change reports it.
    pub fn silent(&self, diff: &Diff) -> Option<String> {
        if diff.changes.iter().any(|change| self.is_reported_by(change)) {
            return None;
        }
        let audience = self.audience.map_or("anybody", Audience::name);
        let rules: Vec<String> = diff.changes.iter().map(|change| change.rule.name()).collect();
        Some(format!("{} {}: no change for {audience} in {rules:?}", self.name, self.what))
    }
}

/// Returns the changes of values that break one side, and that no value shows.
pub fn unshown(diff: &Diff, differences: &[Difference]) -> Vec<String> {
    let is_shown = |change: &DiffChange, audience| {
        let mut shown = differences.iter().filter(|it| it.is_reported_by(change));
        shown.any(|it| it.audience == Some(audience))
    };
    let of_values = |change: &&DiffChange| {
        matches!(change.rule, Rule::Value(_) | Rule::Keyword(..)) && !change.operations.is_empty()
    };
    let breaking = diff.changes.iter().filter(of_values).flat_map(|change| {
        let audiences = [Audience::Clients, Audience::Servers];
        audiences
            .into_iter()
            .filter(|audience| change.verdicts.of(*audience) == Verdict::Breaking)
            .map(move |it| (change, it))
    });
    breaking
        .filter(|(change, audience)| !is_shown(change, *audience))
        .map(|(change, audience)| {
            format!("{} for {}: {} {}", change.rule.name(), audience.name(), change.subject, change.message)
        })
        .collect()
}
