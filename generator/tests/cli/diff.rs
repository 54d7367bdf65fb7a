//! Tests of `diff`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{PETS, Ran, Scratch};

/// Returns [`PETS`] with three changes: one breaks clients, one breaks programs, and one is fine.
fn changed() -> String {
    PETS.replacen("{name: limit, in: query,", "{name: limit, in: query, required: true,", 1)
        .replacen("enum: [cat, dog]", "enum: [cat]", 1)
        .replacen(
            "        message: {type: string}",
            "        message: {type: string}\n        hint: {type: string}",
            1,
        )
}

/// Returns a folder with `pets.yaml` and its changed version `new.yaml`.
fn pair() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("new.yaml", &changed());
    scratch
}

/// Runs `diff pets.yaml new.yaml` with more arguments.
fn diff(scratch: &Scratch, arguments: &[&str]) -> Ran {
    scratch.run(&[&["diff", "pets.yaml", "new.yaml"], arguments].concat())
}

#[track_caller]
fn shows(ran: &Ran, parts: &[&str]) {
    for part in parts {
        assert!(ran.out.contains(part), "{part:?} is not in:\n{}\n{}", ran.out, ran.err);
    }
}

#[test]
fn two_files_are_compared() {
    let scratch = pair();
    let ran = diff(&scratch, &[]).exits(1);
    assert_eq!(ran.err, "");
    shows(
        &ran,
        &[
            "breaking  deployed clients",
            "GET /pets query `limit`: is now required",
            "pets.yaml:11:11 → new.yaml:11:36 [parameter-became-required]\n",
            "fine ",
            "Error.hint",
            "next version: document major; crates: models major",
        ],
    );
    let severity =
        |line: &str| ["breaking ", "risky ", "fine "].iter().position(|word| line.starts_with(word));
    let severities: Vec<usize> = ran.out.lines().filter_map(severity).collect();
    assert!(severities.is_sorted(), "the most severe are first: {}", ran.out);
    let ran = scratch.run(&["diff", "pets.yaml", "pets.yaml"]).exits(0);
    assert_eq!(ran.out, "no changes for users\n");
    scratch.run(&["diff", "pets.yaml"]).exits(2).reports("`openapi-crates diff --against main pets.yaml`");
    scratch
        .run(&["diff", "--against", "v1"])
        .exits(2)
        .reports("`openapi-crates diff --against v1 spec/api.yaml`");
    scratch
        .run(&["diff", "--against", "main", "pets.yaml", "new.yaml"])
        .exits(2)
        .reports("pass one document");
}

