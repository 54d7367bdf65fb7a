//! The example in each method's documentation: it is compiled as a test.

use super::super::docs::Text;
use super::super::scope::module_name;
use crate::ir::{Api, Operation};
use crate::options::{CrateKind, Options};

/// ```text
/// # Example
///
/// ~~~no_run
/// use pet_store_client::models::pets::CreatePetInput;
///
/// # async fn example(client: pet_store_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let input: CreatePetInput = serde_json::from_str(r#"{
///   "body": { "text": "Hello" }
/// }"#)?;
/// let answer = client.create_pet(input).await?;
/// println!("{answer:?}");
/// # Ok(())
/// # }
/// ~~~
/// ```
pub(super) fn docs(api: &Api, options: &Options, operation: &Operation) -> Text {
    let client = options.crate_ident(CrateKind::Client);
    let method = &operation.ident;
    let input = operation.input.and_then(|id| api.type_def(id));
    let mut lines = vec!["```no_run".to_owned()];
    if let Some(input) = input {
        let module = module_name(api, input.module);
        lines.push(format!("use {client}::models::{module}::{};", input.name));
        lines.push(String::new());
    }
    lines.push(format!(
        "# async fn example(client: {client}::Client) -> Result<(), Box<dyn std::error::Error>> {{"
    ));
    let argument = match input {
        Some(input) => {
            lines.extend(value(&input.name.0, operation.example.as_ref()));
            "input"
        }
        None => "",
    };
    lines.push(format!("let answer = client.{method}({argument}).await?;"));
    lines.push("println!(\"{answer:?}\");".to_owned());
    lines.extend(["# Ok(())", "# }", "```"].map(str::to_owned));
    Text::new().paragraph("# Example").block(lines)
}

/// `let input: … = …;`
fn value(ty: &str, example: Option<&serde_json::Value>) -> Vec<String> {
    let pretty =
        example.and_then(|example| serde_json::to_string_pretty(example).ok()).unwrap_or("{}".to_owned());
    let marks = marks(&pretty);
    let text = format!("let input: {ty} = serde_json::from_str(r{marks}\"{pretty}\"{marks})?;");
    text.lines().map(str::to_owned).collect()
}

/// As many `#` as a raw string of this text needs.
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
