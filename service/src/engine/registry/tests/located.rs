//! Tests: each error of the engines' settings names its position in the file.

use std::path::Path;

use crate::config::{self, ConfigError};
use crate::engine::environment::Environment;
use crate::engine::registry::Registry;
use crate::settings::Settings;

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

fn message(text: &str) -> Option<String> {
    let path = Path::new("s.toml");
    let settings = match config::parse::<Settings>(path, text) {
        Ok(settings) => settings,
        Err(error) => return Some(error.to_string()),
    };
    let error = Registry::of(settings.engines(), &Environment::on_this_machine()).err()?;
    Some(ConfigError::invalid(path, text, &error.setting, &error).to_string())
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
        (
            "[families.voiceover]\nengine = 'cc'\nargs = []\n",
            1,
            1,
            "unknown engine `cc`; did you mean `c`? Known: c, h, o, formant-speech, none",
        ),
        (
            "[families.lip-sync]\nengine = 'x'\n",
            1,
            1,
            "unknown engine `x`; did you mean `c`? Known: c, h, none",
        ),
        ("[families.voiceover]\nengine = 'lanczos-upscaler'\n", 1, 1, "unknown engine of this family"),
        (&format!("{speech}args = []\ninptu = 'x'\n"), 4, 1, "unknown setting `inptu`; known: args, files, "),
        (
            &format!("{sounds}output = ['/x']\n"),
            4,
            1,
            "unknown setting `output`; did you mean `outputs`? Known: ",
        ),
        (
            &format!("{sounds}[engines.h.create]\npaht = '/x'\n"),
            5,
            1,
            "unknown setting `paht`; did you mean `path`? Known: path, query,",
        ),
        (
            &format!("{sounds}[engines.h.status]\nfailed = 7\n"),
            5,
            1,
            "`engines.h.status.failed` must be a list, not a number",
        ),
        (&format!("{sounds}preset = 7\n"), 4, 1, "unknown setting `preset`; known: "),
        (
            "[families.voiceover]\nvoices = { a = 'b' }\n",
            0,
            11,
            "`engine` is missing: add it, because only an attached engine has `voices`; known: c, h, o",
        ),
        (
            "[families.voiceover]\nengine = 'none'\nlimits = { text = { max-length = 1 } }\n",
            2,
            1,
            "only an attached engine",
        ),
        // Settings that engines and families of all kinds have.
        (&format!("{speech}args = []\nlimit = {{}}\n"), 4, 1, "did you mean `limits`?"),
        (&format!("{sounds}csot = {{}}\n"), 4, 1, "did you mean `cost`?"),
        (
            "[engines.d]\nkind = 'openai'\nconcurency = 2\n[families.improve-prompt]\nengine = 'd'\nmodel = 'm'\n",
            2,
            1,
            "did you mean `concurrency`?",
        ),
        // Values that no engine takes.
        (
            "[engines.x]\nkind = 'http'\npreset = 'fal'\ncheck = 'models'\n[families.sound-effects]\nengine = 'x'\nmodel = 'm'\ninput = {}\n",
            3,
            1,
            "`engines.x.check` must be a path that begins with `/`",
        ),
        (
            "[families.voiceover]\nengine = 'o'\nmodel = 'm'\nmost-characters = 0\n",
            3,
            1,
            "`families.voiceover.most-characters` must be at least 1",
        ),
        // TOML and types.
        ("[families.voiceover]\nengine = c\n", 1, 10, "string values must be quoted"),
        (
            "[http]\nrequest-seconds = 'x'\n",
            1,
            19,
            "`http.request-seconds` must be a whole number, not a text",
        ),
        ("[families.voiceover]\nwith = 'x'\n", 1, 8, "`families.voiceover.with` must be a list, not a text"),
        ("[worker]\nthreads = -1\n", 1, 11, "`worker.threads` must be a whole number of at least 0"),
        (
            "[[families.imagegen.loras]]\nid = 1\nname = 'a'\ntype = 'style'\npreview = 'b'\n[[families.imagegen.loras]]\nid = 'x'\n",
            6,
            6,
            "`families.imagegen.loras[1].id` must be a whole number, not a text",
        ),
        ("[engines.x]\nprogram = 'x'\n", 0, 1, "`engines.x`: `kind` is missing: add it"),
        ("[wroker]\n", 0, 2, "unknown setting `wroker`; did you mean `worker`?"),
        // Fields of requests.
        (
            &format!("{speech}args = ['x', '{{{{ request.pitch }}}}']\n"),
            3,
            14,
            "unknown field `pitch`; known: ",
        ),
        (&format!("{speech}args = [\"{{{{ request['pitch'] }}}}\"]\n"), 3, 9, "unknown field `pitch`"),
        (
            &format!("{speech}args = ['{{{{ request.text }}}}']\n"),
            3,
            9,
            "pass `request.text` in `files` or `stdin`",
        ),
        (&format!("{speech}args = ['{{{{ request.voice_id }}}}']\n"), 3, 9, "pass `request.voice_id`"),
        (
            &format!("{speech}args = [\"{{{{ request['text'] }}}}\"]\n"),
            3,
            9,
            "free text can't be an argument",
        ),
        (
            "[families.imagegen]\nengine = 'h'\ninput = { a = '{{ request.styling.style }}' }\n",
            2,
            11,
            "unknown field `styling.style`; did you mean `styling.styles`? Known: styling.characters,",
        ),
        (
            &format!("{speech}args = []\nlimits = {{ pitch = {{ maximum = 2 }} }}\n"),
            4,
            12,
            "unknown field `pitch`; known: model, similarity_boost, speed, ",
        ),
        (&format!("{speech}args = []\nwith = ['pitch']\n"), 4, 9, "unknown field `pitch`"),
        (
            "[families.imagegen]\nengine = 'h'\ninput = {}\nlimits.'styling.x'.maximum = 2\n",
            3,
            8,
            "unknown field `styling.x`; known: styling.characters, ",
        ),
        // Variables that are never defined.
        (&format!("{speech}args = ['{{{{ voice }}}}']\n"), 3, 9, "the family has no `voices`"),
        (&format!("{speech}args = ['{{{{ voice }}}}']\nvoices = {{}}\n"), 3, 9, "the family has no `voices`"),
        (
            &format!("{sounds}[families.voiceover]\nengine = 'h'\ninput = {{ a = '{{{{ voice }}}}' }}\n"),
            6,
            11,
            "the family has no `voices`",
        ),
        (
            &format!("{speech}args = [\"{{{{ files['txt'] }}}}\"]\nfiles = {{ 'a.txt' = '' }}\n"),
            3,
            9,
            "unknown file `txt`; known: a.txt",
        ),
        (
            &format!("{videos}input = {{ a = '{{{{ media.audio }}}}' }}\n"),
            3,
            11,
            "unknown media field `audio`; known: audio_url, image_url",
        ),
        // Limits that don't fit the field.
        (
            &format!("{speech}args = []\nlimits.text.maximum = 2\n"),
            4,
            13,
            "`families.voiceover.limits.text.maximum` must be absent: the field holds no number",
        ),
        (&format!("{speech}args = []\nlimits.text.minimum = 2\n"), 4, 13, "the field holds no number"),
        (&format!("{speech}args = []\nlimits.speed.max-length = 2\n"), 4, 14, "the field holds no text"),
        (&format!("{speech}args = []\nlimits.text.max-items = 2\n"), 4, 13, "the field holds no array"),
        (
            &format!("{videos}input = {{}}\nlimits.resolution.one-of = ['720p', '7k']\n"),
            4,
            37,
            "unknown value `7k`; known: ",
        ),
        (
            &format!("{speech}args = []\nlimits.speed.one-of = [1, 'fast']\n"),
            4,
            27,
            "must be a value of the field's type",
        ),
        (
            &format!("{speech}args = []\nlimits.speed.one-of = [7]\n"),
            4,
            24,
            "must be a value of the field's type",
        ),
        (
            &format!(
                "{speech}args = []\n[[families.voiceover.rules]]\nwhen.text.maximum = 1\nlimits.speed.maximum = 1\n"
            ),
            5,
            11,
            "the field holds no number",
        ),
        // Files.
        (
            &format!("{speech}args = []\nvoices = {{ a = 'en', b = '/no/such.onnx' }}\n"),
            4,
            22,
            "`families.voiceover.voices.b`: the file `/no/such.onnx` does not exist",
        ),
        (
            &format!(
                "{speech}args = []\n[engines.d]\nkind = 'command'\nprogram = 'no-such-program'\n[families.improve-prompt]\nengine = 'd'\nargs = []\noutput = 'stdout'\n"
            ),
            6,
            1,
            "`no-such-program` is not found in PATH",
        ),
        (
            &format!(
                "{speech}args = []\n[engines.d]\nkind = 'command'\nprogram = '/no/such'\n[families.improve-prompt]\nengine = 'd'\nargs = []\noutput = 'stdout'\n"
            ),
            6,
            1,
            "`/no/such` does not exist",
        ),
        // Values.
        (&format!("{sounds}outputs = ['/a', 'data']\n"), 4, 18, "a JSON pointer"),
        (&format!("{sounds}outputs = ['/a~2']\n"), 4, 12, "a JSON pointer"),
        (&format!("{sounds}[engines.h.status]\nstate = 'status'\n"), 5, 1, "a JSON pointer"),
        (&format!("{sounds}[engines.h.create]\njob = 'id'\n"), 5, 1, "a JSON pointer"),
        (&format!("{sounds}[engines.h.errors]\nmessage = ['a']\n"), 5, 12, "a JSON pointer"),
        // Expressions that fail for an example.
        (&format!("{speech}args = ['{{{{ 1 / 0 }}}}']\n"), 3, 9, "with the example of `create_voiceover`"),
        (&format!("{speech}args = ['{{{{ [[1]] }}}}']\n"), 3, 9, "with the example of `create_"),
        (
            &format!("{speech}args = []\nstdin = '{{{{ request.text / 2 }}}}'\n"),
            4,
            1,
            "with the example of `create_",
        ),
        (
            &format!("{speech}args = []\nfiles = {{ 'a.b' = '{{{{ 1 / 0 }}}}' }}\n"),
            4,
            11,
            "with the example of `create_",
        ),
        (
            "[families.voiceover]\nengine = 'o'\nmodel = 'm'\nextra = { a = '{{ request.text / 2 }}' }\n",
            3,
            1,
            "with the example of `create_",
        ),
        (&format!("{videos}input = {{ a = '{{{{ 1 / 0 }}}}' }}\n"), 3, 1, "with the example of `create_"),
    ] {
        let text = format!("{ENGINES}{snippet}");
        let message = message(&text).unwrap_or_default();
        let location = format!("s.toml:{}:{column}: ", FIRST + line);
        if !message.starts_with(&location) || !message.contains(expected) {
            wrong.push(format!("{snippet}\n{location}{expected}\n{message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for (kind, limit) in [("c", "timeout-seconds"), ("c", "memory-mib"), ("h", "timeout-seconds")] {
        let head = format!("[engines.{kind}]\n");
        let text = ENGINES.replace(&head, &format!("{head}{limit} = 0\n"));
        let family = if kind == "c" { format!("{speech}args = []\n") } else { sounds.to_owned() };
        let message = message(&format!("{text}{family}")).unwrap();
        assert!(message.contains(&format!(".{limit}` must be at least 1")), "{message}");
    }
    for fine in [
        format!("{speech}args = []\n"),
        format!("{speech}args = ['{{{{ voice }}}}']\nvoices = {{ a = 'en', b = '/bin/true' }}\n"),
        format!("{speech}args = []\nlimits = {{ speed = {{ maximum = 1, one-of = [1, '0.9'] }} }}\n"),
        sounds.to_owned(),
        format!("{videos}input = {{}}\n"),
        format!(
            "{videos}input = {{ a = '{{{{ media.audio_url }}}}' }}\nlimits.resolution.one-of = ['720p']\n"
        ),
        // A number that is written as a text.
        "[families.image-to-video]\nengine = 'h'\nmodel = 'm'\ninput = {}\nlimits.duration.maximum = 8\n"
            .to_owned(),
    ] {
        assert_eq!(message(&format!("{ENGINES}{fine}")), None);
    }
}

/// Returns the names of settings that an error lists.
fn known(text: &str) -> Vec<String> {
    let message = message(text).unwrap();
    let (_, known) = message.split_once("nown: ").unwrap_or_else(|| panic!("{message}"));
    known.split(", ").map(str::to_owned).collect()
}

#[test]
fn no_error_shows_a_value_that_may_be_a_key() {
    let used = "[families.voiceover]\nengine = 'x'\nmodel = 'm'\ninput = {}\n";
    let http = "[engines.x]\nkind = 'http'\npreset = 'fal'\n";
    let tables = [
        "MORE\n".to_owned(),
        "[worker]\nMORE\n".to_owned(),
        format!("{http}MORE\n{used}"),
        format!("{http}[engines.x.key]\nMORE\n{used}"),
        format!("{http}[engines.x.create]\nMORE\n{used}"),
        format!("{http}[engines.x.upload]\nMORE\n{used}"),
        format!("{http}[families.voiceover]\nengine = 'x'\nMORE\n"),
        format!("[engines.x]\nkind = 'openai'\nbase-url = 'http://127.0.0.1/v1'\nMORE\n{used}"),
        format!("[engines.x]\nkind = 'command'\nprogram = '/bin/true'\nMORE\n{used}"),
        "[families.voiceover]\ncost.MORE\n".to_owned(),
        "[families.voiceover]\nlimits.text.MORE\n".to_owned(),
    ];
    let (mut tried, mut wrong) = (0, Vec::new());
    for table in tables {
        for name in known(&format!("local-programs = false\n{}", table.replace("MORE", "unknown-one = 1"))) {
            // Errors show wrong names.
            if ["engine", "kind", "preset", "base-url", "program"].contains(&name.as_str()) {
                continue;
            }
            for value in [
                "'sk-abc'",
                "sk-abc",
                "['sk-abc']",
                "{ a = 'sk-abc' }",
                "\"sk-abc",
                "[['sk-abc']]",
                "'{{ sk-abc'",
            ] {
                tried += 1;
                let local = if name == "local-programs" { "" } else { "local-programs = false\n" };
                let text = format!("{local}{}", table.replace("MORE", &format!("{name} = {value}")));
                let message = message(&text).unwrap_or_default();
                let shows = message.contains("sk-abc");
                if shows || !(message.is_empty() || message.starts_with("s.toml:")) {
                    wrong.push(format!("{text}\n{message}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(tried > 400, "{tried}");
    let key = format!("{ENGINES}{http}key = 'sk-abc'\n{used}");
    let expected = "s.toml:14:1: `engines.x.key`: the settings can't contain a key: write `{ env = \"NAME\" }` or \
                    `{ file = \"path\" }`";
    assert_eq!(message(&key).unwrap(), expected);
}
