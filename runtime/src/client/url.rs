//! The URL of a request: that of the server, with the path and the query of the operation.

use std::{borrow::Cow, str::FromStr};

use reqwest::Url;

use super::{EncodeError, ErrorKind, connection::Settings};
use crate::{parameters::EncodedRequest, table::Operation, types::NoError};

/// Returns the URL of the request, or `None` if it is invalid.
pub(super) fn of_request(
    settings: &Settings,
    operation: &Operation,
    encoded: &EncodedRequest,
) -> Result<Option<Url>, ErrorKind<NoError>> {
    if changes_the_path(operation.path, &encoded.path) {
        return Err(ErrorKind::Encode(EncodeError::Path { path: operation.path }));
    }
    let base = base(settings, operation)?;
    Ok(base.and_then(|base| Url::parse(&format!("{base}{}", with_query(&encoded.path, &encoded.query))).ok()))
}

/// Returns the URL to which the path of an operation is appended, or `None` if the operation's own is not valid.
fn base<'a>(
    settings: &'a Settings,
    operation: &Operation,
) -> Result<Option<Cow<'a, str>>, ErrorKind<NoError>> {
    let (method, path) = (operation.method, operation.path);
    let none = || ErrorKind::Encode(EncodeError::NoServer { method, path });
    let Some(server) = operation.server.filter(|_| settings.operation_servers) else {
        return settings.base.as_deref().map(|base| Some(base.into())).ok_or_else(none);
    };
    if settings.base.is_none() && !server.contains("://") {
        return Err(none());
    }
    let url = join(settings.base.as_deref(), server).ok().filter(is_http);
    Ok(url.map(|url| url.as_str().trim_end_matches('/').to_owned().into()))
}

/// Returns a URL. A relative one is relative to that of the server, as to a folder.
pub(super) fn join(base: Option<&str>, text: &str) -> Result<Url, <Url as FromStr>::Err> {
    match base {
        Some(base) => Url::parse(&format!("{base}/"))?.join(text),
        None => Url::parse(text),
    }
}

/// Returns whether a client can send requests to a URL.
pub(super) fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Returns a path with a query. The path of a document may have a query of its own; its fragment is never sent.
fn with_query(path: &str, query: &str) -> String {
    let path = path.split('#').next().unwrap_or_default();
    match path.find('?') {
        _ if query.is_empty() => path.to_owned(),
        None => format!("{path}?{query}"),
        Some(_) if path.ends_with(['?', '&']) => format!("{path}{query}"),
        Some(_) => format!("{path}&{query}"),
    }
}

/// Returns whether parameters change the structure of the path.
///
/// URLs resolve `.` and `..` even if they are percent-encoded, so no encoding protects such a segment. A parameter with
/// a pattern, such as `{name=projects/*}`, must have the segments of the pattern.
fn changes_the_path(template: &str, path: &str) -> bool {
    let template = with_patterns(template);
    !fits(&segments(&template), &segments(path))
}

/// Returns the segments of a path. A query or a fragment ends the last one.
fn segments(path: &str) -> Vec<&str> {
    path.split(['?', '#']).next().unwrap_or_default().split('/').collect()
}

/// Returns whether the segments of a path are those of a template. `**` stands for one or more segments.
fn fits(template: &[&str], path: &[&str]) -> bool {
    let climbs = |segment: &&str| {
        let plain = segment.to_ascii_lowercase().replace("%2e", ".");
        matches!(plain.as_str(), "" | "." | "..")
    };
    let Some((first, rest)) = template.split_first() else { return path.is_empty() };
    if let Some((before, after)) = first.split_once("**") {
        return (1..=path.len()).any(|count| {
            let (own, others) = path.split_at(count);
            let text = own.join("/");
            let is_own = text.starts_with(before) && text.ends_with(after) && !own.iter().any(climbs);
            is_own && fits(rest, others)
        });
    }
    let Some((segment, others)) = path.split_first() else { return false };
    let is_own = first == segment || first.contains(['{', '*']) && !climbs(segment);
    is_own && fits(rest, others)
}

/// Returns a template with patterns in place of the parameters that have one.
fn with_patterns(template: &str) -> Cow<'_, str> {
    if !template.contains('=') {
        return template.into();
    }
    let (mut text, mut rest) = (String::with_capacity(template.len()), template);
    while let Some((literal, behind)) = rest.split_once('{') {
        let (parameter, behind) = behind.split_once('}').unwrap_or((behind, ""));
        text.push_str(literal);
        match parameter.split_once('=') {
            Some((_, pattern)) => text.push_str(pattern),
            None => text.push_str(&format!("{{{parameter}}}")),
        }
        rest = behind;
    }
    (text + rest).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_joins_that_of_the_path() {
        for (path, query, expected) in [
            ("/run", "", "/run"),
            ("/run", "a=1", "/run?a=1"),
            ("/run?action=start", "", "/run?action=start"),
            ("/run?action=start", "a=1", "/run?action=start&a=1"),
            ("/run?", "a=1", "/run?a=1"),
            ("/run?b&", "a=1", "/run?b&a=1"),
            ("/#Target=Run", "a=1", "/?a=1"),
            ("/run?b=1#c", "a=1", "/run?b=1&a=1"),
        ] {
            assert_eq!(with_query(path, query), expected, "{path} {query}");
        }
    }

    #[test]
    fn no_parameter_climbs_out_of_its_path() {
        let cases = [
            ("/v1/icons/{id}", "/v1/icons/7", false),
            ("/v1/icons/{id}", "/v1/icons/a%2Fb", false),
            ("/v1/icons/{id}", "/v1/icons/...", false),
            ("/v1/icons/{id}", "/v1/icons/..", true),
            ("/v1/icons/{id}", "/v1/icons/.", true),
            ("/v1/icons/{id}/x", "/v1/icons/%2E%2e/x", true),
            ("/v1/icons/{id}/x", "/v1/icons/.%2e/x", true),
            ("/v1/icons/{id}", "/v1/icons/", true),
            ("/v1/{model}-edit", "/v1/..-edit", false),
            ("/v1/icons/{id}?action=copy", "/v1/icons/7?action=copy", false),
            ("/v1/icons/{id}?action=copy", "/v1/icons/..?action=copy", true),
            ("/v1/icons/{id}#Copy", "/v1/icons/%2e%2E#Copy", true),
            ("/v1/icons?path={path}/..", "/v1/icons?path=../..", false),
            ("/", "/", false),
            ("/v1/icons/", "/v1/icons/", false),
            ("/v1/{name=projects/*/things/*}:cancel", "/v1/projects/a/things/b:cancel", false),
            ("/v1/{name=projects/*/things/*}:cancel", "/v1/projects/../things/b:cancel", true),
            ("/v1/{name=projects/*/things/*}:cancel", "/v1/projects/a:cancel", true),
            ("/v1/{name=projects/*/things/*}:cancel", "/v1/others/a/things/b:cancel", true),
            ("/v1/{name=files/**}", "/v1/files/a/b/c", false),
            ("/v1/{name=files/**}", "/v1/files/a/%2e%2E/c", true),
            ("/v1/{name=files/**}", "/v1/users/7", true),
            ("/v1/{name=files/**}", "/v1/files", true),
            ("/v1/{name=files/**}:undelete", "/v1/files/a/b:undelete", false),
            ("/v1/{name=files/**}:undelete", "/v1/files/a/b", true),
        ];
        for (template, path, expected) in cases {
            assert_eq!(changes_the_path(template, path), expected, "{path}");
        }
    }
}
