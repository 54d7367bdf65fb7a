//! The operation ids of FastAPI: name of the function, path and method.

use std::collections::HashMap;

use crate::ir::Operation;

/// Returns the names of operations, given by id, path and method: FastAPI's ids become the names of functions.
///
/// An id of another form stays, and so does one whose short form is the name of another operation.
pub fn shortened<'i>(operations: &[(&'i str, &str, &str)]) -> Vec<&'i str> {
    let short = |&(id, path, method): &(&'i str, &str, &str)| function(id, path, method).unwrap_or(id);
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for operation in operations {
        *uses.entry(short(operation)).or_default() += 1;
    }
    let is_unique = |name: &str| uses.get(name) == Some(&1);
    operations.iter().map(|it| Some(short(it)).filter(|name| is_unique(name)).unwrap_or(it.0)).collect()
}

/// Returns whether more than half of the operations have ids of FastAPI.
pub fn is_fastapi(operations: &[Operation]) -> bool {
    let is_long = |it: &&Operation| function(&it.id, &it.path, &it.method).is_some();
    operations.iter().filter(is_long).count() > operations.len() / 2
}

/// Returns `read_item` for `read_item_items__item_id__get`, the id of `GET /items/{item_id}`.
///
/// FastAPI joins name and path, writes `_` for what can't be in a Python name, and adds the method.
fn function<'i>(id: &'i str, path: &str, method: &str) -> Option<&'i str> {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let suffix: String = path.chars().map(plain).collect();
    let name = id.strip_suffix(&method.to_lowercase())?.strip_suffix('_')?.strip_suffix(&suffix)?;
    (!name.trim_matches('_').is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_function() {
        for (id, path, method, expected) in [
            ("read_item_items__item_id__get", "/items/{item_id}", "GET", Some("read_item")),
            ("root__get", "/", "get", Some("root")),
            ("list_api_v2_tenants__tenant__post", "/api/v2/tenants/{tenant}", "POST", Some("list")),
            ("a_x_y_z_get", "/x-y.z", "get", Some("a")),
            ("read_item_items__item_id__get", "/items/{item_id}", "PUT", None),
            ("_items_get", "/items", "get", None),
            ("__items_get", "/items", "get", None),
            ("getItems", "/items", "get", None),
        ] {
            assert_eq!(function(id, path, method), expected, "{id}");
        }
    }

    #[test]
    fn equal_names_stay_long() {
        let operations = [
            ("read_items_get", "/items", "get"),
            ("read_users_get", "/users", "get"),
            ("list_users_all_get", "/users/all", "get"),
            ("make_items_post", "/items", "post"),
            ("make", "/make", "post"),
        ];
        let expected = ["read_items_get", "read_users_get", "list", "make_items_post", "make"];
        assert_eq!(shortened(&operations), expected);
    }
}
