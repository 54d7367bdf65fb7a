"""Validates requests and responses of the service against its document with openapi-core."""

import requests
from openapi_core import OpenAPI
from openapi_core.contrib.requests import RequestsOpenAPIRequest, RequestsOpenAPIResponse
from service import ICON, KEY, URL

session = requests.Session()
document = OpenAPI.from_dict(session.get(f"{URL}/openapi.json").json())


def send(method, path, **arguments):
    """Sends a request, validates it and its response, and returns the body."""
    request = requests.Request(method, URL + path, headers={"x-service-api-key": KEY}, **arguments).prepare()
    response = session.send(request)
    sent = RequestsOpenAPIRequest(request)
    document.validate_request(sent)
    document.validate_response(sent, RequestsOpenAPIResponse(response))
    return response.json()


assert send("GET", f"/v1/icons/{ICON}")["data"]["id"] == ICON
assert send("GET", "/v1/icons/1")["message"] == "Icon not found"
assert send("GET", "/v1/sfx")["results"]


def result_of_new_run():
    """Starts a run, and returns its result right afterwards."""
    run = send("POST", "/v1/ai/apps/iC0nS3/run", json={"inputs": {"in_1": "house"}})
    return send("GET", f"/v1/ai/apps/runs/{run['workflow_run_identifier']}")["data"]["result"]


# A run has no result until it ends: `null`. On a busy machine, a run can end before it is read.
assert any(result_of_new_run() is None for _ in range(9))
