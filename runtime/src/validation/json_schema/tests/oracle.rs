//! Random schemas, compared with the crate `jsonschema`.
