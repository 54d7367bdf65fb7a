//! Variables, whose values can be anything.

use prefect_client::{
    Client,
    models::{
        common::{
            ReadVariablesBody, VariableCreate, VariableCreateValue as Value, VariableFilter,
            VariableFilterName, VariableSort, VariableUpdate, VariableUpdateValue, VariableValue,
        },
        types::Map,
        variables::CountVariablesInput,
    },
};
use serde_json::json;

use crate::Result;

pub async fn run(client: &Client) -> Result<()> {
    let object = Map::from([("host".to_owned(), json!("db")), ("ports".to_owned(), json!([1, 2.5, null]))]);
    let values = [
        ("a_text", Some(Value::String("plain".to_owned())), json!("plain")),
        ("a_whole", Some(Value::Integer(-7)), json!(-7)),
        ("a_part", Some(Value::Number(0.25)), json!(0.25)),
        ("a_flag", Some(Value::Boolean(false)), json!(false)),
        ("a_list", Some(Value::Array(vec![json!("x"), json!({})])), json!(["x", {}])),
        ("an_object", Some(Value::Object(object)), json!({"host": "db", "ports": [1, 2.5, null]})),
        // Required, and null.
        ("nothing", None, json!(null)),
    ];
    for (name, value, expected) in &values {
        let created = client.create_variable(VariableCreate::new(*name, value.clone())).await?;
        let read = client.read_variable_by_name(*name).await?;
        assert_eq!(created, read);
        assert_eq!(serde_json::to_value(&read.value)?, *expected, "{name}");
    }
    assert_eq!(client.count_variables(CountVariablesInput::default()).await?, i64::try_from(values.len())?);

    let update = VariableUpdate::default()
        .with_value(VariableUpdateValue::Integer(8))
        .with_tags(vec!["new".to_owned()]);
    client.update_variable_by_name(("a_whole", update)).await?;
    let variable = client.read_variable_by_name("a_whole").await?;
    assert_eq!(
        (variable.value, variable.tags),
        (Some(VariableValue::Integer(8)), Some(vec!["new".to_owned()]))
    );

    // Page by page, with a filter.
    let filter = VariableFilter::default().with_name(VariableFilterName::default().with_like("a_"));
    let body =
        ReadVariablesBody::default().with_variables(filter).with_sort(VariableSort::NameAsc).with_limit(2);
    let mut names = Vec::new();
    let mut variables = client.read_variables(body).items();
    while let Some(variable) = variables.next().await {
        names.push(variable?.name);
    }
    assert_eq!(names, ["a_flag", "a_list", "a_part", "a_text", "a_whole", "an_object"]);
    for (name, ..) in values {
        client.delete_variable_by_name(name).await?;
    }
    println!("prefect: variables {}", names.join(", "));
    Ok(())
}
