//! Defaults of every type.

use fixture_defaults_models::common::{Format, Settings, SettingsAmount};
use serde_json::json;

#[test]
fn accessors_return_the_defaults_of_the_document() {
    let settings = Settings::default();
    assert_eq!(settings.day_or_default().to_string(), "2026-01-31");
    assert_eq!(settings.moment_or_default().to_string(), "2026-01-30T23:00:00Z");
    assert_eq!(settings.id_or_default().to_string(), "046b6c7f-0b8a-43b9-b35d-6489e6daee91");
    assert_eq!(settings.amount_or_default(), SettingsAmount::Integer(2));
    assert_eq!(settings.sizes_or_default(), [1, 2]);
    assert!(settings.tags_or_default().is_empty() && settings.labels_or_default().is_empty());
    assert_eq!(settings.names_or_default()["en"], ["red", "blue"]);
    assert_eq!(settings.point_or_default().x, Some(1));
    assert_eq!(settings.style_or_default().format, Some(Format::Png));
    assert_eq!(settings.anything_or_default(), json!({"deep": [1, null, "text"]}));
    assert_eq!(settings.format_or_default(), Format::Svg);
}

#[test]
fn set_fields_override_defaults() {
    let mut settings = Settings::default();
    settings.sizes = Some(vec![7]);
    settings.day = settings.day_or_default().to_string().replace("31", "30").parse().ok();
    assert_eq!(settings.sizes_or_default(), [7]);
    assert_eq!(settings.day_or_default().day(), 30);
}
