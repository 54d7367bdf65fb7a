//! Compares security: credentials, scopes and permissions. Also compares the fields of the document as a whole.

use std::collections::BTreeSet;

use super::{
    compare::{Compare, Pair, pairs},
    position::{Owner, Position},
    rule::{CallRule, Flow},
};
use crate::ir::{Api, NamedServer, OAuthFlow, SchemeKind, SecurityRequirement, SecurityScheme};

/// The scopes of each scheme that a request must satisfy together.
type Alternative = BTreeSet<(String, BTreeSet<String>)>;

impl<'a> Compare<'a> {
    pub(super) fn security(
        &mut self,
        old: &'a [Vec<SecurityRequirement>],
        new: &'a [Vec<SecurityRequirement>],
        at: &Position<'_>,
    ) {
        let (from, to) = (alternatives(self.old, old), alternatives(self.new, new));
        let (was_optional, is_optional) = (is_optional(&from), is_optional(&to));
        match (requires_any(&from), requires_any(&to)) {
            (false, false) => return,
            (false, true) if is_optional => {
                let text = listed(&to);
                let message = format!("accepts {text}, and credentials are optional");
                return self.change(CallRule::SecurityAlternativeAdded, at, message, (None, Some(text)));
            }
            (false, true) => {
                return self.add(CallRule::SecurityAdded, at, format!("requires {}", listed(&to)));
            }
            (true, false) => {
                let text = listed(&from);
                let message = match was_optional {
                    true => format!("no longer accepts {text}, which was optional"),
                    false => format!("no longer requires {text}"),
                };
                return self.add(CallRule::SecurityRemoved, at, message);
            }
            (true, true) => {}
        }
        match (was_optional, is_optional) {
            (true, false) => self.add(CallRule::SecurityRequired, at, "credentials are required"),
            (false, true) => self.add(CallRule::SecurityOptional, at, "credentials are optional"),
            _ => {}
        }
        self.alternatives(&from, &to, at);
    }

    fn alternatives(&mut self, old: &[Alternative], new: &[Alternative], at: &Position<'_>) {
        let schemes =
            |all: &Alternative| all.iter().map(|(scheme, _)| scheme.clone()).collect::<BTreeSet<_>>();
        let full =
            |all: &'_ [Alternative]| all.iter().filter(|one| !one.is_empty()).cloned().collect::<Vec<_>>();
        let (mut old, mut new) = (full(old), full(new));
        // Several alternatives can have schemes of one kind, with other scopes.
        old.retain(|from| match new.iter().position(|to| to == from) {
            Some(index) => {
                new.remove(index);
                false
            }
            None => true,
        });
        for from in &old {
            let Some(to) = new.iter().find(|to| schemes(to) == schemes(from)) else {
                let text = listed(std::slice::from_ref(from));
                let message = format!("no longer accepts {text}");
                self.change(CallRule::SecurityAlternativeRemoved, at, message, (Some(text), None));
                continue;
            };
            for ((scheme, was), (_, is)) in from.iter().zip(to) {
                for scope in is.difference(was) {
                    let message = format!("{scheme} needs scope `{scope}`");
                    self.change(CallRule::ScopeAdded, at, message, (None, Some(scope.clone())));
                }
                for scope in was.difference(is) {
                    let message = format!("{scheme} no longer needs scope `{scope}`");
                    self.change(CallRule::ScopeRemoved, at, message, (Some(scope.clone()), None));
                }
            }
        }
        for to in new.iter().filter(|to| !old.iter().any(|from| schemes(from) == schemes(to))) {
            let text = listed(std::slice::from_ref(to));
            let message = format!("accepts {text} as well");
            self.change(CallRule::SecurityAlternativeAdded, at, message, (None, Some(text)));
        }
    }

    /// Compares the permissions of an operation (`x-requires`).
    pub(super) fn requirements(&mut self, old: &[String], new: &[String], at: &Position<'_>) {
        for name in new.iter().filter(|name| !old.contains(name)) {
            let message = format!("requires the permission `{name}`");
            self.change(CallRule::RequirementAdded, at, message, (None, Some(name.clone())));
        }
        for name in old.iter().filter(|name| !new.contains(name)) {
            let message = format!("no longer requires the permission `{name}`");
            self.change(CallRule::RequirementRemoved, at, message, (Some(name.clone()), None));
        }
    }

    /// Compares the fields of the document as a whole.
    pub(super) fn document(&mut self) {
        let Api {
            title,
            // Documentation, and the version that follows from the changes.
            version: _,
            description: _,
            server_url,
            named_servers,
            // Items of Rust.
            tags: _,
            foreign_types: _,
            derives: _,
            // Types, patterns and schemas are compared where they are used.
            types: _,
            patterns: _,
            json_schemas: _,
            formats: _,
            operations: _,
            webhooks,
            security_schemes,
            shared_errors: _,
            rejections,
        } = self.old;
        let at = &Position::root(Owner::Document, "document", Flow::Request, Default::default());
        let new = self.new;
        self.text(CallRule::TitleChanged, "title", (Some(title), Some(&new.title)), at);
        let urls = (server_url.as_deref(), new.server_url.as_deref());
        self.text(CallRule::ServerChanged, "server", urls, at);
        let key = |server: &'a NamedServer| &server.name;
        for pair in pairs((named_servers, key), (&new.named_servers, key)) {
            let name = format!("server `{}`", pair.any().name);
            match pair {
                Pair::Both(from, to) => {
                    self.text(CallRule::ServerChanged, &name, (Some(&from.url), Some(&to.url)), at);
                }
                Pair::Removed(_) => self.add(CallRule::ServerRemoved, at, format!("{name} is removed")),
                Pair::Added(_) => self.add(CallRule::ServerAdded, at, format!("{name} is new")),
            }
        }
        self.schemes(security_schemes, &new.security_schemes, at);
        if *rejections != new.rejections {
            self.add(CallRule::RejectionsChanged, at, "responses to invalid requests have another format");
        }
        self.callbacks(webhooks, &new.webhooks, None);
    }

