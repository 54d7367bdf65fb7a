//! The example in each method's documentation, which is compiled as a test.

use super::super::docs::Text;
use super::super::scope::{Scope, module_name};
use super::super::value::{Builder, Built, Lines};
use crate::escape::is_directional;
use crate::ir::{Api, Field, Kind, Operation, Schema, StructDef, Type, TypeDef, Width};
use crate::options::{CrateKind, Options};

/// An example with more statements than this sets required fields only.
const MAX_STATEMENTS: usize = 24;

/// An argument longer than this is bound to a variable in a line of its own.
const MAX_INLINE_BYTES: usize = 48;

/// ```text
/// # Example
///
/// ~~~no_run
/// use pet_store_client::models::{common, pets};
///
/// # async fn example(client: pet_store_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let body = common::NewPet::new("Ada").with_kind(common::PetKind::Cat);
/// let response = client.create_pet(body).await?;
/// # Ok(()) }
/// ~~~
/// ```
pub(super) fn docs(scope: &Scope<'_>, options: &Options, operation: &Operation) -> Text {
    let api = scope.api;
    let client = options.crate_ident(CrateKind::Client);
    let method = &operation.ident;
    let input = operation.input.and_then(|id| api.type_def(id));
    let (statements, argument) = match input {
        Some(input) => statements(scope, input, operation),
        None => (Vec::new(), String::new()),
    };
    let mut lines = vec!["```no_run".to_owned()];
    if let Some(modules) = imports(api, &statements, &argument) {
        lines.push(format!("use {client}::models::{modules};"));
        lines.push(String::new());
    }
    lines.push(format!(
        "# async fn example(client: {client}::Client) -> Result<(), Box<dyn std::error::Error>> {{"
    ));
    lines.extend(statements);
    lines.push(format!("let response = client.{method}({argument}).await?;"));
    lines.extend(["# Ok(()) }", "```"].map(str::to_owned));
    Text::new().paragraph("# Example").block(lines)
}

/// Returns the modules of the models that an example names, as the end of a `use` path.
fn imports(api: &Api, statements: &[String], argument: &str) -> Option<String> {
    let tags = api.tags.iter().map(|tag| tag.module.0.as_str());
    let modules = ["common", "responses", "types"].into_iter().chain(tags);
    let is_named = |line: &str, module: &str| {
        line.match_indices(&format!("{module}::")).any(|(offset, _)| {
            let before = line.get(..offset).and_then(|before| before.chars().next_back());
            before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '_' | ':' | '#'))
        })
    };
    let lines = || statements.iter().map(String::as_str).chain([argument]);
    let mut used: Vec<&str> = modules.filter(|module| lines().any(|line| is_named(line, module))).collect();
    used.sort_unstable();
    match used.as_slice() {
        [] => None,
        [only] => Some((*only).to_owned()),
        several => Some(format!("{{{}}}", several.join(", "))),
    }
}

/// Returns the statements in front of the call and the argument of the call.
fn statements(scope: &Scope<'_>, input: &TypeDef, operation: &Operation) -> (Vec<String>, String) {
    let path = |def: &TypeDef| format!("{}::{}", module_name(scope.api, def.module), def.name);
    let example = operation.example.as_ref();
    let (Kind::Struct(body), Some(example)) = (&input.kind, example) else {
        return quoted(&path(input), example);
    };
    let written = |sets_optional: bool| {
        let builder = Builder { scope, path: &path, types: "types", sets_optional };
        Some(call(body, builder.input(input, example)?))
    };
    match written(true) {
        Some(long) if long.0.len() > MAX_STATEMENTS => written(false).unwrap_or(long),
        Some(written) => written,
        None => quoted(&path(input), Some(example)),
    }
}

