//! Tests of how requests are routed to operations.

use super::{Raw, assert_message};
use crate::http::wire::{ENTERPRISE_KEY, Server};

#[tokio::test]
async fn literals_win_over_parameters() {
    let server = Server::start().await;
    for (method, path, operation) in [
        ("POST", "/v1/ai/standard-image-edit", "create_image_edit"),
        ("GET", "/v1/ai/a-image-edit-image-edit", "list_image_edits"),
        ("POST", "/v1/ai/standard-image-preview", "create_image_preview"),
        ("POST", "/v1/ai/voiceover", "create_voiceover"),
        ("POST", "/v1/ai/video/standard-pro", "create_pro_video"),
        ("POST", "/v1/ai/video/standard-std", "create_std_video"),
        ("POST", "/v1/ai/video/standard-motion-control-pro", "create_pro_motion_control"),
        ("POST", "/v1/ai/video/standard-motion-control-std", "create_std_motion_control"),
        ("POST", "/v1/ai/video/motion-control-pro", "create_pro_video"),
        ("POST", "/v1/ai/video/x-motion-control-pro-pro", "create_pro_video"),
        ("POST", "/v1/ai/text-to-image/fast-model", "create_fast_image"),
        ("POST", "/v1/ai/text-to-image/ultra-model", "create_ultra_image"),
        ("POST", "/v1/ai/text-to-image/fast-models", "create_text_to_image"),
        ("POST", "/v1/ai/text-to-image/kontext-pro", "create_kontext_pro_image"),
        ("POST", "/v1/ai/lip-sync/standard", "create_lip_sync"),
        ("POST", "/v1/ai/lip-sync/standard-fast", "create_fast_lip_sync"),
        ("POST", "/v1/ai/text-to-icon/preview", "preview_icon"),
        ("GET", "/v1/ai/text-to-icon/046b6c7f-0b8a-43b9-b35d-6489e6daee91", "get_generated_icon"),
        ("POST", "/v1/ai/video-upscaler/turbo", "create_turbo_video_upscale"),
        ("GET", "/v1/ai/apps/runs/6f1c", "get_app_run"),
        ("GET", "/v1/ai/me/apps", "list_own_apps"),
        ("GET", "/v1/ai/apps/runs", "get_app"),
        ("GET", "/v1/icons/1", "get_icon"),
        ("GET", "/v1/icons/1?id=2", "get_icon"),
    ] {
        let reply = Raw::new(method, path).key(ENTERPRISE_KEY).send(&server).await;
        assert_eq!(reply.header("x-operation"), operation, "{method} {path}: {}", reply.status);
    }
}

#[tokio::test]
async fn methods_that_a_path_does_not_have() {
    let server = Server::start().await;
    for (method, path, allow) in [
        ("GET", "/v1/ai/text-to-icon/preview", "POST"),
        ("DELETE", "/v1/icons/1", "GET, HEAD"),
        ("HEAD", "/v1/ai/text-to-icon/preview", "POST"),
        ("OPTIONS", "/v1/icons/1", "GET, HEAD"),
        ("get", "/v1/icons/1", "GET, HEAD"),
        ("BREW", "/v1/icons/1", "GET, HEAD"),
        ("PUT", "/v1/ai/voiceover", "POST, GET, HEAD"),
        ("GET", "/v1/ai/video-upscaler/turbo", "POST"),
        ("GET", "/v1/ai/apps/abc/run", "POST"),
    ] {
        let reply = Raw::new(method, path).key(ENTERPRISE_KEY).send(&server).await;
        assert_eq!((reply.status, reply.header("allow")), (405, allow), "{method} {path}");
        if method != "HEAD" {
            assert_message(&reply, 405, "Method not allowed");
        }
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let server = Server::start().await;
    let get = Raw::new("GET", "/v1/icons/1").key(ENTERPRISE_KEY).send(&server).await;
    let head = Raw::new("HEAD", "/v1/icons/1").key(ENTERPRISE_KEY).send(&server).await;
    assert_eq!((head.status, head.header("x-operation")), (200, "get_icon"));
    assert_eq!(head.header("content-length"), get.body.len().to_string());
    assert_eq!((head.header("content-type"), head.body.len()), (get.header("content-type"), 0));
    let refused = Raw::new("HEAD", "/v1/icons/1").send(&server).await;
    assert_eq!((refused.status, refused.body.len()), (401, 0));
}

#[tokio::test]
async fn unknown_paths() {
    let server = Server::start().await;
    for path in [
        "/",
        "//",
        "/v1",
        "/v1/",
        "/v1/icons",
        "/v1/icons/",
        "/v1/icons//",
        "/v1/icons/1/",
        "/v1/icons/1/2",
        "//v1/icons/1",
        "/v1//icons/1",
        "/V1/icons/1",
        "/v1/Icons/1",
        "/v1/%69cons/1/2",
        "/v1/ai/-image-edit",
        "/v1/ai/video/-pro",
        "/v1/ai/video/standard",
        "/v1/ai/text-to-image/",
        "/v1/ai/voiceover/",
        "/v2/icons/1",
        "/v1/icons/1;a=b/c",
        "/%",
        "/%FF/%00",
        "/v1/../v1/icons/",
    ] {
        let reply = Raw::get(path).send(&server).await;
        assert_eq!(reply.status, 404, "{path}");
        assert_message(&reply, 404, "Not found");
    }
}
