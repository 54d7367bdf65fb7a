//! The parts that belong to all modules: modules, servers, security schemes, rejections, settings.

use super::{
    block::Block,
    words::{Here, flag, joined, labelled, listed, listed_facts, noted},
};
use crate::{
    emit,
    ir::{
        Api, Derive, Ident, Module, NamedServer, OAuthFlow, RejectionKind, Rejections, SchemeKind,
        SecurityScheme, Tag,
    },
    options::{CrateKind, Exhaustive, NaiveDateTimes, Options},
};

pub(super) fn blocks(api: &Api, options: &Options) -> Vec<Block> {
    let Api {
        title,
        version: _,
        description: _,
        server_url,
        named_servers,
        tags,
        // Modules have their types, patterns, schemas and operations.
        types: _,
        foreign_types: _,
        derives,
        patterns: _,
        json_schemas: _,
        formats: _,
        operations: _,
        webhooks,
        security_schemes,
        shared_errors: _,
        rejections,
    } = api;
    let mut blocks = vec![Block::line(format!("title {title:?}"))];
    blocks.extend(self::options(options));
    blocks.extend(server_url.as_ref().map(|url| Block::line(format!("server {url}"))));
    blocks.extend(named_servers.iter().map(|NamedServer { name, method, url, description: _ }| {
        Block::line(format!("server {name:?}: {url}, method {method}"))
    }));
    blocks.extend(derives.iter().map(|derive| self::derive(api, derive)));
    let features: Vec<String> = emit::runtime_features(api, CrateKind::Validation).skip(1).collect();
    let features = (!features.is_empty()).then(|| format!("features of the runtime {}", features.join(", ")));
    blocks.extend(features.map(Block::line));
    blocks.extend(security_schemes.iter().map(scheme));
    let modules: Vec<Block> = tags.iter().map(|tag| Block::line(&tag.module.0)).collect();
    blocks.extend((!modules.is_empty()).then(|| Block::over("modules", modules)));
    let common = Here { api, module: Module::Common };
    blocks.extend(webhooks.iter().map(|webhook| common.callback(webhook)));
    blocks.extend(rejections.as_ref().map(self::rejections));
    blocks
}

/// Returns the first lines of a tag's module: its names, and the modules that its feature turns on.
pub(super) fn tag(api: &Api, tag: &Tag) -> Vec<Block> {
    let Tag { name, module: _, api_trait, description: _, needs } = tag;
    let needs: Vec<&Ident> =
        needs.iter().filter_map(|id| api.tags.get(id.0)).map(|tag| &tag.module).collect();
    let needs = (!needs.is_empty()).then(|| listed(&needs));
    let needs = needs.map(|needs| Block::line(format!("needs {needs}")));
    [Block::line(format!("tag {name:?}")), Block::line(format!("trait {api_trait}"))]
        .into_iter()
        .chain(needs)
        .collect()
}

/// Returns the options that change what users of the crates see, unless the intermediate representation says it.
fn options(options: &Options) -> Vec<Block> {
    let Options {
        crates: _,
        naive_date_times,
        exhaustive,
        // Names, headers and manifests of the crates.
        prefix: _,
        runtime: _,
        command: _,
        source: _,
        workspace_inheritance: _,
        version: _,
        package: _,
        dependencies: _,
        // Lowering has applied them.
        strictness: _,
        grouping: _,
        names: _,
        formats: _,
        untyped: _,
        setters: _,
        nulls: _,
        constructors: _,
        renames: _,
        only: _,
        omit: _,
        types: _,
        derives: _,
    } = options;
    let all = options.all_crates();
    let crates: Vec<&str> = all.iter().map(|kind| kind.folder()).collect();
    let crates = (crates.len() < CrateKind::ALL.len()).then(|| format!("crates {}", crates.join(", ")));
    let utc =
        (*naive_date_times == NaiveDateTimes::Utc).then(|| "date-times without an offset are UTC".to_owned());
    let exhaustive =
        (*exhaustive == Exhaustive::Requests).then(|| "structs of requests are exhaustive".to_owned());
    crates.into_iter().chain(utc).chain(exhaustive).map(Block::line).collect()
}

fn derive(api: &Api, derive: &Derive) -> Block {
    let Derive { path, left_out } = derive;
    let left_out = left_out.iter().filter_map(|id| api.type_def(*id)).filter(|def| def.kind.has_derives());
    let left_out: Vec<&Ident> = left_out.map(|def| &def.name).collect();
    let left_out = (!left_out.is_empty()).then(|| listed(&left_out));
    Block::line(joined([format!("derive {}", path.as_str()), labelled("not for", left_out)]))
}

/// Returns `API_KEY: scheme "ApiKey": API key in the header x-api-key, method api_key`.
fn scheme(scheme: &SecurityScheme) -> Block {
    let SecurityScheme { name, constant, method, kind, description: _, deprecated, flows, origin: _ } =
        scheme;
    let kind = match kind {
        SchemeKind::ApiKeyHeader(name) => format!("API key in the header {name:?}"),
        SchemeKind::ApiKeyQuery(name) => format!("API key in the query parameter {name:?}"),
        SchemeKind::ApiKeyCookie(name) => format!("API key in the cookie {name:?}"),
        SchemeKind::Basic => "basic".to_owned(),
        SchemeKind::Bearer => "bearer".to_owned(),
        SchemeKind::Http(scheme) => format!("HTTP {scheme:?}"),
        SchemeKind::MutualTls => "mutual TLS".to_owned(),
    };
    let deprecated = noted(&[flag("deprecated", *deprecated).to_owned()]);
    let line = joined([format!("{constant}: scheme {name:?}: {kind}, method {method}"), deprecated]);
    Block::over(line, flows.iter().map(flow).collect())
}

/// Returns `flow clientCredentials https://example.com/token`.
fn flow(flow: &OAuthFlow) -> Block {
    let OAuthFlow { kind, token_url, refresh_url } = flow;
    Block::line(joined([
        format!("flow {} {token_url}", kind.name()),
        labelled("refresh", refresh_url.as_ref()),
    ]))
}

fn rejections(rejections: &Rejections) -> Block {
    let Rejections { content_type, message_field, problem_fields, kinds, reasons } = rejections;
    let text = |text: &String| format!("{text:?}");
    let settings = [
        labelled("content type", content_type.as_ref().map(text)),
        labelled("message field", message_field.as_ref().map(text)),
        labelled("problem fields", *problem_fields),
    ];
    let settings = settings.into_iter().filter(|setting| !setting.is_empty());
    let kinds = kinds.iter().map(|(name, kind)| format!("{name}: {}", rejection(kind)));
    let reasons = reasons.iter().map(|(code, reason)| format!("reason of {code}: {reason:?}"));
    Block::over("rejections", settings.chain(kinds).chain(reasons).map(Block::line).collect())
}

fn rejection(kind: &RejectionKind) -> String {
    let RejectionKind {
        status,
        message,
        content_type,
        violations_field,
        name_field,
        reason_field,
        location_field,
        code_field,
    } = kind;
    let text =
        |word: &str, value: &Option<String>| labelled(word, value.as_ref().map(|value| format!("{value:?}")));
    listed_facts(&[
        labelled("status", *status),
        text("message", message),
        text("content type", content_type),
        text("violations", violations_field),
        text("name", name_field),
        text("reason", reason_field),
        text("location", location_field),
        text("code", code_field),
    ])
}
