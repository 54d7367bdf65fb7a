//! The outline of JSON Schemas: their keywords, one block each.

use super::{
    block::Block,
    rules::format_name,
    words::{Here, joined, labelled, literal, literals, quoted},
};
use crate::ir::{JsonSchema, JsonSchemaDef, Keyword};

impl Here<'_> {
    /// Returns the block of a static: `THING_JSON_SCHEMA: json schema type string, maxLength 3`.
    pub(super) fn json_schema_def(self, def: &JsonSchemaDef) -> Block {
        let JsonSchemaDef { module: _, constant, schema, origin: _ } = def;
        self.keywords(schema).after(&format!("{constant}: json schema "))
    }

    fn keywords(self, JsonSchema(keywords): &JsonSchema) -> Block {
        let blocks: Vec<Block> = keywords.iter().map(|keyword| self.keyword(keyword)).collect();
        match blocks.as_slice() {
            [] => Block::line("any"),
            [only] => only.clone(),
            several if several.iter().all(Block::is_line) => {
                Block::line(several.iter().map(Block::head).collect::<Vec<_>>().join(", "))
            }
            _ => Block::over("all", blocks),
        }
    }

    fn keyword(self, keyword: &Keyword) -> Block {
        let name = keyword.name();
        let with = |value: String| Block::line(format!("{name} {value}"));
        match keyword {
            Keyword::False | Keyword::Flag(_) => Block::line(name),
            Keyword::Type(kinds) => with(joined(kinds.names())),
            Keyword::Enum(values) => with(format!("[{}]", literals(values))),
            Keyword::Bound(_, bound) => with(literal(bound)),
            Keyword::Count(_, limit) => with(limit.to_string()),
            Keyword::Pattern(id) => with(self.pattern(*id)),
            Keyword::Format(format) => with(format_name(*format)),
            Keyword::Required(names) => with(quoted(names)),
            Keyword::DependentRequired(each) => {
                let lines =
                    each.iter().map(|(name, names)| Block::line(format!("{name}: {}", quoted(names))));
                Block::over(name, lines.collect())
            }
            Keyword::Items { prefix, others } => {
                Block::over(name, self.bullets(prefix)).with(self.others(others.as_deref()))
            }
            Keyword::Contains { schema, minimum, maximum } => {
                let head = joined([
                    name.to_owned(),
                    labelled("minimum", Some(*minimum)),
                    labelled("maximum", *maximum),
                ]);
                Block::over(head, vec![self.keywords(schema)])
            }
            Keyword::Properties { listed, patterns, others } => {
                let patterns = patterns
                    .iter()
                    .map(|(id, schema)| self.keywords(schema).after(&format!("{}: ", self.pattern(*id))));
                Block::over(name, self.pairs(listed)).with(patterns).with(self.others(others.as_deref()))
            }
            Keyword::DependentSchemas(each) => Block::over(name, self.pairs(each)),
            Keyword::Ref(id) => Block::line(self.json_schema(*id)),
            Keyword::AllOf(schemas) | Keyword::AnyOf(schemas) | Keyword::OneOf(schemas) => {
                Block::over(name, self.bullets(schemas))
            }
            Keyword::Not(schema)
            | Keyword::PropertyNames(schema)
            | Keyword::UnevaluatedItems(schema)
            | Keyword::UnevaluatedProperties(schema) => self.keywords(schema).after(&format!("{name} ")),
            Keyword::If { condition, then, otherwise } => {
                let branches = [("then ", then), ("else ", otherwise)];
                let branches = branches
                    .into_iter()
                    .filter_map(|(word, schema)| Some(self.keywords(schema.as_deref()?).after(word)));
                Block::over("conditional", vec![self.keywords(condition).after("if ")]).with(branches)
            }
        }
    }

    fn bullets(self, schemas: &[JsonSchema]) -> Vec<Block> {
        schemas.iter().map(|schema| self.keywords(schema).after("- ")).collect()
    }

    fn pairs(self, pairs: &[(String, JsonSchema)]) -> Vec<Block> {
        pairs.iter().map(|(name, schema)| self.keywords(schema).after(&format!("{name}: "))).collect()
    }

    fn others(self, others: Option<&JsonSchema>) -> Option<Block> {
        others.map(|others| self.keywords(others).after("*: "))
    }
}
