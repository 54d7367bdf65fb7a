//! The operations of the task families, from the rows of [`crate::families`].

#[cfg(test)]
mod tests;

use std::sync::Arc;

use asset_api_server::models::{self, common};
use asset_api_server::{Authenticate, Builder, Context};

use super::{Api, ApiResult, Caller, request, work};
use crate::engine::family;
use crate::families::task_families;
use crate::tasks::view;

macro_rules! implement {
    ($($tag:ident::$api:ident { $(
        $family:ident = $name:literal $model:tt, $result:ident $(, $engine:literal)? {
            $($operations:tt)*
        }
    )* })*) => {
        $(impl asset_api_server::$tag::$api for Api {
            type Principal = Caller;
            $(operations! { $tag $family $model { $($operations)* } })*
        })*

        impl Api {
            /// Mounts the operations of the task families.
            pub(super) fn mount_families<C>(self: &Arc<Self>, builder: Builder<C>) -> Builder<C>
            where
                C: Authenticate<Principal = Caller>,
            {
                builder$(.$tag(Arc::clone(self)))*
            }
        }
    };
}

/// The methods of a family.
macro_rules! operations {
    ($tag:ident $family:ident $model:tt {
        $(create $create:ident($create_input:ident) $(by $work:ident)?;)*
        $(list $list:ident($list_input:ident) $(-> $list_response:ident)?;)?
        get $get:ident($get_input:ident) $(-> $get_response:ident)?;
        $(other $other:ident($other_input:ident) -> $other_response:ident by $method:ident;)*
    }) => {
        $(async fn $create(
            &self,
            context: Context<Caller>,
            input: models::$tag::$create_input,
        ) -> ApiResult<common::TaskCreatedResponse> {
            let (model, work) = (model!(input $model), [$(work::$work(&input.body))?].into_iter().next());
            let (family, key, body) = (&family::$family, input.idempotency_key, &input.body);
            let request = request::of_operation(&context, family, model, body, key, work);
            Ok(view::created(self.create(request).await?))
        })*

        $(async fn $list(
            &self,
            context: Context<Caller>,
            input: models::$tag::$list_input,
        ) -> ApiResult<response!(TaskListResponse $($tag $list_response)?)> {
            self.list(&family::$family, model!(input $model), &context, input.page, input.limit).await
        })?

        async fn $get(
            &self,
            context: Context<Caller>,
            input: models::$tag::$get_input,
        ) -> ApiResult<response!(TaskResponse $($tag $get_response)?)> {
            self.get(&family::$family, model!(input $model), &context, input.task_id).await
        }

        $(async fn $other(
            &self,
            context: Context<Caller>,
            input: models::$tag::$other_input,
        ) -> ApiResult<common::$other_response> {
            self.$method(context, input).await
        })*
    };
}

/// The model in the path.
macro_rules! model {
    ($input:ident []) => {
        None
    };
    ($input:ident [$model:ident]) => {
        Some($input.$model.as_str())
    };
}

/// The type of a response: the family's own type, if it has one.
macro_rules! response {
    ($response:ident) => {
        common::$response
    };
    ($response:ident $tag:ident $own:ident) => {
        models::$tag::$own
    };
}

task_families!(implement);
