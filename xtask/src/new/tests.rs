use std::{fs, path::Path};

use clap::Parser;
use openapi_crates::{DriftKind, generate};

use super::*;

const PAGE: &str = "docs/add-an-operation.md";

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    arguments: Arguments,
}

fn parsed(words: &str) -> Arguments {
    Command::try_parse_from(std::iter::once("new").chain(words.split_whitespace())).unwrap().arguments
}

/// Returns a copy of the files that are edited, in an empty folder.
fn copy(name: &str) -> PathBuf {
    let (root, copy) = (
        project::root().unwrap(),
        std::env::temp_dir().join(format!("xtask-new-{name}-{}", std::process::id())),
    );
    for path in EDITED {
        files::copy(&root.join(path), &copy.join(path)).unwrap();
    }
    copy
}

/// Returns the edited text of a file.
fn edited(words: &str, path: &str) -> String {
    let mut files = Files::new(project::root().unwrap());
    edit(&parsed(words), &mut files).unwrap();
    assert!(is_valid(&files).unwrap(), "{words}");
    files.text(path).unwrap()
}

fn refused(words: &str) -> String {
    format!("{:#}", edit(&parsed(words), &mut Files::new(project::root().unwrap())).unwrap_err())
}

/// Asserts that a text has only more lines than another one, and returns these lines.
fn added(before: &str, after: &str) -> String {
    let mut kept = before.split_inclusive('\n').peekable();
    let added =
        after.split_inclusive('\n').filter(|line| kept.next_if(|kept| kept == line).is_none()).collect();
    assert_eq!(kept.next(), None, "this line is gone or has another order");
    added
}

/// Returns the page. If the spec has its family, because somebody tries the page, it has another one.
fn page() -> String {
    let (root, family) = (project::root().unwrap(), "storyboards");
    let (page, spec) = (files::read(&root.join(PAGE)).unwrap(), files::read(&root.join(SPEC)).unwrap());
    assert!(page.contains(&format!("$ cargo xtask new {family} ")), "{PAGE} adds `{family}`");
    let mut free = family.to_owned();
    while spec::has_family(&spec, &free.parse().unwrap()) {
        free.push('x');
    }
    page.replace(family, &free)
}

/// Returns the generated files that differ, as `regen` prints them.
fn regenerated(before: &str, after: &str, folder: &Path) -> Vec<String> {
    let generated = |spec: &str| generate(SPEC, spec, &asset_api_spec::options()).unwrap().files.unwrap();
    generated(before).write_to(folder).unwrap();
    let drifts = generated(after).compare_with(folder).unwrap();
    let done = |kind| if kind == DriftKind::Missing { "new" } else { "changed" };
    drifts.iter().map(|drift| format!("generated/{}: {}", drift.path, done(drift.kind))).collect()
}