    fn schemes(&mut self, old: &[SecurityScheme], new: &[SecurityScheme], at: &Position<'_>) {
        let is_renamed = |to: &SecurityScheme| {
            old.iter().any(|from| from.kind == to.kind && !new.iter().any(|it| it.name == from.name))
        };
        let is_known = |to: &&SecurityScheme| old.iter().any(|from| from.name == to.name);
        for to in new.iter().filter(|to| !is_known(to) && !is_renamed(to)) {
            let message = format!("security scheme `{}` is new: {}", to.name, scheme(&to.kind));
            let at = at.added(to.origin);
            self.change(CallRule::SchemeAdded, &at, message, (None, Some(to.name.clone())));
        }
        for from in old {
            let SecurityScheme {
                name,
                constant: _,
                method: _,
                kind,
                description: _,
                deprecated,
                flows,
                origin,
            } = from;
            let Some(to) = new.iter().find(|to| to.name == *name) else {
                let is_new =
                    |to: &&SecurityScheme| to.kind == *kind && !old.iter().any(|it| it.name == to.name);
                if let Some(to) = new.iter().find(is_new) {
                    let at = at.exactly(*origin, to.origin);
                    self.text(CallRule::SchemeRenamed, "security scheme", (Some(name), Some(&to.name)), &at);
                }
                continue;
            };
            let at = &at.exactly(*origin, to.origin);
            let subject = format!("security scheme `{name}`");
            self.flag(
                (*deprecated, to.deprecated),
                (CallRule::SchemeDeprecated, &format!("{subject} is deprecated")),
                (CallRule::SchemeUndeprecated, &format!("{subject} is no longer deprecated")),
                at,
            );
            let kinds = (scheme(kind), scheme(&to.kind));
            self.text(CallRule::SchemeChanged, &subject, (Some(&kinds.0), Some(&kinds.1)), at);
            self.flows(flows, &to.flows, &subject, at);
        }
    }

    /// Compares where clients get tokens.
    fn flows(&mut self, old: &[OAuthFlow], new: &[OAuthFlow], scheme: &str, at: &Position<'_>) {
        for from in old.iter().filter(|from| !new.contains(from)) {
            let to = new.iter().find(|to| to.kind == from.kind).map(endpoints);
            let name = format!("flow `{}` of {scheme}", from.kind.name());
            self.between(CallRule::TokenEndpointChanged, &name, (Some(endpoints(from)), to), at);
        }
        for to in new.iter().filter(|to| !old.iter().any(|from| from.kind == to.kind)) {
            let url = endpoints(to);
            let message = format!("flow `{}` of {scheme} is new: {url}", to.kind.name());
            self.change(CallRule::TokenEndpointAdded, at, message, (None, Some(url)));
        }
    }
}

fn alternatives(api: &Api, all: &[Vec<SecurityRequirement>]) -> Vec<Alternative> {
    let one = |requirement: &SecurityRequirement| {
        let SecurityRequirement { scheme, scopes } = requirement;
        let scheme = api.security_schemes.get(*scheme).map_or_else(String::new, |it| self::scheme(&it.kind));
        (scheme, scopes.iter().cloned().collect())
    };
    all.iter().map(|all| all.iter().map(one).collect()).collect()
}

/// Returns the URLs of a flow: `https://example.com/token, refresh /token`.
fn endpoints(flow: &OAuthFlow) -> String {
    let OAuthFlow { kind: _, token_url, refresh_url } = flow;
    let refresh = refresh_url.as_ref().map(|url| format!(", refresh {url}")).unwrap_or_default();
    format!("{token_url}{refresh}")
}

fn is_optional(all: &[Alternative]) -> bool {
    all.iter().any(BTreeSet::is_empty)
}

fn requires_any(all: &[Alternative]) -> bool {
    all.iter().any(|one| !one.is_empty())
}

/// Returns credentials for people: `API key in header x-api-key or bearer token`.
fn listed(all: &[Alternative]) -> String {
    let one =
        |all: &Alternative| all.iter().map(|(scheme, _)| scheme.as_str()).collect::<Vec<_>>().join(" and ");
    all.iter().filter(|one| !one.is_empty()).map(one).collect::<Vec<_>>().join(" or ")
}

fn scheme(kind: &SchemeKind) -> String {
    match kind {
        // Names of headers are the same in upper and lower case.
        SchemeKind::ApiKeyHeader(name) => format!("API key in header `{}`", name.to_ascii_lowercase()),
        SchemeKind::ApiKeyQuery(name) => format!("API key in query parameter `{name}`"),
        SchemeKind::ApiKeyCookie(name) => format!("API key in cookie `{name}`"),
        SchemeKind::Basic => "basic authentication".to_owned(),
        SchemeKind::Bearer => "bearer token".to_owned(),
        SchemeKind::Http(scheme) => format!("HTTP {scheme}"),
        SchemeKind::MutualTls => "client certificate".to_owned(),
    }
}
