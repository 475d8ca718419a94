// Downloads a file and checks its digest: node download.mjs [PATH [FILE]]
// Reads GATEWAY, by default http://127.0.0.1:8080 (this machine), and, for paths below /api/v1/files/, API_KEY.
// Example PATH: /api/v1/files/gold/base/7d/latest.json
import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

const { API_KEY = '' } = process.env;
const GATEWAY = (process.env.GATEWAY ?? 'http://127.0.0.1:8080').replace(/\/$/, '');
const [path = '/api/v1/analyst-kit/ethereum/regime-calendar', file = basename(path)] = process.argv.slice(2);

async function get(url, init) {
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer;
}

/** Returns a link to a subscriber file. Only the gateway may get the key: fetch would forward it with a redirect. */
async function requestLink() {
  const init = { headers: { 'X-API-Key': API_KEY }, redirect: 'error' };
  return (await get(`${GATEWAY}${path}?redirect=false`, init)).json();
}

/** Returns the address of a public file, which needs no key, and its digest from the release. */
async function findPublic() {
  const { files } = await (await get(`${GATEWAY}/api/v1/release`)).json();
  return { url: GATEWAY + path, sha256: files.find((each) => each.path === path)?.sha256 };
}

const { url, sha256 } = await (path.startsWith('/api/v1/files/') ? requestLink() : findPublic());
const bytes = Buffer.from(await (await get(url)).arrayBuffer());
if (createHash('sha256').update(bytes).digest('hex') !== sha256)
  throw new Error(`${path} was damaged in transit: download it again`);
await writeFile(`${file}.part`, bytes);
await rename(`${file}.part`, file);
console.log(file);
