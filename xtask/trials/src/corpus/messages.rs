//! The parts of cargo's JSON messages that are used here.
//!
//! Cargo prints one message per line.

use serde::Deserialize;

/// A message from cargo.
#[derive(Debug, Deserialize)]
#[serde(tag = "reason")]
pub enum Message {
    /// A diagnostic from the compiler.
    #[serde(rename = "compiler-message")]
    Said {
        /// The manifest of the package.
        manifest_path: String,
        /// The diagnostic.
        message: Diagnostic,
    },
    /// A package was built.
    #[serde(rename = "compiler-artifact")]
    Built {
        /// The manifest of the package.
        manifest_path: String,
    },
    /// The build has finished.
    #[serde(rename = "build-finished")]
    Finished,
    /// Another message.
    #[serde(other)]
    Other,
}

/// A diagnostic from the compiler.
#[derive(Debug, Deserialize)]
pub struct Diagnostic {
    /// The message.
    pub message: String,
    /// `warning`, `error`, `error: internal compiler error`, `failure-note` …
    pub level: String,
    /// The lint or error code.
    pub code: Option<Code>,
    /// The source locations.
    pub spans: Vec<Span>,
}

/// A lint or error code.
#[derive(Debug, Deserialize)]
pub struct Code {
    /// `E0308`, `dead_code` …
    pub code: String,
}

/// A source location.
#[derive(Debug, Deserialize)]
pub struct Span {
    /// The file.
    pub file_name: String,
    /// The line.
    pub line_start: usize,
    /// Whether this is the primary location, and not a related one.
    pub is_primary: bool,
}

impl Message {
    /// Parses a line of cargo's output. Returns `None` if it is not a message.
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

impl Diagnostic {
    /// Returns whether this is the summary of the other diagnostics.
    pub fn is_summary(&self) -> bool {
        self.spans.is_empty() && self.code.is_none()
    }

    /// Formats the diagnostic on one line, with its source location.
    pub fn reported(&self) -> String {
        let code = self.code.as_ref().map_or(String::new(), |code| format!("[{}] ", code.code));
        let span = self.spans.iter().find(|span| span.is_primary);
        let location =
            span.map_or(String::new(), |span| format!(" ({}:{})", span.file_name, span.line_start));
        format!("{code}{}{location}", self.message.lines().next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let line = r#"{"reason":"compiler-message","package_id":"x","manifest_path":"/a/Cargo.toml","message":
            {"message":"unused import: `x`","level":"warning","code":{"code":"unused_imports","explanation":null},
            "spans":[{"file_name":"src/lib.rs","line_start":3,"is_primary":true}]}}"#;
        let Some(Message::Said { message, .. }) = Message::parse(line) else { panic!("{line}") };
        assert_eq!(message.reported(), "[unused_imports] unused import: `x` (src/lib.rs:3)");
        assert!(!message.is_summary());
        let finished = r#"{"reason":"build-finished","success":true}"#;
        assert!(matches!(Message::parse(finished), Some(Message::Finished)));
        let script = r#"{"reason":"build-script-executed","out_dir":""}"#;
        assert!(matches!(Message::parse(script), Some(Message::Other)));
        assert!(Message::parse("words").is_none());
    }
}
