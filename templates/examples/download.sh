# Downloads a file and checks its digest: sh download.sh [PATH [FILE]]
# Reads GATEWAY, by default http://127.0.0.1:8080 (this machine), and, for paths below /api/v1/files/, API_KEY.
# Example PATH: /api/v1/files/gold/base/7d/latest.json
set -eu
gateway=${GATEWAY:-http://127.0.0.1:8080}
gateway=${gateway%/}
path=${1:-/api/v1/analyst-kit/ethereum/regime-calendar}
file=${2:-$(basename "$path")}

# Prints a member of a JSON object that is on one line, as the service writes it.
member() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

case $path in
/api/v1/files/*)
  # The key must only reach the gateway: curl -L would forward it to the target of the redirect.
  link=$(printf 'X-API-Key: %s\n' "${API_KEY:-}" | curl -sS --fail-with-body -H @- "$gateway$path?redirect=false") || {
    echo "$link" >&2
    exit 1
  }
  url=$(printf '%s' "$link" | member url)
  digest=$(printf '%s' "$link" | member sha256)
  ;;
*)
  # Public files need no key, and the release lists the digest of each.
  url=$gateway$path
  digest=$(curl -sSL --fail "$gateway/api/v1/release" | tr '{' '\n' | grep -F "\"path\":\"$path\"" | member sha256)
  ;;
esac

curl -sSL --fail -o "$file.part" "$url"
sum=sha256sum
command -v sha256sum >/dev/null || sum='shasum -a 256' # macOS
echo "$digest  $file.part" | $sum --check --status || {
  echo "$path was damaged in transit: download it again" >&2
  exit 1
}
mv "$file.part" "$file"
echo "$file"
