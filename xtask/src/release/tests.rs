//! The version of this repository can be released, and the checks find what prevents it.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

fn candidate() -> Candidate {
    // Tags and files that are not committed differ between clones.
    Candidate { tags: Vec::new(), releases: Vec::new(), uncommitted: 0, ..Candidate::read().unwrap() }
}

/// Asserts that a check fails with these words after a change of a package's metadata.
#[track_caller]
fn assert_fails(check: fn(&Candidate) -> Result<State>, package: &str, change: fn(&mut Value), words: &str) {
    let mut candidate = candidate();
    let package = candidate.packages.iter_mut().find(|found| text(found, "name") == package).unwrap();
    change(package);
    match check(&candidate).unwrap() {
        State::Failed(detail) => assert!(detail.contains(words), "{detail}"),
        state => panic!("{state:?}"),
    }
}

fn read(path: &str) -> String {
    files::read(&project::root().unwrap().join(path)).unwrap()
}

#[test]
fn this_version_can_be_released() {
    let candidate = candidate();
    for check in [checks::versions, checks::order, checks::manifests, checks::changelog, checks::tag] {
        let state = check(&candidate).unwrap();
        assert!(!matches!(state, State::Failed(_)), "{state:?}");
    }
}

#[test]
fn versions_have_to_agree() {
    let check = checks::versions;
    assert_fails(check, SERVICE, |package| package["version"] = json!("0.2.0"), "asset-service has 0.2.0");
    let older = |package: &mut Value| package["rust_version"] = json!("1.80");
    assert_fails(check, "asset-api-models", older, "asset-api-models needs Rust 1.80");
    let another = |package: &mut Value| {
        let mut dependencies = package["dependencies"].as_array_mut().unwrap().iter_mut();
        let runtime = dependencies.find(|found| text(found, "name") == "openapi-crates-runtime").unwrap();
        runtime["req"] = json!("=0.0.9");
    };
    assert_fails(check, "openapi-crates", another, "openapi-crates needs openapi-crates-runtime =0.0.9");
}

#[test]
fn dependencies_are_published_first() {
    let on_client = |package: &mut Value| {
        let dependency =
            json!({"name": "asset-api-client", "path": "/client", "req": "^0.1.0", "kind": null});
        package["dependencies"].as_array_mut().unwrap().push(dependency);
    };
    assert_fails(
        checks::order,
        "asset-api-server",
        on_client,
        "asset-api-client, which is not published before",
    );
    let publish = |package: &mut Value| package["publish"] = Value::Null;
    assert_fails(checks::order, SERVICE, publish, "`publish = false` is missing: asset-service");
}

#[test]
fn settings_of_docs_rs_are_known() {
    assert!(checks::docs_rs_flags(&json!({"metadata": null})).unwrap().is_empty());
    let flags = |settings: Value| checks::docs_rs_flags(&json!({"metadata": {"docs": {"rs": settings}}}));
    assert_eq!(flags(json!({"all-features": true})).unwrap(), ["--all-features"]);
    assert!(flags(json!({"rustdoc-args": []})).is_err());
    // Without the flag, docs.rs shows what the default features have.
    let candidate = candidate();
    for package in candidate.published().unwrap() {
        let by_default =
            text(package, "name").strip_prefix("asset-api-").is_some_and(|name| name != "client");
        assert_eq!(
            checks::docs_rs_flags(package).unwrap().is_empty(),
            by_default,
            "{}",
            text(package, "name")
        );
    }
}

#[test]
fn changelog_begins_with_the_version() {
    let state = |text: &str| {
        let candidate = Candidate { changelog: text.to_owned(), ..candidate() };
        checks::changelog(&candidate).unwrap()
    };
    assert!(matches!(state("\n## [0.1.0] - 2030-01-31\n\n- A\n"), State::Passed(_)));
    assert!(matches!(state("\n## [0.1.0] - unreleased\n\n- A\n"), State::Open(_)));
    for wrong in [
        "",
        "\n## [0.1.0] - soon\n\n- A\n",
        "\n## [0.2.0] - unreleased\n\n- A\n",
        "\n## [0.1.0] - unreleased\n\n## B",
    ] {
        assert!(matches!(state(wrong), State::Failed(_)), "{wrong}");
    }
    let two = "# Changelog\n\n## [0.2.0] - 2031-01-31\n\n- B\n\n## [0.1.0] - 2030-01-31\n\n- A\n";
    assert_eq!(checks::notes(two, "0.2.0"), Some("\n- B\n"));
    assert_eq!(checks::notes(two, "0.1.0"), Some("\n- A\n"));
}

