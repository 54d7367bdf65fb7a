//! Visits schemas: those directly within a type, and those of operations.

use super::{
    Additional, Api, Body, Callback, Content, Encodings, Errors, Kind, Operation, PatternId, Response,
    Schema, Type, TypeId,
};

/// Defines visitors, for schemas that are borrowed or mutably borrowed.
macro_rules! visitors {
    (
        $($mutable:ident)?; $iter:ident $piece:ident
        $schemas:ident $visit:ident $held:ident $patterns:ident
        $requests:ident $responses:ident $callbacks:ident $shared:ident
    ) => {
        impl Type {
            /// Visits the schemas directly within the type.
            pub(crate) fn $schemas(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                match self {
                    Self::Array(rules) => visit(&$($mutable)? rules.items),
                    Self::Stream(stream) => stream.$piece().into_iter().for_each(visit),
                    Self::Tuple(items) => items.$iter().for_each(visit),
                    Self::Map(rules) => {
                        visit(&$($mutable)? rules.values);
                        rules.names.$iter().flat_map(|names| names.$schemas()).for_each(visit);
                    }
                    Self::Any
                    | Self::Unit
                    | Self::Boolean
                    | Self::Integer(_)
                    | Self::Number(_)
                    | Self::Text(_)
                    | Self::Bytes
                    | Self::File
                    | Self::Named { .. } => {}
                }
            }
        }

        impl Schema {
            /// Visits the schema and all schemas within its type.
            pub(crate) fn $visit(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                visit(self);
                self.ty.$schemas(&mut |schema| schema.$visit(visit));
            }

            /// Visits the schemas whose values are stored within the value itself, not in an array or map.
            pub(crate) fn $held(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                visit(self);
                if let Type::Tuple(_) = self.ty {
                    self.ty.$schemas(&mut |schema| schema.$held(visit));
                }
            }

            /// Visits the patterns of the schema, without those of schemas within it.
            pub(crate) fn $patterns(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? PatternId)) {
                match &$($mutable)? self.ty {
                    Type::Text(rules) => rules.pattern.$iter().for_each(visit),
                    Type::Map(rules) => {
                        let patterns = rules.names.$iter().flat_map(|names| names.patterns.$iter());
                        patterns.for_each(|(id, _)| visit(id));
                    }
                    _ => {}
                }
            }
        }

        impl Kind {
            /// Visits the schemas directly within the type.
            pub(crate) fn $schemas(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                match self {
                    Self::Struct(def) => {
                        def.fields.$iter().for_each(|field| visit(&$($mutable)? field.schema));
                        if let Additional::Kept { schema, names, .. } = &$($mutable)? def.additional {
                            visit(schema);
                            names.$iter().flat_map(|names| names.$schemas()).for_each(visit);
                        }
                    }
                    Self::Union(def) => {
                        def.variants.$iter().for_each(|variant| visit(&$($mutable)? variant.schema));
                    }
                    Self::Alias(schema) => visit(schema),
                    Self::Choice(choice) => {
                        choice.variants.$iter().for_each(|variant| visit(&$($mutable)? variant.payload));
                    }
                    Self::StringEnum(_) | Self::IntegerEnum(_) => {}
                }
            }
        }

        impl Encodings {
            /// Visits the schemas of the headers of parts.
            pub(crate) fn $schemas(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                let item = self.item.$iter().map(|item| &$($mutable)? **item);
                for encoding in self.named.$iter().chain(self.prefix.$iter()).chain(item) {
                    encoding.headers.$iter().for_each(|header| visit(&$($mutable)? header.schema));
                    encoding.parts.$schemas(visit);
                }
            }
        }

        impl Content {
            /// Visits the schemas of the content.
            pub(crate) fn $schemas(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                visit(&$($mutable)? self.schema);
                self.encodings.$schemas(visit);
            }
        }

        impl Body {
            /// Visits the schemas of the body.
            pub(crate) fn $schemas(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                visit(&$($mutable)? self.schema);
                self.contents.$iter().for_each(|content| content.$schemas(visit));
            }
        }

        impl Response {
            /// Visits the schemas of the response.
            pub(crate) fn $schemas(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                self.headers.$iter().for_each(|header| visit(&$($mutable)? header.schema));
                self.contents.$iter().for_each(|content| content.$schemas(visit));
            }
        }

        impl Callback {
            /// Visits the schemas of the request and of its responses.
            pub(crate) fn $schemas(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                self.parameters.$iter().for_each(|parameter| visit(&$($mutable)? parameter.schema));
                self.body.$iter().for_each(|body| body.$schemas(visit));
                self.responses.$iter().for_each(|response| response.$schemas(visit));
            }
        }

        impl Operation {
            /// Visits the schemas of requests.
            pub(crate) fn $requests(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                self.parameters.$iter().for_each(|parameter| visit(&$($mutable)? parameter.schema));
                self.body.$iter().for_each(|body| body.$schemas(visit));
            }

            /// Visits the schemas of responses, except shared errors.
            pub(crate) fn $responses(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                visit(&$($mutable)? self.output);
                self.responses.$iter().for_each(|response| response.$schemas(visit));
                if let Errors::Own { rows, .. } = &$($mutable)? self.errors {
                    rows.$iter().for_each(|row| row.$schemas(visit));
                }
            }

            /// Visits the schemas of callbacks.
            pub(crate) fn $callbacks(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                self.callbacks.$iter().for_each(|callback| callback.$schemas(visit));
            }
        }

        impl Api {
            /// Visits the schemas of shared errors.
            pub(crate) fn $shared(&$($mutable)? self, visit: &mut dyn FnMut(&$($mutable)? Schema)) {
                let rows = self.shared_errors.$iter().flat_map(|shared| shared.rows.$iter());
                rows.for_each(|row| row.$schemas(visit));
            }
        }
    };
}

