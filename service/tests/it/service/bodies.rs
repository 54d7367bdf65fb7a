//! Limits on request bodies: their size, and which pictures they may contain.

use std::io::{Cursor, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use asset_api_client::Error;
use asset_api_client::models::image_edit::{CreateImageEditInput, ImageEditRequest};
use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::image_upscaler_precision::{
    PrecisionImageUpscaleRequest, PrecisionImageUpscaleV2Request,
};
use asset_api_client::models::responses::{ApiError, BadRequestContent};
use base64::Engine as _;

use super::running::Running;
use crate::service::http_client;

/// Returns a black picture.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut png = Cursor::new(Vec::new());
    image::GrayImage::new(width, height).write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// Encodes bytes as the API takes them.
pub fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Returns the parameters of a 400 response.
fn invalid<T>(created: Result<T, Error<ApiError>>) -> Vec<String> {
    let Err(error) = created else { panic!("the request was accepted") };
    let Some(ApiError::BadRequest(BadRequestContent::ProblemJson(problem))) = error.api_body() else {
        panic!("{error}");
    };
    problem.invalid_params.iter().map(|param| param.name.clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_have_a_limit_with_and_without_a_length() {
    let running = Running::start(&["--threads", "0"]);
    const MIB: usize = 1 << 20;
    for (path, limit) in [("sound-effects", MIB), ("image-to-prompt", 14 * MIB)] {
        for announced in [true, false] {
            let body = format!("{{\"text\": \"{}", " ".repeat(limit));
            let body = if announced {
                reqwest::Body::from(body)
            } else {
                let chunks: Vec<_> =
                    body.as_bytes().chunks(MIB / 2).map(|chunk| Ok(chunk.to_vec())).collect();
                reqwest::Body::wrap_stream(futures_util::stream::iter::<Vec<Result<_, std::io::Error>>>(
                    chunks,
                ))
            };
            let request = http_client::new().post(format!("{}/v1/ai/{path}", running.url)).body(body);
            let request = request.header("content-type", "application/json");
            // The service may respond and close before the whole body is sent.
            match request.header("x-service-api-key", &running.key).send().await {
                Ok(response) => {
                    assert_eq!(response.status(), 413, "{path} {announced}");
                    let body: serde_json::Value = response.json().await.unwrap();
                    assert!(body["message"].is_string(), "{body}");
                }
                Err(error) => assert!(error.is_request(), "{error:?}"),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_are_validated_before_they_are_stored() {
    let running = Running::start(&["--threads", "0"]);
    let client = running.client();
    let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"/>"#;
    let bomb = bomb(60_000, 60_000);
    for (what, bytes) in
        [("a bomb", &bomb[..]), ("small", &png(63, 64)), ("SVG", svg.as_bytes()), ("none", b"text")]
    {
        let request = ImageToPromptRequest::new(base64(bytes));
        assert_eq!(invalid(client.create_image_to_prompt(request).await), ["image"], "{what}");
    }
    assert!(running.files("inputs").is_empty(), "a refused request must leave no files");
    let uri =
        format!("data:image/png;base64,{}", base64(&png(64, 64)).replace('+', "%2B").replace('=', "%3D"));
    client.create_image_to_prompt(ImageToPromptRequest::new(uri)).await.unwrap();
    assert_eq!(running.files("inputs").len(), 1);
}

/// Returns a picture whose header claims more pixels than any memory holds.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut png = png(64, 64);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    png
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_on_pictures_and_parameters_together_are_checked_at_submission() {
    let running = Running::start(&["--threads", "0"]);
    let client = running.client();
    let mut request = PrecisionImageUpscaleV2Request::new(base64(&png(1001, 70)));
    request.scale_factor = Some(16);
    assert_eq!(invalid(client.create_precision_image_upscale_v2(request.clone()).await), ["scale_factor"]);
    request.image = base64(&png(1000, 70));
    client.create_precision_image_upscale_v2(request).await.unwrap();
    // Twice the size of the largest accepted picture is always within the engine's limits.
    let request = PrecisionImageUpscaleRequest::new(base64(&png(5000, 5000)));
    client.create_precision_image_upscale(request).await.unwrap();

    let edit = |mask: Vec<u8>| {
        let request = ImageEditRequest::new("", base64(&png(80, 70)), base64(&mask));
        client.create_image_edit(CreateImageEditInput::new("standard", request))
    };
    assert_eq!(invalid(edit(png(80, 71)).await), ["mask"]);
    edit(png(80, 70)).await.unwrap();
}

/// Sends a request with this body and returns the head of the response, in lower case, and the connection.
fn refused(running: &Running, path: &str, body: usize, sent: usize) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(running.url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: {body}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&vec![b' '; sent]).unwrap();
    (head_of(&mut stream), stream)
}

/// Reads the next response; returns its head in lower case.
fn head_of(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    stream.read_exact(&mut vec![0; length.parse().unwrap()]).unwrap();
    head
}

#[test]
fn a_connection_is_good_after_a_refusal() {
    let running = Running::start(&["--threads", "0"]);
    for (path, status) in [("/v1/ai/sound-effects", "401"), ("/v1/ai/nowhere", "404"), ("/healthz", "405")] {
        for body in [1, 40_000, 64 * 1024] {
            let (head, mut stream) = refused(&running, path, body, body);
            assert!(head.contains(status) && !head.contains("connection: close"), "{path} {body}: {head}");
            stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n").unwrap();
            let next = head_of(&mut stream);
            assert!(next.starts_with("http/1.1 200"), "{path} {body}: {next}");
        }
        // If a body is too long or incomplete, the service responds and then closes the connection.
        for (body, sent) in [(300_000, 300_000), (1000, 10)] {
            let (head, mut stream) = refused(&running, path, body, sent);
            assert!(head.contains(status) && head.contains("connection: close"), "{path} {body}: {head}");
            assert_eq!(stream.read(&mut [0]).unwrap_or_default(), 0, "{path} {body}");
        }
    }
}