/// Both sides have their own files, overlays and settings.
#[test]
fn a_revision_has_its_own_files() {
    let scratch = Scratch::new();
    let document = PETS
        .replacen("'#/components/schemas/Kind'", "'../shared/./kinds.yaml#/Kind'", 1)
        .replacen("    Kind: {type: string, enum: [cat, dog]}\n", "", 1);
    scratch.put("api/pets.yaml", &document);
    scratch.put("shared/kinds.yaml", "Kind: {type: string, enum: [cat, dog]}\n");
    let overlay = "overlay: 1.1.0\ninfo: {title: Fix, version: '1'}\nactions:\n\
                   - {target: \"$.paths['/pets'].get.parameters[0].schema\", update: {maximum: 50}}\n";
    scratch.put("api/fix.yaml", overlay);
    scratch.put("api/openapi-crates.toml", "overlays = [\"fix.yaml\"]\n\n[rename]\nStore = \"Shop\"\n");
    scratch.init();
    scratch.git(&["tag", "v1"]);
    let same = scratch.run(&["diff", "--against", "HEAD", "api/pets.yaml"]).exits(0);
    assert_eq!((same.out.as_str(), same.err.as_str()), ("no changes for users\n", ""));

    scratch.put("shared/kinds.yaml", "Kind: {type: string, enum: [cat]}\n");
    scratch.put("api/fix.yaml", &overlay.replace("maximum: 50", "maximum: 20"));
    scratch.put("api/openapi-crates.toml", "overlays = [\"fix.yaml\"]\n");
    let ran = scratch.run(&["diff", "--against", "v1", "api/pets.yaml"]).exits(1);
    shows(
        &ran,
        &["`dog`", " v1:shared/kinds.yaml:1:", " → shared/kinds.yaml:1:", "maximum 50 → 20", "Shop", "Store"],
    );
    // Programs look the files up.
    let json = scratch.run(&["diff", "--against", "v1", "api/pets.yaml", "--format", "json"]).exits(1);
    assert!(!json.out.contains("v1:"), "{}", json.out);
    let absolute = scratch.path("api/pets.yaml").display().to_string();
    let from_root = scratch.run(&["diff", "--against", "v1", &absolute]).exits(1);
    assert_eq!(from_root.out.lines().count(), ran.out.lines().count(), "{from_root:?}");
    // Both sides of a revision, relative to the root, are read without the working tree.
    scratch.commit("change");
    scratch.git(&["rm", "--quiet", "-r", "api", "shared"]);
    let both = scratch.run(&["diff", "v1:api/pets.yaml", "HEAD:./api/pets.yaml"]).exits(1);
    assert_eq!(both.out.lines().count(), ran.out.lines().count(), "{both:?}");
    let outline = scratch.run(&["outline", "v1:api/pets.yaml"]).exits(0);
    shows(&outline, &["Shop", "maximum 50"]);
    // An overlay and settings of arguments replace those of the revision.
    scratch.put("own.toml", "[rename]\nStore = \"Depot\"\n");
    scratch.put(
        "none.yaml",
        "overlay: 1.1.0\ninfo: {title: None, version: '1'}\nactions: [{target: $.info, update: {}}]\n",
    );
    let arguments = ["--config", "own.toml", "--old-overlay", "none.yaml", "--new-overlay", "none.yaml"];
    let ran = scratch.run(&[&["diff", "v1:api/pets.yaml", "HEAD:api/pets.yaml"][..], &arguments].concat());
    assert!(!ran.out.contains("Shop") && !ran.out.contains("maximum"), "{ran:?}");
    shows(&ran.exits(1), &["`dog`"]);
}

#[test]
fn every_form_of_the_report() {
    let scratch = pair();
    let markdown = diff(&scratch, &["--format", "markdown"]).exits(1);
    shows(
        &markdown,
        &[
            "**",
            " breaking, ",
            "\n### Breaking\n\n| whom | change | operations | where | rule |\n|---|---|---|---|---|\n",
            "| deployed clients | GET /pets query `limit`: is now required |  | `new.yaml:11:36` | \
             `parameter-became-required` |\n",
            "<details><summary>Fine (",
        ],
    );
    assert_eq!(markdown.out.matches("<details>").count(), markdown.out.matches("</details>").count());

    let json = diff(&scratch, &["--format", "json"]).exits(1).out;
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    let changes = json["changes"].as_array().expect("there are changes");
    let first = &changes[0];
    assert_eq!(json["next-version"]["document"], "major");
    assert!(first["verdicts"]["clients"].is_string() && first["fingerprint"].is_string(), "{first}");
    assert!(changes.iter().any(|change| change["rule"] == "parameter-became-required"
        && change["new"]["file"] == "new.yaml"
        && change["new"]["line"] == 11));

    let sarif = diff(&scratch, &["--format", "sarif"]).exits(1).out;
    let sarif: Value = serde_json::from_str(&sarif).expect("it is JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(run["tool"]["driver"]["name"], "openapi-crates");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("there are rules");
    let results = run["results"].as_array().expect("there are results");
    assert_eq!(results.len(), changes.len());
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a text")));
        assert!(result["message"]["text"].is_string(), "{result}");
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["artifactLocation"]["uri"].is_string(), "{result}");
        assert!(location["region"]["startLine"].as_u64().is_some_and(|line| line > 0), "{result}");
    }
    // The line of the old document is beside that of the new one.
    let required = results.iter().find(|result| result["ruleId"] == "parameter-became-required");
    let related = &required.expect("it is reported")["relatedLocations"][0];
    assert_eq!(related["message"]["text"], "in the old document");
    assert_eq!(related["physicalLocation"]["artifactLocation"]["uri"], "pets.yaml");
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 11);

    let github = diff(&scratch, &["--format", "github"]).exits(1);
    shows(
        &github,
        &[
            "::error file=new.yaml,line=11,col=36,title=parameter-became-required::GET /pets query `limit`: is now required\n",
            "::notice title=openapi-crates diff::",
        ],
    );
    assert!(github.out.lines().all(|line| line.starts_with("::")), "{github:?}");
    // What was removed has no line in the new document.
    let gone = scratch.run(&["diff", "new.yaml", "pets.yaml", "--format", "github", "--fail-on", "risky"]);
    assert!(!gone.out.contains("file=new.yaml,line="), "{gone:?}");
    diff(&scratch, &["--format", "xml"]).exits(2).reports("markdown");
}

