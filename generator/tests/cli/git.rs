//! Tests of the drivers for git that docs/review-changes.md shows.

#![cfg(unix)]

use std::path::Path;

use crate::{
    pages,
    support::{Ran, Scratch},
};

/// Returns the lines of the blocks of a kind in the page.
fn lines(kind: &str) -> Vec<String> {
    let page = pages::page("review-changes.md");
    let blocks = page.split(&format!("\n```{kind}\n")).skip(1).map(str::to_owned).collect::<Vec<_>>();
    blocks
        .iter()
        .filter_map(|rest| rest.split("\n```").next())
        .flat_map(str::lines)
        .map(str::to_owned)
        .collect()
}

/// Runs a line of a shell in the repository, where the command is on the path.
fn shell(scratch: &Scratch, line: &str) -> Ran {
    let tool = Path::new(env!("CARGO_BIN_EXE_openapi-crates")).parent().expect("it is in a folder");
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap_or_default());
    let output =
        scratch.command("bash").args(["-c", line]).env("PATH", path).output().expect("there is bash");
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    Ran { code: output.status.code().expect("no signal"), out, err }
}

#[test]
fn drivers_show_outlines_and_leave_conflicts_to_the_generator() {
    let scratch = Scratch::new();
    let document = pages::document("getting-started.md", "openapi:");
    let with = |properties: &str| {
        let age = "        age: {type: integer, minimum: 0}\n";
        assert!(document.contains(age), "{document}");
        scratch.put("petstore.yaml", &document.replacen(age, &format!("{age}{properties}"), 1));
    };
    let generate = "openapi-crates generate petstore.yaml && git add --all";
    with("");
    scratch.put("openapi-crates.toml", "name = \"petstore\"\nout = \"crates\"\n");
    scratch.put(".gitattributes", &lines("text").join("\n"));
    scratch.init();
    shell(&scratch, &format!("{generate} && git commit --quiet --message crates")).exits(0);
    let settings: Vec<String> =
        lines("sh").into_iter().filter(|line| line.starts_with("git config ")).collect();
    assert!(settings.len() >= 3, "{settings:?}");
    for line in settings {
        shell(&scratch, &line).exits(0);
    }

    shell(&scratch, "git switch --quiet --create theirs").exits(0);
    with("        tail: {type: string}\n");
    shell(&scratch, &format!("{generate} && git commit --quiet --message theirs")).exits(0);
    shell(&scratch, "git switch --quiet main").exits(0);
    with("        wool: {type: string, maxLength: 9}\n");
    let shown = shell(&scratch, "git diff").exits(0).out;
    assert!(shown.contains("\n+    wool: Option<String> maxLength 9\n"), "{shown}");
    let text = shell(&scratch, "git diff --no-textconv").exits(0).out;
    assert!(text.contains("\n+        wool: {type: string, maxLength: 9}\n"), "{text}");
    shell(&scratch, &format!("{generate} && git commit --quiet --message ours")).exits(0);

    let merge = shell(&scratch, "git merge theirs").exits(1);
    assert!(merge.err.contains("conflict, generate it again"), "{merge:?}");
    // The document has markers, and is shown as text.
    let shown = shell(&scratch, "git diff petstore.yaml").exits(0).out;
    assert!(shown.contains("<<<<<<<"), "{shown}");
    let marked = |(_, text): &(_, String)| text.contains("<<<<<<<");
    assert!(!scratch.files("crates").iter().any(marked), "generated files have no markers");
    with("        tail: {type: string}\n        wool: {type: string, maxLength: 9}\n");
    let resolve = lines("sh").into_iter().find(|line| line.starts_with("openapi-crates generate "));
    let resolve = resolve.expect("the page shows how a conflict is resolved");
    shell(&scratch, &format!("{resolve} --no-edit")).exits(0);
    scratch.run(&["generate", "petstore.yaml", "--check"]).exits(0);
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
}
