//! `prettyplease` is the measure.

use std::fs;
use std::path::Path;

use quote::quote;

use super::super::{format_any, item_end};
use super::*;
use crate::document::Document;
use crate::emit::{Contents, Item, emit};
use crate::options::Options;

/// The items of a text: each, and what is made of it here.
fn laid_out(text: &str) -> Vec<(&str, Option<String>)> {
    let tokens = tokens::tokens(text);
    let mut layout = Layout::new(&tokens);
    let mut items = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let end = item_end(&tokens, start);
        let mut output = String::new();
        let is_known = layout.item(start..end, &mut output);
        items.push((&text[tokens[start].start..tokens[end - 1].end()], is_known.then_some(output)));
        start = end;
    }
    items
}

/// Returns the number of items that the layout prints; each must equal `prettyplease`'s output.
#[track_caller]
fn agreed(text: &str) -> usize {
    let known = laid_out(text).into_iter().filter_map(|(item, output)| Some((item, output?)));
    known
        .map(|(item, output)| {
            let mut expected = Vec::new();
            format_any(item, &mut expected).unwrap();
            let output = super::super::blank_lines::between_members(output.trim_end());
            if has_own_layout(item) {
                assert_eq!(without_layout(&expected.concat()), without_layout(&output), "of {item}");
            } else {
                assert_eq!(expected, [output], "of {item}");
            }
        })
        .count()
}

/// Whether an item has a call whose last argument is a list, which `prettyplease` indents twice, or a call with
/// several strings. Macros are laid out here alone.
fn has_own_layout(item: &str) -> bool {
    item.starts_with("rt ::")
        || item.contains("(& [")
        || item.contains(", & [")
        || item.contains("Operation :: new")
}

/// Returns a text without its spaces, line breaks and trailing commas.
fn without_layout(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",]", "]").replace(",)", ")")
}

