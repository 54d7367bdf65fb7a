//! Table rows of constraints across fields.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::literal::{self, count, number, option};
use crate::ir::{CrossRule, Literal};

/// Emits the row of a constraint.
pub(super) fn rule(rule: &CrossRule) -> TokenStream {
    let pairs = |pairs: &[(String, Literal)]| {
        let pairs = pairs.iter().map(|(name, value)| {
            let value = literal::row(value);
            quote!((#name, #value))
        });
        quote!(&[#(#pairs),*])
    };
    match rule {
        CrossRule::When { name, when, require } => {
            let (when, require) = (pairs(when), pairs(require));
            quote!(CrossRule::when(#name, #when, #require))
        }
        CrossRule::NotTogether { name, fields } => {
            quote!(CrossRule::not_together(#name, &[#(#fields),*]))
        }
        CrossRule::AtLeastOne { name, fields, above } => {
            let above = option(*above, number);
            quote!(CrossRule::at_least_one(#name, &[#(#fields),*], #above))
        }
        CrossRule::ExactlyOne { name, fields } => {
            quote!(CrossRule::exactly_one(#name, &[#(#fields),*]))
        }
        CrossRule::TotalItems { name, fields, minimum, maximum } => {
            let (minimum, maximum) = (option(*minimum, count), option(*maximum, count));
            quote!(CrossRule::total_items(#name, &[#(#fields),*], #minimum, #maximum))
        }
    }
}
