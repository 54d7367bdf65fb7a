//! Webhook events with the attempts to deliver them.

use asset_admin_server::models::common::{Delivery, Event, EventFields, EventState};

use super::{Admin, AdminError, Result, done, now};
use crate::domain::{self, EventQuery, Page};
use crate::time::{Millis, timestamp};
use crate::webhooks::sign;

impl Admin {
    /// Sends an event again, with the same id.
    ///
    /// # Errors
    /// Fails if there is no such event that is not pending, or if the store fails.
    pub async fn replay_event(&self, id: &str) -> Result<()> {
        let replay = async {
            let is_due = self.store.replay_event(id, now()).await?;
            let missing =
                || AdminError::Missing(format!("no event has the id `{id}`, or it is pending already"));
            is_due.then_some(()).ok_or_else(missing)
        };
        self.change("replay event", id, replay, done).await
    }

    /// Gives up all pending events; returns their number.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn drop_events(&self) -> Result<u64> {
        let drop = async { Ok(self.store.drop_events().await?) };
        self.change("give up events", "all", drop, |dropped| format!("done: {dropped}")).await
    }

    /// Adds a secret that signs a key's webhooks; the others sign until this time, too.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn rotate_webhook_secret(&self, key_id: &str, until: Millis) -> Result<()> {
        let rotate =
            async { Ok(self.store.rotate_webhook_secret(key_id, &sign::generate(now()), until).await?) };
        self.change("rotate webhook secret", key_id, rotate, done).await
    }

    /// Returns a page of events, newest first.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn events(&self, query: &EventQuery, page: Page) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        for event in self.store.events(query, page).await? {
            let attempts = self.store.attempts(&event.id).await?.into_iter().map(|recorded| {
                let attempt = recorded.attempt;
                let mut delivery =
                    Delivery::new(recorded.number.into(), timestamp(attempt.at), attempt.duration);
                delivery.status = attempt.status.map(i32::from);
                delivery.error = attempt.error;
                delivery
            });
            events.push(Event::new(EventFields {
                deliveries: attempts.collect(),
                id: event.id,
                task: event.task_id,
                url: event.url,
                state: match event.state {
                    domain::EventState::Pending => EventState::Pending,
                    domain::EventState::Delivered => EventState::Delivered,
                    domain::EventState::GivenUp => EventState::GivenUp,
                    domain::EventState::Gone => EventState::Gone,
                },
                attempts: event.attempts.into(),
                due: timestamp(event.due_at),
                created: timestamp(event.created_at),
            }));
        }
        Ok(events)
    }
}
