import { createHash } from 'node:crypto';

async function get(url, headers = {}) {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

const file = 'http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json';
const headers = { Authorization: `Bearer ${process.env.CRD_API_KEY}` };
const { url, sha256 } = await (await get(`${file}?redirect=false`, headers)).json();
const bytes = new Uint8Array(await (await get(url)).arrayBuffer());
const digest = createHash('sha256').update(bytes).digest('hex');
console.log(digest === sha256 ? 'OK' : 'damaged');
