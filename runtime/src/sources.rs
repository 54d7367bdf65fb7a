//! The sources of this crate, for the command line of `openapi-crates`: it writes a copy next to generated crates.
//!
//! The command line depends on this crate for them, so its own package needs no copy of the runtime.

macro_rules! files {
    ($($path:literal)+) => {
        &[$(($path, include_str!(concat!("../", $path)))),+]
    };
}

/// The files without those that only tests use. A test compares the list with the declared modules.
const FILES: &[(&str, &str)] = files! {
    "Cargo.toml"
    "LICENSE-APACHE"
    "LICENSE-MIT"
    "rustfmt.toml"
    "src/client/blocking.rs"
    "src/client/budget.rs"
    "src/client/builder.rs"
    "src/client/call.rs"
    "src/client/connection.rs"
    "src/client/credential.rs"
    "src/client/dynamic.rs"
    "src/client/error/build.rs"
    "src/client/error/excerpt.rs"
    "src/client/error/kind.rs"
    "src/client/error/message.rs"
    "src/client/error/missing.rs"
    "src/client/error/mod.rs"
    "src/client/error/paging.rs"
    "src/client/error/problem.rs"
    "src/client/error/responses.rs"
    "src/client/exchange.rs"
    "src/client/follow.rs"
    "src/client/hooks.rs"
    "src/client/idempotency.rs"
    "src/client/incoming.rs"
    "src/client/mock/body.rs"
    "src/client/mock/exchange.rs"
    "src/client/mock/mod.rs"
    "src/client/mock/record.rs"
    "src/client/mock/replay.rs"
    "src/client/mock/reply.rs"
    "src/client/mock/script.rs"
    "src/client/mod.rs"
    "src/client/oauth2.rs"
    "src/client/pages/ahead.rs"
    "src/client/pages/cursor.rs"
    "src/client/pages/link.rs"
    "src/client/pages/mod.rs"
    "src/client/pending.rs"
    "src/client/platform/mod.rs"
    "src/client/platform/native.rs"
    "src/client/platform/wasm.rs"
    "src/client/probe.rs"
    "src/client/query.rs"
    "src/client/redirect.rs"
    "src/client/reply/mod.rs"
    "src/client/reply/reader.rs"
    "src/client/response.rs"
    "src/client/retry.rs"
    "src/client/secrets.rs"
    "src/client/token.rs"
    "src/client/trace.rs"
    "src/client/transfer/digest.rs"
    "src/client/transfer/error.rs"
    "src/client/transfer/head.rs"
    "src/client/transfer/mod.rs"
    "src/client/transfer/partial.rs"
    "src/client/transfer/read.rs"
    "src/client/transfer/run.rs"
    "src/client/transport/error.rs"
    "src/client/transport/http_client.rs"
    "src/client/transport/mod.rs"
    "src/client/transport/service.rs"
    "src/client/url.rs"
    "src/client/wait/delay.rs"
    "src/client/wait/error.rs"
    "src/client/wait/events.rs"
    "src/client/wait/mod.rs"
    "src/client/wait/monitor.rs"
    "src/client/wait/poll.rs"
    "src/client/wait/task.rs"
    "src/client/wait/updates.rs"
    "src/client/wrap.rs"
    "src/codec/bridge.rs"
    "src/codec/byte_stream.rs"
    "src/codec/candidates.rs"
    "src/codec/decode_error.rs"
    "src/codec/file.rs"
    "src/codec/finite.rs"
    "src/codec/format.rs"
    "src/codec/items.rs"
    "src/codec/joined.rs"
    "src/codec/json_lexer.rs"
    "src/codec/json_reader.rs"
    "src/codec/json_writer.rs"
    "src/codec/kinds.rs"
    "src/codec/macros.rs"
    "src/codec/mod.rs"
    "src/codec/number.rs"
    "src/codec/object.rs"
    "src/codec/one_of.rs"
    "src/codec/read.rs"
    "src/codec/scalars.rs"
    "src/codec/shape.rs"
    "src/codec/slot.rs"
    "src/codec/stream_error.rs"
    "src/codec/tagged.rs"
    "src/codec/text.rs"
    "src/codec/tuples.rs"
    "src/codec/value_reader.rs"
    "src/codec/value_writer.rs"
    "src/codec/view.rs"
    "src/codec/write.rs"
    "src/formats/email.rs"
    "src/formats/host.rs"
    "src/formats/idn.rs"
    "src/formats/mod.rs"
    "src/formats/pointer.rs"
    "src/formats/regex.rs"
    "src/formats/template.rs"
    "src/formats/time.rs"
    "src/formats/uri.rs"
    "src/lib.rs"
    "src/parameters/media.rs"
    "src/parameters/mod.rs"
    "src/parameters/read/body.rs"
    "src/parameters/read/deep.rs"
    "src/parameters/read/form.rs"
    "src/parameters/read/layout.rs"
    "src/parameters/read/located.rs"
    "src/parameters/read/mod.rs"
    "src/parameters/read/multipart.rs"
    "src/parameters/read/pairs.rs"
    "src/parameters/read/part.rs"
    "src/parameters/read/parts.rs"
    "src/parameters/read/shape.rs"
    "src/parameters/read/split.rs"
    "src/parameters/read/styled.rs"
    "src/parameters/write/encode.rs"
    "src/parameters/write/escapes.rs"
    "src/parameters/write/mod.rs"
    "src/parameters/write/multipart.rs"
    "src/parameters/write/style.rs"
    "src/parameters/write/visit.rs"
    "src/samples/heights.rs"
    "src/samples/keywords.rs"
    "src/samples/make.rs"
    "src/samples/mod.rs"
    "src/samples/mutate.rs"
    "src/samples/number.rs"
    "src/samples/object.rs"
    "src/samples/pattern.rs"
    "src/samples/random.rs"
    "src/samples/simpler.rs"
    "src/samples/sites.rs"
    "src/samples/text.rs"
    "src/server/authenticate.rs"
    "src/server/body.rs"
    "src/server/builder.rs"
    "src/server/context.rs"
    "src/server/credentials.rs"
    "src/server/decode/mod.rs"
    "src/server/decode/refuse.rs"
    "src/server/failure.rs"
    "src/server/handler.rs"
    "src/server/log.rs"
    "src/server/mod.rs"
    "src/server/receive.rs"
    "src/server/rejection.rs"
    "src/server/reply/mod.rs"
    "src/server/respond.rs"
    "src/server/routing/captures.rs"
    "src/server/routing/literals.rs"
    "src/server/routing/mod.rs"
    "src/server/service.rs"
    "src/server/style.rs"
    "src/server/template.rs"
    "src/stream/delimited.rs"
    "src/stream/event.rs"
    "src/stream/event_parser.rs"
    "src/stream/event_text.rs"
    "src/stream/framing.rs"
    "src/stream/items.rs"
    "src/stream/mod.rs"
    "src/stream/parts.rs"
    "src/stream/read.rs"
    "src/table/json_schema.rs"
    "src/table/mod.rs"
    "src/table/operation.rs"
    "src/table/pattern.rs"
    "src/table/rows/json_schema.rs"
    "src/table/rows/mod.rs"
    "src/table/rows/operation.rs"
    "src/table/rows/schema.rs"
    "src/table/rows/xml.rs"
    "src/table/schema.rs"
    "src/table/security.rs"
    "src/table/xml.rs"
    "src/tags.rs"
    "src/text/mod.rs"
    "src/text/raw.rs"
    "src/text/read_mode.rs"
    "src/text/source.rs"
    "src/types/base64.rs"
    "src/types/date.rs"
    "src/types/media.rs"
    "src/types/mod.rs"
    "src/types/nullable.rs"
    "src/types/parsed.rs"
    "src/types/timestamp.rs"
    "src/validation/array.rs"
    "src/validation/check.rs"
    "src/validation/cross.rs"
    "src/validation/input.rs"
    "src/validation/items.rs"
    "src/validation/json_schema/array.rs"
    "src/validation/json_schema/branches.rs"
    "src/validation/json_schema/budget.rs"
    "src/validation/json_schema/conditions.rs"
    "src/validation/json_schema/evaluated.rs"
    "src/validation/json_schema/evaluator.rs"
    "src/validation/json_schema/mod.rs"
    "src/validation/json_schema/object.rs"
    "src/validation/json_schema/report.rs"
    "src/validation/json_schema/scalar.rs"
    "src/validation/json_schema/subject.rs"
    "src/validation/kind.rs"
    "src/validation/leaf.rs"
    "src/validation/literal.rs"
    "src/validation/mod.rs"
    "src/validation/names.rs"
    "src/validation/number.rs"
    "src/validation/object.rs"
    "src/validation/position.rs"
    "src/validation/probe.rs"
    "src/validation/record.rs"
    "src/validation/resolve.rs"
    "src/validation/scalar.rs"
    "src/validation/union.rs"
    "src/validation/unique.rs"
    "src/validation/violation.rs"
    "src/validation/walk.rs"
    "src/validation/words.rs"
    "src/webhooks/delivery.rs"
    "src/webhooks/mod.rs"
    "src/webhooks/receiver.rs"
    "src/webhooks/secret.rs"
    "src/webhooks/seen.rs"
    "src/webhooks/verify.rs"
    "src/xml/form.rs"
    "src/xml/mod.rs"
    "src/xml/name.rs"
    "src/xml/parse.rs"
    "src/xml/read/mod.rs"
    "src/xml/read/object.rs"
    "src/xml/read/source.rs"
    "src/xml/tree.rs"
    "src/xml/write.rs"
};

