//! The uses of types: each item of the text is a function that is compiled and never run.

use openapi_crates::internals::{
    Additional, Api, ChoiceRole, Kind, MapRules, Outside, Schema, StructDef, Type, TypeDef, TypeId,
};

/// The types of a document, as a program names them.
pub struct Types<'a> {
    pub api: &'a Api,
    pub outside: Outside<'a>,
}

impl Types<'_> {
    /// Returns the path of a type.
    pub fn path(&self, id: TypeId) -> String {
        self.outside.ty(&Schema::new(Type::Named { id, boxed: false }))
    }

    /// Returns a function that needs the traits `Clone` and `PartialEq` of a type, as far as it derives them.
    pub fn derives(&self, def: &TypeDef) -> String {
        let derived = self.outside.derives(def);
        let is_derived = |name: &&str| derived.iter().any(|derived| derived == name);
        let usual: Vec<&str> = ["Clone", "PartialEq"].into_iter().filter(is_derived).collect();
        if usual.is_empty() || matches!(def.kind, Kind::Alias(_)) {
            return String::new();
        }
        let (path, bounds) = (self.path(def.id), usual.join(" + "));
        format!("const _: fn() = || {{ fn needs<T: {bounds}>() {{}} needs::<{path}>(); }};\n")
    }

    /// Returns a function that reads each field or matches each variant, with the type of every value.
    pub fn reads(&self, def: &TypeDef) -> String {
        let path = self.path(def.id);
        let body = match &def.kind {
            Kind::Struct(body) => self.struct_reads(&path, body),
            Kind::StringEnum(body) => {
                let known = body.variants.iter().map(|variant| format!("{path}::{} => {{}}", variant.ident));
                let open = body.open.as_ref().map(|open| binding(&path, &open.0, "String"));
                // A closed enum is `Copy`, and its text is not borrowed from it.
                let (lifetime, copy) = match open {
                    Some(_) => ("", String::new()),
                    None => ("'static ", format!("let _: {path} = *value;")),
                };
                let text = format!("let _: &{lifetime}str = value.as_str();");
                [text, copy, matching(known.chain(open))].concat()
            }
            Kind::IntegerEnum(body) => {
                let known = body.variants.iter().map(|variant| format!("{path}::{} => {{}}", variant.ident));
                let open = body.open.as_ref().map(|open| binding(&path, &open.0, "i64"));
                format!(
                    "let _: i64 = value.as_i64(); let _: {path} = *value; {}",
                    matching(known.chain(open))
                )
            }
            Kind::Union(body) => {
                let known = body
                    .variants
                    .iter()
                    .map(|variant| binding(&path, &variant.ident.0, &self.outside.ty(&variant.schema)));
                let open = body.open.as_ref().map(|open| binding(&path, &open.0, &self.any()));
                matching(known.chain(open))
            }
            Kind::Choice(body) => {
                let known = body.variants.iter().map(|variant| match variant.payload.ty {
                    Type::Unit => format!("{path}::{} => {{}}", variant.ident),
                    _ => binding(&path, &variant.ident.0, &self.outside.ty(&variant.payload)),
                });
                // The others are `#[non_exhaustive]`.
                let others = (body.role != ChoiceRole::Content).then(|| "_ => {}".to_owned());
                matching(known.chain(others))
            }
            Kind::Alias(target) => format!("let _: &{} = value;", self.outside.ty(target)),
        };
        let inner = match &def.kind {
            Kind::Choice(body) => self.outside.inner(body),
            _ => None,
        };
        let inner = inner.map(|ty| format!("const _: fn({path}) -> {ty} = |value| value.into_inner();\n"));
        format!("const _: fn(&{path}) = |value| {{ {body} }};\n") + &inner.unwrap_or_default()
    }

    fn struct_reads(&self, path: &str, body: &StructDef) -> String {
        let mut text = String::new();
        if body.exhaustive {
            let fields = self.all_fields(body).into_iter().map(|(name, _)| format!("{name}: _"));
            let fields = fields.collect::<Vec<_>>().join(", ");
            text += &format!("\n    let {path} {{ {fields} }} = value;");
        }
        for field in &body.fields {
            text += &format!("\n    let _: &{} = &value.{};", self.outside.field_ty(field), field.ident);
            if let (Some(accessor), Some(ty)) = (&field.default_accessor, self.outside.accessor_ty(field)) {
                text += &format!("\n    let _: {ty} = value.{accessor}();");
            }
        }
        if let Some((name, ty)) = self.additional(body) {
            text += &format!("\n    let _: &{ty} = &value.{name};");
        }
        text + "\n"
    }

    /// Returns functions that build a value in each possible way.
    pub fn builds(&self, def: &TypeDef) -> String {
        let path = self.path(def.id);
        let variant = |name: &str| format!("const _: fn() -> {path} = || {path}::{name};\n");
        let given = |name: &str, ty: &str| function(&path, &[ty.to_owned()], &format!("{path}::{name}"));
        match &def.kind {
            Kind::Struct(body) => self.struct_builds(&path, body),
            Kind::StringEnum(body) => {
                let known = body.variants.iter().map(|value| variant(&value.ident.0));
                let open = body.open.as_ref().map(|open| given(&open.0, "String"));
                let parsed = format!("const _: fn(&str) = |text| {{ let _ = text.parse::<{path}>(); }};\n");
                known.chain(open).chain([parsed]).collect()
            }
            Kind::IntegerEnum(body) => {
                let known = body.variants.iter().map(|value| variant(&value.ident.0));
                let open = body.open.as_ref().map(|open| given(&open.0, "i64") + &given("from", "i64"));
                let tried =
                    format!("const _: fn(i64) -> Option<{path}> = |value| {path}::try_from(value).ok();\n");
                known.chain(open).chain([tried]).collect()
            }
            Kind::Union(body) => {
                let known = body
                    .variants
                    .iter()
                    .map(|variant| given(&variant.ident.0, &self.outside.ty(&variant.schema)));
                let from = self.outside.conversions(body).into_iter().flatten().map(|ty| given("from", &ty));
                let open = body.open.as_ref().map(|open| given(&open.0, &self.any()));
                known.chain(from).chain(open).collect()
            }
            Kind::Choice(body) => {
                let known = body.variants.iter().map(|value| match value.payload.ty {
                    Type::Unit => variant(&value.ident.0),
                    _ => given(&value.ident.0, &self.outside.ty(&value.payload)),
                });
                known.collect()
            }
            Kind::Alias(target) => {
                format!("const _: fn({}) -> {path} = |value| value;\n", self.outside.ty(target))
            }
        }
    }

    fn struct_builds(&self, path: &str, body: &StructDef) -> String {
        let asked = self.asked(body);
        let mut text = match (&body.fields_struct, asked.is_empty()) {
            (_, true) => format!("const _: fn() -> {path} = || {path}::default();\n"),
            (None, false) => function(path, &asked, &format!("{path}::new")),
            (Some(_), false) => {
                let fields = self.fields_expression(path, body);
                let from = if has_constants(body) {
                    String::new()
                } else {
                    enclosed(path, &asked, &format!("{path}::from({fields})"))
                };
                enclosed(path, &asked, &format!("{path}::new({fields})")) + &from
            }
        };
        if body.exhaustive {
            let (names, types): (Vec<String>, Vec<String>) = self.all_fields(body).into_iter().unzip();
            let fields = names.iter().enumerate().map(|(index, name)| format!("{name}: a{index}, "));
            text += &enclosed(path, &types, &format!("{path} {{ {}}}", fields.collect::<String>()));
        }
        for field in &body.fields {
            let assigned = format!("|value, it| {{ value.{} = it; }}", field.ident);
            text += &format!("const _: fn(&mut {path}, {}) = {assigned};\n", self.outside.field_ty(field));
            if let Some(setter) = &field.setter {
                let ty = self.outside.ty(&field.held());
                text += &format!("const _: fn({path}, {ty}) -> {path} = |value, it| value.{setter}(it);\n");
            }
        }
        if let Some((name, ty)) = self.additional(body) {
            text += &format!("const _: fn(&mut {path}, {ty}) = |value, it| {{ value.{name} = it; }};\n");
        }
        text
    }

    /// Returns the names and types of all fields.
    fn all_fields(&self, body: &StructDef) -> Vec<(String, String)> {
        let fields = body.fields.iter().map(|field| (field.ident.to_string(), self.outside.field_ty(field)));
        fields.chain(self.additional(body)).collect()
    }

    /// Returns the types of the fields that the constructor takes.
    pub fn asked(&self, body: &StructDef) -> Vec<String> {
        let asked = body.fields.iter().filter(|field| field.is_asked());
        asked.map(|field| self.outside.ty(&field.schema)).collect()
    }

    /// Returns the struct of the constructor's arguments, `PetFields { name: a0, age: a1 }`.
    pub fn fields_expression(&self, path: &str, body: &StructDef) -> String {
        let Some(name) = &body.fields_struct else { return String::new() };
        let module = path.rsplit_once("::").map_or("", |(module, _)| module);
        let asked = body.fields.iter().filter(|field| field.is_asked());
        let fields = asked.enumerate().map(|(index, field)| format!("{}: a{index}, ", field.ident));
        format!("{module}::{name} {{ {}}}", fields.collect::<String>())
    }

    fn additional(&self, body: &StructDef) -> Option<(String, String)> {
        match &body.additional {
            Additional::Kept { ident, schema, .. } => {
                let map = MapRules {
                    values: schema.clone(),
                    min_properties: None,
                    max_properties: None,
                    names: None,
                };
                Some((ident.to_string(), self.outside.ty(&Schema::new(Type::Map(Box::new(map))))))
            }
            Additional::Ignored | Additional::Forbidden => None,
        }
    }

    /// Returns the type of any JSON value.
    fn any(&self) -> String {
        self.outside.ty(&Schema::new(Type::Any))
    }
}

/// Returns whether the constructor fills in fields.
pub fn has_constants(body: &StructDef) -> bool {
    body.fields.iter().any(|field| field.required && !field.is_asked())
}

/// Returns names for arguments: `a0, a1`.
pub fn arguments(count: usize) -> String {
    (0..count).map(|index| format!("a{index}")).collect::<Vec<_>>().join(", ")
}

/// Returns an item that calls a function: `const _: fn(String) -> Pet = |a0| Pet::new(a0);`.
fn function(result: &str, types: &[String], called: &str) -> String {
    enclosed(result, types, &format!("{called}({})", arguments(types.len())))
}

fn enclosed(result: &str, types: &[String], expression: &str) -> String {
    let arguments = arguments(types.len());
    format!("const _: fn({}) -> {result} = |{arguments}| {expression};\n", types.join(", "))
}

fn binding(path: &str, variant: &str, ty: &str) -> String {
    format!("{path}::{variant}(it) => {{ let _: &{ty} = it; }}")
}

fn matching(arms: impl Iterator<Item = String>) -> String {
    let arms: Vec<String> = arms.map(|arm| format!("\n        {arm}")).collect();
    format!("\n    match value {{{}\n    }}\n", arms.concat())
}