/// Returns the statements that build an input and the argument of the call.
fn call(body: &StructDef, input: Built) -> (Vec<String>, String) {
    let mut lines = Lines::new(&["client", "response"]);
    let (expression, set) = match input {
        Built::With(expression, set) => (*expression, set),
        other => (other, Vec::new()),
    };
    let (expression, chained) = match expression {
        Built::Chain(expression, chained) => (*expression, chained),
        other => (other, Vec::new()),
    };
    let Built::Call(path, mut arguments) = expression else {
        let name = lines.bind("input", &expression);
        return (lines.lines, name);
    };
    let asked: Vec<_> = body.fields.iter().filter(|field| field.is_asked()).collect();
    if body.fields_struct.is_none()
        && asked.last().is_some_and(|field| field.wire == "body")
        && let Some(last @ (Built::With(..) | Built::Chain(..))) = arguments.last_mut()
    {
        *last = Built::Plain(lines.bind("body", last));
    }
    // An input with one required field converts from that field. The example does so if the field's type is
    // obvious.
    let is_plain = |argument: &Built| match argument {
        Built::Plain(name) => name == "body",
        Built::Str(_) => true,
        Built::Call(path, _) => {
            !["Box::new", "Some"].contains(&path.as_str()) && !path.starts_with("types::")
        }
        _ => false,
    };
    let is_complete = set.is_empty() && chained.is_empty();
    if let (true, [only]) = (is_complete && asked.len() == 1, arguments.as_slice())
        && is_plain(only)
    {
        return argument(lines, only, "body");
    }
    // Several required fields convert from a tuple, if their types are obvious.
    let has_obvious_type = |(argument, field): (&Built, &&Field)| match argument {
        Built::Plain(name) => name == "body" || name.contains("::") || is_signed(&field.schema),
        other => is_plain(other),
    };
    let is_tuple =
        asked.len() > 1 && body.fields_struct.is_none() && arguments.iter().zip(&asked).all(has_obvious_type);
    let expression = match is_tuple && is_complete {
        true => Built::Tuple(arguments),
        false => Built::Call(path, arguments),
    };
    if is_complete {
        return argument(lines, &expression, "input");
    }
    let name = lines.bind("input", &expression.with(chained, set));
    (lines.lines, name)
}

/// Returns the statements and the argument of a call: a short value, or else a variable of this name.
fn argument(mut lines: Lines, built: &Built, name: &str) -> (Vec<String>, String) {
    let argument = lines.expression(built, name, 0);
    if !argument.contains('\n') && argument.len() <= MAX_INLINE_BYTES {
        return (lines.lines, argument);
    }
    lines.push(&format!("let {name} = {argument};"));
    (lines.lines, name.to_owned())
}

/// Returns whether a literal has the type of the schema, or one that converts into it.
const fn is_signed(schema: &Schema) -> bool {
    match &schema.ty {
        Type::Integer(rules) => matches!(rules.width, Width::I32 | Width::I64),
        _ => false,
    }
}

/// Returns `let input: … = serde_json::from_str(…)?;`.
///
/// This is the fallback for an example that has no Rust expression.
fn quoted(ty: &str, example: Option<&serde_json::Value>) -> (Vec<String>, String) {
    let pretty =
        example.and_then(|example| serde_json::to_string_pretty(example).ok()).unwrap_or("{}".to_owned());
    let pretty = without_directions(&pretty);
    let marks = marks(&pretty);
    let text = format!("let input: {ty} = serde_json::from_str(r{marks}\"{pretty}\"{marks})?;");
    (text.lines().map(str::to_owned).collect(), "input".to_owned())
}

/// Returns JSON with directional characters as escapes of JSON, because a raw string has no others.
fn without_directions(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut text, character| {
        match is_directional(character) {
            true => text.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => text.push(character),
        }
        text
    })
}

/// Returns as many `#` as a raw string of this text needs.
fn marks(text: &str) -> String {
    let longest = text.split('"').skip(1).map(|rest| rest.len() - rest.trim_start_matches('#').len()).max();
    "#".repeat(longest.map_or(0, |longest| longest + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_strings_end_where_they_should() {
        for (text, expected) in [("{}", ""), (r#"{"a": 1}"#, "#"), (r##""#"##, "##"), (r###"a"##b"###, "###")]
        {
            assert_eq!(marks(text), expected, "{text}");
        }
    }
}
