# --retry waits as long as Retry-After says.
file=http://127.0.0.1:8080/api/v1/files/gold/base/latest.json
rm -f base-latest.json
curl -sSL --fail-with-body --retry 5 -o base-latest.json -H "Authorization: Bearer $CRD_API_KEY" "$file"
ended=$?
cat base-latest.json 2> /dev/null # the file, or why it is refused
(exit $ended)