#[test]
fn a_tag_belongs_to_one_commit() {
    let state = |tags: &[&str], releases: &[&str]| {
        let owned = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect();
        let candidate = Candidate { tags: owned(tags), releases: owned(releases), ..candidate() };
        (checks::tag(&candidate).unwrap(), candidate.last_release().unwrap().map(str::to_owned))
    };
    assert!(matches!(state(&[], &[]), (State::Passed(_), None)));
    assert!(matches!(state(&["v0.1.0"], &["v0.1.0"]), (State::Passed(_), None)));
    assert!(matches!(state(&[], &["v0.1.0"]), (State::Failed(_), None)));
    assert!(matches!(state(&["v0.2.0"], &["v0.2.0"]), (State::Failed(_), Some(_))));
    assert_eq!(state(&[], &["v0.0.2", "v0.0.1"]).1, Some("v0.0.2".to_owned()));
}

#[test]
fn nothing_is_open_at_a_tag() {
    let open = || State::Open("a".to_owned());
    assert_eq!(open().at(&candidate()), open());
    let tagged = Candidate { tags: vec!["v0.1.0".to_owned()], ..candidate() };
    assert_eq!(open().at(&tagged), State::Failed("a".to_owned()));
}

#[test]
fn actions_and_tools_are_pinned() {
    let mut seen = 0;
    for workflow in files::list(&project::root().unwrap().join(".github/workflows")).unwrap() {
        for line in files::read(&workflow).unwrap().lines() {
            if line.contains("cargo install") {
                assert_eq!(line.trim(), registry::INSTALL_SEMVER);
            }
            let Some((_, action)) = line.split_once("uses: ") else { continue };
            // An action of this repository has the version of the workflow.
            if action.starts_with("./") {
                continue;
            }
            let (hash, comment) = action.split_once('@').and_then(|(_, rest)| rest.split_once(' ')).unwrap();
            let is_hash = hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_hash && comment.starts_with("# v"), "{}: {line}", workflow.display());
            seen += 1;
        }
    }
    assert!(seen > 5);
    assert!(read("docs/release.md").contains(registry::INSTALL_SEMVER));
}

/// Tests that the workflow publishes the packages in their order, and only when a person approves.
#[test]
fn workflow_publishes_what_is_checked() {
    let workflow = read(".github/workflows/release.yml");
    assert!(workflow.contains("run: cargo xtask release --dry-run\n"));
    let (_, publish) = workflow.split_once("\n  publish:\n").unwrap();
    assert!(publish.contains("environment: release\n") && publish.contains("id-token: write"));
    assert_eq!(workflow.matches("id-token: write").count(), 1);
    assert_eq!(workflow.matches("cargo publish").count(), 1);
    let (_, list) = publish.split_once("PACKAGES: >-\n").unwrap();
    let listed: Vec<&str> = list.lines().map_while(|line| line.strip_prefix("            ")).collect();
    assert_eq!(listed.join(" ").split(' ').collect::<Vec<_>>(), PUBLISHED);
}

/// Tests that `cargo binstall` finds the archives of the workflow.
#[test]
fn binaries_are_found() {
    let candidate = candidate();
    let generator = candidate.package("openapi-crates").unwrap();
    let binstall =
        |key: &str| generator.pointer(&format!("/metadata/binstall/{key}")).unwrap().as_str().unwrap();
    let archive = binstall("pkg-url").strip_prefix("{ repo }/releases/download/v{ version }/").unwrap();
    assert_eq!((archive, binstall("pkg-fmt")), ("{ name }-{ target }.tar.gz", "tgz"));
    assert_eq!(binstall("bin-dir"), "{ bin }{ binary-ext }");
    let workflow = read(".github/workflows/release.yml");
    assert!(workflow.contains("dist/$program-$TARGET.tar.gz"));
    let targets = workflow.lines().filter_map(|line| line.trim().strip_prefix("- target: "));
    let expected = [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
        "x86_64-pc-windows-msvc",
    ];
    assert_eq!(targets.collect::<BTreeSet<_>>(), BTreeSet::from(expected));
    let page = read("docs/release.md");
    assert!(expected.iter().all(|target| page.contains(target)), "docs/release.md lists the platforms");
}