/// Code scanning refuses a file in which one result has no location, or a location that is no URI.
#[test]
fn every_result_of_sarif_has_a_location() {
    let scratch = Scratch::new();
    scratch.put("new: 100% ä.yaml", &changed());
    scratch.put("sub/pets.yaml", PETS);
    scratch.put("sub/openapi-crates.toml", "name = \"pets\"\n");
    scratch.put("openapi-crates.toml", "name = \"animals\"\n");
    let uris = |arguments: &[&str]| -> BTreeSet<String> {
        let ran = scratch.run(&[&["diff", "--format", "sarif"], arguments].concat()).exits(1);
        let sarif: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        let results = sarif["runs"][0]["results"].as_array().expect("there are results");
        let uri = |result: &Value| {
            let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            uri.as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
        };
        results.iter().map(uri).collect()
    };
    let name = "new%3A%20100%25%20%C3%A4.yaml";
    assert_eq!(uris(&["sub/pets.yaml", "new: 100% ä.yaml"]), BTreeSet::from([name.to_owned()]));
    let absolute = scratch.path("new: 100% ä.yaml").display().to_string();
    let found = uris(&["sub/pets.yaml", &absolute]);
    assert!(found.iter().any(|uri| uri.starts_with("file:///") && uri.ends_with(name)), "{found:?}");
    // The name of a crate is a change of the document as a whole.
    assert_eq!(uris(&["sub/pets.yaml", "pets.yaml"]), BTreeSet::from(["pets.yaml".to_owned()]));
}

#[test]
fn the_verdict_and_the_audience_decide_what_fails() {
    let scratch = Scratch::new();
    scratch.put("new.yaml", &PETS.replacen("minLength: 1}", "minLength: 2}", 1));
    let breaking = diff(&scratch, &[]).exits(1);
    shows(&breaking, &["breaking  "]);
    diff(&scratch, &["--fail-on", "never"]).exits(0);
    let ran = diff(&scratch, &["--audience", "client-users,implementors"]).exits(0);
    assert!(!ran.out.contains("breaking  "), "{ran:?}");
    diff(&scratch, &["--audience", "clients"]).exits(1);
    diff(&scratch, &["--audience", "everybody"]).exits(2).reports("client-users");
    // A new property of a request needs a look.
    scratch.put(
        "new.yaml",
        &PETS.replacen(
            "      properties:\n        name:",
            "      properties:\n        age: {type: integer}\n        name:",
            1,
        ),
    );
    let risky = diff(&scratch, &[]).exits(0);
    shows(&risky, &["risky  "]);
    diff(&scratch, &["--fail-on", "risky"]).exits(1);
}

