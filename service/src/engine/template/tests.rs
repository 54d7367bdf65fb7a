//! Tests of templates and their errors.

use serde_json::json;

use super::*;
use crate::config::read;

fn variables() -> Variables {
    let fields = ["prompt", "duration", "style"].map(str::to_owned).into();
    let media = ["image", "pictures"].map(str::to_owned).into();
    let files = ["a.txt", "b"].map(str::to_owned).into();
    let names = &["request", "media", "seed", "files", "voice"];
    Variables { names, fields, media, files, ..Variables::default() }
}

fn template(text: &str) -> Result<Template, InvalidSetting> {
    let template: Template = read("families.x.input", &text.parse().unwrap(), &[])?;
    template.check("families.x.input", &variables()).map(|()| template)
}

#[test]
fn values_have_their_types_and_undefined_ones_are_omitted() {
    let template = template(
        r#"
        text = "{{ request.prompt }}"
        seconds = "{{ (request.duration ~ 's') if request.duration }}"
        double = "{{ request.duration * 2 }}"
        style = "{{ request.style }}"
        known = "{{ {'A': 'a', 'B': 'b'}[request.style] }}"
        list = ["{{ request.style }}", "{{ seed }}", 1.5]
        plain = "request.prompt"
        picture = "{{ media.image.path }}"
        second = "{{ media.pictures[1].path if media.pictures }}"
        file = "{{ files['a.txt'] or files.b or files[\"b\"] }}"
        "#,
    )
    .unwrap();
    let prompt = "{{ seed }} {% for x in y %} \" }}";
    let rendered = template.render(&json!({"request": {"prompt": prompt, "duration": 8}, "seed": 7}));
    let expected = json!({
        "text": prompt, "seconds": "8s", "double": 16, "list": [7, 1.5], "plain": "request.prompt",
    });
    assert_eq!(rendered.unwrap(), Some(expected));
    assert_eq!(
        template.fields(),
        ["prompt", "duration", "style", "seed", "image", "pictures"].map(str::to_owned).into()
    );
}

#[test]
fn unknown_names_are_reported_with_their_setting() {
    for (text, location, why) in [
        (
            "a = '{{ request.promt }}'",
            "`families.x.input.a`",
            "unknown field `promt`; did you mean `prompt`?",
        ),
        (
            "a = { b = ['x', '{{ medium.image }}'] }",
            "`families.x.input.a.b[1]`",
            "unknown variable `medium`; did you mean `media`?",
        ),
        ("a = '{{ request. }}'", "`families.x.input.a`", "syntax error: "),
        (
            "a = '{{ media.audio }}'",
            "`families.x.input.a`",
            "unknown media field `audio`; known: image, pictures",
        ),
        ("a = \"{{ files['txt'] }}\"", "`families.x.input.a`", "unknown file `txt`"),
        (
            "a = \"{{ files['a.text'] }}\"",
            "`families.x.input.a`",
            "unknown file `a.text`; did you mean `a.txt`?",
        ),
        ("a = '{{ files.a.txt }}'", "`families.x.input.a`", "unknown file `a`"),
        ("a = '{{ voice }}'", "`families.x.input.a`", "has no `voices`"),
        ("a = '{{ seed|nofilter }}'", "`families.x.input.a`", "`: unknown filter `nofilter`"),
        ("a = '{{ seed is notest }}'", "`families.x.input.a`", "`: unknown test `notest`"),
        ("a = '{{ nofunction() }}'", "`families.x.input.a`", "unknown variable `nofunction`"),
        ("a = 'x {{ seed }}'", "`families.x.input.a`", "as a whole"),
        ("a = '{{ seed }} {{ seed }}'", "`families.x.input.a`", "as a whole"),
    ] {
        let message = template(text).unwrap_err().to_string();
        assert!(message.contains(location) && message.contains(why), "{message}");
    }
}