#[test]
fn the_page_shows_the_real_output() {
    let (page, folder) = (page(), copy("page"));
    let commands = page.lines().filter_map(|line| line.strip_prefix("$ cargo xtask new "));
    // Commands with a comment have no output.
    let commands: Vec<&str> = commands.filter(|command| !command.contains('#')).collect();
    assert_eq!(commands.len(), 2, "a family and a field");
    for command in commands {
        let before = files::read(&folder.join(SPEC)).unwrap();
        let mut files = Files::new(folder.clone());
        let left = edit(&parsed(command), &mut files).unwrap();
        assert!(is_valid(&files).unwrap(), "{command}");
        let changed = files.write().unwrap().into_iter().map(|path| format!("{path}: changed"));
        let after = files::read(&folder.join(SPEC)).unwrap();
        assert!(!added(&before, &after).is_empty(), "{command}");

        let regenerated = regenerated(&before, &after, &folder.join("generated"));
        let left = left.into_iter().chain(ALWAYS_LEFT.map(str::to_owned)).map(|task| format!("- {task}"));
        let expected: Vec<String> = changed.chain(regenerated).chain(left).collect();
        let (_, shown) = page.split_once(&format!("$ cargo xtask new {command}\n")).unwrap();
        let is_file =
            |line: &&str| line.ends_with(": changed") || line.ends_with(": new") || line.starts_with("- ");
        let shown: Vec<&str> = shown.lines().take_while(|line| *line != "```").filter(is_file).collect();
        assert_eq!(shown, expected, "{PAGE}, after `{command}`");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn families_of_each_kind_are_valid() {
    for makes in ["image", "video", "audio", "text"] {
        let words = format!("un-named --makes {makes}");
        let families = edited(&words, FAMILIES);
        assert!(families.contains(&format!("UN_NAMED = \"un-named\" [], {} {{", makes.to_uppercase())));
        let mapped = edited(&words, FAL).contains("[families.un-named]\nengine = \"fal\"\n");
        assert_eq!(mapped, makes != "text");
    }
}

#[test]
fn every_request_of_the_spec_takes_fields_of_each_type() {
    let text = files::read(&project::root().unwrap().join(SPEC)).unwrap();
    let families: Vec<Name> =
        text.lines().filter_map(|line| line.strip_prefix("  - name: ")?.parse().ok()).collect();
    let types = ["string", "integer", "number", "boolean", "image", "video", "audio", "one,two"];
    let fields: Vec<Field> =
        types.iter().enumerate().map(|(n, of)| format!("new{n}:{of}").parse().unwrap()).collect();
    let (mut extended, mut requests) = (text.clone(), 0);
    for family in &families {
        // `apps` has the only request without results of its own kind.
        for schema in spec::requests(&text, family) {
            requests += 1;
            extended =
                fields.iter().fold(extended, |text, field| spec::with_field(&text, &schema, field).unwrap());
        }
    }
    assert!(requests > 20, "{requests}");
    added(&text, &extended);
    let report = lint_with(&Input::new(SPEC, &extended), &lints());
    assert!(report.diagnostics.is_empty(), "{report}");
}

#[test]
fn built_in_engines_declare_what_they_do_not_read() {
    let text = files::read(&project::root().unwrap().join(BUILT_IN)).unwrap();
    let field = |text: &str| text.parse::<Field>().unwrap();
    for (engine, of, expected) in [
        ("procedural-composition", "x:number", "\"reference_images\",\n    \"x\",\n]\n"),
        ("still-camera", "x:number", "ignored = [\"additional_settings.prompt_extend\", \"x\"]\n"),
        ("plane-camera", "x:number", "[plane-camera]\nignored = [\"x\"]\n"),
        ("plane-camera", "x:image", "[plane-camera]\nlimits.x.supported = false\n"),
        ("procedural-sound", "x:boolean", "\n\n[procedural-sound]\nignored = [\"x\"]\n"),
    ] {
        let declared = register::with_unread_field(&text, engine, &field(of));
        assert!(declared.contains(expected), "{engine} {of}: {declared}");
    }
    assert!(
        edited("voiceover --field pitch:number", BUILT_IN)
            .contains("[formant-speech]\nignored = [\"pitch\"]\n")
    );
    assert_eq!(edited("lip-sync --field pitch:number", BUILT_IN), text);
}

#[test]
fn names_follow_those_of_the_neighbours() {
    let name = |text: &str| text.parse::<Name>().unwrap();
    for (text, plural, pascal) in [
        ("voiceover", "voiceovers", "Voiceover"),
        ("sound-effects", "sound_effects", "SoundEffects"),
        ("melody", "melodies", "Melody"),
    ] {
        assert_eq!((name(text).plural(), name(text).pascal()), (plural.to_owned(), pascal.to_owned()));
    }
    for text in ["", "Subtitles", "sub_titles", "4-k", "a--b", "ä"] {
        assert!(text.parse::<Name>().is_err(), "{text}");
    }
    for text in ["a", "a:", "A:string", "a:text", "a:b,C", "a-b:string"] {
        assert!(text.parse::<Field>().is_err(), "{text}");
    }
}

#[test]
fn mistakes_are_named_before_anything_is_written() {
    for (words, expected) in [
        ("unnamed", "say what it makes, such as `--makes image`"),
        ("voiceover", "add `--field`s"),
        ("voiceover --makes audio", "leave `--makes` out"),
        ("voiceover --field text:string", "`VoiceoverRequest` has a field `text`"),
        ("icons --field a:string", "no operation of `icons` has a request"),
        (
            "skin-enhancer --field a:string",
            "`--schema`: SkinCreativeRequest, SkinFaithfulRequest, SkinFlexibleRequest",
        ),
        ("skin-enhancer --field a:string --schema X", "unknown request `X`; known: Skin"),
        ("improve-prompt --field a:string --field a:number", "has a field `a`"),
    ] {
        let error = refused(words);
        assert!(error.contains(expected), "{words}: {error}");
    }
}
