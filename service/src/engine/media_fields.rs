//! The fields of request bodies that hold media: the document marks them with `x-media`.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use openapi_crates_runtime::table::{Format, Schema, Type};
use serde_json::{Map, Value};

use super::family::{ALL, Family};
use super::schema;
use crate::media::format::Kind;
use crate::media::input::Expected;

/// A field of a request body that holds a medium.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaField {
    /// The path of names, where `[]` stands for the items of an array: `reference_images[].image`.
    pub path: String,
    /// The kinds and sizes that are accepted.
    pub expected: Expected,
    /// Whether only a URL is valid there.
    pub url_only: bool,
}

/// The media fields of all operations that create tasks, by the operation's id.
static FIELDS: LazyLock<HashMap<&str, Vec<MediaField>>> = LazyLock::new(|| {
    let creates = ALL.iter().flat_map(|family| family.creates);
    let found = creates.filter_map(|id| {
        let operation = schema::operation(id)?;
        let body = operation.body.as_ref()?.contents.first()?.schema;
        let mut fields = Vec::new();
        add(body, String::new(), schema::post(operation.path)?, &mut fields);
        Some((*id, fields))
    });
    found.collect()
});

/// Adds the media fields of a schema. The rows have the order of the document, and the document has the media.
fn add(row: &Schema, path: String, post: &Value, fields: &mut Vec<MediaField>) {
    match &row.of {
        Type::Object(object) => {
            for field in object.fields {
                let name = field.name;
                let below = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                add(field.schema, below, post, fields);
            }
        }
        Type::Array(array) => add(array.items, path + "[]", post, fields),
        Type::Text(text) => {
            let expected = schema::schema_of(post, &path).and_then(expected_of);
            let url_only = text.format == Some(Format::Uri);
            fields.extend(expected.map(|expected| MediaField { path, expected, url_only }));
        }
        Type::Same(row) => add(row, path, post, fields),
        _ => {}
    }
}

/// Returns the constraints on the medium in a field with this schema; `None` if it holds none.
fn expected_of(schema: &Value) -> Option<Expected> {
    let media = schema::parts(schema).into_iter().find_map(|part| part.get("x-media"))?;
    let bound = |name: &str| media.get(name).and_then(Value::as_f64);
    let kind = Kind::named(media.get("kind")?.as_str()?)?;
    let seconds = bound("min-seconds").zip(bound("max-seconds")).map(|(least, most)| least..=most);
    Some(Expected { kind, seconds })
}

/// Returns the media fields in the body of an operation, in the order of the document.
#[must_use]
pub fn of_operation(id: &str) -> &'static [MediaField] {
    FIELDS.get(id).map(Vec::as_slice).unwrap_or_default()
}

/// Returns what a medium of this kind must be in a field of the family: `video_urls[0].url`.
#[must_use]
pub fn expected(family: &Family, field: &str, kind: Kind) -> Expected {
    let mut fields = family.creates.iter().flat_map(|id| of_operation(id));
    let found = fields.find(|known| known.has(field) && known.expected.kind == kind);
    found.map_or(Expected { kind, seconds: None }, |known| known.expected.clone())
}

/// Returns the fields of the family's requests that hold media, or lists of them.
#[must_use]
pub fn names(family: &Family) -> BTreeSet<String> {
    let fields = family.creates.iter().flat_map(|id| of_operation(id));
    fields.filter_map(|field| Some(field.path.split(['.', '[']).next()?.to_owned())).collect()
}

/// Returns the media of an example, with a placeholder for each.
#[must_use]
pub fn placeholders(family: &Family, body: &Value, placeholder: &Value) -> Map<String, Value> {
    let given = names(family).into_iter().filter_map(|field| {
        let value = match body.get(&field)? {
            Value::Array(items) => Value::Array(vec![placeholder.clone(); items.len()]),
            _ => placeholder.clone(),
        };
        Some((field, value))
    });
    given.collect()
}

