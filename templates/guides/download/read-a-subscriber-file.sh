# Prints the file, or why it is refused. To save it, add: > base-week.json
file=http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json
curl -sSL --fail-with-body -H "Authorization: Bearer $CRD_API_KEY" "$file"
