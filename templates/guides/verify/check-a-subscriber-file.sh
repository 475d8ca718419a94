file=http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json
member() { echo "$link" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
if link=$(curl -sS --fail-with-body -H "Authorization: Bearer $CRD_API_KEY" "$file?redirect=false"); then
  curl -sS --fail-with-body -o base-week.json "$(member url)" &&
    echo "$(member sha256)  base-week.json" | sha256sum --check
else
  echo "$link" && false # why it is refused
fi
