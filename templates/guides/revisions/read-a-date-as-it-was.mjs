const headers = { Authorization: `Bearer ${process.env.CRD_API_KEY}` };
async function read(path, query = '') {
  const answer = await fetch(`http://127.0.0.1:8080${path}${query}`, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const { updated_through, published_revision } = await read('/api/v1/files/gold/base/manifest.json');
const day = await read(`/api/v1/files/gold/base/${updated_through}.json`, `?revision=${published_revision}`);
console.log(day.date, day.metrics.tx_count);
