//! Reads the calls that make rows as struct expressions, which name all fields that are set.
//!
//! Generated code makes rows by constructors, constants and functions named after the fields. All other modules read
//! structs, so that a new field of the runtime's tables appears in outlines without further code.

use syn::{Expr, ExprStruct, Ident, Path, parse_quote};

use super::values::tidy;

/// Returns a row as a struct expression, with all rows inside.
#[must_use]
pub fn expanded(row: &Expr) -> Expr {
    match row {
        Expr::Path(_) => constant(row).unwrap_or_else(|| row.clone()),
        Expr::Reference(reference) => {
            let inner = expanded(&reference.expr);
            parse_quote!(&#inner)
        }
        Expr::Array(array) => {
            let elements = array.elems.iter().map(expanded);
            parse_quote!([#(#elements),*])
        }
        Expr::Tuple(tuple) => {
            let mut tuple = tuple.clone();
            tuple.elems.iter_mut().for_each(|element| *element = expanded(element));
            Expr::Tuple(tuple)
        }
        Expr::Call(call) => {
            let mut call = call.clone();
            call.args.iter_mut().for_each(|argument| *argument = expanded(argument));
            let arguments: Vec<&Expr> = call.args.iter().collect();
            constructed(&tidy(&call.func), &arguments).unwrap_or(Expr::Call(call))
        }
        Expr::MethodCall(call) => {
            let (receiver, field) = (expanded(&call.receiver), &call.method);
            let arguments: Vec<Expr> = call.args.iter().map(expanded).collect();
            with(receiver, field, &arguments).unwrap_or_else(|| row.clone())
        }
        other => other.clone(),
    }
}

/// Returns the row that a constant of the runtime holds.
fn constant(row: &Expr) -> Option<Expr> {
    Some(match tidy(row).as_str() {
        "Schema::ANY" => parse_quote!(Schema::new(Type::Any)),
        "Schema::BOOLEAN" => parse_quote!(Schema::new(Type::Boolean)),
        "Schema::BYTES" => parse_quote!(Schema::new(Type::Bytes)),
        "Schema::INTEGER" => parse_quote!(Schema::new(Type::Integer(Integer::ANY))),
        "Schema::NUMBER" => parse_quote!(Schema::new(Type::Number(Number::ANY))),
        "Schema::TEXT" => parse_quote!(Schema::new(Type::Text(Text::ANY))),
        "Xml::NONE" => parse_quote!(Xml { node: XmlNode::None }),
        "Xml::TEXT" => parse_quote!(Xml { node: XmlNode::Text }),
        "Xml::CDATA" => parse_quote!(Xml { node: XmlNode::Cdata }),
        "JsonSchema::ANY" => parse_quote!(JsonSchema::new(&[])),
        "JsonSchema::BOOLEAN" => parse_quote!(JsonSchema::new(&[Keyword::Type(Kinds::BOOLEAN)])),
        "JsonSchema::INTEGER" => parse_quote!(JsonSchema::new(&[Keyword::Type(Kinds::INTEGER)])),
        "JsonSchema::NUMBER" => parse_quote!(JsonSchema::new(&[Keyword::Type(Kinds::NUMBER)])),
        "JsonSchema::STRING" => parse_quote!(JsonSchema::new(&[Keyword::Type(Kinds::STRING)])),
        "JsonSchema::STRING_OR_NULL" => {
            parse_quote!(JsonSchema::new(&[Keyword::Type(Kinds::STRING.or(Kinds::NULL))]))
        }
        _ => return None,
    })
}

/// Returns the row that a constructor makes, or `None` if the function is unknown.
fn constructed(function: &str, arguments: &[&Expr]) -> Option<Expr> {
    schema(function, arguments)
        .or_else(|| operation(function, arguments))
        .or_else(|| json_schema(function, arguments))
        .or_else(|| shape(function, arguments))
        .or_else(|| style(function, arguments))
}

fn style(function: &str, arguments: &[&Expr]) -> Option<Expr> {
    Some(match (function, arguments) {
        ("rt::KindStyle::new", [status, message]) => {
            parse_quote!(KindStyle { status: #status, message: #message })
        }
        ("rt::ViolationStyle::new", [field, name, reason]) => {
            parse_quote!(ViolationStyle { field: #field, name: #name, reason: #reason })
        }
        _ => return None,
    })
}

fn shape(function: &str, arguments: &[&Expr]) -> Option<Expr> {
    Some(match (function, arguments) {
        ("rt::UnionShape::new", [name, variants]) => {
            parse_quote!(UnionShape { name: #name, variants: #variants })
        }
        ("rt::Shape::new", [name, kinds]) => parse_quote!(Shape { name: #name, kinds: #kinds }),
        ("rt::Shape::object", [name]) => parse_quote!(Shape { name: #name, kinds: Kinds::OBJECT }),
        _ => return None,
    })
}

fn schema(function: &str, arguments: &[&Expr]) -> Option<Expr> {
    Some(match (function, arguments) {
        ("Schema::integer", [of]) => parse_quote!(Schema::new(Type::Integer(#of))),
        ("Schema::number", [of]) => parse_quote!(Schema::new(Type::Number(#of))),
        ("Schema::text", [of]) => parse_quote!(Schema::new(Type::Text(#of))),
        ("Schema::format", [of]) => parse_quote!(Schema::new(Type::Text(Text { format: #of, ..Text::ANY }))),
        ("Schema::text_enum", [values]) => {
            let of: Expr = parse_quote!(Schema::new(Type::Text(Text { closed: true, ..Text::ANY })));
            parse_quote!(Schema { allowed: #values, ..#of })
        }
        ("Schema::array", [items]) => parse_quote!(Schema::new(Type::Array(Array { items: #items }))),
        ("Schema::tuple", [items]) => parse_quote!(Schema::new(Type::Tuple(#items))),
        ("Schema::same", [row]) => parse_quote!(Schema::new(Type::Same(#row))),
        ("Schema::object", [fields]) => parse_quote!(Schema::new(Type::Object(Object { fields: #fields }))),
        ("Schema::closed_object", [fields]) => {
            let object: Expr = parse_quote!(Object { fields: #fields, additional: Additional::Forbidden });
            parse_quote!(Schema::new(Type::Object(#object)))
        }
        ("Schema::map", [values]) => {
            let object: Expr = parse_quote!(Object { additional: Additional::Kept(#values) });
            parse_quote!(Schema::new(Type::Object(#object)))
        }
        ("Schema::union", [shape, variants]) => {
            parse_quote!(Schema::new(Type::Union(Union { shape: #shape, variants: #variants })))
        }
        ("Array::new", [items]) => parse_quote!(Array { items: #items }),
        ("Object::new", [fields]) => parse_quote!(Object { fields: #fields }),
        ("Field::required", [name, schema]) => {
            parse_quote!(Field { name: #name, required: true, schema: #schema })
        }
        ("Field::optional", [name, schema]) => parse_quote!(Field { name: #name, schema: #schema }),
        ("Xml::element", [name]) => parse_quote!(Xml { node: XmlNode::Element, name: #name }),
        ("Xml::attribute", [name]) => parse_quote!(Xml { node: XmlNode::Attribute, name: #name }),
        ("CrossRule::when", [name, when, require]) => {
            parse_quote!(CrossRule::When { name: #name, when: #when, require: #require })
        }
        ("CrossRule::not_together", [name, fields]) => {
            parse_quote!(CrossRule::NotTogether { name: #name, fields: #fields })
        }
        ("CrossRule::at_least_one", [name, fields, above]) => {
            parse_quote!(CrossRule::AtLeastOne { name: #name, fields: #fields, above: #above })
        }
        ("CrossRule::exactly_one", [name, fields]) => {
            parse_quote!(CrossRule::ExactlyOne { name: #name, fields: #fields })
        }
        ("CrossRule::total_items", [name, fields, minimum, maximum]) => {
            parse_quote!(CrossRule::TotalItems {
                name: #name,
                fields: #fields,
                minimum: #minimum,
                maximum: #maximum
            })
        }
        _ => return None,
    })
}

fn operation(function: &str, arguments: &[&Expr]) -> Option<Expr> {
    Some(match (function, arguments) {
        ("Operation::new", [id, tag, method, path]) => {
            parse_quote!(Operation { id: #id, tag: #tag, method: #method, path: #path })
        }
        ("Parameter::path", [name, schema]) => parse_quote!(Parameter {
            name: #name, location: Location::Path, required: true, style: Style::Simple, schema: #schema
        }),
        ("Parameter::query", [name, schema]) => parse_quote!(Parameter {
            name: #name, location: Location::Query, style: Style::Form, explode: true, schema: #schema
        }),
        ("Parameter::query_string", [name, content, schema]) => parse_quote!(Parameter {
            name: #name, location: Location::QueryString, content: Some(#content), schema: #schema
        }),
        ("Parameter::header", [name, schema]) => parse_quote!(Parameter {
            name: #name, location: Location::Header, style: Style::Simple, schema: #schema
        }),
        ("Parameter::cookie", [name, schema]) => parse_quote!(Parameter {
            name: #name, location: Location::Cookie, style: Style::Form, explode: true, schema: #schema
        }),
        ("Body::required", [contents]) => parse_quote!(Body { required: true, contents: #contents }),
        ("Body::optional", [contents]) => parse_quote!(Body { contents: #contents }),
        ("Content::json", [schema]) => parse_quote!(Content {
            media_type: "application/json", format: ContentFormat::Json, schema: #schema
        }),
        ("Content::new", [media_type, format, schema]) => {
            parse_quote!(Content { media_type: #media_type, format: #format, schema: #schema })
        }
        ("Encoding::new", [property]) => {
            parse_quote!(Encoding { property: #property, explode: true })
        }
        ("Encoding::part", []) => parse_quote!(Encoding { explode: true }),
        ("Response::code", [code]) => parse_quote!(Response { status: Status::Code(#code) }),
        ("Response::class", [class]) => parse_quote!(Response { status: Status::Class(#class) }),
        ("Response::default_response", []) => parse_quote!(Response { status: Status::Default }),
        ("Header::new", [name, schema]) => parse_quote!(Header { name: #name, schema: #schema }),
        ("Scheme::new", [name, kind]) => parse_quote!(Scheme { name: #name, kind: #kind }),
        ("Requirement::new", [scheme]) => parse_quote!(Requirement { scheme: #scheme }),
        _ => return None,
    })
}

fn json_schema(function: &str, arguments: &[&Expr]) -> Option<Expr> {
    Some(match (function, arguments) {
        ("Keyword::items", [others]) => parse_quote!(Keyword::Items { others: Some(#others) }),
        ("Keyword::prefix_items", [prefix, others]) => {
            parse_quote!(Keyword::Items { prefix: #prefix, others: #others })
        }
        ("Keyword::contains", [schema, minimum, maximum]) => {
            parse_quote!(Keyword::Contains { schema: #schema, minimum: #minimum, maximum: #maximum })
        }
        ("Keyword::properties", [listed]) => parse_quote!(Keyword::Properties { listed: #listed }),
        ("Keyword::all_properties", [listed, patterns, others]) => {
            parse_quote!(Keyword::Properties { listed: #listed, patterns: #patterns, others: #others })
        }
        ("Keyword::condition", [condition, then, otherwise]) => {
            parse_quote!(Keyword::If { condition: #condition, then: #then, otherwise: #otherwise })
        }
        _ => return None,
    })
}

/// Returns a row with a field set, or `None` if the function sets none.
fn with(row: Expr, function: &Ident, arguments: &[Expr]) -> Option<Expr> {
    match (function.to_string().as_str(), arguments) {
        // It joins kinds.
        ("or", _) => None,
        ("schema", []) => {
            let of = type_of(&row)?;
            Some(parse_quote!(Schema::new(Type::#of(#row))))
        }
        ("closed", []) if type_of(&row)?.is_ident("Object") => {
            set(row, parse_quote!(additional), parse_quote!(Additional::Forbidden))
        }
        ("kept", [values]) => set(row, parse_quote!(additional), parse_quote!(Additional::Kept(#values))),
        ("at", [code]) => Some(parse_quote!(ErrorUse { status: Status::Code(#code), row: #row })),
        ("at_class", [class]) => Some(parse_quote!(ErrorUse { status: Status::Class(#class), row: #row })),
        ("at_default", []) => Some(parse_quote!(ErrorUse { status: Status::Default, row: #row })),
        ("errors", [rows, documented]) => {
            let errors = parse_quote!(Errors { rows: #rows, documented: #documented });
            set(row, parse_quote!(errors), errors)
        }
        ("discriminator" | "integer_discriminator" | "boolean_discriminator", [property]) => {
            let kind =
                Ident::new(function.to_string().split('_').next().unwrap_or_default(), function.span());
            let discriminator = parse_quote!(Some(Discriminator { kind: #kind, property: #property }));
            set(row, parse_quote!(discriminator), discriminator)
        }
        ("own_errors", [rows]) => set(row, parse_quote!(errors), parse_quote!(Errors { rows: #rows })),
        (_, []) => set(row, function.clone(), parse_quote!(true)),
        (_, [value]) => set(row, function.clone(), value.clone()),
        _ => None,
    }
}

/// Sets a field, in place of an earlier value.
fn set(row: Expr, field: Ident, value: Expr) -> Option<Expr> {
    let mut row = match row {
        Expr::Struct(row) => row,
        base => {
            let of = type_of(&base)?;
            let row: ExprStruct = parse_quote!(#of { ..#base });
            row
        }
    };
    let earlier = row
        .fields
        .iter_mut()
        .find(|earlier| matches!(&earlier.member, syn::Member::Named(name) if *name == field));
    match earlier {
        Some(earlier) => earlier.expr = value,
        None => {
            row.fields.push(parse_quote!(#field: #value));
            // The comma separates the field from `..`.
            row.fields.push_punct(<syn::Token![,]>::default());
        }
    }
    Some(Expr::Struct(row))
}

/// Returns the type of a row: `Text` for `Text { … }` and `Text::ANY`.
fn type_of(base: &Expr) -> Option<Path> {
    let path = match base {
        Expr::Struct(row) => return Some(row.path.clone()),
        Expr::Call(call) => call.func.as_ref(),
        // A kind of the usual style of rejections.
        Expr::Field(_) => return Some(parse_quote!(KindStyle)),
        other => other,
    };
    let Expr::Path(path) = path else { return None };
    let of = path.path.segments.iter().rev().nth(1)?;
    Some(Path::from(of.ident.clone()))
}
