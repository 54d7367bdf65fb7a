//! A good request costs the validation no allocation.

use allocation_counter::measure;

use super::{service::TYPED, spec};

#[test]
fn checking_a_good_input_allocates_nothing() {
    let mut allocating = Vec::new();
    for typed in TYPED {
        let operation = spec::operation(typed.id);
        (typed.with_check)(operation, &spec::input_example(operation), &mut |check| {
            // The first time patterns are compiled.
            assert!(check(), "{}: the example breaks a rule", operation.id);
            let counted = measure(|| {
                std::hint::black_box(check());
            });
            if counted.count_total > 0 {
                allocating.push((operation.id, counted.count_total));
            }
        });
    }
    assert!(allocating.is_empty(), "checking allocates: {allocating:#?}");
}

/// The counter counts, or the test above could not fail.
#[test]
fn allocations_are_counted() {
    let counted = measure(|| {
        std::hint::black_box(vec![0_u8; std::hint::black_box(10)]);
    });
    assert_eq!(counted.count_total, 1);
}
