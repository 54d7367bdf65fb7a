//! The budget of retries, which all clones of a client share.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// The price of a retry, in the units of the budget. A call that succeeds at once pays one unit in.
const RETRY: u32 = 10;

/// A budget of retries: a bucket of tokens that all clones of a client share.
///
/// Retries help if few calls fail. If most fail, they multiply the load of a server that has too much of it already.
/// Each retry takes a token from the bucket. If it is empty, calls return the result of their first attempt. A call that
/// succeeds at once puts a tenth of a token back, and one that succeeds after a retry a whole one.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::{Client, RetryBudget};
///
/// let budget = RetryBudget::new(20);
/// let url = "https://example.com";
/// let client = Client::builder().base_url(url).retry_budget(budget.clone()).build()?;
/// // Another client of the same server can share it.
/// let admin = Client::builder().base_url(url).retry_budget(budget).build()?;
/// # Ok::<(), openapi_crates_runtime::client::BuildError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct RetryBudget(Option<Arc<Bucket>>);

struct Bucket {
    size: u32,
    left: AtomicU32,
}

impl RetryBudget {
    /// Creates a budget of this many retries.
    pub fn new(retries: u32) -> Self {
        let size = retries.saturating_mul(RETRY);
        Self(Some(Arc::new(Bucket { size, left: AtomicU32::new(size) })))
    }

    /// Creates a budget that is never used up.
    pub const fn unlimited() -> Self {
        Self(None)
    }

    /// Takes the price of a retry. Returns whether the budget had it.
    pub(super) fn spend(&self) -> bool {
        let Some(bucket) = &self.0 else { return true };
        let take = |left: u32| left.checked_sub(RETRY);
        bucket.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// Pays in for a call that succeeded, at once or after retries.
    pub(super) fn earn(&self, has_retried: bool) {
        let Some(bucket) = &self.0 else { return };
        let units = if has_retried { RETRY } else { 1 };
        let put = |left: u32| Some(left.saturating_add(units).min(bucket.size));
        // It never fails: `put` always returns a number.
        let _was = bucket.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, put);
    }
}

impl Default for RetryBudget {
    /// Creates a budget of 100 retries.
    fn default() -> Self {
        Self::new(100)
    }
}

impl fmt::Debug for RetryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = self.0.as_ref().map(|bucket| bucket.left.load(Ordering::Relaxed) / RETRY);
        f.debug_tuple("RetryBudget").field(&left).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_are_paid_for_by_calls_that_succeed() {
        let budget = RetryBudget::new(2);
        let clone = budget.clone();
        assert!(budget.spend() && clone.spend());
        assert!(!budget.spend() && !clone.spend());
        (0..9).for_each(|_| budget.earn(false));
        assert!(!clone.spend());
        budget.earn(false);
        assert!(clone.spend() && !clone.spend());
        budget.earn(true);
        assert!(clone.spend() && !clone.spend());
        (0..100).for_each(|_| budget.earn(true));
        assert_eq!(format!("{budget:?}"), "RetryBudget(Some(2))", "it is never larger than at first");
        let unlimited = RetryBudget::unlimited();
        unlimited.earn(true);
        assert!((0..1000).all(|_| unlimited.spend()));
    }
}
