//! Tests: each error of the engines' settings names its place in the file.

use std::path::Path;

use super::registry::Registry;
use super::settings::Environment;
use crate::config::{ConfigError, Settings};

/// An engine of each kind.
const ENGINES: &str = r#"local-programs = false
[engines.c]
kind = "command"
program = "/bin/true"
[engines.h]
kind = "http"
preset = "fal"
[engines.o]
kind = "openai"
base-url = "http://127.0.0.1:8000/v1"
"#;

/// The first line of a snippet below the engines.
const FIRST: usize = 11;

fn told(text: &str) -> Option<String> {
    let settings: Settings = toml::from_str(text).unwrap();
    let error = Registry::of(&settings, &Environment::on_this_machine()).err()?;
    Some(ConfigError::invalid(Path::new("s.toml"), text, &error.setting(), &error).to_string())
}

#[test]
fn errors_name_the_line_and_the_column() {
    let speech = "[families.voiceover]\nengine = 'c'\noutput = 'a.wav'\n";
    let sounds = "[families.sound-effects]\nengine = 'h'\nmodel = 'm'\ninput = {}\n";
    let videos = "[families.lip-sync]\nengine = 'h'\nmodel = 'm'\n";
    let mut wrong = Vec::new();
    for (snippet, line, column, expected) in [
        // Names that nothing has.
        ("[families.voice]\n", 0, 11, "unknown family `voice`"),
        ("[models]\nvoiceover = ['a']\n", 1, 1, "has no models"),
        ("[families.voiceover]\nengine = 'x'\n", 1, 1, "unknown engine `x`"),
        ("[engines.x]\nkind = 'abacus'\n[families.voiceover]\nengine = 'x'\n", 1, 1, "unknown kind `abacus`"),
        (&format!("{speech}args = []\ninptu = 'x'\n"), 4, 1, "unknown field `inptu`"),
        (&format!("{sounds}output = ['/x']\n"), 4, 1, "unknown field `output`"),
        (&format!("{sounds}[engines.h.create]\npaht = '/x'\n"), 5, 1, "unknown field `paht`"),
        (&format!("{sounds}[engines.h.status]\nfailed = 7\n"), 5, 1, "invalid type"),
        (&format!("{sounds}preset = 7\n"), 4, 1, "unknown field `preset`"),
        ("[families.voiceover]\nvoices = { a = 'b' }\n", 1, 1, "only an attached engine"),
        // Fields of requests.
        (&format!("{speech}args = ['x', '{{{{ request.pitch }}}}']\n"), 3, 14, "not `request.pitch`"),
        (&format!("{speech}args = [\"{{{{ request['pitch'] }}}}\"]\n"), 3, 9, "not `request.pitch`"),
        (&format!("{speech}args = ['{{{{ request.text }}}}']\n"), 3, 9, "not `request.text`"),
        (&format!("{speech}args = [\"{{{{ request['text'] }}}}\"]\n"), 3, 9, "not `request.text`"),
        (
            "[families.imagegen]\nengine = 'h'\ninput = { a = '{{ request.styling.style }}' }\n",
            2,
            11,
            "not `request.styling.style`",
        ),
        (&format!("{speech}args = []\nlimits = {{ pitch = {{ maximum = 2 }} }}\n"), 4, 12, "no such field"),
        (&format!("{speech}args = []\nwith = ['pitch']\n"), 4, 1, "`pitch` is none"),
        (
            "[families.imagegen]\nengine = 'h'\ninput = {}\nlimits.'styling.x'.maximum = 2\n",
            3,
            8,
            "no such field",
        ),
        // Values.
        (&format!("{sounds}outputs = ['/a', 'data']\n"), 4, 18, "a JSON pointer"),
        (&format!("{sounds}outputs = ['/a~2']\n"), 4, 12, "a JSON pointer"),
        (&format!("{sounds}[engines.h.status]\nstate = 'status'\n"), 5, 1, "a JSON pointer"),
        (&format!("{sounds}[engines.h.create]\njob = 'id'\n"), 5, 1, "a JSON pointer"),
        (&format!("{sounds}[engines.h.errors]\nmessage = ['a']\n"), 5, 12, "a JSON pointer"),
        // Expressions that fail for an example.
        (
            &format!("{speech}args = ['{{{{ 1 / 0 }}}}']\n"),
            3,
            9,
            "work for the example of `create_voiceover`",
        ),
        (&format!("{speech}args = ['{{{{ [[1]] }}}}']\n"), 3, 9, "work for the example"),
        (&format!("{speech}args = []\nstdin = '{{{{ request.text / 2 }}}}'\n"), 4, 1, "work for the example"),
        (
            &format!("{speech}args = []\nfiles = {{ 'a.b' = '{{{{ 1 / 0 }}}}' }}\n"),
            4,
            11,
            "work for the example",
        ),
        (
            "[families.voiceover]\nengine = 'o'\nmodel = 'm'\nextra = { a = '{{ request.text / 2 }}' }\n",
            3,
            1,
            "work for the example",
        ),
        (&format!("{videos}input = {{ a = '{{{{ 1 / 0 }}}}' }}\n"), 3, 1, "work for the example"),
    ] {
        let text = format!("{ENGINES}{snippet}");
        let told = told(&text).unwrap_or_default();
        let place = format!("s.toml:{}:{column}: ", FIRST + line);
        if !told.starts_with(&place) || !told.contains(expected) {
            wrong.push(format!("{snippet}\n{place}{expected}\n{told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for kind in ["c", "h"] {
        let head = format!("[engines.{kind}]\n");
        let text = ENGINES.replace(&head, &format!("{head}timeout-seconds = 0\n"));
        let family = if kind == "c" { format!("{speech}args = []\n") } else { sounds.to_owned() };
        let told = told(&format!("{text}{family}")).unwrap();
        assert!(told.contains(".timeout-seconds` must be at least 1"), "{told}");
    }
    for fine in [format!("{speech}args = []\n"), sounds.to_owned(), format!("{videos}input = {{}}\n")] {
        assert_eq!(told(&format!("{ENGINES}{fine}")), None);
    }
}
