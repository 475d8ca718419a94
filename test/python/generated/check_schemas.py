"""Reads {schemas, examples} from a file, and prints the faults of the schemas, and of the examples against the schemas of their names."""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

document = json.loads(Path(sys.argv[1]).read_text("utf-8"))
resource = Resource.from_contents({"components": {"schemas": document["schemas"]}}, default_specification=DRAFT202012)
registry = Registry().with_resource("urn:openapi", resource)

for name, schema in document["schemas"].items():
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        print(name, error.message)
for name, example in document["examples"]:
    validator = Draft202012Validator({"$ref": f"urn:openapi#/components/schemas/{name}"}, registry=registry)
    for error in validator.iter_errors(example):
        print(name, error.json_path, error.message)
