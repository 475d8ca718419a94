get() {
  curl -sSL --fail-with-body -H "Authorization: Bearer $CRD_API_KEY" "http://127.0.0.1:8080$1"
}
member() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/" manifest.json; }

get /api/v1/files/gold/base/manifest.json > manifest.json &&
  get "/api/v1/files/gold/base/$(member updated_through).json?revision=$(member published_revision)"
