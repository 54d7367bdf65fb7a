"""Calls the service with the client that openapi-python-client has generated."""

from asset_client import AuthenticatedClient
from asset_client.api.apps import get_app_run, run_app
from asset_client.api.icons import get_icon
from asset_client.api.sound_effects import create_sound_effect, get_sound_effect
from asset_client.models import RunAppRequest, RunAppRequestInputs, SoundEffectRequest
from service import ICON, KEY, URL, until

client = AuthenticatedClient(URL, KEY, prefix="", auth_header_name="x-service-api-key", raise_on_unexpected_status=True)

icon = get_icon.sync(ICON, client=client).data
assert icon.id == ICON, icon

body = SoundEffectRequest(text="gentle rain", duration_seconds=1)
task_id = create_sound_effect.sync(client=client, body=body).data.task_id
get = lambda: get_sound_effect.sync(task_id, client=client).data
task = until(get, lambda task: task.status in ("COMPLETED", "FAILED"))
assert task.status == "COMPLETED" and task.generated, task

# A run has no result until it ends.
body = RunAppRequest(inputs=RunAppRequestInputs.from_dict({"in_1": "house"}))
run_id = run_app.sync("iC0nS3", client=client, body=body).workflow_run_identifier
get = lambda: get_app_run.sync(run_id, client=client).data
run = until(get, lambda run: run.status not in ("pending", "running"))
assert run.status == "completed" and run.result, run

assert get_icon.sync(1, client=client).message == "Icon not found"
