//! An order of documents, and pages of the documents that match.

use std::ops::Range;

use roaring::RoaringBitmap;

/// All documents in one order.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Documents by position.
    documents: Vec<u32>,
    /// Positions by document.
    ranks: Vec<u32>,
}

impl Order {
    /// Moves new and changed documents to their positions, by their keys.
    pub(super) fn rank<D, K: Ord>(
        &mut self,
        unsettled: &RoaringBitmap,
        documents: &[D],
        key: impl Fn(&D) -> K,
    ) {
        let key = |number: &u32| documents.get(*number as usize).map(&key);
        let mut settled = std::mem::take(&mut self.documents);
        // New documents have the highest numbers.
        if unsettled.min().is_some_and(|number| (number as usize) < settled.len()) {
            settled.retain(|number| !unsettled.contains(*number));
        }
        let mut new: Vec<u32> = unsettled.iter().collect();
        new.sort_by_cached_key(key);
        self.documents.reserve_exact(settled.len() + new.len());
        let mut rest = settled.as_slice();
        for number in new {
            let (before, behind) = rest.split_at(rest.partition_point(|other| key(other) < key(&number)));
            self.documents.extend_from_slice(before);
            self.documents.push(number);
            rest = behind;
        }
        self.documents.extend_from_slice(rest);
        self.ranks.resize(self.documents.len(), 0);
        for (rank, number) in (0..).zip(&self.documents) {
            if let Some(at) = self.ranks.get_mut(*number as usize) {
                *at = rank;
            }
        }
    }

    /// Returns a page of the matching documents in this order; `None` matches all.
    pub(super) fn page(&self, matching: Option<&RoaringBitmap>, page: Range<usize>) -> Vec<u32> {
        let Some(matching) = matching else {
            return self.documents.get(clipped(page, self.documents.len())).unwrap_or_default().to_vec();
        };
        let found = usize::try_from(matching.len()).unwrap_or(usize::MAX);
        let page = clipped(page, found);
        if page.is_empty() {
            return Vec::new();
        }
        // A walk along the order meets one match in `documents / found` steps. A selection looks at all
        // matches.
        let steps = page.end.saturating_mul(self.documents.len() / found);
        if steps < found / 2 { self.walk(matching, page) } else { self.select(matching, page) }
    }

    fn walk(&self, matching: &RoaringBitmap, page: Range<usize>) -> Vec<u32> {
        let matching = self.documents.iter().copied().filter(|number| matching.contains(*number));
        matching.take(page.end).skip(page.start).collect()
    }

    fn select(&self, matching: &RoaringBitmap, page: Range<usize>) -> Vec<u32> {
        let mut ranks: Vec<u32> =
            matching.iter().filter_map(|number| self.ranks.get(number as usize).copied()).collect();
        let page = clipped(page, ranks.len());
        if page.end < ranks.len() {
            ranks.select_nth_unstable(page.end);
            ranks.truncate(page.end);
        }
        if 0 < page.start && page.start < ranks.len() {
            ranks.select_nth_unstable(page.start);
        }
        let mut ranks = ranks.split_off(page.start.min(ranks.len()));
        ranks.sort_unstable();
        ranks.iter().filter_map(|rank| self.documents.get(*rank as usize).copied()).collect()
    }
}

fn clipped(range: Range<usize>, length: usize) -> Range<usize> {
    range.start.min(length)..range.end.min(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walking_and_selecting_find_the_same_page() {
        // The number of downloads, and the id.
        let document = |number: u32| (number.wrapping_mul(2_654_435_761) >> 20, number);
        let mut documents: Vec<(u32, u32)> = (0..5000).map(document).collect();
        let key = |document: &(u32, u32)| *document;
        let mut order = Order::default();
        order.rank(&(0..3000).collect(), &documents[..3000], key);
        for changed in [0, 77, 78, 2999] {
            documents[changed].0 += 1000;
        }
        order.rank(&[0, 77, 78, 2999].into_iter().chain(3000..5000).collect(), &documents, key);
        for step in [1, 2, 7, 400] {
            let matching: RoaringBitmap = (0..5000).step_by(step).collect();
            let mut expected: Vec<u32> = matching.iter().collect();
            expected.sort_by_key(|number| key(&documents[*number as usize]));
            for page in [0..1, 0..10, 5..25, 990..1010, 4990..5010, 6000..6010] {
                let right = expected.get(clipped(page.clone(), expected.len())).unwrap();
                let page = clipped(page, expected.len());
                assert_eq!(order.walk(&matching, page.clone()), right, "{step} {page:?}");
                assert_eq!(order.select(&matching, page.clone()), right, "{step} {page:?}");
                assert_eq!(order.page(Some(&matching), page.clone()), right, "{step} {page:?}");
            }
        }
        assert_eq!(order.page(None, 4998..5003).len(), 2);
    }
}
