//! Converts errors of the domain into error responses.

use std::time::Duration;

use asset_api_server::Failure;
use asset_api_server::models::common::{ErrorMessage, InvalidParam, UnavailableMessage, ValidationProblem};
use asset_api_server::models::responses::{
    ApiError, BadRequestContent, ServiceUnavailableResponse, TooManyRequestsResponse,
};
use asset_api_server::runtime::http::Response;
use asset_api_server::runtime::{Body, Rejection, RejectionStyle};

use crate::files::FilesError;
use crate::log::redact::without_values_of;
use crate::tasks::submit::{NotAccepted, Refusal};
use crate::telemetry::Limit;

/// The `Retry-After` of responses while the database, or the bucket of the files, does not respond.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The `Retry-After` while the disk is almost full: an operator or the sweep has to make room.
const FULL_DISK: Duration = Duration::from_secs(60);

/// The `Retry-After` while the service is quiesced: an operator has to resume it.
const QUIESCED: Duration = Duration::from_secs(60);

/// Returns the response to a rejected request, and logs an internal error, which the caller does not see.
pub(super) fn rejected(rejection: &Rejection, style: &RejectionStyle) -> Response<Body> {
    if let Rejection::Internal { error } = rejection {
        tracing::error!(error = without_values_of(&**error), "internal error");
    }
    style.respond(rejection)
}

/// Returns the 404 for models, tasks, apps and runs.
pub(super) fn no_such_resource() -> Failure<ApiError> {
    ApiError::NotFound(ErrorMessage::new("AI resource not found")).into()
}

/// Returns the 404 for icons.
pub(super) fn no_such_icon() -> Failure<ApiError> {
    ApiError::IconNotFound(ErrorMessage::new("Icon not found")).into()
}

/// Returns the 404 for music and sound effects.
pub(super) fn no_such_item() -> Failure<ApiError> {
    ApiError::ResourceNotFound(ErrorMessage::new("Resource not found")).into()
}

/// Returns the 503 of a process without the catalogue. A proxy may try another process at once.
pub(super) fn no_catalogue() -> Failure<ApiError> {
    unavailable("this process does not serve the search for resources", RETRY_AFTER)
}

fn unavailable(message: &str, retry_after: Duration) -> Failure<ApiError> {
    let mut response = ServiceUnavailableResponse::new(UnavailableMessage::new(message));
    response.retry_after = i64::try_from(retry_after.as_secs()).ok();
    ApiError::ServiceUnavailable(response).into()
}

/// Returns the response to a task that was not accepted.
pub(super) fn not_accepted(reason: NotAccepted) -> Failure<ApiError> {
    match reason {
        NotAccepted::Invalid(params) => invalid(params),
        NotAccepted::UnknownModel => no_such_resource(),
        NotAccepted::NoEngine => {
            let mut message = UnavailableMessage::new("no engine configured");
            message.permanent = Some(true);
            ApiError::ServiceUnavailable(ServiceUnavailableResponse::new(message)).into()
        }
        // A copy that is quiesced may stay so, while its original accepts tasks.
        NotAccepted::Quiesced => unavailable("the service is quiesced: it accepts no tasks", QUIESCED),
        NotAccepted::DiskFull => {
            tracing::error!("rejected a task: the disk of the files is below `disk.low-water-mib`");
            Limit::Disk.count();
            Failure::rejected(Rejection::Unavailable { retry_after: Some(FULL_DISK) })
        }
        NotAccepted::Limited { limit, message, retry_after } => {
            limit.count();
            let mut response = TooManyRequestsResponse::new(ErrorMessage::new(message));
            response.retry_after = i64::try_from(retry_after.as_secs().max(1)).ok();
            ApiError::TooManyRequests(response).into()
        }
        NotAccepted::Store(error) => store(error),
        NotAccepted::Files(error) => files(error),
        NotAccepted::Json(error) => Failure::internal(error),
    }
}

/// Returns the response to an error of the store.
///
/// It is 503 if the error is temporary, for example while the database restarts or its disk is full. Otherwise it is 500.
pub(super) fn store<E>(error: crate::store::Error) -> Failure<E> {
    if !error.is_temporary() {
        return Failure::internal(error);
    }
    let retry_after = if error.is_full() { FULL_DISK } else { RETRY_AFTER };
    tracing::warn!(%error, "the database does not work now");
    Failure::rejected(Rejection::Unavailable { retry_after: Some(retry_after) })
}

/// Returns the response to an error of the file store: 503 if it is an error of a bucket, otherwise 500.
pub(super) fn files<E>(error: FilesError) -> Failure<E> {
    if !error.is_temporary() {
        return Failure::internal(error);
    }
    tracing::warn!(%error, "the file store does not work now");
    Failure::rejected(Rejection::Unavailable { retry_after: Some(RETRY_AFTER) })
}

/// Returns a 400 that has the form of the generated server's own rejections.
pub(super) fn invalid(params: Vec<Refusal>) -> Failure<ApiError> {
    let param = |Refusal { parameter, reason }: Refusal| {
        let reason = format!("Parameter '{parameter}' is not valid: {reason}");
        InvalidParam::new(parameter, reason)
    };
    let params: Vec<_> = params.into_iter().map(param).collect();
    let message = params.first().map(|param| param.reason.clone()).unwrap_or_default();
    ApiError::BadRequest(BadRequestContent::ProblemJson(ValidationProblem::new(message, params))).into()
}
