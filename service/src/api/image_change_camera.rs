//! `image-change-camera`: a new point of view on an image.

use asset_api_server::Context;
use asset_api_server::image_change_camera::ImageChangeCameraApi;
use asset_api_server::models::{common, image_change_camera as models};

use super::authenticate::Caller;
use asset_engines::camera::{Camera, OutputFormat};

use super::{Answer, Api, level};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl ImageChangeCameraApi for Api {
    type Principal = Caller;

    async fn create_camera_change(
        &self,
        context: Context<Caller>,
        input: models::CreateCameraChangeInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMAGE_CHANGE_CAMERA)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media_url("image", Kind::Image, Some(&body.image))
            .seed(body.seed)
            .work(Camera {
                horizontal_angle: u16::try_from(body.horizontal_angle_or_default()).unwrap_or_default(),
                vertical_angle: i16::try_from(body.vertical_angle_or_default()).unwrap_or_default(),
                zoom: level(body.zoom_or_default()),
                output_format: match body.output_format {
                    Some(models::CameraChangeFormat::Jpeg) => OutputFormat::Jpeg,
                    _ => OutputFormat::Png,
                },
            });
        self.create(&context, request).await
    }

    async fn list_camera_changes(
        &self,
        context: Context<Caller>,
        input: models::ListCameraChangesInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMAGE_CHANGE_CAMERA, None, &context, input.page, input.limit).await
    }

    async fn get_camera_change(
        &self,
        context: Context<Caller>,
        input: models::GetCameraChangeInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMAGE_CHANGE_CAMERA, None, &context, input.task_id).await
    }
}
