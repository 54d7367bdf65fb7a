//! The extensions that the generator reads.

/// The extensions that the generator reads. It ignores all others.
pub(in crate::lower) const EXTENSIONS: &[&str] = &[
    "x-body-limit",
    "x-closed-query",
    "x-discriminator-value",
    "x-enum-descriptions",
    "x-enum-varnames",
    "x-enumNames",
    "x-family",
    "x-fern-idempotency-headers",
    "x-fern-idempotent",
    "x-fern-pagination",
    "x-lint-allow",
    "x-media",
    "x-ms-long-running-operation",
    "x-ms-long-running-operation-options",
    "x-ms-pageable",
    "x-nullable",
    "x-pagination",
    "x-permanent",
    "x-reason",
    "x-rejections",
    "x-requires",
    "x-rules",
    "x-speakeasy-pagination",
    "x-task",
    "x-unchecked",
];

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::EXTENSIONS;

    #[test]
    fn the_page_has_the_extensions() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/extensions.md");
        let page = fs::read_to_string(page).unwrap();
        for name in EXTENSIONS {
            assert!(page.contains(name), "{name} is not documented");
        }
        let cells = page.lines().filter_map(|line| line.strip_prefix("| `x-")?.split(" | ").next());
        let texts = cells.flat_map(|cell| cell.split("`, `x-"));
        let names = texts
            .filter_map(|text| text.split(['`', ':']).next())
            .filter(|name| !name.starts_with("ms-pageable"));
        for name in names {
            assert!(EXTENSIONS.contains(&format!("x-{name}").as_str()), "x-{name} is not in the list");
        }
    }
}
