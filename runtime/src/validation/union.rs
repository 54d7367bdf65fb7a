//! The slow path through unions: it takes the variant that decoding would take.

use super::ViolationKind;
use super::walk::{Read, Walker};
use crate::codec::{Candidates, DecodeError, DecodeErrorKind, Reader, UnionShape, candidates};
use crate::table::Union;

impl Walker<'_> {
    /// Walks a union's value as its first variant without errors.
    ///
    /// If there is only one candidate, its own violations are reported. If several candidates have errors,
    /// the intended one is unknown, so the only violation is that no variant matches.
    pub fn union(
        &self,
        union: &'static Union,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let candidates = match candidates(reader, union.shape) {
            Ok(candidates) => candidates,
            Err(error) if error.is_final() => return Err(error),
            Err(error) => return self.no_candidates(union.shape, &error, reader),
        };
        if let (1, Some(schema)) =
            (candidates.len(), candidates.first().and_then(|it| union.variants.get(it)))
        {
            return self.value(schema, reader, wants);
        }
        for schema in candidates.iter().filter_map(|index| union.variants.get(index)) {
            let read = self.try_variant(reader, &mut |reader| self.value(schema, reader, wants))?;
            if read.is_some() {
                return Ok(read);
            }
        }
        reader.skip()?;
        Ok(self.violated(ViolationKind::NoVariant(names(union.shape, &candidates))))
    }

    /// Reports why a value has no candidates.
    fn no_candidates(
        &self,
        shape: &'static UnionShape,
        error: &DecodeError,
        reader: &mut dyn Reader,
    ) -> Result<Read, DecodeError> {
        reader.skip()?;
        let Some(discriminator) = &shape.discriminator else {
            return Ok(self.violated(ViolationKind::NoVariant(names(shape, &Candidates::default()))));
        };
        let kind = match error.kind() {
            DecodeErrorKind::Missing(_) => ViolationKind::Missing,
            DecodeErrorKind::WrongKind { expected, .. } => ViolationKind::WrongType(expected),
            _ => ViolationKind::UnknownTag(shape),
        };
        Ok(self.at_field(discriminator.property, || self.violated(kind)))
    }
}

/// Returns the names of the candidates, or of all variants if there are none.
fn names(shape: &'static UnionShape, candidates: &Candidates) -> Vec<&'static str> {
    let of_candidates: Vec<_> =
        candidates.iter().filter_map(|index| shape.variants.get(index)).map(|it| it.name).collect();
    if of_candidates.is_empty() { shape.variants.iter().map(|it| it.name).collect() } else { of_candidates }
}
