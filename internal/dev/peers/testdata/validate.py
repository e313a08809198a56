"""Says what Python's packages rfc3986 and rfc3987 make of texts.

Reads a JSON string a line, and writes an object a line: for each package its verdict
and the components, null for absent ones.
"""

import json
import sys

import rfc3986
import rfc3986.validators
import rfc3987

components = ["scheme", "userinfo", "host", "port", "path", "query", "fragment"]
validator = rfc3986.validators.Validator().check_validity_of(*components).require_presence_of("scheme")


def by_rfc3986(text):
    # uri_reference would encode the path first.
    found = rfc3986.misc.URI_MATCHER.match(text).groupdict()
    uri = rfc3986.URIReference(*(found[name] for name in ("scheme", "authority", "path", "query", "fragment")))
    try:
        validator.validate(uri)
        authority = uri.authority_info()
    except (rfc3986.exceptions.RFC3986Exception, ValueError):
        return {"ok": False}
    return {"ok": True, "parts": [
        uri.scheme, authority["userinfo"], authority["host"], authority["port"],
        uri.path or "", uri.query, uri.fragment]}


for line in sys.stdin:
    text = json.loads(line)
    print(json.dumps({
        "python rfc3986": by_rfc3986(text),
        "python rfc3987": {"ok": bool(rfc3987.match(text, rule="URI"))},
    }))
