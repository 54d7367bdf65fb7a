//! The format of rejections: the document's `x-rejections` as static data.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::literal::{count, list, set};
use super::super::scope::local;
use crate::ir::{Api, RejectionKind, Rejections};

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
    let content_type = set("content_type", rejections.content_type.as_ref());
    let message = set("message_field", rejections.message_field.as_ref());
    // A custom message field replaces the problem details, unless the document asks for both.
    let problem_fields = rejections.problem_fields.or(rejections.message_field.as_ref().map(|_| false));
    let problem_fields = set("problem_fields", problem_fields);
    // The runtime's fields have the names of the kinds, in snake case.
    let kinds = RejectionKind::NAMES.iter().filter_map(|name| {
        let (_, kind) = rejections.kinds.iter().find(|(kind, _)| kind == name)?;
        kind_style(kind, &name.replace('-', "_"))
    });
    let [default_reason, reasons] = reasons(rejections);
    let settings = [content_type, message, problem_fields].into_iter().flatten();
    let others = [violations(rejections), default_reason, reasons].into_iter().flatten();
    settings.chain(kinds).chain(others).collect()
}

fn kind_style(kind: &RejectionKind, field: &str) -> Option<TokenStream> {
    let field = local(field);
    let status = kind.status.map(|status| count(status.into()));
    let content_type = set("content_type", kind.content_type.as_ref());
    let style = match (&status, &kind.message) {
        (Some(status), Some(message)) => quote!(rt::KindStyle::new(#status, #message)),
        (None, None) if content_type.is_none() => return None,
        (status, message) => {
            let (status, message) = (set("status", status.as_ref()), set("message", message.as_ref()));
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
    let location = set("location", kind.location_field.as_ref());
    let code = set("code", kind.code_field.as_ref());
    Some(quote!(.violations(rt::ViolationStyle::new(#list, #name, #reason) #location #code)))
}

/// Returns the default reason and the reasons by code.
fn reasons(rejections: &Rejections) -> [Option<TokenStream>; 2] {
    let default = rejections.reasons.iter().find(|(code, _)| code == "default").map(|(_, reason)| reason);
    let others = rejections.reasons.iter().filter(|(code, _)| code != "default");
    let others = others.map(|(code, reason)| quote!((#code, #reason)));
    [set("default_reason", default), list("reasons", others)]
}
