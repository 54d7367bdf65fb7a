"""Calls the service with the Python client that openapi-generator has generated."""

import openapi_client as api
from service import ICON, KEY, URL, until

with api.ApiClient(api.Configuration(host=URL, api_key={"ApiKey": KEY})) as client:
    icon = api.IconsApi(client).get_icon(ICON).data
    assert icon.id == ICON, icon

    sounds = api.SoundEffectsApi(client)
    request = api.SoundEffectRequest(text="gentle rain", duration_seconds=1)
    task_id = sounds.create_sound_effect(request).data.task_id
    get = lambda: sounds.get_sound_effect(task_id).data
    task = until(get, lambda task: task.status in ("COMPLETED", "FAILED"))
    assert task.status == "COMPLETED" and task.generated, task

    # A run has no result until it ends.
    apps = api.AppsApi(client)
    request = api.RunAppRequest(inputs={"in_1": api.AppInputValue("house")})
    run_id = apps.run_app("iC0nS3", request).workflow_run_identifier
    run = until(lambda: apps.get_app_run(run_id).data, lambda run: run.status not in ("pending", "running"))
    assert run.status == "completed" and run.result, run

    try:
        api.IconsApi(client).get_icon(1)
    except api.exceptions.NotFoundException as error:
        assert "Icon not found" in error.body, error
    else:
        raise AssertionError("an icon that does not exist was found")
