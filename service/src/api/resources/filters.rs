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
        // A value that is no id, such as a number out of range, matches nothing.
        query.ids = ids.split(',').map(|id| id.parse().unwrap_or(-1)).collect();
        return;
    }
    let mut any_of = |group: Vec<&str>| {
        if !group.is_empty() {
            query.any_of.push(group.into_iter().map(ToOwned::to_owned).collect());
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
        any_of(people.number.map(number).into_iter().collect());
        any_of(people.age.map(age).into_iter().collect());
        any_of(people.gender.map(gender).into_iter().collect());
    }
    if let Some(made) = &filters.ai_generated {
        any_of(flags(&[(made.only, "ai:yes"), (made.excluded, "ai:no")]));
    }
    any_of(filters.color.map(color).into_iter().collect());
    if let Some(vector) = filters.vector.as_ref().filter(|_| vectors) {
        any_of(vector.r#type.map(vector_type).into_iter().collect());
        any_of(vector.style.map(vector_style).into_iter().collect());
    }
    if let Some(psd) = &filters.psd {
        any_of(psd.r#type.map(psd_type).into_iter().collect());
    }
    query.author = filters.author;
    query.now = now;
    query.published_since = filters.period.map(|period| now.saturating_sub(days(period) * DAY));
}

fn is_set(flag: Option<models::FilterFlag>) -> bool {
    matches!(flag, Some(models::FilterFlag::N1))
}

fn flags<'f>(flags: &[(Option<models::FilterFlag>, &'f str)]) -> Vec<&'f str> {
    flags.iter().filter(|(flag, _)| is_set(*flag)).map(|(_, facet)| *facet).collect()
}

const fn days(period: models::PeriodFilter) -> Millis {
    match period {
        models::PeriodFilter::LastMonth => 31,
        models::PeriodFilter::LastQuarter => 92,
        models::PeriodFilter::LastSemester => 183,
        models::PeriodFilter::LastYear => 366,
    }
}

const fn number(number: models::PeopleNumber) -> &'static str {
    match number {
        models::PeopleNumber::N1 => "people:1",
        models::PeopleNumber::N2 => "people:2",
        models::PeopleNumber::N3 => "people:3",
        models::PeopleNumber::MoreThanThree => "people:more",
    }
}

const fn age(age: models::PeopleAge) -> &'static str {
    match age {
        models::PeopleAge::Infant => "age:infant",
        models::PeopleAge::Child => "age:child",
        models::PeopleAge::Teen => "age:teen",
        models::PeopleAge::YoungAdult => "age:young-adult",
        models::PeopleAge::Adult => "age:adult",
        models::PeopleAge::Senior => "age:senior",
        models::PeopleAge::Elder => "age:elder",
    }
}

const fn gender(gender: models::PeopleGender) -> &'static str {
    match gender {
        models::PeopleGender::Male => "gender:male",
        models::PeopleGender::Female => "gender:female",
    }
}

const fn color(color: models::ColorFilter) -> &'static str {
    match color {
        models::ColorFilter::Black => "color:black",
        models::ColorFilter::Blue => "color:blue",
        models::ColorFilter::Gray => "color:gray",
        models::ColorFilter::Green => "color:green",
        models::ColorFilter::Orange => "color:orange",
        models::ColorFilter::Red => "color:red",
        models::ColorFilter::White => "color:white",
        models::ColorFilter::Yellow => "color:yellow",
        models::ColorFilter::Purple => "color:purple",
        models::ColorFilter::Cyan => "color:cyan",
        models::ColorFilter::Pink => "color:pink",
    }
}

const fn vector_type(format: models::VectorType) -> &'static str {
    match format {
        models::VectorType::Jpg => "format:jpg",
        models::VectorType::Ai => "format:ai",
        models::VectorType::Eps => "format:eps",
        models::VectorType::Svg => "format:svg",
    }
}

const fn vector_style(style: models::VectorStyle) -> &'static str {
    match style {
        models::VectorStyle::Watercolor => "style:watercolor",
        models::VectorStyle::Flat => "style:flat",
        models::VectorStyle::Cartoon => "style:cartoon",
        models::VectorStyle::Geometric => "style:geometric",
        models::VectorStyle::Gradient => "style:gradient",
        models::VectorStyle::Isometric => "style:isometric",
        models::VectorStyle::N3d => "style:3d",
        models::VectorStyle::HandDrawn => "style:hand-drawn",
    }
}

const fn psd_type(format: models::PsdType) -> &'static str {
    match format {
        models::PsdType::Jpg => "format:jpg",
        models::PsdType::Psd => "format:psd",
    }
}
