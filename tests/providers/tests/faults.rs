//! The providers serve jobs, and each fault happens.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

use std::time::Duration;

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use simulated_providers::{End, Fault, Medium, Plan, Provider, Providers, Step};

/// A client of simulated providers.
struct Caller {
    providers: Providers,
    client: Client,
}

impl Caller {
    async fn new() -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().redirect(reqwest::redirect::Policy::none());
        Self { providers: Providers::start().await.unwrap(), client: client.build().unwrap() }
    }

    fn request(&self, method: Method, url: &str) -> reqwest::RequestBuilder {
        let key = if url.contains("/fal/") { "Key k1" } else { "Bearer k1" };
        self.client.request(method, url).header("authorization", key).timeout(Duration::from_secs(60))
    }

    async fn get(&self, url: &str) -> (StatusCode, Value) {
        let response = self.request(Method::GET, url).send().await.unwrap();
        (response.status(), response.json().await.unwrap())
    }

    fn predict(&self) -> reqwest::RequestBuilder {
        let url = format!("{}/predictions", self.providers.url(Provider::Replicate));
        self.request(Method::POST, &url).json(&json!({"version": "veed/fabric-1.0", "input": {"image": "x"}}))
    }

    /// Creates a prediction, and returns it as it is after two polls.
    async fn predicted(&self) -> (StatusCode, Value) {
        let created: Value = self.predict().send().await.unwrap().json().await.unwrap();
        assert_eq!(created["status"], "starting");
        let url = created["urls"]["get"].as_str().unwrap();
        assert_eq!(self.get(url).await.1["status"], "processing");
        self.get(url).await
    }

    /// Submits to the queue, and returns status and result after two polls.
    async fn queued(&self, model: &str) -> (Value, StatusCode, Value) {
        let url = format!("{}/{model}", self.providers.url(Provider::Fal));
        let submitted = self.request(Method::POST, &url).json(&json!({"prompt": "p"})).send().await.unwrap();
        let submitted: Value = submitted.json().await.unwrap();
        let status = format!("{}?logs=1", submitted["status_url"].as_str().unwrap());
        assert_eq!(self.get(&status).await.1["status"], "IN_PROGRESS");
        let (_, status) = self.get(&status).await;
        assert_eq!(status["status"], "COMPLETED");
        let (code, result) = self.get(submitted["response_url"].as_str().unwrap()).await;
        (status, code, result)
    }

    async fn upload(&self, url: &str, field: &str) -> Value {
        let head =
            format!("--end\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"a.png\"\r\n\r\n");
        let body = [head.as_bytes(), Medium::Picture.bytes(), b"\r\n--end--\r\n"].concat();
        let request =
            self.request(Method::POST, url).header("content-type", "multipart/form-data; boundary=end");
        request.body(body).send().await.unwrap().json().await.unwrap()
    }

    async fn download(&self, url: &str) -> reqwest::Result<Vec<u8>> {
        Ok(self.request(Method::GET, url).send().await?.error_for_status()?.bytes().await?.to_vec())
    }
}

