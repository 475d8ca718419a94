curl -sS --fail-with-body -D headers.txt -H "Authorization: Bearer $CRD_API_KEY" http://127.0.0.1:8080/api/v1/entitlements &&
  grep -i '^ratelimit' headers.txt
