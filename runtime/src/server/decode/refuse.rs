//! The slow path: collects all violations in a request.

use super::{Presence, Refused, Request};
use crate::table::{ContentFormat, Location, Parameter};
use crate::validation::{Position, Violation, ViolationKind, Violations, walk};

/// The message if a required body in JSON or XML is empty.
const EMPTY: &str = "the body is empty";

impl Request<'_> {
    /// Returns all violations in this request, which the fast path rejected.
    pub(super) fn refuse(&self) -> Refused {
        if let Some(refused) = self.unread.take() {
            return refused;
        }
        match self.violations() {
            Err(refused) => refused,
            Ok(mut violations) => {
                if violations.is_empty() {
                    // The two paths agree, as tests check. If they ever don't, the caller still gets a response.
                    violations.push(self.anywhere().violation(ViolationKind::UNSPECIFIC));
                }
                Refused::Invalid(violations)
            }
        }
    }

    /// Returns all violations in this request.
    ///
    /// Fails if the body can't be read.
    pub(super) fn violations(&self) -> Result<Violations, Refused> {
        let mut violations = Violations::new();
        let mut parameters: Vec<&'static Parameter> = self.operation.parameters.iter().collect();
        parameters.sort_by_key(|parameter| parameter.location);
        let unknown = parameters.partition_point(|parameter| parameter.location <= Location::Query);
        let (before, after) = parameters.split_at(unknown);
        before.iter().for_each(|parameter| self.check_parameter(parameter, &mut violations));
        violations.extend(self.unknown_parameters());
        after.iter().for_each(|parameter| self.check_parameter(parameter, &mut violations));
        self.check_body(&mut violations)?;
        Ok(violations)
    }

    fn unknown_parameters(&self) -> impl Iterator<Item = Violation> {
        let parameters = self.operation.parameters.iter();
        let in_query = parameters.filter(|parameter| parameter.location == Location::Query);
        let known = in_query.map(|parameter| parameter.name).collect::<Vec<_>>();
        let names = self.parameters.unknown_names().take(Violations::CAP);
        names
            .map(move |name| Position::query(&name).violation(ViolationKind::UnknownParameter(known.clone())))
    }

    fn check_parameter(&self, parameter: &'static Parameter, out: &mut Violations) {
        let position = Position::parameter(parameter);
        if let Some(problem) = self.parameters.problem(parameter) {
            out.push(position.violation(problem));
            return;
        }
        let walked =
            self.parameters.read(parameter, &mut |reader| walk(parameter.schema, reader, &position, out));
        match walked {
            Ok(true) => {}
            Ok(false) if parameter.required => out.push(position.violation(ViolationKind::Missing)),
            Ok(false) => {}
            Err(error) => out.push(position.violation(ViolationKind::of(&error))),
        }
    }

    fn check_body(&self, out: &mut Violations) -> Result<(), Refused> {
        let position = Position::body();
        match self.body() {
            Presence::Absent => Ok(()),
            Presence::Missing if self.is_document() => Err(Refused::MalformedBody(EMPTY.to_owned())),
            Presence::Missing => {
                out.push(position.violation(ViolationKind::Missing));
                Ok(())
            }
            // Bytes have no constraints, and the handler validates items while it reads them.
            Presence::Here(_, content) if content.format.is_streamed() => Ok(()),
            Presence::Here(index, content) => {
                let walked = self
                    .read_body((index, content), &mut |reader| walk(content.schema, reader, &position, out));
                if let Err(error) = walked {
                    let error = Refused::of(error)?;
                    out.push(position.violation(ViolationKind::of(&error)));
                }
                Ok(())
            }
        }
    }

    /// Returns whether a missing body should have been JSON or XML, which are never empty.
    fn is_document(&self) -> bool {
        let contents = self.operation.body.as_ref().map_or(&[][..], |body| body.contents);
        let content = self.raw.content.and_then(|index| contents.get(index)).or(contents.first());
        content.is_some_and(|content| content.format == ContentFormat::Json || content.format.is_xml())
    }

    /// Returns a location for a violation that has none of its own.
    fn anywhere(&self) -> Position {
        match self.operation.parameters.first() {
            Some(parameter) if self.operation.body.is_none() => Position::parameter(parameter),
            _ => Position::body(),
        }
    }
}
