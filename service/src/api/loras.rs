//! `loras`: styles and characters for image generation.

use asset_api_server::Context;
use asset_api_server::loras::LorasApi;
use asset_api_server::models::loras as models;

use super::authenticate::Caller;
use super::{Api, ApiResult};
use crate::engine::family;
use crate::engine::limits::loras::{Kind, Lora};

impl LorasApi for Api {
    type Principal = Caller;

    /// Returns the LoRAs of the engine of image generation. The built-in one has none.
    async fn list_loras(&self, _context: Context<Caller>) -> ApiResult<models::LoraListResponse> {
        let loras = self.submitter.registry.loras(&family::IMAGEGEN).iter().map(lora).collect();
        Ok(models::LoraListResponse::new(vec![models::LoraGroups::new(loras, Vec::new())]))
    }
}

fn lora(lora: &Lora) -> models::Lora {
    let kind = match lora.kind {
        Kind::Style => models::LoraType::Style,
        Kind::Character => models::LoraType::Character,
    };
    let training = models::LoraTraining::new("completed", lora.scale, None::<String>);
    let (id, description) = (i64::from(lora.id), lora.description.clone());
    models::Lora::new(id, &lora.name, description, &lora.category, kind, &lora.preview, training)
}
