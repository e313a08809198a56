"""Finds URLs with bleach or urlextract.

extract.py TOOL SETTING text FILE     writes the URLs of a text file, one a line
extract.py TOOL SETTING cases FILE    reads lines of texts as JSON strings, and writes the URLs of each as a JSON array

SETTING is default; for bleach also mail (mail addresses); for urlextract also schemes (only URLs with a scheme) and mail.
"""

import html
import json
import sys
import warnings

warnings.filterwarnings("ignore")


def bleach_finder(setting):
    from bleach.linkifier import Linker

    found = []

    def collect(attributes, new=False):
        if new:
            found.append(attributes[(None, "href")])
        return attributes

    linker = Linker(callbacks=[collect], parse_email=setting == "mail")

    def find(text):
        found.clear()
        # bleach reads HTML, so the text is written as HTML.
        linker.linkify(html.escape(text, quote=False))
        return list(found)

    return find


def urlextract_finder(setting):
    from urlextract import URLExtract

    finder = URLExtract(extract_email=setting == "mail")
    return lambda text: finder.find_urls(text, with_schema_only=setting == "schemes")


def main():
    tool, setting, mode, file = sys.argv[1:]
    find = {"bleach": bleach_finder, "urlextract": urlextract_finder}[tool](setting)
    with open(file, encoding="utf-8", newline="") as f:
        text = f.read()
    if mode == "text":
        sys.stdout.writelines(url + "\n" for url in find(text))
        return
    for line in text.split("\n"):
        if line:
            print(json.dumps(find(json.loads(line))))


main()
