#!/usr/bin/env bash
# ogen v1.25.0, OpenAPI 3.1.
# In OpenAPI 3.1, which uses JSON Schema 2020-12, `exclusiveMinimum` is a number. ogen takes it for the boolean that it was in
# OpenAPI 3.0, and ends with 1 for the whole document:
#   cannot unmarshal !!int `0` into bool
# The same document with `minimum` is accepted. Exits with 1 if this changes. Needs Go 1.25.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
GOBIN=$folder go install github.com/ogen-go/ogen/cmd/ogen@v1.25.0 2> install.log

# Generates a client of a document with one operation, which returns a number above 0.
generate() {
  cat > openapi.json <<JSON
{
  "openapi": "3.1.1",
  "info": { "title": "Prices", "version": "1" },
  "paths": {
    "/price": {
      "get": {
        "operationId": "getPrice",
        "responses": {
          "200": {
            "description": "A price.",
            "content": { "application/json": { "schema": { "type": "number", "$1": 0 } } }
          }
        }
      }
    }
  }
}
JSON
  ./ogen --target "$1" --package prices --clean openapi.json > "$1.log" 2>&1
}

generate minimum
if generate exclusiveMinimum; then
  echo 'changed: the number is accepted'
  exit 1
fi
grep -o 'cannot unmarshal !!int `0` into bool' exclusiveMinimum.log
