//! The generated files whose full text is a snapshot.

/// A fixture and a file of its crates. Together the files show each kind of item that the generator emits.
/// `tests/README.md` lists what each shows.
pub const TEXTS: [(&str, &str); 26] = [
    ("callbacks", "client/src/receiver.rs"),
    ("constants", "models/src/events.rs"),
    ("constraints", "validation/src/common.rs"),
    ("cross-field-rules", "validation/rules.json"),
    ("cross-field-rules", "validation/src/common.rs"),
    ("docs", "client/src/docs.rs"),
    ("docs", "client/src/lib.rs"),
    ("docs", "models/src/common.rs"),
    ("enums", "models/src/common.rs"),
    ("enums", "models/src/jobs.rs"),
    ("event-streams", "models/src/chat.rs"),
    ("families", "client/Cargo.toml"),
    ("json-schema", "validation/rules.json"),
    ("json-schema", "validation/src/common.rs"),
    ("multipart", "validation/src/uploads.rs"),
    ("names-of-properties", "models/src/common.rs"),
    ("objects", "models/src/common.rs"),
    ("rejections", "server/src/builder.rs"),
    ("response-headers", "models/src/pages.rs"),
    ("security", "client/src/security.rs"),
    ("security", "server/src/doors.rs"),
    ("security", "validation/src/security.rs"),
    ("shared-errors", "validation/src/responses.rs"),
    ("tasks", "client/src/jobs.rs"),
    ("unions-by-shape", "models/src/shapes.rs"),
    ("unions-with-discriminator", "models/src/common.rs"),
];
