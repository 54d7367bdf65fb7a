//! `loras`: styles and characters for image generation.

use asset_api_server::Context;
use asset_api_server::loras::LorasApi;
use asset_api_server::models::loras as models;

use super::authenticate::Caller;
use super::{Answer, Api};

impl LorasApi for Api {
    type Principal = Caller;

    /// Returns empty lists: no built-in engine has LoRAs.
    async fn list_loras(&self, _context: Context<Caller>) -> Answer<models::LoraListResponse> {
        Ok(models::LoraListResponse::new(vec![models::LoraGroups::new(Vec::new(), Vec::new())]))
    }
}
