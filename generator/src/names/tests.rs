use super::*;
use crate::ir::Status;

#[test]
fn texts_become_snake_case_and_pascal_case() {
    for (text, snake, pascal) in [
        ("voice_id", "voice_id", "VoiceId"),
        ("voiceId", "voice_id", "VoiceId"),
        ("VoiceID", "voice_id", "VoiceId"),
        ("HTTPServer", "http_server", "HttpServer"),
        ("skin-enhancer", "skin_enhancer", "SkinEnhancer"),
        ("genre[]", "genre", "Genre"),
        ("filter[name]", "filter_name", "FilterName"),
        ("type", "r#type", "Type"),
        ("gen", "r#gen", "Gen"),
        ("self", "self_", "Self_"),
        ("Self", "self_", "Self_"),
        ("super", "super_", "Super"),
        ("crate", "crate_", "Crate"),
        ("", "empty", "Empty"),
        ("*", "star", "Star"),
        ("-", "minus", "Minus"),
        ("_", "underscore", "Underscore"),
        (" ", "space", "Space"),
        ("/", "slash", "Slash"),
        ("+1", "plus_1", "Plus1"),
        ("-1", "minus_1", "Minus1"),
        ("-created_at", "minus_created_at", "MinusCreatedAt"),
        ("@id", "at_id", "AtId"),
        ("$ref", "dollar_ref", "DollarRef"),
        ("_links", "links", "Links"),
        ("#text", "hash_text", "HashText"),
        ("c++", "c_plus_plus", "CPlusPlus"),
        ("18+", "n_18_plus", "N18Plus"),
        ("50%", "n_50_percent", "N50Percent"),
        ("R&B", "r_and_b", "RAndB"),
        (">=", "greater_equal", "GreaterEqual"),
        ("1280*720", "n_1280x720", "N1280x720"),
        ("1280x720", "n_1280x720", "N1280x720"),
        ("16:9", "n_16_9", "N16_9"),
        ("square_1_1", "square_1_1", "Square1_1"),
        ("TextToVideoV2.6Request", "text_to_video_v2_6request", "TextToVideoV2_6Request"),
        ("v2_6request", "v2_6request", "V2_6Request"),
        ("1.5", "n_1_5", "N1_5"),
        ("3d-render", "n_3d_render", "N3dRender"),
        ("3d", "n_3d", "N3d"),
        ("image/svg+xml", "image_svg_xml", "ImageSvgXml"),
        ("application/vnd.github.v3+json", "application_vnd_github_v3_json", "ApplicationVndGithubV3Json"),
        ("größe", "größe", "Größe"),
        ("日本", "日本", "日本"),
        ("€", "u20ac", "U20ac"),
        ("m²", "m_ub2", "MUb2"),
        ("🎉", "u1f389", "U1f389"),
        ("hello, world!", "hello_world", "HelloWorld"),
        ("/v1/x/", "v1_x", "V1X"),
        (".cog.getInfo", "cog_get_info", "CogGetInfo"),
        (".5", "dot_5", "Dot5"),
        ("CookieOAuth2TokenBearer", "cookie_oauth2_token_bearer", "CookieOAuth2TokenBearer"),
        ("oauth", "oauth", "Oauth"),
        ("radio_author", "radio_author", "RadioAuthor"),
    ] {
        assert_eq!(field(text).0, snake, "field {text:?}");
        assert_eq!(reserved::escape(super::pascal(text)), pascal, "variant {text:?}");
    }
}

#[test]
fn types_that_generated_code_uses_without_a_path() {
    for (text, expected) in [
        ("Box", "BoxModel"),
        ("option", "OptionModel"),
        ("Result", "ResultModel"),
        ("String", "StringModel"),
        ("Vec", "VecModel"),
        ("Self", "SelfModel"),
        ("to_string", "ToStringModel"),
        ("Error", "Error"),
        ("BoxModel", "BoxModel"),
        ("Value", "Value"),
    ] {
        assert_eq!(free_type(super::pascal(text)), expected);
    }
}

#[test]
fn texts_that_fold_to_one_name() {
    for (style, texts, expected) in [
        (Style::Field, vec!["foo_bar", "fooBar"], vec!["foo_bar", "foo_bar_camel"]),
        (Style::Field, vec!["fooBar", "foo_bar"], vec!["foo_bar_camel", "foo_bar"]),
        (Style::Field, vec!["foo-bar", "foo.bar"], vec!["foo_dash_bar", "foo_dot_bar"]),
        (Style::Field, vec![".tag", "tag"], vec!["dot_tag", "tag"]),
        (Style::Field, vec!["_links", "links"], vec!["underscore_links", "links"]),
        (Style::Field, vec!["type", "Type"], vec!["r#type", "type_pascal"]),
        (Style::Field, vec!["a", "b"], vec!["a", "b"]),
        (Style::Variant, vec!["720p", "720P"], vec!["N720pLower", "N720pUpper"]),
        (Style::Variant, vec!["Foo", "foo", "FOO"], vec!["Foo", "FooLower", "FooUpper"]),
        (Style::Variant, vec!["1280*720", "1280x720"], vec!["N1280x720Plain", "N1280x720Lower"]),
        (Style::Method, vec!["call", "get"], vec!["call_operation", "get"]),
        (Style::Tag, vec!["all", "type", "icons"], vec!["all_tag", "type_tag", "icons"]),
        (Style::Type, vec!["Pet", "pet"], vec!["Pet", "PetLower"]),
    ] {
        assert_eq!(settle(&texts, style), expected, "{texts:?}");
        let backwards: Vec<&str> = texts.iter().rev().copied().collect();
        let mut names = settle(&backwards, style);
        names.reverse();
        assert_eq!(names, expected, "{texts:?} backwards");
    }
}

