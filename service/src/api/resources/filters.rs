//! Translates search filters into catalogue queries.

use asset_api_server::models::resources as models;

use crate::catalogue::query::ResourceQuery;
use crate::time::Millis;

const DAY: Millis = 24 * 60 * 60 * 1000;

/// Adds the filters to a query.
///
/// Flags within a group are alternatives (OR), and all groups must match (AND). If `ids` is set, the other
/// filters are ignored.
pub(super) fn apply(filters: &models::ResourceFilters, query: &mut ResourceQuery, now: Millis) {
    if let Some(ids) = &filters.ids {
        // A value that is not an id, such as a number out of range, matches nothing.
        query.ids = ids.split(',').map(|id| id.parse().unwrap_or(-1)).collect();
        return;
    }
    let mut any_of = |group: Vec<String>| {
        if !group.is_empty() {
            query.any_of.push(group);
        }
    };
    if let Some(orientation) = &filters.orientation {
        any_of(flags(&[
            (orientation.landscape, "orientation:horizontal"),
            (orientation.portrait, "orientation:vertical"),
            (orientation.square, "orientation:square"),
            (orientation.panoramic, "orientation:panoramic"),
        ]));
    }
    let mut vectors = false;
    if let Some(kind) = &filters.content_type {
        vectors = is_set(kind.vector);
        any_of(flags(&[(kind.photo, "kind:photo"), (kind.psd, "kind:psd"), (kind.vector, "kind:vector")]));
    }
    if let Some(license) = &filters.license {
        any_of(flags(&[(license.freemium, "license:freemium"), (license.premium, "license:premium")]));
    }
    if let Some(people) = &filters.people {
        any_of(flags(&[(people.include, "people:some"), (people.exclude, "people:none")]));
        let number = people.number.as_ref().map(|number| match number {
            models::PeopleNumber::MoreThanThree => "more",
            number => number.as_str(),
        });
        any_of(facet("people", number));
        any_of(facet("age", people.age.as_ref().map(models::PeopleAge::as_str)));
        any_of(facet("gender", people.gender.as_ref().map(models::PeopleGender::as_str)));
    }
    if let Some(generated) = &filters.ai_generated {
        any_of(flags(&[(generated.only, "ai:yes"), (generated.excluded, "ai:no")]));
    }
    any_of(facet("color", filters.color.as_ref().map(models::ColorFilter::as_str)));
    if let Some(vector) = filters.vector.as_ref().filter(|_| vectors) {
        any_of(facet("format", vector.r#type.as_ref().map(models::VectorType::as_str)));
        any_of(facet("style", vector.style.as_ref().map(models::VectorStyle::as_str)));
    }
    if let Some(psd) = &filters.psd {
        any_of(facet("format", psd.r#type.as_ref().map(models::PsdType::as_str)));
    }
    query.author = filters.author;
    query.now = now;
    query.published_since = filters.period.map(|period| now.saturating_sub(days(period) * DAY));
}

fn is_set(flag: Option<models::FilterFlag>) -> bool {
    matches!(flag, Some(models::FilterFlag::N1))
}

fn flags(flags: &[(Option<models::FilterFlag>, &str)]) -> Vec<String> {
    flags.iter().filter(|(flag, _)| is_set(*flag)).map(|(_, facet)| (*facet).to_owned()).collect()
}

/// Returns the facet of a value, as the index names it; nothing without a value.
fn facet(name: &str, value: Option<&str>) -> Vec<String> {
    value.map(|value| format!("{name}:{value}")).into_iter().collect()
}

const fn days(period: models::PeriodFilter) -> Millis {
    match period {
        models::PeriodFilter::LastMonth => 31,
        models::PeriodFilter::LastQuarter => 92,
        models::PeriodFilter::LastSemester => 183,
        models::PeriodFilter::LastYear => 366,
    }
}
