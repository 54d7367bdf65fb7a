"""Receives a webhook of the service, and verifies it with the official libraries of Standard Webhooks."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import requests
from service import KEY, SECRET, URL
from standardwebhooks import Webhook, WebhookVerificationError


class Receiver(BaseHTTPRequestHandler):
    """Keeps the first event."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.send_response(204)
        self.end_headers()
        self.server.event = ({name.lower(): value for name, value in self.headers.items()}, body)

    def log_message(self, *_):
        """Logs nothing."""


receiver = HTTPServer(("127.0.0.1", 0), Receiver)
receiver.timeout = 60
hook = f"http://127.0.0.1:{receiver.server_port}/"
body = {"text": "gentle rain", "duration_seconds": 1, "webhook_url": hook}
requests.post(f"{URL}/v1/ai/sound-effects", json=body, headers={"x-service-api-key": KEY}).raise_for_status()
receiver.handle_request()
headers, body = receiver.event

assert Webhook(SECRET).verify(body, headers)["task_id"]
try:
    Webhook(SECRET).verify(body + " ", headers)
except WebhookVerificationError:
    pass
else:
    raise AssertionError("a changed body was accepted")

verify = """
    const { Webhook } = require("standardwebhooks");
    const [secret, body, headers] = JSON.parse(require("fs").readFileSync(0));
    if (!new Webhook(secret).verify(body, headers).task_id) throw new Error("no task");
    let accepted = true;
    try { new Webhook(secret).verify(body + " ", headers); } catch { accepted = false; }
    if (accepted) throw new Error("a changed body was accepted");
"""
node = ["node", "--eval", verify]
subprocess.run(node, input=json.dumps([SECRET, body, headers]), text=True, check=True, cwd=sys.argv[1])
