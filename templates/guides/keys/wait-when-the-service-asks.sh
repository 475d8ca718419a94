# --retry waits as long as Retry-After says.
file=http://127.0.0.1:8080/api/v1/files/gold/base/latest.json
link=$(curl -sS -f --retry 5 -w '%{redirect_url}' -H "X-API-Key: $CRD_API_KEY" "$file")
curl -sS -f --retry 5 "$link"
