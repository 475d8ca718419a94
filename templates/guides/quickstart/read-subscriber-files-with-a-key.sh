file=http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json
link=$(curl -sS -f -w '%{redirect_url}' -H "X-API-Key: $CRD_API_KEY" "$file")
curl -sS -f "$link"
