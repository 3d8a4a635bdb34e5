#!/usr/bin/env python3
"""openapi.py YAML API - asks a server (API: http://.../api/v1) each question of docs/openapi.yaml, and compares.

Each answer must be as its schema says, without a field that no schema names; each path of the description is
asked, and they are those of docs/explore.md beside it.  The tables of tests/explore.sh must be there.  Last line:
how many answers were compared.
"""
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request

import jsonschema
import yaml

DIAMOND = "8/8/8/3k4/8/1KQ5/8/q7_w"
ASKED = [  # of a path: queries
    ("/variants", [""]),
    ("/{game}/probe", [f"fen={DIAMOND}", "fen=8/8/8/3k4/8/1KQ5/8/8_b", "fen=8/8/8/8", "fen=8/8/8/3k4/8/1KR5/8/r7_w", "",
                       "fen=8/8/8/3kR3/8/1K6/8/8_w", "fen=8/8&errors=body"]),
    ("/{game}/moves", [f"fen={DIAMOND}", "fen=startpos"]),
    ("/{game}/board", ["fen=startpos", "fen=hello"]),
    ("/{game}/line", [f"fen={DIAMOND}", "fen=8/8/8/3k4/8/1KR5/8/r7_w"]),
    ("/{game}/map", [f"fen={DIAMOND}&square=c3", f"fen={DIAMOND}&square=z9"]),
    ("/{game}/stats", ["material=KRvKN", "material=KNvKR&exact=1", "material=KRvK", "material=KRvKR"]),
    ("/{game}/examples", ["material=KRvKN", "material=KRvK", "material=KRvKR"]),
    ("/{game}/longest", [""]),
    ("/{game}/tables", ["", "material=KRvKN", "material=KRvKR", "material=X"]),
    ("/{game}/svg", [f"fen={DIAMOND}&arrows=b3b4:red&marks=e4&flip=1&size=32", "fen=8"]),
]
OTHERS = [  # games with hands, of limited length, and none
    ("/{game}/moves", "puzzle-mini", "fen=1k**/f1**/K2N/4_w"),
    ("/{game}/moves", "atlantean", "fen=startpos"),
    ("/{game}/probe", "shatran", f"fen={DIAMOND}"),
]
BATCH = {"fens": ["8/8/8/3k4/8/1KQ5/8/q7 w", "8"]}


def ask(url, body=None):
    """(status, type, body) of an answer."""
    try:
        reply = urllib.request.urlopen(url, body, timeout=30)
    except urllib.error.HTTPError as error:
        reply = error
    return reply.status, reply.headers["Content-Type"], reply.read()


def schema_of(described, method, path, status):
    """The media types of an answer, by name."""
    responses = described["paths"][path][method]["responses"]
    response = responses.get(str(status), responses["default"])
    if "$ref" in response:
        response = described["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    return response["content"]


def compare(described, method, path, url, body=None):
    """Compares an answer with its description, and returns it."""
    status, kind, text = ask(url, body)
    if status == 200 and "errors=body" in url:
        status = json.loads(text).get("status", 200)
    content = schema_of(described, method, path, status)
    kind = kind.split(";")[0]
    if kind not in content:
        sys.exit(f"openapi: {url}: {status} is {kind}, not {', '.join(content)}")
    if kind != "application/json":
        return text
    answer = json.loads(text)
    schema = {"components": described["components"], **content[kind]["schema"]}
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(answer))
    if error:
        sys.exit(f"openapi: {url}: at {'/'.join(map(str, error.absolute_path))}: {error.message[:600]}")
    return answer


def main():
    name, api = sys.argv[1:]
    with open(name, encoding="utf-8") as file:
        described = yaml.safe_load(file)
    n = 0
    for path, queries in ASKED:
        for query in queries:
            url = api + path.replace("{game}", "shatranj") + "?" + query
            answer = compare(described, "get", path, url)
            while isinstance(answer, dict) and answer.get("counting"):
                time.sleep(0.2)
                answer = compare(described, "get", path, url)
            n += 1
    for path, game, query in OTHERS:
        compare(described, "get", path, api + path.replace("{game}", game) + "?" + query)
        n += 1
    compare(described, "post", "/{game}/batch", f"{api}/shatranj/batch", json.dumps(BATCH).encode())
    told = {path for path, _ in ASKED} | {"/{game}/batch"}
    with open(os.path.join(os.path.dirname(name), "explore.md"), encoding="utf-8") as file:
        listed = re.findall(r"^\| `/api/v1/(GAME/)?(\w+)", file.read(), re.M)
    for paths in (told, {f"/{'{game}/' if game else ''}{what}" for game, what in listed}):
        if paths != set(described["paths"]):
            sys.exit(f"openapi: not asked, or not described: {paths ^ set(described['paths'])}")
    print(f"openapi: {n + 1} answers are as they are described")


main()
