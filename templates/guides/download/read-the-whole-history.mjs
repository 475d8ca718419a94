import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

const headers = { Authorization: `Bearer ${process.env.CRD_API_KEY}` };
async function get(path) {
  const answer = await fetch(`http://127.0.0.1:8080${path}`, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

const manifest = await (await get('/api/v1/files/gold/base/manifest.json')).json();
for (const { csv } of manifest.volumes) {
  await writeFile(basename(csv.path), await (await get(csv.path)).text());
  console.log(csv.path);
}
