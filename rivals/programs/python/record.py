"""record.py FILE URL... requests URLs with requests, and records them with warcio in FILE."""

import sys

from warcio.capture_http import capture_http

import requests  # must come after capture_http, which replaces functions of http.client

with capture_http(sys.argv[1]):
    for url in sys.argv[2:]:
        requests.get(url, allow_redirects=False)
