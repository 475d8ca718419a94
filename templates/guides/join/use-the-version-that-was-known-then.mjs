const headers = { Authorization: `Bearer ${process.env.CRD_API_KEY}` };
async function read(path, query = '') {
  const answer = await fetch(`http://127.0.0.1:8080${path}${query}`, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// The label of the last date, as it was known when the next date ended.
const { dates, revisions } = await read('/api/v1/files/meta/base/manifest.json');
const { date, superseded, ...current } = dates.at(-1);
const until = Date.parse(date) + 2 * 86_400_000;
const versions = [...superseded, current];
const known = versions
  .filter((each) => Date.parse(revisions[each.in_force_from].published_at) < until)
  .at(-1);
const record =
  known && (await read(`/api/v1/files/meta/base/${date}.json`, `?revision=${known.in_force_from}`));
console.log(date, record?.regime.label ?? 'not known then');