/// Adds a medium to the variable `media`: a value for each field, and an array for a list.
pub fn add_to(fields: &mut Map<String, Value>, name: &str, value: Value) {
    match name.split_once('[') {
        None => drop(fields.insert(name.to_owned(), value)),
        Some((list, _)) => {
            let list = fields.entry(list).or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut().into_iter().for_each(|list| list.push(value.clone()));
        }
    }
}

impl MediaField {
    /// Returns whether the path with indices is one of this field.
    fn has(&self, path: &str) -> bool {
        let without_indices = path.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
        self.path.split("[]").eq(without_indices)
    }
}

/// Visits the media in the body of an operation, each with its path: `reference_images[0].image`.
///
/// `visit` returns whether the field stays in the body.
pub fn each(
    id: &str,
    body: &mut Value,
    mut visit: impl FnMut(String, &'static MediaField, &mut Value) -> bool,
) {
    for field in of_operation(id) {
        let _ = each_at(&field.path, String::new(), body, &mut |path, value| visit(path, field, value));
    }
}

/// Visits the values at a path below a value; returns `false` if the value itself is to be removed.
fn each_at(
    path: &str,
    before: String,
    value: &mut Value,
    visit: &mut impl FnMut(String, &mut Value) -> bool,
) -> bool {
    if path.is_empty() {
        return visit(before, value);
    }
    if let Some(rest) = path.strip_prefix("[]") {
        let items = value.as_array_mut().into_iter().flatten();
        for (index, item) in items.enumerate() {
            each_at(rest, format!("{before}[{index}]"), item, visit);
        }
        return true;
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    let below = if before.is_empty() { name.to_owned() } else { format!("{before}.{name}") };
    if let Some(fields) = value.as_object_mut()
        && let Some(field) = fields.get_mut(name)
        && !each_at(rest, below, field, visit)
    {
        fields.remove(name);
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::family;

    #[test]
    fn media_are_visited_in_the_order_of_the_document() {
        let mut body =
            json!({"prompt": "x", "reference_images": [{"image": 0, "text": "a"}, {"image": "{in_1}"}]});
        let mut visited = Vec::new();
        each("create_image_preview", &mut body, |path, field, value| {
            visited.push((path, field.expected.kind, value.take()));
            visited.len() == 1
        });
        let of = |index: usize, value| (format!("reference_images[{index}].image"), Kind::Image, value);
        assert_eq!(visited, [of(0, json!(0)), of(1, json!("{in_1}"))]);
        assert_eq!(body, json!({"prompt": "x", "reference_images": [{"image": null, "text": "a"}, {}]}));

        let paths = |id: &str| of_operation(id).iter().map(|field| field.path.as_str()).collect::<Vec<_>>();
        let frames = ["start_image_url", "end_image_url", "video_url", "audio_url"];
        assert_eq!(paths("create_image_to_video"), frames);
        assert_eq!(paths("create_image_edit"), ["image", "mask"]);
        assert_eq!(paths("create_voiceover"), [""; 0]);
        assert_eq!(names(&family::LIP_SYNC), ["audio_url", "image_url"].map(str::to_owned).into());
        assert_eq!(names(&family::IMAGE_PREVIEW), ["reference_images"].map(str::to_owned).into());
        let url_only = |id: &str| of_operation(id).first().map(|field| field.url_only);
        assert_eq!(
            (url_only("create_image_edit"), url_only("create_camera_change")),
            (Some(false), Some(true))
        );
    }

    #[test]
    fn fields_have_media_of_a_length() {
        let seconds = |family, name, kind| expected(family, name, kind).seconds;
        assert_eq!(seconds(&family::MOTION_CONTROL_STD, "video_url", Kind::Video), Some(3.0..=30.0));
        assert_eq!(seconds(&family::LIP_SYNC, "audio_url", Kind::Audio), Some(1.0..=300.0));
        assert_eq!(seconds(&family::REFERENCE_TO_VIDEO, "video_urls[0].url", Kind::Video), None);
        let field = &of_operation("create_reference_to_video")[0];
        let has = |path: &str| field.has(path);
        assert_eq!(field.path, "image_urls[].url");
        assert!(has("image_urls[12].url") && !has("image_urls.url") && !has("video_urls[0].url"));
    }
}