#[tokio::test]
async fn predictions_have_outputs_and_can_be_cancelled() {
    let caller = Caller::new().await;
    let (_, done) = caller.predicted().await;
    assert_eq!(done["status"], "succeeded");
    assert_eq!(caller.download(done["output"].as_str().unwrap()).await.unwrap(), Medium::Film.bytes());

    caller.providers.plan(Plan::Slow);
    let (_, slow) = caller.predicted().await;
    assert_eq!(slow["status"], "processing");
    let cancel = slow["urls"]["cancel"].as_str().unwrap();
    let cancelled = caller.request(Method::POST, cancel).send().await.unwrap().json::<Value>().await.unwrap();
    assert_eq!(cancelled["status"], "canceled");

    caller.providers.plan(Plan::Slow);
    let (_, slow) = caller.predicted().await;
    caller.providers.finish();
    assert_eq!(caller.get(slow["urls"]["get"].as_str().unwrap()).await.1["status"], "succeeded");

    let creations = caller.providers.creations();
    let ends: Vec<_> = creations.iter().map(|job| job.end).collect();
    assert_eq!(ends, [Some(End::Succeeded), Some(End::Cancelled), Some(End::Succeeded)]);
    assert_eq!(
        (creations[0].model.as_str(), &creations[0].input),
        ("veed/fabric-1.0", &json!({"image": "x"}))
    );
    assert_eq!(caller.providers.requests()[0].authorization(), Some("Bearer k1"));
    let no_key = format!("{}/account", caller.providers.url(Provider::Replicate));
    assert_eq!(caller.client.get(no_key).send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn files_are_uploaded() {
    let caller = Caller::new().await;
    let url = format!("{}/files", caller.providers.url(Provider::Replicate));
    assert_eq!(caller.upload(&url, "content").await["urls"]["get"], format!("{url}/file-1"));
    let url = format!("{}/upload/image", caller.providers.url(Provider::ComfyUi));
    assert_eq!(caller.upload(&url, "image").await["name"], "2 a.png");
    assert_eq!(caller.providers.uploads(), [Medium::Picture.bytes(), Medium::Picture.bytes()]);
}

#[tokio::test]
async fn the_queue_takes_models_of_any_path() {
    let caller = Caller::new().await;
    let (_, code, result) = caller.queued("veed/fabric-1.0").await;
    assert_eq!((code, &result["video"]["content_type"]), (StatusCode::OK, &json!("video/mp4")));
    caller.providers.makes("image-preview", Medium::Picture);
    let (_, _, result) = caller.queued("fal-ai/gemini-3-pro-image-preview/edit").await;
    let picture = caller.download(result["images"][0]["url"].as_str().unwrap()).await.unwrap();
    assert_eq!(picture, Medium::Picture.bytes());
    caller.queued("fal-ai/veo3.1/a/b").await;
    caller.queued("fal-ai/kling-video/v3/pro/motion-control").await;
    let models: Vec<String> = caller.providers.creations().into_iter().map(|job| job.model).collect();
    assert_eq!(models[3], "fal-ai/kling-video/v3/pro/motion-control");
    let mut cancel = caller.providers.url(Provider::Fal);
    cancel.push_str(&format!("/veed/fabric-1.0/requests/{}/cancel", caller.providers.creations()[0].id));
    let cancelled = caller.request(Method::PUT, &cancel).send().await.unwrap();
    assert_eq!(cancelled.status(), StatusCode::ACCEPTED);
}

#[tokio::test]
async fn graphs_run_under_an_id_of_the_caller() {
    let caller = Caller::new().await;
    let url = caller.providers.url(Provider::ComfyUi);
    let id = "0b5b1d8e-7a86-4c8f-9d55-7a2b6c1a8f10";
    let body = json!({"prompt": {"9": {"class_type": "SaveImage", "inputs": {}}}, "prompt_id": id});
    let prompt = |body: &Value| caller.request(Method::POST, &format!("{url}/prompt")).json(body).send();
    let queued: Value = prompt(&body).await.unwrap().json().await.unwrap();
    assert_eq!(queued["prompt_id"], id);
    assert_eq!(caller.get(&format!("{url}/queue")).await.1["queue_pending"][0][1], id);
    assert_eq!(caller.get(&format!("{url}/history/{id}")).await.1, json!({}));
    let (_, history) = caller.get(&format!("{url}/history/{id}")).await;
    let name = history[id]["outputs"]["9"]["images"][0]["filename"].as_str().unwrap();
    let view = caller.download(&format!("{url}/view?filename={name}&type=output")).await.unwrap();
    assert_eq!(view, Medium::Picture.bytes());
    assert_eq!(caller.get(&format!("{url}/api/jobs/{id}")).await.1["status"], "completed");

    caller.providers.plan(Plan::Slow);
    prompt(&body).await.unwrap();
    assert_eq!(caller.providers.creations().len(), 2, "the real server queues an id again, too");
    assert_eq!(caller.get(&format!("{url}/api/jobs/{id}")).await.1["status"], "in_progress");
    let interrupt = caller.request(Method::POST, &format!("{url}/interrupt"));
    interrupt.json(&json!({"prompt_id": id})).send().await.unwrap();
    assert_eq!(caller.get(&format!("{url}/api/jobs/{id}")).await.1["status"], "cancelled");

    caller.providers.forget();
    assert_eq!(caller.get(&format!("{url}/api/jobs/{id}")).await.0, StatusCode::NOT_FOUND);
    assert_eq!(caller.get(&format!("{url}/history/{id}")).await.1, json!({}));
}

#[tokio::test]
async fn speech_is_a_wav_file_that_is_called_html() {
    let caller = Caller::new().await;
    let url = format!("{}/synthesize", caller.providers.url(Provider::Piper));
    let speech = caller.request(Method::POST, &url).json(&json!({"text": "Hello"})).send().await.unwrap();
    assert_eq!(speech.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(speech.bytes().await.unwrap(), Medium::Sound.bytes());
}

#[tokio::test]
async fn jobs_end_as_planned() {
    let caller = Caller::new().await;
    caller.providers.plan(Plan::Refused);
    assert!(caller.predicted().await.1["error"].as_str().unwrap().contains("sensitive"));
    caller.providers.plan(Plan::Fails);
    assert_eq!(caller.predicted().await.1["status"], "failed");
    caller.providers.plan(Plan::Vanishes);
    assert_eq!(caller.predicted().await.0, StatusCode::NOT_FOUND);
    caller.providers.plan(Plan::Outputs(vec!["http://10.0.0.1/a.png".to_owned()]));
    assert_eq!(caller.predicted().await.1["output"], json!(["http://10.0.0.1/a.png"]));

    caller.providers.plan(Plan::Refused);
    let (status, code, result) = caller.queued("veed/fabric-1.0").await;
    assert_eq!(status["error_type"], "content_policy_violation");
    assert_eq!((code.as_u16(), &result["detail"][0]["type"]), (422, &status["error_type"]));
}

#[tokio::test]
async fn requests_meet_faults() {
    let caller = Caller::new().await;
    let status = |fault: Fault| async {
        caller.providers.fault(Step::Create, fault);
        caller.predict().send().await.map(|response| response.status().as_u16())
    };
    assert_eq!(status(Fault::Status(500)).await.unwrap(), 500);
    assert_eq!(status(Fault::Redirect("http://169.254.169.254/".to_owned())).await.unwrap(), 307);
    let hangs = async |fault: Fault| {
        caller.providers.fault(Step::Create, fault);
        caller.predict().timeout(Duration::from_secs(1)).send().await.unwrap_err().is_timeout()
    };
    assert!(hangs(Fault::Hang).await);
    caller.providers.fault(Step::Create, Fault::Busy(7));
    let busy = caller.predict().send().await.unwrap();
    assert_eq!((busy.status().as_u16(), &busy.headers()["retry-after"]), (429, &"7".parse().unwrap()));
    assert_eq!(caller.providers.creations().len(), 0);

    assert_eq!(status(Fault::AcceptedStatus(503)).await.unwrap(), 503);
    assert!(hangs(Fault::AcceptedHang).await);
    caller.providers.fault(Step::Create, Fault::Truncated);
    assert!(caller.predict().send().await.unwrap().bytes().await.is_err());
    caller.providers.fault(Step::Create, Fault::Garbage);
    assert!(caller.predict().send().await.unwrap().json::<Value>().await.is_err());
    assert_eq!(caller.providers.creations().len(), 4);
    assert_eq!(caller.providers.faults_left(), 0);
}

#[tokio::test]
async fn a_download_breaks_once() {
    let caller = Caller::new().await;
    let (_, done) = caller.predicted().await;
    let url = done["output"].as_str().unwrap();
    caller.providers.fault(Step::Download, Fault::Truncated);
    assert!(caller.download(url).await.is_err());
    assert_eq!(caller.download(url).await.unwrap(), Medium::Film.bytes());
    caller.providers.fault(Step::Download, Fault::ContentType("text/plain"));
    let mislabelled = caller.request(Method::GET, url).send().await.unwrap();
    assert_eq!(mislabelled.headers()["content-type"], "text/plain");
    caller.providers.fault(Step::Download, Fault::Late(Duration::from_millis(50)));
    assert_eq!(caller.download(url).await.unwrap(), Medium::Film.bytes());
}
