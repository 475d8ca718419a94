url=http://127.0.0.1:8080/api/v1/analyst-kit/base/regime-calendar
curl -sSL --fail-with-body --etag-save base.etag -o base.csv "$url" &&
  curl -sSL --fail-with-body --etag-compare base.etag -o base.csv -w '%{http_code}\n' "$url" # 304, and base.csv stays
