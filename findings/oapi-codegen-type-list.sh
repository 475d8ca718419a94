#!/usr/bin/env bash
# oapi-codegen v2.8.2, OpenAPI 3.1.
# `"type": ["number", "string"]` is valid JSON Schema 2020-12, which OpenAPI 3.1 uses. oapi-codegen accepts a list with "null"
# as its second type, but ends with 1 on two other types:
#   error resolving primitive type: unhandled Schema type: &[number string]
# The same schema as `anyOf` of the two types is accepted. Exits with 1 if this changes. Needs Go 1.24 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
GOBIN=$folder go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 2> install.log

# Generates the types of a document in which a value has this schema.
generate() {
  cat > openapi.json <<JSON
{
  "openapi": "3.1.1",
  "info": { "title": "Values", "version": "1" },
  "paths": {},
  "components": { "schemas": { "Fact": { "type": "object", "properties": { "value": $1 } } } }
}
JSON
  ./oapi-codegen -generate types,skip-prune -package values openapi.json
}

generate '{ "type": ["number", "null"] }' > /dev/null
generate '{ "anyOf": [{ "type": "number" }, { "type": "string" }] }' > /dev/null
if generate '{ "type": ["number", "string"] }' > types.go 2> error.log; then
  echo 'changed: the list of types is accepted'
  exit 1
fi
grep -o 'unhandled Schema type: &\[number string\]' error.log