#[test]
fn indistinguishable_names_get_a_hash() {
    let names = settle(&["a_(b)", "a_[b]", "aB", "a.b", "A.b", "A.B", "A b"], Style::Field);
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
    let names = settle(&["é\u{301}a", "é\u{301}A", "ÉA\u{301}", "éa\u{301}"], Style::Variant);
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
}

#[test]
fn tags_have_names_that_a_crate_can_have() {
    let names = tags(&["text-to-image", "default", "Pet Store", "pet-store", "match", "v1/3D"]);
    let modules: Vec<&str> = names.iter().map(|names| names.module.0.as_str()).collect();
    assert_eq!(
        modules,
        ["text_to_image", "default_tag", "pet_space_store", "pet_dash_store", "match_tag", "v1_3d"]
    );
    let first = names.first().unwrap();
    assert_eq!((first.module.0.as_str(), first.api_trait.0.as_str()), ("text_to_image", "TextToImageApi"));
}

#[test]
fn operations_without_a_name() {
    for (method, path, expected) in [
        ("GET", "/v1/icons/{id}", "get_v1_icons_by_id"),
        ("POST", "/v1/ai/{model}-image-edit", "post_v1_ai_by_model_image_edit"),
        ("GET", "/files/{name}.{ext}", "get_files_by_name_by_ext"),
        ("POST", "/tasks/{id}:cancel", "post_tasks_by_id_cancel"),
        ("GET", "/pets/", "get_pets_slash"),
        ("GET", "/", "get"),
    ] {
        assert_eq!(derived_operation_id(method, path), expected);
    }
}

#[test]
fn statuses_and_media_types() {
    assert_eq!(status_name(Status::Code(404)), "NotFound");
    assert_eq!(status_name(Status::Code(299)), "Status299");
    assert_eq!(status_name(Status::Class(4)), "ClientError");
    for (media_type, expected) in [
        ("application/json", "Json"),
        ("application/problem+json", "ProblemJson"),
        ("application/x-www-form-urlencoded", "Form"),
        ("multipart/form-data", "Multipart"),
        ("text/plain", "Text"),
        ("text/csv", "TextCsv"),
        ("image/*", "Image"),
        ("*/*", "Any"),
        ("application/octet-stream", "Bytes"),
    ] {
        assert_eq!(pascal(&media_type_name(media_type)), expected);
    }
}

#[test]
fn media_types_with_one_name_are_written_out() {
    for (media_types, expected) in [
        (["application/json", "text/plain"], ["Json", "Text"]),
        (["application/json", "json"], ["ApplicationJson", "Json"]),
        (["text/plain", "application/text"], ["TextPlain", "ApplicationText"]),
        (["application/json", "application/application/json"], ["Json", "ApplicationApplicationJson"]),
    ] {
        let texts = media_type_names(&media_types);
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        assert_eq!(settle(&texts, Style::Variant), expected);
    }
}

#[test]
fn claims_are_settled_by_strength_and_never_by_order() {
    let claim = |strength, short: &str, long: &str, identity: &str| Claim {
        space: 0_u8,
        strength,
        short: short.to_owned(),
        long: long.to_owned(),
        identity: identity.to_owned(),
    };
    let all = [
        claim(Strength::Nested, "PetOwner", "PetOwnerField", "Pet.owner"),
        claim(Strength::Component, "PetOwner", "PetOwner", "PetOwner"),
        claim(Strength::Nested, "CatName", "CatNameField", "Cat.name"),
        claim(Strength::Nested, "CatName", "CatNameItem", "CatName[]"),
        claim(Strength::Operation, "GetPetInput", "GetPetCallInput", "getPet"),
        claim(Strength::Nested, "A", "Ba", "1"),
        claim(Strength::Nested, "A", "Ba", "2"),
    ];
    let twice = claim(Strength::Nested, "A", "Ba", "1");
    let twins: Vec<_> = all.iter().chain([&twice]).cloned().collect();
    let names = decide(&twins);
    assert_ne!(names[5], names[7], "claims with the same identity must get different names");
    let expected = ["PetOwnerField", "PetOwner", "CatNameField", "CatNameItem", "GetPetInput"];
    let backwards: Vec<_> = all.iter().rev().cloned().collect();
    let names = decide(&all);
    let mut reversed = decide(&backwards);
    reversed.reverse();
    assert_eq!(names, reversed);
    assert_eq!(names[..5], expected);
    assert!(names[5].starts_with("BaX") && names[5] != names[6], "{names:?}");
}

#[test]
fn names_are_bounded() {
    let long = |end: &str| format!("{}{end}", "all that this can do for you, ".repeat(20));
    let names = settle(&[&long("here"), &long("there")], Style::Tag);
    assert!(names.iter().all(|name| name.len() < 220 && name.starts_with("all_that_this_can")), "{names:?}");
    assert_ne!(names[0], names[1]);
    for text in ["x".repeat(5000), "天".repeat(500), "_".repeat(5000)] {
        let names = [field(&text), Ident(pascal(&text)), tags(&[&text])[0].module.clone()];
        assert!(names.iter().all(|name| name.0.len() < 250), "{names:?}");
    }
}

#[test]
fn the_runtime_has_the_same_names_in_xml() {
    assert_eq!(include_str!("xml.rs"), include_str!("../../../runtime/src/xml/name.rs"));
    for name in ["a", "_", "é.1-b·", "x\u{300}"] {
        assert!(super::is_xml_name(name), "{name}");
    }
    for text in ["", "1a", "-", "µg", "x²", "a b", "a:b", "×", "\u{300}"] {
        assert!(!super::is_xml_name(text), "{text}");
    }
}