/// Returns the files as path and text, sorted by path and without tests.
pub fn files() -> impl Iterator<Item = (&'static str, String)> {
    FILES.iter().map(|(path, text)| match path.ends_with(".rs") {
        true => (*path, without_tests(text)),
        false => (*path, (*text).to_owned()),
    })
}

/// Removes the top-level modules with the attribute [`TESTS`] or [`SOURCES`].
///
/// Expects the formatting of rustfmt.
fn without_tests(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_module = |line: &str| {
            line.starts_with("mod ") || line.starts_with("#[path") || line.starts_with("pub(crate) mod ")
        };
        if line.is_empty() && kept.last().is_some_and(|last| last.is_empty()) {
            continue;
        }
        let is_left_out = line == SOURCES || line == TESTS && lines.peek().copied().is_some_and(is_module);
        if !is_left_out {
            kept.push(line);
            continue;
        }
        for line in lines.by_ref() {
            if line == "}" || line.ends_with(';') && line.contains("mod ") {
                break;
            }
        }
    }
    kept.join("\n").trim_end().to_owned() + "\n"
}

/// The attribute of modules that only tests use.
const TESTS: &str = "#[cfg(test)]";
/// The attribute of this module.
const SOURCES: &str = "#[cfg(feature = \"sources\")]";

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use super::*;

    /// Adds the file of a module and the files of its submodules, which are in `folder`.
    fn add_module(root: &Path, file: &str, folder: &str, files: &mut Vec<String>) {
        let text = without_tests(&fs::read_to_string(root.join(file)).unwrap());
        for name in text.lines().filter_map(declared_module) {
            let (flat, nested) = (format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs"));
            let file = if root.join(&flat).exists() { flat } else { nested };
            add_module(root, &file, &format!("{folder}/{name}"), files);
        }
        files.push(file.to_owned());
    }

    /// Returns the name in `mod name;`, with any visibility.
    fn declared_module(line: &str) -> Option<&str> {
        let declaration = line.trim_start().strip_suffix(';')?;
        let name = declaration
            .strip_prefix("mod ")
            .or_else(|| declaration.split_once(" mod ").map(|parts| parts.1))?;
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (declaration.starts_with("mod ") || declaration.starts_with("pub"))
            .then_some(name)
            .filter(|name| is_name(name))
    }

    #[test]
    fn every_file_is_listed() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut expected =
            ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "rustfmt.toml"].map(str::to_owned).to_vec();
        add_module(&root, "src/lib.rs", "src", &mut expected);
        expected.sort();
        let listed: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        assert_eq!(listed, expected, "the list in src/sources.rs is out of date");
    }

    #[test]
    fn nothing_for_tests_is_left() {
        for (path, text) in files() {
            assert!(!text.contains("\nmod tests") && !text.contains(SOURCES), "{path}");
        }
    }

    #[test]
    fn files_of_the_project_are_the_same() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        for name in ["LICENSE-APACHE", "LICENSE-MIT", "rustfmt.toml"] {
            let [own, other] =
                [root.join(name), root.join("..").join(name)].map(|path| fs::read(path).unwrap());
            assert!(own == other, "runtime/{name} differs from {name}");
        }
    }
}
