//! The administration API: each operation calls the [administration](crate::admin).

use std::sync::Arc;
use std::time::{Duration, Instant};

use asset_admin_server::engines::EnginesApi;
use asset_admin_server::keys::KeysApi;
use asset_admin_server::models::common::{self, Problem};
use asset_admin_server::models::responses::ApiError;
use asset_admin_server::models::{engines, keys, queues, service, tasks};
use asset_admin_server::queues::QueuesApi;
use asset_admin_server::runtime::{BuildError, Rejection};
use asset_admin_server::service::ServiceApi;
use asset_admin_server::tasks::TasksApi;
use asset_admin_server::{Authenticate, Context, Failure, REJECTIONS, Server, Service};
use tokio::sync::Mutex;

use super::{Caller, RETRY_AFTER, paging, refusal};
use crate::admin::changes::Changes;
use crate::admin::engines::attached;
use crate::admin::keys::tiers;
use crate::admin::{Admin, AdminError};
use crate::domain::{Role, TaskQuery, TaskStatus};
use crate::engine::registry::Registry;
use crate::files::Files;
use crate::keys::issue::NewKey;
use crate::keys::tier::{DEFAULT_TIER, Tiers};
use crate::store::SharedStore;
use crate::time::{Clock, millis_of};
use crate::webhooks::sign;

/// The result of an operation.
type ApiResult<T> = Result<T, Failure<ApiError>>;

/// Implements the traits of all operations.
pub struct OperatorsApi {
    /// The store.
    pub store: SharedStore,
    /// The file store.
    pub files: Files,
    /// The changes in progress.
    pub changes: Changes,
    /// The engines of this process.
    pub registry: Arc<Registry>,
    /// The tiers of the settings.
    pub tiers: Tiers,
    /// One check of an engine at a time.
    pub checking: Arc<Mutex<()>>,
    /// How long a check or a change of many tasks may take; less than a request may.
    pub change_deadline: Duration,
}

/// Builds the administration API.
///
/// # Errors
/// Two operations have the same method and path.
pub fn service(
    api: OperatorsApi,
    callers: impl Authenticate<Principal = Caller>,
) -> Result<Service, BuildError> {
    let api = Arc::new(api);
    Server::builder(callers)
        .reject(|rejection| refusal::rejected(&rejection, &REJECTIONS))
        .tasks(Arc::clone(&api))
        .queues(Arc::clone(&api))
        .keys(Arc::clone(&api))
        .engines(Arc::clone(&api))
        .service(api)
        .build()
}

impl OperatorsApi {
    fn admin(&self, context: &Context<Caller>) -> Admin {
        Admin::of(&self.store, &context.principal.key_id)
    }

    /// Completes a change even if the client closes its connection.
    async fn change<T, F>(&self, context: &Context<Caller>, change: impl FnOnce(Admin) -> F) -> ApiResult<T>
    where
        T: Send + 'static,
        F: Future<Output = crate::admin::Result<T>> + Send + 'static,
    {
        let stopping = || Failure::rejected(Rejection::Unavailable { retry_after: Some(RETRY_AFTER) });
        let in_progress = Some(self.changes.begin().ok_or_else(stopping)?);
        let until = Instant::now().checked_add(self.change_deadline);
        let admin = Admin { in_progress, until, ..self.admin(context) };
        tokio::spawn(change(admin)).await.map_err(Failure::internal)?.map_err(failed)
    }
}

/// Returns the response to an error.
fn failed(error: AdminError) -> Failure<ApiError> {
    match error {
        AdminError::Missing(why) => ApiError::NotFound(problem("Not Found", 404, why)).into(),
        AdminError::Refused(why) => ApiError::Refused(problem("Conflict", 409, why)).into(),
        AdminError::Store(error) => refusal::store(error),
        AdminError::Files(error) => refusal::files(error),
    }
}

fn problem(title: &str, status: i32, detail: String) -> Problem {
    let mut problem = Problem::new(title, status);
    problem.detail = Some(detail);
    problem
}

impl TasksApi for OperatorsApi {
    type Principal = Caller;

    async fn list_tasks(
        &self,
        context: Context<Caller>,
        input: tasks::ListTasksInput,
    ) -> ApiResult<common::TaskPage> {
        let page = paging(input.page_or_default(), input.limit_or_default());
        let query = TaskQuery {
            key_id: input.key,
            status: input.status.and_then(|status| TaskStatus::named(status.as_str())),
            family: input.family,
            engine: input.engine,
            error: input.error,
            created_before: input.created_before.map(millis_of),
            created_after: input.created_after.map(millis_of),
        };
        self.admin(&context).tasks(&query, page).await.map(common::TaskPage::new).map_err(failed)
    }

    async fn get_task(
        &self,
        context: Context<Caller>,
        input: tasks::GetTaskInput,
    ) -> ApiResult<common::TaskDetails> {
        self.admin(&context).task(input.id).await.map_err(failed)
    }

