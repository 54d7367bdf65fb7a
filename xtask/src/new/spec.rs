//! Puts families and fields into the text of the spec. All other bytes stay.

use anyhow::{Context, Result, bail, ensure};

use super::{
    lines::{block, insert_before, is_line},
    names::{Field, Makes, Name, Type, pascal},
};

const PATHS: &str = include_str!("paths.yaml");
const SCHEMAS: &str = include_str!("schemas.yaml");

/// The largest body of a request without media in base64.
const BODY_LIMIT: &str = "1048576";

/// Returns whether the spec has a tag of this name.
pub fn has_family(spec: &str, family: &Name) -> bool {
    spec.lines().any(|line| line == format!("  - name: {}", family.kebab()))
}

/// Adds a family with a create, a list and a get operation, at the end of the tags, paths and schemas.
pub fn with_family(spec: &str, family: &Name, makes: Makes) -> Result<String> {
    let filled = |template: &str| {
        let names = [
            ("FAMILY", family.kebab()),
            ("SNAKE", &family.snake()),
            ("PLURAL", &family.plural()),
            ("PASCAL", &family.pascal()),
            ("BODY_LIMIT", BODY_LIMIT),
            ("RESPONSE", &pascal(&makes.name())),
            ("MAKES", &makes.name()),
        ];
        names.into_iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value))
    };
    let path = format!("  /v1/ai/{}:", family.kebab());
    ensure!(!spec.lines().any(|line| line == path), "the spec has the path{path}");
    let schema = format!("    {}Request:", family.pascal());
    ensure!(!spec.lines().any(|line| line == schema), "the spec has the schema{schema}");
    let tag = filled("  - name: FAMILY\n    description: Tasks of FAMILY.\n");
    // A blank line ends each of the three.
    let spec = insert_before(spec, "\nx-callbacks:\n", &tag)?;
    let spec = insert_before(&spec, "\ncomponents:\n", &filled(PATHS))?;
    ensure!(spec.ends_with('\n'), "the spec does not end in a line break");
    Ok(spec + &filled(SCHEMAS))
}

/// Returns the schemas of the requests that create tasks of a family, in the order of the document.
pub fn requests(spec: &str, family: &Name) -> Vec<String> {
    let tags = format!("      tags: [{}]", family.kebab());
    let (mut is_of_family, mut is_in_body, mut found) = (false, false, Vec::new());
    for line in spec.lines() {
        if line.starts_with("      tags: ") {
            is_of_family = line == tags;
        } else if line == "      requestBody:" {
            is_in_body = true;
        } else if line == "      responses:" {
            is_in_body = false;
        } else if is_of_family && is_in_body {
            let reference = line.trim().strip_prefix("schema: {$ref: '#/components/schemas/");
            let name = reference.and_then(|rest| rest.strip_suffix("'}"));
            found.extend(name.map(str::to_owned).filter(|name| !found.contains(name)));
        }
    }
    found
}

/// Adds an optional field to the schema of a request, before its `webhook_url`, and a schema for a field with values.
pub fn with_field(spec: &str, schema: &str, field: &Field) -> Result<String> {
    let range = block(spec, &format!("    {schema}:\n"), "    ")
        .with_context(|| format!("the spec has no schema `{schema}`"))?;
    let (before, rest) = spec.split_at(range.start);
    let (request, after) = rest.split_at(range.end - range.start);
    ensure!(
        !is_line(request, &format!("        {}:", field.name)),
        "`{schema}` has a field `{}`",
        field.name
    );
    let family = request.lines().find_map(|line| line.strip_prefix("      x-family: "));
    let (property, component) = property(schema, family, field)?;
    let name = component.lines().find(|line| line.ends_with(':')).unwrap_or_default();
    if !name.is_empty() && is_line(spec, name) {
        bail!("the spec has a schema `{}`", name.trim());
    }
    let request = insert_before(request, "        webhook_url:", &property)?;
    Ok([before, &request, &component, after].concat())
}

/// Returns the lines of a property, and those of the schema that it needs.
fn property(schema: &str, family: Option<&str>, field: &Field) -> Result<(String, String)> {
    let name = &field.name;
    let words = name.replace('_', " ");
    let referring = |to: &str| {
        format!(
            "        {name}:\n          x-origin: chosen\n          description: The {words}.\n          allOf:\n\
             \x20           - {{$ref: '#/components/schemas/{to}'}}\n"
        )
    };
    Ok(match &field.of {
        Type::Plain(plain) => {
            let bounds = match plain.as_str() {
                "string" => "          maxLength: 1000\n",
                "integer" => "          format: int64\n",
                _ => "",
            };
            let text = format!(
                "        {name}:\n          x-origin: chosen\n          type: {plain}\n{bounds}          description: The {words}.\n"
            );
            (text, String::new())
        }
        Type::Medium(medium) => (referring(medium), String::new()),
        Type::Values(values) => {
            let family = family.with_context(|| format!("`{schema}` is not a schema of a single family"))?;
            let component = format!("{}{}", schema.trim_end_matches("Request"), pascal(name));
            let text = format!(
                "\n    {component}:\n      x-family: {family}\n      x-origin: chosen\n      type: string\n      \
                 description: The {words}.\n      enum: [{}]\n",
                values.join(", ")
            );
            (referring(&component), text)
        }
    })
}
