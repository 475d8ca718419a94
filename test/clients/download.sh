#!/bin/sh
# Downloads a file of the service, and checks it:
#   GATEWAY=https://… API_KEY=crd_… sh download.sh /api/v1/files/gold/base/7d/latest.json gold.json
# The key goes to the gateway alone: curl -L would send it on to wherever the redirect leads.
set -eu
path=$1
out=$2

link=$(curl -sS --fail-with-body -G -d redirect=false -H "X-API-Key: $API_KEY" "$GATEWAY$path") || {
  echo "$link" >&2
  exit 1
}
member() { printf '%s' "$link" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

curl -sS --fail -o "$out.part" "$(member url)"
echo "$(member sha256)  $out.part" | sha256sum --check --quiet -
mv "$out.part" "$out"
