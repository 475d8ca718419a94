path=/api/v1/analyst-kit/base/regime-calendar
curl -sSL --fail-with-body -o calendar.part "http://127.0.0.1:8080$path" &&
  mv calendar.part base-calendar.csv &&
  curl -sSL --fail-with-body -o release.json http://127.0.0.1:8080/api/v1/release &&
  digest=$(tr '{' '\n' < release.json | grep -F "\"path\":\"$path\"" | sed 's/.*"sha256":"\([^"]*\)".*/\1/') &&
  echo "$digest  base-calendar.csv" | sha256sum --check
