#!/usr/bin/env bash
# @ethereumjs/trie 6.2.0, which @tevm/server 2.0.0-next.107 needs.
# It accepts @ethereumjs/util ^9.0.3, and npm installs 9.1.0, which lacks a function that it imports. So neither it nor tevm can
# be imported:
#   SyntaxError: The requested module '@ethereumjs/util' does not provide an export named 'isHexPrefixed'
# With util 9.0.3 it can. Exits with 1 if this changes. Needs Node.js 20.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Installs the package with a version of util, and imports it.
import_with() {
  mkdir "$1"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$1" @ethereumjs/trie@6.2.0 "@ethereumjs/util@$1"
  (cd "$1" && node --input-type=module --eval "import '@ethereumjs/trie'")
}

import_with 9.0.3
if import_with 9.1.0 2> error.log; then
  echo 'changed: it can be imported'
  exit 1
fi
grep "does not provide an export named 'isHexPrefixed'" error.log
