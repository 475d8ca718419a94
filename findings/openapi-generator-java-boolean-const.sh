#!/usr/bin/env bash
# openapi-generator 7.25.0, generator java with its default library (okhttp-gson), OpenAPI 3.1.
# A property `{ "type": "boolean", "const": true }` is valid. The generator ends without an error, but the client does not
# compile, because the enumeration of the one value takes a Boolean and gets a String:
#   Receipt.java: TRUE("true");
#   error: incompatible types: String cannot be converted to Boolean
# Without `const` it compiles. Exits with 1 if this changes. Needs Java 17 and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.1",
  "info": { "title": "Receipts", "version": "1" },
  "paths": {
    "/receipt": {
      "get": {
        "operationId": "getReceipt",
        "responses": {
          "200": {
            "description": "A receipt.",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Receipt" } } }
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Receipt": { "type": "object", "properties": { "received": { "type": "boolean", "const": true } } }
    }
  }
}
JSON
mvn -q dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory=.
java -jar openapi-generator-cli-7.25.0.jar generate -i openapi.json -g java -o client > generate.log 2>&1
if (cd client && mvn -q -DskipTests compile) > compile.log 2>&1; then
  echo 'changed: the client compiles'
  exit 1
fi
grep -m1 'Receipt.java.*String cannot be converted to Boolean' compile.log
