// Downloads a file of the service, and checks it:
//   GATEWAY=https://… API_KEY=crd_… node download.mjs /api/v1/files/gold/base/7d/latest.json gold.json
import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';

const { GATEWAY, API_KEY } = process.env;
const [path, out] = process.argv.slice(2);

/** The key goes to the gateway alone: a fetch that follows the redirect would send it on. */
async function download(path) {
  const asked = new URL(`${GATEWAY}${path}`);
  asked.searchParams.set('redirect', 'false');
  const answer = await fetch(asked, { headers: { 'X-API-Key': API_KEY } });
  if (!answer.ok) throw new Error(await answer.text());
  const { url, sha256 } = await answer.json();
  const file = await fetch(url);
  if (!file.ok) throw new Error(`the link to ${path} gave ${file.status}`);
  const bytes = Buffer.from(await file.arrayBuffer());
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest !== sha256) throw new Error(`${path} was damaged on its way`);
  return bytes;
}

await writeFile(`${out}.part`, await download(path));
await rename(`${out}.part`, out);