    async fn cancel_tasks(
        &self,
        context: Context<Caller>,
        input: tasks::CancelTasksInput,
    ) -> ApiResult<common::OutcomeList> {
        let cancel = |admin: Admin| async move { admin.cancel_tasks(&input.body.ids).await };
        self.change(&context, cancel).await.map(common::OutcomeList::new)
    }

    async fn retry_tasks(
        &self,
        context: Context<Caller>,
        input: tasks::RetryTasksInput,
    ) -> ApiResult<common::OutcomeList> {
        let files = self.files.clone();
        let retry = |admin: Admin| async move { admin.retry_tasks(&files, &input.body.ids).await };
        self.change(&context, retry).await.map(common::OutcomeList::new)
    }

    async fn delete_tasks(
        &self,
        context: Context<Caller>,
        input: tasks::DeleteTasksInput,
    ) -> ApiResult<common::OutcomeList> {
        let files = self.files.clone();
        let delete = |admin: Admin| async move { admin.delete_tasks(&files, &input.body.ids).await };
        self.change(&context, delete).await.map(common::OutcomeList::new)
    }
}

impl QueuesApi for OperatorsApi {
    type Principal = Caller;

    async fn list_queues(&self, context: Context<Caller>) -> ApiResult<common::QueueList> {
        self.admin(&context).queues().await.map(common::QueueList::new).map_err(failed)
    }

    async fn pause_queue(&self, context: Context<Caller>, input: queues::PauseQueueInput) -> ApiResult<()> {
        self.change(&context, |admin| async move { admin.pause(&input.family).await }).await
    }

    async fn resume_queue(&self, context: Context<Caller>, input: queues::ResumeQueueInput) -> ApiResult<()> {
        self.change(&context, |admin| async move { admin.resume(&input.family).await }).await
    }
}

impl KeysApi for OperatorsApi {
    type Principal = Caller;

    async fn list_keys(&self, context: Context<Caller>) -> ApiResult<common::KeyList> {
        self.admin(&context).keys().await.map(common::KeyList::new).map_err(failed)
    }

    async fn create_key(
        &self,
        context: Context<Caller>,
        input: keys::CreateKeyInput,
    ) -> ApiResult<common::CreatedKey> {
        let tiers = self.tiers.clone();
        let common::NewKey { name, tier, enterprise, expires_in_days, .. } = input.body;
        let days = expires_in_days.map(i64::from);
        let new = NewKey {
            name,
            enterprise: enterprise.unwrap_or_default(),
            tier: tier.unwrap_or_else(|| DEFAULT_TIER.to_owned()),
            expires_at: days.map(|days| Clock::System.now() + days * 24 * 60 * 60 * 1000),
            role: Role::Client,
        };
        let create = |admin: Admin| async move { admin.create_key(new, &tiers).await };
        let (token, secret) = self.change(&context, create).await?;
        let mut created = common::CreatedKey::new(token.id(), token.reveal());
        created.webhook_secret = Some(sign::reveal(&secret));
        Ok(created)
    }

    async fn revoke_key(&self, context: Context<Caller>, input: keys::RevokeKeyInput) -> ApiResult<()> {
        self.change(&context, |admin| async move { admin.revoke_key(&input.key).await }).await
    }

    async fn set_tier(&self, context: Context<Caller>, input: keys::SetTierInput) -> ApiResult<()> {
        let tiers = self.tiers.clone();
        let set = |admin: Admin| async move { admin.set_tier(&input.key, &input.body.tier, &tiers).await };
        self.change(&context, set).await
    }

    async fn list_tiers(&self, _context: Context<Caller>) -> ApiResult<common::TierList> {
        Ok(common::TierList::new(tiers(&self.tiers)))
    }
}

impl EnginesApi for OperatorsApi {
    type Principal = Caller;

    async fn list_engines(&self, _context: Context<Caller>) -> ApiResult<common::EngineList> {
        Ok(common::EngineList::new(attached(&self.registry)))
    }

    async fn check_engine(
        &self,
        context: Context<Caller>,
        input: engines::CheckEngineInput,
    ) -> ApiResult<common::CheckList> {
        let busy = || AdminError::Refused("another check is in progress".to_owned());
        let checking = Arc::clone(&self.checking).try_lock_owned().map_err(|_| failed(busy()))?;
        let (registry, deadline) = (Arc::clone(&self.registry), self.change_deadline);
        let check = |admin: Admin| async move {
            let checked = admin.check_engine(&registry, &input.engine, deadline).await;
            drop(checking);
            checked
        };
        self.change(&context, check).await.map(common::CheckList::new)
    }
}

impl ServiceApi for OperatorsApi {
    type Principal = Caller;

    async fn get_storage(&self, context: Context<Caller>) -> ApiResult<common::Storage> {
        self.admin(&context).storage(&self.files).await.map_err(failed)
    }

    async fn list_audit(
        &self,
        context: Context<Caller>,
        input: service::ListAuditInput,
    ) -> ApiResult<common::AuditPage> {
        let page = paging(input.page_or_default(), input.limit_or_default());
        self.admin(&context).audit(page).await.map(common::AuditPage::new).map_err(failed)
    }
}
