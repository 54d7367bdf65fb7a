//! The conformance suite of the stores: each test runs on SQLite and on PostgreSQL.

mod administration;
mod catalogue;
mod claims;
pub mod cluster;
mod creation;
mod events;
mod failover;
pub mod fixture;
mod keys;
mod lanes;
mod leases;
mod limits;
mod long_transaction;
mod machines;
mod pooler;
mod quarantine;
mod reading;
mod recovery;
mod removal;
mod scale;
mod schema;
pub mod shape;
mod usage;

/// Runs each test on both databases, each time on a new one.
macro_rules! suite {
    ($($file:ident: $($test:ident)+;)+) => {
        suite! { on_sqlite sqlite $($file: $($test)+;)+ }
        suite! { on_postgres postgres $($file: $($test)+;)+ }
    };
    ($module:ident $database:ident $($file:ident: $($test:ident)+;)+) => {
        mod $module {
            $(mod $file {
                $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    if let Some(fixture) = crate::store::fixture::Fixture::$database().await {
                        crate::store::$file::$test(fixture).await;
                    }
                })+
            })+
        }
    };
}

suite! {
    administration:
        families_are_paused_once
        a_change_has_a_record_before_it_ends
        a_key_has_another_tier_and_a_last_use
        tasks_are_counted_by_family_and_status;
    catalogue:
        existing_records_stay
        icons_are_related
        resources_are_found_by_words_and_facets
        searches_have_pages
        audio_is_found_and_ordered
        audio_without_a_rank_follows_ranked_audio
        downloads_are_counted
        no_search_is_too_long;
    removal:
        removed_records_are_found_no_more_and_come_back
        a_file_goes_only_while_it_is_noted;
    scale:
        searches_are_exact
        imports_of_another_process_are_found;
    keys:
        a_key_is_stored_once
        a_key_is_revoked_once
        a_secret_is_replaced
        spending_is_summed_by_key_and_price
        a_call_is_counted_once
        secrets_rotate;
    usage:
        usage_is_that_of_the_period_also_of_removed_tasks
        an_attempt_that_has_lost_its_lease_counts_nothing;
    creation:
        a_stored_task_is_read_unchanged
        a_repeat_gets_the_same_task
        another_body_conflicts
        idempotency_keys_are_forgotten
        idempotency_keys_belong_to_a_key_and_a_path
        creations_at_once_with_one_idempotency_key_make_one_task
        the_quota_is_exact
        a_repeat_is_not_counted
        a_refused_creation_leaves_nothing
        creations_at_once_are_isolated
        open_tasks_and_uploads_are_counted
        stored_bytes_are_those_of_ended_tasks
        inputs_are_stored_until_their_task_is_completed
        results_that_outlive_their_task_stay_counted;
    reading:
        tasks_of_others_are_not_found
        lists_are_newest_first
        operators_filter
        operators_see_who_holds_a_task
        sweep_removes_ended_tasks
        sweep_waits_for_events
        sweep_waits_for_idempotency_keys
        folders_lead_to_their_tasks;
    claims:
        each_task_is_claimed_once
        oldest_first
        no_key_is_above_its_cap
        caps_hold_over_processes
        a_greedy_key_starves_nobody
        claims_choose_by_demand
        the_first_claim_queues_an_event
        creation_wakes;
    limits:
        uses_of_all_processes_add_up
        requests_in_progress_add_up;
    leases:
        a_lease_that_ran_out_is_claimed_again
        a_heartbeat_keeps_the_lease
        a_lost_lease_changes_nothing
        an_advanced_task_waits_for_its_next_part
        a_task_ends_once
        ends_at_once_are_isolated
        a_released_task_waits
        a_refunded_attempt_does_not_count
        refunds_are_counted_by_reason
        a_slow_task_is_never_quick_again
        exhausted_tasks_are_taken_over
        an_unreadable_task_stops_no_other
        tasks_that_wait_are_listed_by_age
        depth_counts
        a_cancelled_task_has_ended_for_all
        only_ended_tasks_are_deleted;
    quarantine:
        one_quarantined_task_is_tried_at_a_time
        a_task_that_was_alone_counts_at_once
        a_process_that_extends_leases_is_not_dead
        operators_see_quarantined_tasks
        only_the_task_that_kills_is_exhausted
        many_tasks_that_kill_exhaust_no_other
        tasks_of_a_copy_are_not_quarantined;
    machines:
        a_database_belongs_to_its_files
        clocks_have_to_agree
        jumps_of_the_databases_clock_are_recorded
        a_backup_waits_for_the_turns_of_sweeps;
    events:
        an_end_queues_one_terminal_event
        an_event_has_the_trace_of_its_task
        the_end_overtakes_the_beginning
        an_overtaken_delivery_is_recorded
        events_are_claimed_once
        hosts_have_caps
        lanes_have_caps
        a_host_reserves_slots_for_keys_without_deliveries
        keys_have_caps
        a_failing_host_holds_up_no_other
        a_retry_is_due_later
        a_lost_event_lease_is_reported
        attempts_at_once_are_isolated
        gone_stops_the_task
        replay_begins_anew
        a_key_with_many_hosts_reaches_all
        many_events_make_no_claim_slower
        the_outbox_of_a_key_is_counted;
    schema:
        a_reopened_store_has_everything
        only_a_migration_changes_an_old_schema
        a_newer_schema_is_refused
        a_migration_does_not_block_others_behind_a_long_transaction
        the_previous_release_can_use_the_schema;
}
