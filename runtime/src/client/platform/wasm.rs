//! The platform `wasm32-unknown-unknown`: that of a browser, or of another host of JavaScript.

use std::{
    cell::Cell,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::{Duration, SystemTime},
};

use js_sys::{Date, Function, Math, Promise, Reflect, Uint8Array};
use tokio::sync::oneshot;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::race;

/// The longest wait of `setTimeout`, in milliseconds.
const MAX_TIMEOUT_MILLIS: f64 = 2_147_483_647.0;

/// A time of a clock that only advances, since the start of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::client) struct Instant(Duration);

impl Instant {
    pub(in crate::client) fn now() -> Self {
        let performance = Reflect::get(&js_sys::global(), &"performance".into());
        let millis =
            performance.ok().and_then(|it| call(&it, "now", &[])?.as_f64()).unwrap_or_else(Date::now);
        Self(Duration::from_secs_f64(millis.max(0.0) / 1000.0))
    }

    pub(in crate::client) fn checked_add(self, duration: Duration) -> Option<Self> {
        self.0.checked_add(duration).map(Self)
    }

    pub(in crate::client) fn saturating_duration_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    pub(in crate::client) fn elapsed(self) -> Duration {
        Self::now().saturating_duration_since(self)
    }
}

/// The future of [`sleep_until`].
pub(in crate::client) struct Sleep {
    end: Instant,
    timer: Option<oneshot::Receiver<()>>,
}

/// Waits until a time.
pub(in crate::client) const fn sleep_until(end: Instant) -> Sleep {
    Sleep { end, timer: None }
}

impl Sleep {
    pub(in crate::client) fn reset(mut self: Pin<&mut Self>, end: Instant) {
        *self = sleep_until(end);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let left = self.end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Poll::Ready(());
            }
            let timer = self.timer.get_or_insert_with(|| timer(left));
            // A timer may end early, or be cut off at the longest wait.
            let _ = ready!(Pin::new(timer).poll(context));
            self.timer = None;
        }
    }
}

/// Starts a timer. Dropping the receiver clears it.
fn timer(wait: Duration) -> oneshot::Receiver<()> {
    let (mut sender, receiver) = oneshot::channel();
    spawn_local(async move {
        let (millis, id) =
            ((wait.as_secs_f64() * 1000.0).ceil().min(MAX_TIMEOUT_MILLIS), Cell::new(JsValue::UNDEFINED));
        let promise = Promise::new(&mut |resolve, _| {
            id.set(
                call(&js_sys::global(), "setTimeout", &[resolve.into(), millis.into()]).unwrap_or_default(),
            );
        });
        match race(sender.closed(), JsFuture::from(promise)).await {
            Some(_) => drop(sender.send(())),
            None => drop(call(&js_sys::global(), "clearTimeout", &[id.take()])),
        }
    });
    receiver
}

/// Runs a future until a time. The error means that it did not end before.
pub(in crate::client) async fn timeout_at<F: Future>(end: Instant, work: F) -> Result<F::Output, ()> {
    race(sleep_until(end), work).await.ok_or(())
}

pub(in crate::client) async fn timeout<F: Future>(after: Duration, work: F) -> Result<F::Output, ()> {
    match Instant::now().checked_add(after) {
        Some(end) => timeout_at(end, work).await,
        None => Ok(work.await),
    }
}

/// The output of a task.
pub(in crate::client) type Task<T> = oneshot::Receiver<T>;

/// Runs a future in a task of its own.
pub(in crate::client) fn spawn<F>(work: F) -> Task<F::Output>
where
    F: Future + 'static,
{
    let (sender, receiver) = oneshot::channel();
    spawn_local(async move {
        sender.send(work.await).ok();
    });
    receiver
}

/// Returns the time of the system's clock.
pub(in crate::client) fn wall_clock() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs_f64(Date::now().max(0.0) / 1000.0)
}

/// Returns a number from 0 to 1.
pub(in crate::client) fn random() -> f64 {
    Math::random()
}

/// Returns random bits. Two pages never get the same.
///
/// They are not those of the standard library, which are the same in each page.
pub(in crate::client) fn random_bits() -> u128 {
    let bytes = Uint8Array::new_with_length(16);
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into()).unwrap_or_default();
    if call(&crypto, "getRandomValues", &[bytes.clone().into()]).is_none() {
        (0..16).for_each(|index| bytes.set_index(index, (Math::random() * 256.0) as u8));
    }
    let mut bits = [0; 16];
    bytes.copy_to(&mut bits);
    u128::from_be_bytes(bits)
}

/// Calls a method of an object. Returns `None` if there is none, or if it throws.
fn call(object: &JsValue, method: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let method: Function = Reflect::get(object, &method.into()).ok()?.dyn_into().ok()?;
    method.apply(object, &arguments.iter().collect()).ok()
}
