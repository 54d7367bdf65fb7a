"""Opens Swagger UI and Redoc from another origin in a headless Chromium, and reads their consoles."""

import re
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from service import URL

MODULES = sys.argv[1]
PAGES = {
    "Swagger UI": (
        f"""<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="ui"></div>
        <link rel="stylesheet" href="/swagger-ui-dist/swagger-ui.css">
        <script src="/swagger-ui-dist/swagger-ui-bundle.js"></script>
        <script>SwaggerUIBundle({{url: "{URL}/openapi.json", dom_id: "#ui", validatorUrl: null}})</script>""",
        "/v1/icons/",
    ),
    "Redoc": (
        f"""<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
        <redoc spec-url="{URL}/openapi.json"></redoc>
        <script src="/redoc/bundles/redoc.standalone.js"></script>""",
        "/v1/icons/",
    ),
}
# Redoc shows the logo of its makers, which a machine without a network can't load.
FOREIGN = "cdn.redoc.ly"


class Handler(SimpleHTTPRequestHandler):
    """Serves the pages and the installed packages."""

    def do_GET(self):
        name = self.path.strip("/").replace("%20", " ")
        if name not in PAGES:
            return super().do_GET()
        page = PAGES[name][0].encode()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        """Logs nothing."""


server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=MODULES))
threading.Thread(target=server.serve_forever, daemon=True).start()
for name, (_, shown) in PAGES.items():
    with tempfile.TemporaryDirectory() as profile:
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        command += [f"--user-data-dir={profile}", "--enable-logging=stderr", "--virtual-time-budget=60000"]
        command += ["--dump-dom", f"http://127.0.0.1:{server.server_port}/{name.replace(' ', '%20')}"]
        page = subprocess.run(command, capture_output=True, text=True, timeout=120)
    messages = [line for line in page.stderr.splitlines() if "CONSOLE" in line and FOREIGN not in line]
    errors = [line for line in messages if re.search(r"error|failed|blocked|refused", line, re.IGNORECASE)]
    assert shown in page.stdout, f"{name} shows no operation: {page.stdout[:500]} {messages}"
    assert not errors, f"{name}: {errors}"
