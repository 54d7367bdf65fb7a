//! The fixtures use every struct, field and variant of the runtime's tables.
//!
//! With `mutants`, this shows that outlines leave out no kind of rule.

use std::collections::BTreeSet;

use openapi_crates_outlines::{
    Index, Union,
    documents::{read, root},
    expanded,
    snapshots::FIXTURES,
};
use syn::{Expr, Fields, ImplItem, Item, Visibility};

/// The runtime's files that declare the types of rows, with these types.
const DECLARED: [(&str, &[&str]); 9] = [
    ("table/json_schema.rs", &["Keyword"]),
    (
        "table/operation.rs",
        &[
            "Operation",
            "Parameter",
            "Location",
            "Style",
            "Body",
            "Content",
            "ContentFormat",
            "Encoding",
            "Response",
            "Status",
            "Header",
            "Errors",
            "ErrorUse",
        ],
    ),
    (
        "table/schema.rs",
        &[
            "Schema",
            "Type",
            "Integer",
            "Width",
            "Number",
            "Text",
            "Array",
            "Object",
            "Names",
            "Additional",
            "Field",
            "Union",
            "CrossRule",
            "Literal",
        ],
    ),
    ("table/security.rs", &["Scheme", "SchemeKind", "Requirement"]),
    ("table/xml.rs", &["Xml", "XmlNode"]),
    ("codec/shape.rs", &["UnionShape", "Shape", "Discriminator"]),
    ("codec/format.rs", &["Format"]),
    ("stream/framing.rs", &["Framing"]),
    ("server/style.rs", &["RejectionStyle", "KindStyle", "ViolationStyle"]),
];

/// Defaults of the runtime, which the generator leaves out.
const UNSAID: [&str; 2] = ["Additional::Ignored", "Width::I64"];

#[test]
fn of_rows_are_all_in_fixtures() {
    let mut declared = BTreeSet::new();
    for (path, types) in DECLARED {
        let file =
            syn::parse_file(&read(&root().join("runtime/src").join(path))).expect("the runtime is Rust");
        for name in types {
            let before = declared.len();
            declare(&file, name, &mut declared);
            assert!(declared.len() > before, "runtime/src/{path} declares {name}");
        }
    }
    let mut seen = BTreeSet::new();
    for made in FIXTURES.iter() {
        let index = Index::new(&made.files).expect("it is Rust");
        for item in index.files.values().flat_map(|file| &file.items) {
            match item {
                Item::Static(item) => find(&expanded(&item.expr), &mut seen),
                Item::Macro(item) => {
                    if let Ok(union) = item.mac.parse_body::<Union>() {
                        find(&expanded(&union.shape), &mut seen);
                    }
                }
                Item::Impl(item) => item.items.iter().for_each(|item| {
                    if let ImplItem::Const(constant) = item {
                        find(&expanded(&constant.expr), &mut seen);
                    }
                }),
                _ => {}
            }
        }
    }
    let missing: BTreeSet<&str> = declared.difference(&seen).map(String::as_str).collect();
    assert_eq!(missing, BTreeSet::from(UNSAID), "a fixture should have each of these");
}

/// Adds the parts of a type: `Type.field`, `Type::Variant`, `Type::Variant.field`.
fn declare(file: &syn::File, name: &str, declared: &mut BTreeSet<String>) {
    let fields = |of: &str, fields: &Fields, all: bool| -> Vec<String> {
        let fields = fields.iter().filter(|field| all || matches!(field.vis, Visibility::Public(_)));
        fields.filter_map(|field| Some(format!("{of}.{}", field.ident.as_ref()?))).collect()
    };
    for item in &file.items {
        match item {
            Item::Struct(item) if item.ident == name => declared.extend(fields(name, &item.fields, false)),
            Item::Enum(item) if item.ident == name => {
                for variant in &item.variants {
                    let variant_name = format!("{name}::{}", variant.ident);
                    declared.extend(fields(&variant_name, &variant.fields, true));
                    declared.insert(variant_name);
                }
            }
            _ => {}
        }
    }
}

/// Collects the fields and variants that a row uses. An empty field does not count.
fn find(row: &Expr, seen: &mut BTreeSet<String>) {
    match row {
        Expr::Path(path) => drop(seen.insert(last_two(&path.path))),
        Expr::Reference(reference) => find(&reference.expr, seen),
        Expr::Unary(unary) => find(&unary.expr, seen),
        Expr::Array(array) => array.elems.iter().for_each(|row| find(row, seen)),
        Expr::Tuple(tuple) => tuple.elems.iter().for_each(|row| find(row, seen)),
        Expr::Call(call) => {
            find(&call.func, seen);
            let name = match &*call.func {
                Expr::Path(path) => last_two(&path.path),
                _ => String::new(),
            };
            // These functions set these fields.
            seen.extend(match name.as_str() {
                "Schema::new" => vec!["Schema.of".to_owned()],
                _ => Vec::new(),
            });
            call.args.iter().for_each(|row| find(row, seen));
        }
        Expr::Struct(row) => {
            let name = last_two(&row.path);
            // The name before a variant is its enum, the name before a struct may be a module.
            let of = match name.split_once("::") {
                Some((of, name)) if of.starts_with(char::is_lowercase) => name.to_owned(),
                _ => name.clone(),
            };
            seen.insert(of.clone());
            for field in &row.fields {
                let value = quote::ToTokens::to_token_stream(&field.expr).to_string();
                // The default of a setting may be `true`.
                let is_setting = of == "RejectionStyle";
                let nothing = if is_setting { &["None"][..] } else { &["None", "false", "& []"] };
                if !nothing.contains(&value.as_str()) {
                    let syn::Member::Named(ident) = &field.member else { continue };
                    seen.insert(format!("{of}.{ident}"));
                }
                find(&field.expr, seen);
            }
            row.rest.iter().for_each(|base| find(base, seen));
        }
        _ => {}
    }
}

/// Returns the last two names of a path.
fn last_two(path: &syn::Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names[names.len().saturating_sub(2)..].join("::")
}
