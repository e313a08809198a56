"""Says what Python's email package reads in a message, as JSON.

readmail.py FILE
"""

import base64
import email
import email.policy
import json
import sys

with open(sys.argv[1], "rb") as f:
    message = email.message_from_binary_file(f, policy=email.policy.default)
parts = []
for part in message.walk():
    if part.is_multipart():
        continue
    parts.append({
        "type": part.get_content_type(),
        "charset": part.get_content_charset() or "",
        "name": part.get_filename() or "",
        "octets": base64.b64encode(part.get_payload(decode=True)).decode(),
        "text": part.get_content() if part.get_content_maintype() == "text" else "",
        "defects": [str(d) for d in part.defects],
    })
json.dump({
    "subject": message["subject"],
    "from": str(message["from"]),
    "to": str(message["to"]),
    "cc": str(message["cc"] or ""),
    "messageId": message["message-id"],
    "date": str(message["date"].datetime) if message["date"] else "",
    "parts": parts,
    "defects": [str(d) for d in message.defects]
    + [f"{name}: {d}" for name in message.keys() for d in message[name].defects],
}, sys.stdout)
