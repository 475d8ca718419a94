#!/usr/bin/env bash
# oidc-provider 9.13.3 (Node.js).
# RP-Initiated Logout 1.0, section 2: a provider must support GET and POST at its sign-out. By default, the provider advertises
# its end_session_endpoint, and answers only GET; POST needs the option enableHttpPostMethods:
#   GET 200   POST 404   with enableHttpPostMethods: GET 200   POST 200
# Exits with 1 if this changes. Needs Node.js 20 or newer, and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts oidc-provider@9.13.3
cat > ask.mjs <<'JAVASCRIPT'
import assert from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

async function ask(options) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, { cookies: { keys: ['a key'], long: { sameSite: 'none' } }, ...options });
  server.on('request', provider.callback());
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { end_session_endpoint: url } = await discovery.json();
  const statuses = [];
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? { body: new URLSearchParams({ ui_locales: 'en' }) } : {};
    statuses.push(`${method} ${(await fetch(url, { method, ...body })).status}`);
  }
  server.close();
  return statuses.join('   ');
}

const [byDefault, enabled] = [await ask({}), await ask({ enableHttpPostMethods: true })];
console.log(`${byDefault}   with enableHttpPostMethods: ${enabled}`);
assert.deepEqual([byDefault, enabled], ['GET 200   POST 404', 'GET 200   POST 200'], 'changed');
process.exit(0);
JAVASCRIPT
node ask.mjs
