//! Outlines show every rule: each change of a row of the tables changes its outline.
//!
//! The tests change each row of each fixture, one change at a time. They change texts, numbers, flags and names, remove
//! and swap elements of lists, and add and remove rules.

use openapi_crates::{Options, generate};
use openapi_crates_outlines::{
    Index, Union,
    documents::{Files, text_files},
    outline_of, row, shape,
    snapshots::FIXTURES,
};
use quote::ToTokens;
use syn::{Expr, Item, parse_quote};

#[test]
fn of_rows_show() {
    let mut hidden = Vec::new();
    let tried: usize = FIXTURES.iter().map(|made| check(&made.name, &made.files, &mut hidden)).sum();
    assert!(hidden.is_empty(), "{} changes are not shown:\n{}", hidden.len(), hidden.join("\n"));
    assert!(tried > 10_000, "only {tried} changes were tried");
}

/// Patterns and lists of operations have no outline of their own, but they change the outlines of other rows.
#[test]
fn of_patterns_and_lists_show() {
    let mut tried = 0;
    for made in FIXTURES.iter() {
        let tables = made.files.iter().filter(|(path, _)| path.starts_with("validation/"));
        let tables: Files = tables.map(|(path, text)| (path.clone(), text.clone())).collect();
        let index = Index::new(&tables).expect("it is Rust");
        let before = outline_of(&index, "").text();
        for (path, file) in &index.files {
            for (at, item) in file.items.iter().enumerate() {
                let Item::Static(item) = item else { continue };
                let is_pattern = item.ty.to_token_stream().to_string() == "Pattern";
                if !is_pattern && item.ident != "OPERATIONS" {
                    continue;
                }
                for (what, mutant) in mutants(&item.expr) {
                    let mut files = index.files.clone();
                    let file = files.get_mut(path).expect("it was there");
                    if let Item::Static(item) = &mut file.items[at] {
                        *item.expr = mutant;
                    }
                    let after = outline_of(&Index::of(files), "").text();
                    assert_ne!(before, after, "{}: {path}: {}: {what}", made.name, item.ident);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 100, "only {tried} changes were tried");
}

/// What no table has: defaults of parameters, and what is documented of strings.
#[test]
fn of_defaults_and_media_show() {
    let document = "
openapi: 3.0.3
info: { title: Shown, version: '1' }
paths:
  /films:
    get:
      operationId: list_films
      tags: [films]
      parameters: [{ name: limit, in: query, schema: { type: integer, default: 10 } }]
      responses: { '200': { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Film' } } } } }
components:
  schemas:
    Film:
      type: object
      properties:
        url: { type: string, pattern: '^https://', x-unchecked: [pattern], x-media: { kind: video, max-seconds: 30 } }
";
    let shown = |text: &str| {
        let generated =
            generate("shown.yaml", text, &Options::new("shown", "shown.yaml")).expect("it is emitted");
        let files = text_files(&generated.files.expect("the document has no errors"));
        openapi_crates_outlines::outline(&files, "shown").expect("it is Rust").text()
    };
    let before = shown(document);
    for (from, to) in
        [("default: 10", "default: 20"), ("max-seconds: 30", "max-seconds: 60"), ("^https:", "^http:")]
    {
        assert_ne!(shown(&document.replace(from, to)), before, "{from}");
    }
}

/// Tries every change of every row and shape of these crates, and returns the number of changes.
fn check(document: &str, files: &Files, hidden: &mut Vec<String>) -> usize {
    let index = Index::new(files).expect("it is Rust");
    let mut tried = 0;
    let mut compare = |place: String, expression: &Expr, outline: &dyn Fn(&Expr) -> String| {
        let before = outline(expression);
        for (what, mutant) in mutants(expression) {
            tried += 1;
            if outline(&mutant) == before {
                hidden.push(format!("{document}: {place}: {what}"));
            }
        }
    };
    for (path, file) in &index.files {
        let module =
            path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).expect("it is a Rust file");
        for item in &file.items {
            match item {
                Item::Static(item) if !["OPERATIONS", "DYNAMIC"].contains(&&*item.ident.to_string()) => {
                    let outline = |expression: &Expr| {
                        let mut item = item.clone();
                        *item.expr = expression.clone();
                        row(&index, module, &item).unwrap_or_default()
                    };
                    // A pattern has no outline of its own.
                    if !outline(&item.expr).is_empty() {
                        compare(format!("{path}: {}", item.ident), &item.expr, &outline);
                    }
                }
                Item::Macro(item) if item.mac.path.segments.last().is_some_and(|it| it.ident == "union") => {
                    let union: Union = item.mac.parse_body().expect("it is a union");
                    compare(format!("{path}: {}", union.name), &union.shape, &|row| shape(&union.name, row));
                }
                _ => {}
            }
        }
    }
    tried
}

/// Returns every variation of an expression by one change, with a description of the change.
fn mutants(expression: &Expr) -> Vec<(String, Expr)> {
    let mut found = Vec::new();
    match expression {
        Expr::Lit(literal) => {
            let other: Option<Expr> = match &literal.lit {
                syn::Lit::Str(text) => {
                    let text = text.value() + "~";
                    Some(parse_quote!(#text))
                }
                syn::Lit::Int(number) => {
                    let number = number.base10_parse::<i128>().expect("it is a number") + 1;
                    let number = proc_macro2::Literal::i128_unsuffixed(number);
                    Some(parse_quote!(#number))
                }
                syn::Lit::Float(number) => {
                    let number = number.base10_parse::<f64>().expect("it is a number") * 1.5 + 1.0;
                    let number = proc_macro2::Literal::f64_unsuffixed(number);
                    Some(parse_quote!(#number))
                }
                syn::Lit::Bool(flag) => {
                    let flag = !flag.value;
                    Some(parse_quote!(#flag))
                }
                _ => None,
            };
            found.extend(other.map(|other| (said(expression, &other), other)));
        }
        Expr::Path(path) => {
            let is_none = path.path.is_ident("None");
            if is_none {
                found.push(("a rule comes".to_owned(), parse_quote!(Some("~"))));
            }
            let last = path.path.segments.len() - 1;
            for at in 0..path.path.segments.len() {
                let name = path.path.segments[at].ident.to_string();
                // Modules and last names change. Names of types stay, and so does `rt`.
                let is_fixed = ["crate", "rt"].contains(&name.as_str());
                if is_none || is_fixed || at != last && !name.starts_with(char::is_lowercase) {
                    continue;
                }
                let mut other = path.clone();
                other.path.segments[at].ident = quote::format_ident!("{}X", name.trim_start_matches("r#"));
                let other = Expr::Path(other);
                found.push((said(expression, &other), other));
            }
        }
        Expr::Unary(unary) => {
            found.push(("no sign".to_owned(), (*unary.expr).clone()));
            within(&mut found, &unary.expr, |inner| {
                let mut unary = unary.clone();
                *unary.expr = inner;
                Expr::Unary(unary)
            });
        }
        Expr::Reference(reference) => within(&mut found, &reference.expr, |inner| {
            let mut reference = reference.clone();
            *reference.expr = inner;
            Expr::Reference(reference)
        }),
        Expr::Array(array) => {
            let elements: Vec<&Expr> = array.elems.iter().collect();
            if elements.is_empty() {
                found.push(("an element comes".to_owned(), parse_quote!(["~"])));
            }
            for at in 0..elements.len() {
                let mut fewer = elements.clone();
                let gone = fewer.remove(at);
                found.push((format!("without {}", gone.to_token_stream()), parse_quote!([#(#fewer),*])));
                let same = |next: &&Expr| {
                    next.to_token_stream().to_string() == elements[at].to_token_stream().to_string()
                };
                if elements.get(at + 1).is_some_and(|next| !same(next)) {
                    let mut moved = elements.clone();
                    moved.swap(at, at + 1);
                    found.push((format!("{at} has changed places"), parse_quote!([#(#moved),*])));
                }
                within(&mut found, elements[at], |inner| {
                    let mut array = array.clone();
                    array.elems[at] = inner;
                    Expr::Array(array)
                });
            }
        }
        Expr::Tuple(tuple) => {
            for at in 0..tuple.elems.len() {
                within(&mut found, &tuple.elems[at], |inner| {
                    let mut tuple = tuple.clone();
                    tuple.elems[at] = inner;
                    Expr::Tuple(tuple)
                });
            }
        }
        Expr::Call(call) => {
            let is_some = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some"));
            if is_some {
                found.push((format!("without {}", call.to_token_stream()), parse_quote!(None)));
            } else {
                within(&mut found, &call.func, |inner| {
                    let mut call = call.clone();
                    *call.func = inner;
                    Expr::Call(call)
                });
            }
            for at in 0..call.args.len() {
                within(&mut found, &call.args[at], |inner| {
                    let mut call = call.clone();
                    call.args[at] = inner;
                    Expr::Call(call)
                });
            }
        }
        Expr::MethodCall(call) => {
            found.push((format!("without {}", call.args.to_token_stream()), (*call.receiver).clone()));
            within(&mut found, &call.receiver, |inner| {
                let mut call = call.clone();
                *call.receiver = inner;
                Expr::MethodCall(call)
            });
            for at in 0..call.args.len() {
                within(&mut found, &call.args[at], |inner| {
                    let mut call = call.clone();
                    call.args[at] = inner;
                    Expr::MethodCall(call)
                });
            }
        }
        Expr::Struct(row) => {
            for at in 0..row.fields.len() {
                // To remove an empty list changes nothing.
                let is_empty = matches!(&row.fields[at].expr, Expr::Reference(list) if matches!(&*list.expr, Expr::Array(list) if list.elems.is_empty()));
                if row.rest.is_some() && !is_empty {
                    let mut fewer = row.clone();
                    fewer.fields = row
                        .fields
                        .iter()
                        .enumerate()
                        .filter(|(place, _)| *place != at)
                        .map(|(_, field)| field.clone())
                        .collect();
                    found
                        .push((format!("without {}", row.fields[at].to_token_stream()), Expr::Struct(fewer)));
                }
                within(&mut found, &row.fields[at].expr, |inner| {
                    let mut row = row.clone();
                    row.fields[at].expr = inner;
                    Expr::Struct(row)
                });
            }
            // The fields of `..Object::new(…)` are overridden.
            if let Some(rest) = row.rest.as_ref().filter(|rest| !matches!(***rest, Expr::Call(_))) {
                within(&mut found, rest, |inner| {
                    let mut row = row.clone();
                    row.rest = Some(Box::new(inner));
                    Expr::Struct(row)
                });
            }
        }
        Expr::Field(field) => within(&mut found, &field.base, |inner| {
            let mut field = field.clone();
            *field.base = inner;
            Expr::Field(field)
        }),
        other => panic!("rows have no such expression: {}", other.to_token_stream()),
    }
    found
}

/// Adds the variations of a part of an expression.
fn within(found: &mut Vec<(String, Expr)>, part: &Expr, whole: impl Fn(Expr) -> Expr) {
    found.extend(mutants(part).into_iter().map(|(what, inner)| (what, whole(inner))));
}

fn said(before: &Expr, after: &Expr) -> String {
    format!("{} is {}", before.to_token_stream(), after.to_token_stream())
}
