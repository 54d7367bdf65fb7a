//! The slow path through unions: it takes the variant that decoding would take.

use super::Problem;
use super::walk::{Read, Walker};
use crate::codec::{Candidates, Fault, FaultKind, Reader, UnionShape, candidates};
use crate::table::Union;

impl Walker<'_> {
    /// Walks a union's value as its first variant without faults.
    ///
    /// If there is only one candidate, its own violations are reported. If several candidates have faults,
    /// the intended one is unknown, so the only violation is that no variant matches.
    pub fn union(&self, union: &'static Union, reader: &mut dyn Reader, wants: bool) -> Result<Read, Fault> {
        let candidates = match candidates(reader, union.shape) {
            Ok(candidates) => candidates,
            Err(fault) if fault.is_final() => return Err(fault),
            Err(fault) => return self.no_candidates(union.shape, &fault, reader),
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
        Ok(self.fault(Problem::NoVariant(names(union.shape, &candidates))))
    }

    /// Reports why a value has no candidates.
    fn no_candidates(
        &self,
        shape: &'static UnionShape,
        fault: &Fault,
        reader: &mut dyn Reader,
    ) -> Result<Read, Fault> {
        reader.skip()?;
        let Some(discriminator) = &shape.discriminator else {
            return Ok(self.fault(Problem::NoVariant(names(shape, &Candidates::default()))));
        };
        let problem = match fault.kind() {
            FaultKind::Missing(_) => Problem::Missing,
            FaultKind::WrongKind { expected, .. } => Problem::WrongType(expected),
            _ => Problem::UnknownTag(discriminator.mapping),
        };
        Ok(self.at_field(discriminator.property, || self.fault(problem)))
    }
}

/// Returns the names of the candidates, or of all variants if there are none.
fn names(shape: &'static UnionShape, candidates: &Candidates) -> Vec<&'static str> {
    let of_candidates: Vec<_> =
        candidates.iter().filter_map(|index| shape.variants.get(index)).map(|it| it.name).collect();
    if of_candidates.is_empty() { shape.variants.iter().map(|it| it.name).collect() } else { of_candidates }
}
