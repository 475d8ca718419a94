import { createHash } from 'node:crypto';

async function get(path) {
  const answer = await fetch(`http://127.0.0.1:8080${path}`);
  if (!answer.ok) throw new Error(await answer.text());
  return new Uint8Array(await answer.arrayBuffer());
}

const path = '/api/v1/analyst-kit/base/regime-calendar';
const { files } = JSON.parse(new TextDecoder().decode(await get('/api/v1/release')));
const { sha256 } = files.find((each) => each.path === path);
const digest = createHash('sha256')
  .update(await get(path))
  .digest('hex');
console.log(digest === sha256 ? 'OK' : 'damaged');
