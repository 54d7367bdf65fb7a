//! The format of rejections: the document's `x-rejections` as static data.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::literal::count;
use super::super::scope::local;
use crate::ir::{Api, RejectionKind, Rejections};

/// The kinds of rejections in the document, each with the name of the runtime's field.
const KINDS: &[(&str, &str)] = &[
    ("no-route", "no_route"),
    ("method-not-allowed", "method_not_allowed"),
    ("missing-credentials", "missing_credentials"),
    ("invalid-credentials", "invalid_credentials"),
    ("forbidden", "forbidden"),
    ("too-many-requests", "too_many_requests"),
    ("unavailable", "unavailable"),
    ("unsupported-media-type", "unsupported_media_type"),
    ("payload-too-large", "payload_too_large"),
    ("malformed-body", "malformed_body"),
    ("invalid", "invalid"),
    ("not-implemented", "not_implemented"),
    ("internal", "internal"),
];

/// ```text
/// /// The format of rejections, as the API description defines it.
/// pub static REJECTIONS: rt::RejectionStyle = rt::RejectionStyle::PROBLEM_DETAILS
///     .content_type("application/json")
///     .no_route(rt::KindStyle::new(404, "Not found"))
///     .forbidden(rt::RejectionStyle::PROBLEM_DETAILS.forbidden.status(404));
/// ```
pub(super) fn constant(api: &Api) -> TokenStream {
    let setters = api.rejections.as_ref().map(setters);
    quote! {
        /// The format of rejections, as the API description defines it.
        ///
        /// A hook for [`Builder::reject`] can use it as a starting point.
        pub static REJECTIONS: rt::RejectionStyle = rt::RejectionStyle::PROBLEM_DETAILS #setters;
    }
}

/// Returns the calls that set what differs from the default.
fn setters(rejections: &Rejections) -> TokenStream {
    let content_type = rejections.content_type.as_ref().map(|media_type| quote!(.content_type(#media_type)));
    let message = rejections.message_field.as_ref().map(|field| quote!(.message_field(#field)));
    // A custom message field replaces the problem details, unless the document asks for both.
    let problem_fields = rejections.problem_fields.or(rejections.message_field.as_ref().map(|_| false));
    let problem_fields = problem_fields.map(|holds| quote!(.problem_fields(#holds)));
    let kinds = KINDS.iter().filter_map(|(name, field)| {
        let (_, kind) = rejections.kinds.iter().find(|(kind, _)| kind == name)?;
        kind_style(kind, field)
    });
    let (default_reason, reasons) = reasons(rejections);
    let settings = [content_type, message, problem_fields].into_iter().flatten();
    let others = [violations(rejections), default_reason, reasons].into_iter().flatten();
    settings.chain(kinds).chain(others).collect()
}

fn kind_style(kind: &RejectionKind, field: &str) -> Option<TokenStream> {
    let field = local(field);
    let status = kind.status.map(|status| count(status.into()));
    let content_type = kind.content_type.as_ref().map(|media_type| quote!(.content_type(#media_type)));
    let style = match (&status, &kind.message) {
        (Some(status), Some(message)) => quote!(rt::KindStyle::new(#status, #message)),
        (None, None) if content_type.is_none() => return None,
        (status, message) => {
            let status = status.as_ref().map(|status| quote!(.status(#status)));
            let message = message.as_ref().map(|message| quote!(.message(#message)));
            quote!(rt::RejectionStyle::PROBLEM_DETAILS.#field #status #message)
        }
    };
    Some(quote!(.#field(#style #content_type)))
}

/// Returns the format of violations if the document names the field of the list.
fn violations(rejections: &Rejections) -> Option<TokenStream> {
    let (_, kind) = rejections.kinds.iter().find(|(kind, _)| kind == "invalid")?;
    let list = kind.violations_field.as_ref()?;
    let name = kind.name_field.as_deref().unwrap_or("name");
    let reason = kind.reason_field.as_deref().unwrap_or("reason");
    let location = kind.location_field.as_ref().map(|field| quote!(.location(#field)));
    let code = kind.code_field.as_ref().map(|field| quote!(.code(#field)));
    Some(quote!(.violations(rt::ViolationStyle::new(#list, #name, #reason) #location #code)))
}

/// Returns the default reason and the reasons by code.
fn reasons(rejections: &Rejections) -> (Option<TokenStream>, Option<TokenStream>) {
    let default = rejections.reasons.iter().find(|(code, _)| code == "default");
    let default = default.map(|(_, reason)| quote!(.default_reason(#reason)));
    let others = rejections.reasons.iter().filter(|(code, _)| code != "default");
    let others: Vec<_> = others.map(|(code, reason)| quote!((#code, #reason))).collect();
    let others = (!others.is_empty()).then(|| quote!(.reasons(&[#(#others),*])));
    (default, others)
}
