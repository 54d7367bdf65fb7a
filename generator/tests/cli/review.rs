//! Tests of the GitHub Action `openapi-review`: its script in a repository, with a fake `gh`.

#![cfg(unix)]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::support::{PETS, Ran, Scratch};

/// Returns the document with a change that breaks clients.
fn breaking() -> String {
    PETS.replacen("{name: limit, in: query,", "{name: limit, in: query, required: true,", 1)
}

/// A repository with `api/pets.yaml`, and the comments of its pull request.
struct Review {
    scratch: Scratch,
    comments: Scratch,
}

impl Review {
    fn new() -> Self {
        let (scratch, comments) = (Scratch::new(), Scratch::new());
        fs::remove_file(comments.path("pets.yaml")).expect("there is a document");
        comments.put("bin/gh", include_str!("gh.sh"));
        let gh = comments.path("bin/gh");
        fs::set_permissions(gh, fs::Permissions::from_mode(0o755)).expect("the file can be made executable");
        scratch.put("api/pets.yaml", PETS);
        scratch.init();
        Self { scratch, comments }
    }

    /// Runs the script in a folder as GitHub Actions does, with other variables.
    fn run_in(&self, folder: &Path, variables: &[(&str, &str)]) -> Ran {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/actions/openapi-review/review.sh");
        let tool = Path::new(env!("CARGO_BIN_EXE_openapi-crates")).parent().expect("it is in a folder");
        let mut path = vec![self.comments.path("bin"), tool.to_owned()];
        path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let mut command = self.scratch.command("bash");
        command.arg(script).current_dir(folder).env("PATH", env::join_paths(path).expect("paths"));
        for (name, _) in env::vars().filter(|(name, _)| name.starts_with("GITHUB_")) {
            command.env_remove(name);
        }
        let (gh, summary) = (self.comments.path(""), self.comments.path("summary"));
        command.env("GH_FOLDER", gh).env("GITHUB_STEP_SUMMARY", summary).envs([
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_REPOSITORY", "acme/pets"),
            ("GITHUB_RUN_ID", "7"),
            ("REVIEW_DOCUMENT", "api/pets.yaml"),
            ("REVIEW_BASE", "main"),
            ("REVIEW_PULL_REQUEST", "3"),
        ]);
        let output = command.envs(variables.iter().copied()).output().expect("there is bash");
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        Ran { code: output.status.code().expect("no signal"), out, err }
    }

    fn run(&self, variables: &[(&str, &str)]) -> Ran {
        self.run_in(&self.scratch.0, variables)
    }

    /// Returns the comments of the pull request.
    fn comments(&self) -> Vec<String> {
        let files: Vec<(PathBuf, String)> = self.comments.files(".");
        let bot = |(path, text): (PathBuf, String)| {
            path.extension().is_some_and(|end| end == "NONE").then_some(text)
        };
        files.into_iter().filter_map(bot).filter(|text| text.contains("### OpenAPI review")).collect()
    }

