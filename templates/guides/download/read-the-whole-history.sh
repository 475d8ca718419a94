get() {
  curl -sSL --fail-with-body -o "$(basename "$1")" -H "Authorization: Bearer $CRD_API_KEY" "http://127.0.0.1:8080$1"
}
get /api/v1/files/gold/base/manifest.json &&
  grep -o '/api/v1/files/gold/base/volumes/[^"]*\.csv' manifest.json | while read -r path; do
    get "$path" || exit
    echo "$path"
  done