#[test]
fn a_report_for_some_audiences_says_what_it_leaves_out() {
    let scratch = pair();
    let all = diff(&scratch, &[]).exits(1);
    let rust = all.out.lines().filter(|line| line.contains("[rust-")).count();
    assert!(rust > 0 && !all.out.contains("not assessed"), "{all:?}");

    // A change of Rust items is not fine for clients in use: it does not concern them.
    let clients = diff(&scratch, &["--audience", "clients"]).exits(1);
    shows(&clients, &["Error.hint", "; not assessed: servers, client-users, implementors ("]);
    shows(&clients, &[" more changes)\nnext version: document major\n"]);
    assert!(!clients.out.contains("rust-") && !clients.out.contains("crates:"), "{clients:?}");
    let users = diff(&scratch, &["--audience", "client-users"]).exits(1);
    shows(&users, &["next version: crates: models major, validation major, client major\n"]);
    assert!(!users.out.contains("parameter-became-required"), "{users:?}");

    let report = |format: &str| diff(&scratch, &["--audience", "clients", "--format", format]).exits(1).out;
    let json: Value = serde_json::from_str(&report("json")).expect("it is JSON");
    let changes = json["changes"].as_array().expect("there are changes");
    let audiences = |change: &Value| change["verdicts"].as_object().map(|it| it.keys().cloned().collect());
    assert!(changes.iter().all(|change| audiences(change) == Some(vec!["clients".to_owned()])), "{json}");
    assert_eq!(json["next-version"]["document"], "major");
    assert!(json["next-version"]["crates"]["client"].is_null(), "{json}");
    let left_out = &json["not-assessed"];
    assert_eq!(left_out["audiences"], serde_json::json!(["servers", "client-users", "implementors"]));
    assert!(left_out["changes"].as_u64().is_some_and(|count| count > 0), "{json}");
    for format in ["markdown", "github", "sarif"] {
        let text = report(format);
        assert!(!text.contains("rust-"), "{text}");
        assert!(format == "sarif" || text.contains("not assessed: servers"), "{text}");
    }
    // An accepted change of another audience is still there.
    diff(&scratch, &["--accept", "agreed"]).exits(0);
    let clients = diff(&scratch, &["--audience", "clients"]).exits(0);
    assert_eq!(clients.err, "");
}

#[test]
fn accepted_changes_pass() {
    let scratch = pair();
    let accepted = "openapi-accepted.toml";
    let ran = diff(&scratch, &["--accept", "no client | uses it", "--until", "2999-12-31"]).exits(0);
    ran.reports("openapi-accepted.toml: ").reports(" added");
    let ran = diff(&scratch, &[]).exits(0);
    assert_eq!(ran.err, "");
    shows(
        &ran,
        &["[parameter-became-required] accepted: no client | uses it\n", " 0 breaking, ", " accepted\n"],
    );
    let markdown = diff(&scratch, &["--format", "markdown"]).exits(0);
    shows(&markdown, &["<details><summary>Accepted (", "(accepted: no client \\| uses it)"]);
    let sarif = diff(&scratch, &["--format", "sarif"]).exits(0);
    shows(&sarif, &["\"justification\": \"no client | uses it\""]);
    assert!(!diff(&scratch, &["--format", "github"]).exits(0).out.contains("::error"));

    // A change of the values is another change.
    let other = changed().replacen("enum: [cat]", "enum: [dog]", 1);
    scratch.put("other.yaml", &other);
    let ran = scratch.run(&["diff", "pets.yaml", "other.yaml"]).exits(1);
    ran.reports("no longer exists; delete the entry");

    // A day that has passed, and a date that TOML has of its own.
    let text = scratch.read(accepted);
    assert!(text.contains("until = \"2999-12-31\""), "{text}");
    scratch.put(accepted, &text.replace("\"2999-12-31\"", "2999-12-31"));
    diff(&scratch, &[]).exits(0);
    scratch.put(accepted, &text.replace("2999-12-31", "2001-01-31"));
    diff(&scratch, &[]).exits(1).reports("was accepted until 2001-01-31");
    // Its entries are replaced.
    diff(&scratch, &["--accept", "again"]).exits(0);
    let text = scratch.read(accepted);
    assert!(!text.contains("2001-01-31") && text.contains("reason = \"again\""), "{text}");
    diff(&scratch, &["--accept", "again"])
        .exits(0)
        .omits(" added\n")
        .reports("warning: openapi-accepted.toml: nothing to accept, because no change fails with `--fail-on breaking`");

    diff(&scratch, &["--accept", "late", "--until", "2001-01-31"]).exits(2).reports("it has passed");
    diff(&scratch, &["--until", "2999-12-31"]).exits(2).reports("--accept");
    diff(&scratch, &["--accepted", "gone.toml"]).exits(2).reports("cannot read `gone.toml`");
    diff(&scratch, &["--accepted", "own.toml", "--accept", "new"]).exits(0);
    assert!(scratch.read("own.toml").contains("reason = \"new\""));
    let never = ["--accepted", "none.toml", "--accept", "new", "--fail-on", "never"];
    diff(&scratch, &never).exits(0).reports("no change fails with `--fail-on never`");
    // An entry would accept the change for the other audiences as well, which this report does not show.
    diff(&scratch, &["--accept", "new", "--audience", "clients"]).exits(2).reports("--audience");
    scratch.put("own.toml", "[[accepted]]\nfingerprint = \"0\"\nchange = \"a\"\nreson = \"b\"\n");
    let ran = diff(&scratch, &["--accepted", "own.toml"]).exits(2);
    ran.reports("own.toml:4:1: unknown field `reson`").reports("did you mean `reason`?");
}

