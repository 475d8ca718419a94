const headers = { Authorization: `Bearer ${process.env.CRD_API_KEY}` };
async function read(path, query = '') {
  const answer = await fetch(`http://127.0.0.1:8080${path}${query}`, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const { dates } = await read('/api/v1/files/gold/base/manifest.json');
for (const { date, superseded, ...current } of dates.filter((each) => each.superseded.length > 0))
  for (const { in_force_from } of [...superseded, current]) {
    const day = await read(`/api/v1/files/gold/base/${date}.json`, `?revision=${in_force_from}`);
    console.log(date, in_force_from, day.metrics.tx_count);
  }
