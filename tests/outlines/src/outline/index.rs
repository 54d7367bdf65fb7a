//! Resolves the names and positions by which parts of the crates refer to each other.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Expr, GenericArgument, ImplItem, Item, ItemStatic, PathArguments, ReturnType, Stmt, Type};

use super::rows::expanded;
use super::values::{elements, last_name, plain, struct_name, text, tidy, value};
use crate::documents::Files;

/// The parsed crates of one document, with the names and positions that they refer to.
pub struct Index {
    /// The Rust files by path.
    pub files: BTreeMap<String, syn::File>,
    /// The source of each pattern by `module::NAME`.
    patterns: BTreeMap<String, String>,
    /// The statics that rows refer to, as `module::NAME`.
    used: BTreeSet<String>,
    /// The method and path of each operation by `module::ROW`.
    routes: BTreeMap<String, String>,
    /// The rows of each shared list of errors by `module::ROW`, as `module::ROW`.
    shared: BTreeMap<String, Vec<String>>,
    /// The operations that servers route, by module.
    routed: BTreeMap<String, Vec<String>>,
    /// The variants of the error type of each operation and of each shared list of errors by `module::ROW`.
    errors: BTreeMap<String, Vec<String>>,
}

impl Index {
    /// Parses the Rust files of one document's crates.
    ///
    /// # Errors
    /// Returns an error if a file is not valid Rust.
    pub fn new(files: &Files) -> Result<Self, syn::Error> {
        let rust = files.iter().filter(|(path, _)| path.ends_with(".rs"));
        let parsed = rust.map(|(path, text)| Ok((path.clone(), syn::parse_file(text)?)));
        Ok(Self::of(parsed.collect::<Result<_, syn::Error>>()?))
    }

    /// Creates the index of parsed files.
    #[must_use]
    pub fn of(files: BTreeMap<String, syn::File>) -> Self {
        let mut index = Self {
            files: BTreeMap::new(),
            patterns: BTreeMap::new(),
            used: BTreeSet::new(),
            routes: BTreeMap::new(),
            shared: BTreeMap::new(),
            routed: BTreeMap::new(),
            errors: BTreeMap::new(),
        };
        for (path, file) in files.iter().filter(|(path, _)| path.starts_with("validation/")) {
            let module = module_of(path);
            for item in statics(file) {
                index.add_static(module, item);
            }
        }
        for (path, file) in files.iter().filter(|(path, _)| path.starts_with("client/")) {
            index.add_calls(module_of(path), file, &files);
        }
        index.files = files;
        index
    }

    fn add_static(&mut self, module: &str, item: &ItemStatic) {
        let name = item.ident.to_string();
        let key = format!("{module}::{name}");
        let row = &expanded(plain(&item.expr));
        match struct_name(row).as_str() {
            "Pattern" => {
                let source = match row {
                    Expr::Call(call) => pattern(call),
                    _ => None,
                };
                self.patterns.insert(key, source.unwrap_or_else(|| value(row)));
                return;
            }
            "Operation" => drop(self.routes.insert(key, route(row))),
            _ if tidy(&item.ty).ends_with("[&Response]") => {
                let listed = elements(row).into_iter().map(|row| key_of(module, &value(row))).collect();
                self.shared.insert(key.clone(), listed);
            }
            _ if name == "OPERATIONS" => {
                let listed = elements(row).into_iter().map(last_name).collect();
                self.routed.insert(module.to_owned(), listed);
            }
            _ => {}
        }
        let mut paths = Vec::new();
        find_paths(row, &mut paths);
        self.used.extend(paths.iter().map(|path| key_of(module, path)));
    }

    /// Reads the error types of a module's calls. Their variants name the error rows of the operations.
    fn add_calls(&mut self, module: &str, file: &syn::File, files: &BTreeMap<String, syn::File>) {
        let functions = file.items.iter().filter_map(|item| match item {
            Item::Impl(item) => Some(&item.items),
            _ => None,
        });
        for function in functions.flatten() {
            let ImplItem::Fn(function) = function else { continue };
            let Some(row) = function.block.stmts.iter().find_map(called) else { continue };
            let Some(error) = error_type(&function.sig.output) else { continue };
            let Some((place, name)) = error.rsplit_once("::") else { continue };
            let place = if place == "models" { module } else { place };
            let key = format!("{module}::{row}");
            let variants = variants(files, place, name);
            let row = files.get(&format!("validation/src/{module}.rs")).and_then(|file| {
                statics(file).find(|item| item.ident == row.as_str()).map(|item| expanded(&item.expr))
            });
            let errors = row.as_ref().and_then(|row| field_of(row, "errors"));
            let shared = errors.and_then(|errors| field_of(errors, "rows"));
            if let Some(shared @ Expr::Path(_)) = shared.map(plain) {
                self.errors.insert(key_of(module, &value(shared)), variants.clone());
            }
            self.errors.insert(key, variants);
        }
    }

    /// Returns the view of a module.
    #[must_use]
    pub fn here<'i>(&'i self, module: &'i str) -> Here<'i> {
        Here { index: self, module }
    }
}

/// The index as seen from a module.
#[derive(Clone, Copy)]
pub struct Here<'i> {
    index: &'i Index,
    /// The module's name.
    pub module: &'i str,
}

