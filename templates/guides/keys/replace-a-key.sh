curl -sS -f -X DELETE -H "X-API-Key: $OLD_KEY" http://127.0.0.1:8080/api/v1/keys
