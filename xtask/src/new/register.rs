//! Registers families with the service and its tests, and fields with the built-in engines.

use anyhow::{Context, Result};

use super::{
    lines::{block, insert_before},
    names::{Field, Makes, Name, Type},
};

/// Adds the row of a family without a built-in engine to `service/src/families.rs`.
pub fn with_row(families: &str, family: &Name, makes: Makes) -> Result<String> {
    let (snake, pascal, plural) = (family.snake(), family.pascal(), family.plural());
    let constant = snake.to_uppercase();
    let row = format!(
        "            {snake}::{pascal}Api {{
                {constant} = \"{}\" [], {} {{
                    create create_{snake}(Create{pascal}Input);
                    list list_{plural}(List{}Input);
                    get get_{snake}(Get{pascal}Input);
                }}
            }}
",
        family.kebab(),
        makes.name().to_uppercase(),
        super::names::pascal(&plural),
    );
    insert_before(families, "        }\n    };\n", &row)
}

/// Adds the operations of a family to the tests that implement every trait.
pub fn with_service(tests: &str, family: &Name) -> Result<String> {
    let (snake, pascal, plural) = (family.snake(), family.pascal(), family.plural());
    let rows = format!(
        "    {snake}::{pascal}Api {{
        create_{snake}(Create{pascal}Input) -> TaskCreatedResponse;
        list_{plural}(List{}Input) -> TaskListResponse;
        get_{snake}(Get{pascal}Input) -> TaskResponse;
    }}
",
        super::names::pascal(&plural),
    );
    let services = block(tests, "services! {\n", "").context("the tests have no `services!`")?;
    let (before, after) = tests.split_at(services.end);
    Ok([before, &rows, after].concat())
}

/// Adds the mapping of a family to a known model of fal; a family of texts has none.
pub fn with_mapping(fal: &str, family: &Name, makes: Makes) -> String {
    let Some((model, field)) = makes.model() else { return fal.to_owned() };
    let name = family.kebab();
    format!(
        "{fal}\n[families.{name}]\nengine = \"fal\"\nmodel = \"{model}\"\n\n[families.{name}.input]\n\
         {field} = \"{{{{ request.prompt }}}}\"\n"
    )
}

/// Returns the built-in engines of a family, by its rows.
pub fn built_in_engines(families: &str, family: &Name) -> Vec<String> {
    let head = format!("            {}::{}Api {{\n", family.snake(), family.pascal());
    let Some(range) = block(families, &head, "            ") else { return Vec::new() };
    let rows = families.get(range).unwrap_or_default().lines().filter(|line| line.contains(" = \""));
    let mut engines: Vec<String> =
        rows.filter_map(|row| Some(row.strip_suffix("\" {")?.rsplit_once('"')?.1.to_owned())).collect();
    engines.dedup();
    engines
}

/// Declares a field that a built-in engine does not read: tasks list it in `ignored`, and media are refused.
pub fn with_unread_field(declared: &str, engine: &str, field: &Field) -> String {
    let name = &field.name;
    let (entry, is_list) = match field.of {
        Type::Medium(_) => (format!("limits.{name}.supported = false\n"), false),
        _ => (format!("ignored = [\"{name}\"]\n"), true),
    };
    let head = format!("[{engine}]\n");
    let Some(start) = declared.find(&head).map(|at| at + head.len()) else {
        return format!("{declared}\n{head}{entry}");
    };
    let (before, rest) = declared.split_at(start);
    let (section, after) = rest.split_at(rest.find("\n[").map_or(rest.len(), |at| at + 1));
    let list = section.find("ignored = [").filter(|_| is_list);
    let end = list.and_then(|list| Some(list + section.get(list..)?.find(']')?));
    let section = match end {
        Some(end) => {
            let (listed, closing) = section.split_at(end);
            match listed.strip_suffix(",\n") {
                Some(listed) => format!("{listed},\n    \"{name}\",\n{closing}"),
                None => format!("{listed}, \"{name}\"{closing}"),
            }
        }
        None => entry + section,
    };
    [before, &section, after].concat()
}