#[test]
fn lists_stay_on_the_line_of_their_call() {
    let item = quote! {
        pub static GET_PET: Operation = Operation::new("getPet", "pets", "GET", "/pets/{id}")
            .parameters(&[Parameter::path("id", &Schema::INTEGER), Parameter::query("fields", &Schema::array(&Schema::TEXT)).explode(false)])
            .responses(&[Response::code(200).contents(&[Content::json(&common::PET)])])
            .errors(responses::API_ERRORS, &[responses::NOT_FOUND.at(404), responses::A_LONG_NAME_OF_AN_ERROR.at(503)]);
    };
    let text = item.to_string();
    let [(_, Some(output))] = &laid_out(&text)[..] else { panic!("the form is known") };
    let expected = "\
pub static GET_PET: Operation = Operation::new(\"getPet\", \"pets\", \"GET\", \"/pets/{id}\")
    .parameters(&[
        Parameter::path(\"id\", &Schema::INTEGER),
        Parameter::query(\"fields\", &Schema::array(&Schema::TEXT)).explode(false),
    ])
    .responses(&[Response::code(200).contents(&[Content::json(&common::PET)])])
    .errors(responses::API_ERRORS, &[
        responses::NOT_FOUND.at(404),
        responses::A_LONG_NAME_OF_AN_ERROR.at(503),
    ]);
";
    assert_eq!(output, expected);
}

#[test]
fn rows_of_a_macro_break_between_their_calls() {
    let item = quote! {
        rt::union! {
            Pet + Unknown by discriminator("kind");
            Cat(Vec<common::Cat>) => rt::Shape::object("Cat").tags(&["cat"]).required(&["kind"]),
            AnimalWithAVeryLongName(AnimalWithAVeryLongName) => rt::Shape::object("AnimalWithAVeryLongName").tags(&["animal"]),
            Other => rt::Shape::new("other", rt::Kinds::STRING.or(rt::Kinds::NULL)),
        }
    };
    let text = item.to_string();
    let [(_, Some(output))] = &laid_out(&text)[..] else { panic!("the form is known") };
    let expected = "\
rt::union! {
    Pet + Unknown by discriminator(\"kind\");
    Cat(Vec<common::Cat>) => rt::Shape::object(\"Cat\").tags(&[\"cat\"]).required(&[\"kind\"]),
    AnimalWithAVeryLongName(AnimalWithAVeryLongName) => rt::Shape::object(\"AnimalWithAVeryLongName\")
        .tags(&[\"animal\"]),
    Other => rt::Shape::new(\"other\", rt::Kinds::STRING.or(rt::Kinds::NULL)),
}
";
    assert_eq!(output, expected);
}

/// Whether an item only names others.
fn is_index(item: &str) -> bool {
    ["use ", "pub use ", "# [cfg", "# [rustfmt :: skip]"].iter().any(|start| item.starts_with(start))
}

#[test]
fn agrees_with_prettyplease_on_whole_documents() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/valid");
    let (mut known, mut all) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let Some(document) = Document::parse(&path.to_string_lossy(), &text).document else { continue };
        let options = Options::new("x", "x.yaml");
        let mut diagnostics = crate::diagnostics::Diagnostics::default();
        let api = crate::lower::lower(&document, &options, &mut diagnostics).api;
        for file in emit(&api, &options) {
            let Contents::Rust(rust) = file.contents else { continue };
            for item in rust.items {
                let Item::Tokens(tokens) = item else { continue };
                let text = tokens().to_string();
                known += agreed(&text);
                all += laid_out(&text).iter().filter(|(item, _)| !is_index(item)).count();
            }
        }
    }
    // The traits of servers and the builders that mount them are left over.
    assert!(known > 1000 && known * 4 > all * 3, "only {known} of {all} items are laid out here");
}

#[test]
fn lines_break_where_they_must() {
    let tokens = quote! {
        #[doc = " \"Quoted\\ \u{301}\" \t.  "]
        #[allow(clippy::a, reason = "this and that, which is far too long to be written on one line of text")]
        pub static A: &[&'static B<'static, C, Item = (D, dyn E + Send)>] = &[
            A { b: 1, ..A::NEW }, A { a_long_name: "a text", another: &[("x", -1), ("y", 2.5)], ..A::NEW_AND_LONG },
            A { b }, f(&["short"], &["a text that is long", "another text that is long", "yet another"]), f(A {}),
            a_function(g(A { a_long_name: "a text", another: "another text" })), a_function([A::B, A::C])
        ];
        impl From<Vec<A>> for B {
            type Output = A;
            pub const A: A = A::NEW;
            pub fn f(&self, mut a: impl Into<Vec<String>>, b: &mut dyn rt::Reader) -> Result<Self, rt::DecodeError> {
                let mut a = a.first().second(|a, b| a.third(b))?.a_long_name_of_a_method(A::B).another().last()?;
                let _ = value;
                let Some(a) = a else { return Err(rt::DecodeError::missing("a")) };
                let Some(a_long_name_of_a_field) = a_long_name_of_a_field else { return Err(rt::DecodeError::missing("a")) };
                from.object(&[("a", &self.a)], Some(&mut rt::entries(&self.a_long_name_of_a_field)), rt::AdditionalProperties::Keep(&mut |a, b| f(a, b)));
                another.object(&[("a", &self.a)], Some(&mut rt::entries(&self.a_long_name_of_a_field)));
                <i64 as rt::Decode>::decode(from).map(Self::A).unwrap_or_else(|a| Self::A_LONG_NAME_OF_A_CONSTANT)
            }
            fn g(a_long_name_of_an_argument: Vec<A>, another_long_name_of_an_argument: ()) {}
            fn h() -> Result<std::collections::BTreeMap<String, A>, std::collections::BTreeMap<String, B>> {
                match *self {
                    Self::A => "a",
                    Self::B(value, _) => into.variant(10, value.a_long_name_of_a_method(1).another(2).third()),
                    -1 => Err(rt::DecodeError::not_allowed(other, &["a long text", "another long text", "yet another"])),
                    _ => Ok(A { a_long_name: "a text", another: "another text" }),
                }
            }
        }
        pub(crate) struct A { pub r#type: Option<Box<std::collections::BTreeMap<a::LongNameOfAType, b::LongNameOfAType>>> }
        pub enum B { #[doc = ""] C, D(E), F(std::collections::BTreeMap<a::LongNameOfAType, b::LongNameOfAType>, GH) }
        pub type C = Vec<std::collections::BTreeMap<a::LongNameOfAType, b::LongNameOfAType, c::LongNameOfA>>;
    };
    assert_eq!(agreed(&tokens.to_string()), 5);
}

#[test]
fn what_is_not_known_is_left_alone() {
    for item in [
        quote!(
            struct A<T>(T);
        ),
        quote!(
            static A: [u8; 3] = [1, 2, 3];
        ),
        quote!(
            static A: u8 = if a { 1 } else { 2 };
        ),
        quote!(
            static A: u8 = 1 + 2;
        ),
        quote!(
            static A: u8 = (1);
        ),
        quote!(
            static A: u8 = vec![1];
        ),
        quote!(
            #[doc = "/ a"]
            struct A {}
        ),
        quote!(
            #[doc = "a\nb"]
            struct A {}
        ),
        quote!(
            pub(crate) struct A {}
        ),
        quote!(
            enum A {
                B = 1,
            }
        ),
        quote!(impl A { fn f() where A: B {} }),
        quote!(impl A { fn f() { unsafe { g() } } }),
        quote!(impl A { fn f() { a as b } }),
        quote!(impl A { fn f() { let Some(a) = b else { return }; } }),
        quote!(impl A { fn f() { let Some(a) = b else { return a; }; } }),
        quote!(impl A { fn f() { g::<A>(); a.b::<C>() } }),
        quote!(impl A { fn f() { match a { A { b } => c } } }),
        quote!(impl A { fn f() { match a { b | c => d } } }),
        quote!(impl A { fn fn() {} }),
    ] {
        let text = item.to_string();
        let items = laid_out(&text);
        let is_agreed = items.iter().all(|(_, output)| output.is_none()) || agreed(&text) == items.len();
        assert!(is_agreed, "{text}");
    }
}
