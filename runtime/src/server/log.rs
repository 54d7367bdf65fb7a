//! Logs internal errors, which the caller of an API must not see.

use std::{error::Error, fmt};

use crate::table::Operation;

/// Logs an error of an operation: as an event with the feature `tracing`, otherwise as a line on stderr.
pub(super) fn internal(operation: Option<&'static Operation>, error: &(dyn Error + 'static)) {
    let error = Chain(error);
    let (method, path) = operation.map_or(("", ""), |operation| (operation.method, operation.path));
    #[cfg(feature = "tracing")]
    tracing::error!(http.request.method = method, http.route = path, "internal error: {error}");
    #[cfg(not(feature = "tracing"))]
    {
        use std::io::Write;

        // If stderr is closed, the error can't be reported.
        _ = writeln!(std::io::stderr().lock(), "error: {method} {path}: internal error: {error}");
    }
}

/// An error with its causes, in one line.
struct Chain<'e>(&'e (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut next = Some(self.0);
        let mut separator = "";
        while let Some(error) = next {
            let text = format!("{separator}{error}");
            formatter.write_str(&text.replace('\n', " "))?;
            (separator, next) = (": ", error.source());
        }
        Ok(())
    }
}
