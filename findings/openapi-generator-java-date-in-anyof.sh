#!/usr/bin/env bash
# openapi-generator 7.25.0, generator java with its default library (okhttp-gson), OpenAPI 3.1.
# A value that is a number or a date (`anyOf` of `number` and `string` with format `date`) is valid. The generator ends without
# an error, but the client does not compile, because it calls a method that java.time.LocalDate does not have:
#   NumberOrDate.java: LocalDate.validateJsonElement(jsonElement);
#   error: cannot find symbol ... symbol: method validateJsonElement(JsonElement) ... location: class LocalDate
# Without `format: date` it compiles. Exits with 1 if this changes. Needs Java 17 and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.1",
  "info": { "title": "Dates", "version": "1" },
  "paths": {
    "/fact": {
      "get": {
        "operationId": "getFact",
        "responses": {
          "200": {
            "description": "A fact.",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Fact" } } }
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Fact": { "type": "object", "properties": { "value": { "$ref": "#/components/schemas/NumberOrDate" } } },
      "NumberOrDate": { "anyOf": [{ "type": "number" }, { "type": "string", "format": "date" }] }
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
grep -m1 'NumberOrDate.java.*cannot find symbol' compile.log
grep -m1 'location: class.*LocalDate' compile.log
