//! Automations: triggers and actions are unions that an optional constant selects.

use prefect_client::{
    Client,
    models::{
        common::{
            AutomationActionsItem as Action, AutomationCreate, AutomationCreateActionsItem as NewAction,
            AutomationCreateTrigger as NewTrigger, AutomationPartialUpdate, AutomationTrigger as Trigger,
            CancelFlowRun, ChangeFlowRunState, CompoundTriggerInput, CompoundTriggerInputRequire,
            CompoundTriggerInputRequireString, CompoundTriggerInputTriggersItem as Part,
            CompoundTriggerInputWithin, DoNothing, Event, EventFilter, EventNameFilter, EventTriggerInput,
            EventTriggerInputMatch, EventTriggerInputPosture, EventTriggerInputWithin, PauseAutomation,
            ReadAutomationsBody, ReadEventsBody, ResourceSpecificationValue, StateType,
        },
        types::{Map, Timestamp, Uuid},
    },
};
use serde_json::json;

use crate::Result;

pub async fn run(client: &Client) -> Result<()> {
    automations(client).await?;
    events(client).await
}

async fn automations(client: &Client) -> Result<()> {
    // Neither the actions nor the triggers are given their type: the variant implies it.
    let actions = vec![
        NewAction::CancelFlowRun(CancelFlowRun::default()),
        NewAction::DoNothing(DoNothing::default()),
        NewAction::ChangeFlowRunState(ChangeFlowRunState::new(StateType::Failed).with_message("too late")),
        NewAction::PauseAutomation(PauseAutomation::default().with_source("inferred".parse()?)),
    ];
    let late = trigger("prefect.flow-run.Late", EventTriggerInputPosture::Reactive);
    let silent = trigger("prefect.flow-run.Completed", EventTriggerInputPosture::Proactive)
        .with_within(EventTriggerInputWithin::Number(60.0));
    let both = CompoundTriggerInput::new(
        vec![Part::EventTriggerInput(late), Part::EventTriggerInput(silent)],
        CompoundTriggerInputWithin::Number(3600.0),
        CompoundTriggerInputRequire::String(CompoundTriggerInputRequireString::All),
    );
    let create = AutomationCreate::new("watch", NewTrigger::CompoundTriggerInput(both), actions)
        .with_description("Cancels what is late");
    assert_eq!(
        serde_json::to_value(&create)?.pointer("/actions/1"),
        Some(&json!({"type": "do-nothing"})),
        "the constant is sent"
    );
    let created = client.create_automation(create).await?;
    let automation = client.read_automation(created.id).await?;
    assert_eq!(automation, created);
    let [
        Action::CancelFlowRun(_),
        Action::DoNothing(_),
        Action::ChangeFlowRunState(change),
        Action::PauseAutomation(_),
    ] = automation.actions.as_slice()
    else {
        return Err(format!("other actions: {:?}", automation.actions).into());
    };
    assert_eq!((&change.state, &change.message), (&StateType::Failed, &Some("too late".into())));
    let Trigger::CompoundTriggerOutput(trigger) = automation.trigger else {
        return Err(format!("another trigger: {:?}", automation.trigger).into());
    };
    let [Trigger::EventTriggerOutput(first), Trigger::EventTriggerOutput(second)] =
        trigger.triggers.as_slice()
    else {
        return Err(format!("other triggers: {:?}", trigger.triggers).into());
    };
    assert_eq!(first.expect, Some(vec!["prefect.flow-run.Late".to_owned()]));
    assert_eq!(second.within, Some(60.0));

    client.patch_automation((created.id, AutomationPartialUpdate::default().with_enabled(false))).await?;
    assert_eq!(
        client
            .read_automations(ReadAutomationsBody::default())
            .await?
            .first()
            .and_then(|first| first.enabled),
        Some(false)
    );
    client.delete_automation(created.id).await?;
    println!("prefect: automation with {} actions", automation.actions.len());
    Ok(())
}

/// Returns a trigger for an event of any flow run.
fn trigger(event: &str, posture: EventTriggerInputPosture) -> EventTriggerInput {
    let any = ResourceSpecificationValue::String("prefect.flow-run.*".to_owned());
    let flow_runs = Map::from([("prefect.resource.id".to_owned(), any)]);
    EventTriggerInput::new(posture)
        .with_expect(vec![event.to_owned()])
        .with_match(EventTriggerInputMatch::ResourceSpecification(flow_runs))
}

/// Sends events, and reads them back once the server has stored them.
async fn events(client: &Client) -> Result<()> {
    let resource = Map::from([("prefect.resource.id".to_owned(), "shop.1".to_owned())]);
    let ids: Vec<Uuid> = (1..=3).map(Uuid::from_u128).collect();
    // The server keeps microseconds.
    let now = Timestamp::nearest(Timestamp::now().unix_seconds(), 250_000_000);
    let event = |id: &Uuid| {
        let payload = Map::from([("customers".to_owned(), json!(3))]);
        Event::new(now, "shop.opened", resource.clone(), *id).with_payload(payload)
    };
    client.create_events(ids.iter().map(event).collect::<Vec<_>>()).await?;
    let names = EventNameFilter::default().with_prefix(vec!["shop.".to_owned()]);
    let body = ReadEventsBody::default().with_filter(EventFilter::default().with_event(names)).with_limit(2);
    for _ in 0..100 {
        let page = client.read_events(body.clone()).await?;
        if page.total == 3 {
            let [first, _] = page.events.as_slice() else { return Err("there are not two events".into()) };
            assert_eq!((first.occurred, first.event.as_str()), (now, "shop.opened"));
            assert!(page.next_page.is_some(), "{page:?}");
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    Err("the server has not stored the events within 10 s".into())
}