#[test]
fn documents_that_can_not_be_read() {
    let scratch = pair();
    scratch.put("bad.yaml", "openapi: 3.0.3\ninfo: [\n");
    let ran = scratch.run(&["diff", "pets.yaml", "bad.yaml"]).exits(1);
    assert_eq!(ran.out, "");
    ran.reports("bad.yaml:").reports("nothing was compared").omits("pets.yaml");
    scratch
        .run(&["diff", "bad.yaml", "pets.yaml"])
        .exits(1)
        .reports("bad.yaml: 1 error; nothing was compared");
    scratch.run(&["diff", "pets.yaml", "gone.yaml"]).exits(2).reports("cannot read `gone.yaml`");

    let unknown = ["diff", "--against", "nowhere", "pets.yaml"];
    scratch.run(&unknown).exits(2).reports("not a git repository");
    scratch.init();
    scratch.run(&unknown).exits(2).reports(
        "this repository has no revision `nowhere`; if it is on the remote, fetch it: git fetch --depth 1 origin nowhere",
    );
    scratch.run(&["diff", "nowhere:pets.yaml", "pets.yaml"]).exits(2).reports("no revision `nowhere`");
    scratch.put("later.yaml", PETS);
    let ran = scratch.run(&["diff", "--against", "main", "later.yaml"]).exits(2);
    ran.reports("cannot read `main:later.yaml`");
    // A revision is never an option of git.
    scratch.run(&["diff", "--against=--help", "pets.yaml"]).exits(2).reports("no revision `--help`");
}

/// An operation that one document does not have is not a mistake in the settings.
#[test]
fn settings_may_name_what_one_document_has() {
    let scratch = Scratch::new();
    scratch.put("new.yaml", &PETS.replacen("createPet", "addPet", 1));
    scratch.put("openapi-crates.toml", "only = [\"listPets\", \"addPet\"]\n");
    let ran = diff(&scratch, &[]).exits(0);
    assert_eq!(ran.err, "");
    shows(&ran, &["POST /pets"]);
    scratch.put("openapi-crates.toml", "only = [\"listPets\", \"createPet\"]\n");
    let ran = diff(&scratch, &[]).exits(1);
    ran.reports("warning: openapi-crates.toml:1:21: unknown operation or tag `createPet` in `only`");
}