/// Shows a pattern: `/\d/ as /[0-9]/`, or `/(?!a)/ as fancy /(?!a)/` if another engine runs it.
fn pattern(call: &syn::ExprCall) -> Option<String> {
    let texts: Vec<String> = call.args.iter().map(text).collect();
    match (tidy(&call.func).as_str(), texts.as_slice()) {
        ("Pattern::new", [source]) => Some(format!("/{source}/")),
        ("Pattern::translated", [written, source]) => Some(format!("/{written}/ as /{source}/")),
        ("Pattern::fancy", [written, source]) => Some(format!("/{written}/ as fancy /{source}/")),
        _ => None,
    }
}

impl Here<'_> {
    /// Returns the source of a pattern, or its name if it is unknown.
    pub fn pattern(&self, path: &Expr) -> String {
        let name = value(path);
        self.index.patterns.get(&key_of(self.module, &name)).cloned().unwrap_or(name)
    }

    /// Returns whether no row refers to a pattern of this module.
    pub fn is_unused(&self, pattern: &str) -> bool {
        !self.index.used.contains(&key_of(self.module, pattern))
    }

    /// Returns the method and path of an operation of this module.
    pub fn route(&self, row: &str) -> Option<&str> {
        self.index.routes.get(&key_of(self.module, row)).map(String::as_str)
    }

    /// Returns whether servers route an operation of this module.
    pub fn is_routed(&self, row: &str) -> bool {
        self.routed().iter().any(|routed| routed == row)
    }

    /// Returns the operations of this module that servers route.
    pub fn routed(&self) -> &[String] {
        self.index.routed.get(self.module).map_or(&[], Vec::as_slice)
    }

    /// Returns the name of an error row: the variant of its Rust type.
    pub fn error(&self, row: &str, place: usize) -> Option<&str> {
        self.index.errors.get(&key_of(self.module, row))?.get(place).map(String::as_str)
    }

    /// Returns the name of a shared error row that an operation documents: the variant of its Rust type.
    pub fn shared_error(&self, operation: &str, rows: Option<&Expr>, row: &str) -> Option<&str> {
        let listed = self.index.shared.get(&key_of(self.module, &value(rows?)))?;
        let place = listed.iter().position(|listed| *listed == key_of(self.module, row))?;
        self.error(operation, place)
    }
}

/// Returns the module of a generated file.
pub fn module_of(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.strip_suffix(".rs").unwrap_or(file)
}

/// Returns the statics of a file.
pub fn statics(file: &syn::File) -> impl Iterator<Item = &ItemStatic> {
    file.items.iter().filter_map(|item| match item {
        Item::Static(item) => Some(item),
        _ => None,
    })
}

/// Returns `module::NAME` for a path used in this module.
fn key_of(module: &str, path: &str) -> String {
    if path.contains("::") { path.to_owned() } else { format!("{module}::{path}") }
}

/// Returns the method and path of an operation's row.
fn route(row: &Expr) -> String {
    let part = |name: &str| field_of(row, name).map(text).unwrap_or_default();
    format!("{} {}", part("method"), part("path"))
}

/// Returns a field of a struct.
fn field_of<'e>(row: &'e Expr, name: &str) -> Option<&'e Expr> {
    let Expr::Struct(row) = plain(row) else { return None };
    let field =
        row.fields.iter().find(|field| matches!(&field.member, syn::Member::Named(ident) if ident == name));
    field.map(|field| &field.expr)
}

/// Returns the row of the operation that a statement calls: `self.0.call(&table::ROW, …)`.
fn called(statement: &Stmt) -> Option<String> {
    match statement {
        Stmt::Expr(Expr::MethodCall(call), _) if call.method == "call" => call.args.first().map(last_name),
        _ => None,
    }
}

/// Returns the second argument of `rt::Call<Output, Error>`.
fn error_type(output: &ReturnType) -> Option<String> {
    let ReturnType::Type(_, ty) = output else { return None };
    let Type::Path(path) = ty.as_ref() else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Call")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.iter().nth(1)? {
        GenericArgument::Type(error) => Some(tidy(error)),
        _ => None,
    }
}

/// Returns the variants of an enum of the models crate.
fn variants(files: &BTreeMap<String, syn::File>, module: &str, name: &str) -> Vec<String> {
    let items = files.get(&format!("models/src/{module}.rs")).map_or(&[][..], |file| file.items.as_slice());
    let found = items.iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == name => Some(&item.variants),
        _ => None,
    });
    found
        .map(|variants| variants.iter().map(|variant| variant.ident.to_string()).collect())
        .unwrap_or_default()
}

/// Collects every path in an expression.
fn find_paths(row: &Expr, found: &mut Vec<String>) {
    match plain(row) {
        Expr::Path(_) => found.push(value(row)),
        Expr::Array(array) => array.elems.iter().for_each(|row| find_paths(row, found)),
        Expr::Tuple(tuple) => tuple.elems.iter().for_each(|row| find_paths(row, found)),
        Expr::Call(call) => call.args.iter().for_each(|row| find_paths(row, found)),
        Expr::Struct(row) => row.fields.iter().for_each(|field| find_paths(&field.expr, found)),
        _ => {}
    }
}
