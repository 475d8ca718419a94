get() {
  curl -sS -f "$(curl -sS -f -w '%{redirect_url}' -H "X-API-Key: $CRD_API_KEY" "http://127.0.0.1:8080$1")"
}
get /api/v1/files/gold/base/manifest.json > manifest.json
grep -o '/api/v1/files/gold/base/volumes/[^"]*\.csv' manifest.json | while read -r path; do
  get "$path" > "$(basename "$path")"
  echo "$path"
done
