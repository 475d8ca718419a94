path=/api/v1/analyst-kit/base/regime-calendar
curl -sSL -f -o base-calendar.csv "http://127.0.0.1:8080$path"
digest=$(curl -sSL -f http://127.0.0.1:8080/api/v1/release | tr '{' '\n' |
  grep -F "\"path\":\"$path\"" | sed 's/.*"sha256":"\([^"]*\)".*/\1/')
echo "$digest  base-calendar.csv" | sha256sum --check
