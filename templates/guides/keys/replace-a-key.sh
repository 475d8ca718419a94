curl -sS --fail-with-body -X DELETE -H "Authorization: Bearer $OLD_KEY" http://127.0.0.1:8080/api/v1/keys