    #[track_caller]
    fn comment(&self) -> String {
        let comments = self.comments();
        let [comment] = comments.as_slice() else { panic!("not one comment: {comments:?}") };
        comment.clone()
    }
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn a_pull_request_has_one_comment() {
    let review = Review::new();
    // Comments of others, and a stranger's with the marker.
    review.comments.put("1.User.OWNER", "Looks good.\n");
    review.comments.put("2.User.NONE", "<!-- openapi-review: api/pets.yaml -->\nAll is fine!\n");
    let ran = review.run(&[]).exits(0);
    assert_eq!(review.comments(), [""; 0], "nothing changed: {ran:?}");

    review.scratch.put("api/pets.yaml", &breaking());
    let ran = review.run(&[]).exits(1);
    has(&ran.out, &["::error file=api/pets.yaml,line=11,col=36,title=parameter-became-required::"]);
    let comment = review.comment();
    has(
        &comment,
        &[
            "<!-- openapi-review: api/pets.yaml -->\n### OpenAPI review of `api/pets.yaml`\n",
            "| lint | passed: `api/pets.yaml: no errors or warnings` |",
            "| changes | **some fail** (`fail-on: breaking`) |",
            "\n### Breaking\n",
            "is now required",
            "<details><summary>Outline: -2 +2 lines</summary>\n\n```diff\n",
            "\n-    query limit: Option<i64>",
            "The [run](https://github.com/acme/pets/actions/runs/7) has the whole report.\n",
        ],
    );
    assert!(!comment.contains("generated files"), "there are no settings: {comment}");
    assert_eq!(review.comments.read("summary").matches("### Breaking").count(), 1);

    review.scratch.put("api/pets.yaml", &PETS.replacen("maximum: 100", "maximum: 200", 1));
    review.run(&[]).exits(0);
    has(&review.comment(), &["| changes | none that fails |", "maximum 200"]);
    // The comment also says that there is no change any more.
    review.scratch.put("api/pets.yaml", PETS);
    review.run(&[]).exits(0);
    has(&review.comment(), &["**no changes for users**"]);
    let calls = review.comments.read("calls");
    let writing: Vec<&str> = calls.lines().filter(|call| !call.starts_with("GET")).collect();
    let [first, .., last] = writing.as_slice() else { panic!("{calls}") };
    assert_eq!((*first, writing.len()), ("POST repos/acme/pets/issues/3/comments", 3));
    assert!(last.starts_with("PATCH repos/acme/pets/issues/comments/"), "{calls}");
    assert_eq!(review.comments.read("2.User.NONE").lines().last(), Some("All is fine!"));
}

#[test]
fn long_reports_are_cut() {
    let review = Review::new();
    let mut document = PETS.to_owned();
    for number in 0..200 {
        let operation = "{responses: {'204': {description: None.}}}";
        let path = format!("paths:\n  /things/{number}:\n    get: {operation}\n");
        document = document.replacen("paths:\n", &path, 1);
    }
    review.scratch.put("api/pets.yaml", &document);
    review.scratch.commit("things");
    review.scratch.put("api/pets.yaml", &breaking());
    review.run(&[("REVIEW_COMMENT_LIMIT", "8000")]).exits(1);
    let comment = review.comment();
    assert!(comment.len() <= 8000, "{}", comment.len());
    has(&comment, &["### Breaking", " more lines\n", "\n-GET /things/", "actions/runs/7"]);
    let count = |part: &str| comment.matches(part).count();
    assert_eq!(count("<details>"), count("</details>"), "{comment}");
    assert_eq!(count("\n```diff\n") + count("\n```text\n"), count("\n```\n"), "{comment}");
    let summary = review.comments.read("summary");
    assert!(summary.matches("/things/").count() >= 400 && !summary.contains(" more lines\n"), "{summary}");
}

#[test]
fn inputs_decide_what_runs_and_what_fails() {
    let review = Review::new();
    review.scratch.put("api/pets.yaml", &breaking());
    review.run(&[("REVIEW_FAIL_ON", "never"), ("REVIEW_PULL_REQUEST", "")]).exits(0);
    assert!(!review.comments.path("calls").exists(), "no pull request, no call");

    // A token that can't write changes no result.
    review.comments.put("broken", "");
    review.run(&[("REVIEW_FAIL_ON", "never")]).exits(0).reports("HTTP 403");
    let ran = review.run(&[]).exits(1);
    has(&ran.out, &["::warning title=OpenAPI review::no comment was written"]);
    fs::remove_file(review.comments.path("broken")).expect("there is a file");

    // Accepted changes, SARIF, and a report without GitHub.
    review.scratch.run(&["diff", "--against", "main", "api/pets.yaml", "--accept", "agreed"]).exits(0);
    let sarif = [("REVIEW_SARIF", "changes.sarif"), ("GITHUB_STEP_SUMMARY", ""), ("REVIEW_LINT", "none")];
    let ran = review.run(&sarif).exits(0);
    has(&ran.out, &["<details><summary>Accepted ("]);
    assert!(!ran.out.contains("| lint |"), "{ran:?}");
    has(&review.scratch.read("changes.sarif"), &["\"version\": \"2.1.0\"", "\"justification\": \"agreed\""]);

    // Generated crates that are out of date.
    review
        .scratch
        .put("api/openapi-crates.toml", "name = \"pets\"\nout = \"../crates\"\ncrates = [\"models\"]\n");
    review.scratch.run(&["generate", "api/pets.yaml"]).exits(0);
    review.run(&[]).exits(0);
    has(&review.comment(), &["| generated files | up to date: "]);
    review.scratch.put("crates/models/src/lib.rs", "// @generated\n");
    review.run(&[]).exits(1);
    has(&review.comment(), &["| generated files | **out of date**", "models/src/lib.rs"]);

    // A document with errors, and commands of the caller.
    review.scratch.put("api/pets.yaml", "openapi: 3.0.3\ninfo: [\n");
    review.run(&[("REVIEW_FRESH", "none")]).exits(1);
    has(&review.comment(), &["| lint | **failed**", "| changes | **not compared**", "api/pets.yaml:"]);
    let own = [
        ("REVIEW_LINT", "echo fine"),
        ("REVIEW_FRESH", "false"),
        ("REVIEW_DIFF", "echo"),
        ("REVIEW_OUTLINE", "echo"),
    ];
    review.run(&own).exits(1);
    has(
        &review.comment(),
        &["| lint | passed: `fine` |", "**out of date**", "--format markdown --fail-on breaking"],
    );
}

#[test]
fn the_base_is_that_of_the_merge() {
    let review = Review::new();
    let scratch = &review.scratch;
    scratch.git(&["switch", "--quiet", "--create", "change"]);
    scratch.put("api/pets.yaml", &breaking());
    scratch.put("api/new.yaml", PETS);
    scratch.commit("change");
    scratch.git(&["switch", "--quiet", "main"]);
    scratch.put("other", "");
    scratch.commit("other");
    scratch.git(&["switch", "--quiet", "--detach"]);
    scratch.git(&["merge", "--quiet", "--no-edit", "change"]);
    scratch.git(&["update-ref", "refs/pull/3/merge", "HEAD"]);
    // As actions/checkout does: one commit, and no branch.
    let clone = Scratch::new();
    let origin = format!("file://{}", scratch.0.display());
    clone.git(&["init", "--quiet", "work"]);
    let work = clone.path("work");
    let git = |arguments: &[&str]| {
        let mut command = clone.command("git");
        let status = command.current_dir(&work).args(arguments).status().expect("cannot run git");
        assert!(status.success(), "{arguments:?}");
    };
    git(&["remote", "add", "origin", &origin]);
    git(&["fetch", "--quiet", "--no-tags", "--depth=1", "origin", "refs/pull/3/merge"]);
    git(&["checkout", "--quiet", "FETCH_HEAD"]);
    let merge = [("REVIEW_BASE", ""), ("GITHUB_REF", "refs/pull/3/merge")];
    review.run_in(&work, &merge).exits(1);
    has(&review.comment(), &["is now required"]);
    let new = [merge[0], merge[1], ("REVIEW_DOCUMENT", "api/new.yaml"), ("GITHUB_STEP_SUMMARY", "")];
    has(&review.run_in(&work, &new).exits(0).out, &["| changes | the document is new |"]);
    review.run_in(&work, &[("REVIEW_BASE", "")]).exits(2).reports("missing base");
}

#[test]
fn a_document_of_a_stranger_reads_no_secrets() {
    let review = Review::new();
    let secret = "key: [ghs_secret";
    review.scratch.put(".git/secret.yaml", secret);
    review.comments.put("secret.yaml", secret);
    let outside = review.comments.path("secret.yaml");
    let link = |path: &str| {
        let _ = fs::remove_file(review.scratch.path(path));
        std::os::unix::fs::symlink(&outside, review.scratch.path(path)).expect("a link can be created");
    };
    let reads_nothing = |what: &str| {
        let ran = review.run(&[("GH_TOKEN", "ghs_secret")]).exits(1);
        let shown = format!("{ran:?}{}{}", review.comments.read("summary"), review.comments().concat());
        assert!(!shown.contains("ghs_secret"), "{what}: {shown}");
        assert!(shown.contains(" are not read"), "{what}: {shown}");
        fs::remove_file(review.comments.path("summary")).expect("there is a summary");
    };
    link("api/link.yaml");
    let outside = outside.display().to_string();
    for target in ["/proc/self/environ", "../.git/secret.yaml", outside.as_str(), "link.yaml"] {
        let stolen = PETS.replacen(
            "{type: integer, minimum: 1, maximum: 100}",
            &format!("{{$ref: '{target}#/x'}}"),
            1,
        );
        assert_ne!(stolen, PETS, "the document has such a schema");
        review.scratch.put("api/pets.yaml", &stolen);
        reads_nothing(target);
    }
    review.scratch.put("api/pets.yaml", PETS);
    review.scratch.put("api/openapi-crates.toml", &format!("overlays = [\"{outside}\"]\n"));
    reads_nothing("an overlay");
    link("api/openapi-crates.toml");
    reads_nothing("the settings");
    fs::remove_file(review.scratch.path("api/openapi-crates.toml")).expect("there is a link");
    link("api/openapi-accepted.toml");
    reads_nothing("the accepted changes");
    link("api/pets.yaml");
    reads_nothing("the document");
}

#[test]
fn messages_are_no_commands() {
    let review = Review::new();
    let injected = PETS.replacen("paths:", "\"x\\n::warning title=INJECTED::y\": 1\npaths:", 1);
    review.scratch.put("api/pets.yaml", &injected);
    let ran = review.run(&[("GITHUB_ACTIONS", "true")]);
    assert!(ran.err.contains("::stop-commands::"), "{ran:?}");
    assert!(!format!("\n{}\n{}", ran.out, ran.err).contains("\n::warning title=INJECTED"), "{ran:?}");
}
