//! What cargo tells of a run, as JSON, one message a line; only what is looked at here.

use serde::Deserialize;

/// A message.
#[derive(Debug, Deserialize)]
#[serde(tag = "reason")]
pub enum Message {
    /// The compiler said something.
    #[serde(rename = "compiler-message")]
    Said {
        /// Of which package: the path of its manifest.
        manifest_path: String,
        /// What.
        message: Diagnostic,
    },
    /// A package was built.
    #[serde(rename = "compiler-artifact")]
    Built {
        /// Which: the path of its manifest.
        manifest_path: String,
    },
    /// Everything that could be built was.
    #[serde(rename = "build-finished")]
    Finished,
    /// Something else.
    #[serde(other)]
    Other,
}

/// What the compiler said.
#[derive(Debug, Deserialize)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// `warning`, `error`, `error: internal compiler error`, `failure-note` …
    pub level: String,
    /// The lint or error code.
    pub code: Option<Code>,
    /// Where.
    pub spans: Vec<Span>,
}

/// A lint or error code.
#[derive(Debug, Deserialize)]
pub struct Code {
    /// `E0308`, `dead_code` …
    pub code: String,
}

/// A place.
#[derive(Debug, Deserialize)]
pub struct Span {
    /// The file.
    pub file_name: String,
    /// The line.
    pub line_start: usize,
    /// Whether this is the place, and not one that has to do with it.
    pub is_primary: bool,
}

impl Message {
    /// The message on a line of cargo's output; nothing if it is none.
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

impl Diagnostic {
    /// Whether it says no more than how many others there were.
    pub fn is_summary(&self) -> bool {
        self.spans.is_empty() && self.code.is_none()
    }

    /// On one line, with its place.
    pub fn told(&self) -> String {
        let code = self.code.as_ref().map_or(String::new(), |code| format!("[{}] ", code.code));
        let span = self.spans.iter().find(|span| span.is_primary);
        let place = span.map_or(String::new(), |span| format!(" ({}:{})", span.file_name, span.line_start));
        format!("{code}{}{place}", self.message.lines().next().unwrap_or_default())
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
        assert_eq!(message.told(), "[unused_imports] unused import: `x` (src/lib.rs:3)");
        assert!(!message.is_summary());
        let finished = r#"{"reason":"build-finished","success":true}"#;
        assert!(matches!(Message::parse(finished), Some(Message::Finished)));
        let script = r#"{"reason":"build-script-executed","out_dir":""}"#;
        assert!(matches!(Message::parse(script), Some(Message::Other)));
        assert!(Message::parse("words").is_none());
    }
}
