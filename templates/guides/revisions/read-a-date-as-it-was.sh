get() {
  curl -sSL --fail-with-body -H "Authorization: Bearer $CRD_API_KEY" "http://127.0.0.1:8080$1"
}
member() { echo "$manifest" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

if manifest=$(get /api/v1/files/gold/base/manifest.json); then
  get "/api/v1/files/gold/base/$(member updated_through).json?revision=$(member published_revision)"
else
  echo "$manifest" && false # why it is refused
fi