visitors!(
    ; iter piece
    schemas visit held patterns
    request_schemas response_schemas callback_schemas shared_schemas
);
visitors!(
    mut; iter_mut piece_mut
    schemas_mut visit_mut held_mut patterns_mut
    request_schemas_mut response_schemas_mut callback_schemas_mut shared_schemas_mut
);

impl Schema {
    /// Visits the types that the schema refers to, also within its type.
    pub(crate) fn named(&self, visit: &mut dyn FnMut(TypeId)) {
        self.visit(&mut |schema| {
            if let Type::Named { id, .. } = schema.ty {
                visit(id);
            }
        });
    }
}

impl Kind {
    /// Visits the patterns for names of additional properties, mutably.
    pub(crate) fn own_patterns_mut(&mut self, visit: &mut dyn FnMut(&mut PatternId)) {
        if let Self::Struct(def) = self
            && let Additional::Kept { names, .. } = &mut def.additional
        {
            let patterns = names.iter_mut().flat_map(|names| &mut names.patterns);
            patterns.for_each(|(id, _)| visit(id));
        }
    }
}

impl Api {
    /// Visits the contents of all requests and responses.
    pub(crate) fn contents(&self, visit: &mut dyn FnMut(&Content)) {
        for operation in &self.operations {
            operation.body.iter().flat_map(|body| &body.contents).for_each(&mut *visit);
            operation.responses.iter().flat_map(|row| &row.contents).for_each(&mut *visit);
            if let Errors::Own { rows, .. } = &operation.errors {
                rows.iter().flat_map(|row| &row.contents).for_each(&mut *visit);
            }
        }
        let shared = self.shared_errors.iter().flat_map(|shared| &shared.rows);
        shared.flat_map(|row| &row.contents).for_each(&mut *visit);
    }

    /// Returns whether a body is XML.
    pub(crate) fn has_xml(&self) -> bool {
        let mut has_xml = false;
        self.contents(&mut |content| has_xml = has_xml || content.xml.is_some());
        has_xml
    }

    /// Visits the schemas of all responses, mutably.
    pub(crate) fn all_response_schemas_mut(&mut self, visit: &mut dyn FnMut(&mut Schema)) {
        self.operations.iter_mut().for_each(|operation| operation.response_schemas_mut(visit));
        self.shared_schemas_mut(visit);
    }

    /// Visits the schemas of all operations, webhooks and shared errors, mutably.
    pub(crate) fn all_schemas_mut(&mut self, visit: &mut dyn FnMut(&mut Schema)) {
        for operation in &mut self.operations {
            operation.request_schemas_mut(visit);
            operation.callback_schemas_mut(visit);
        }
        self.webhooks.iter_mut().for_each(|webhook| webhook.schemas_mut(visit));
        self.all_response_schemas_mut(visit);
    }
}
