const answer = await fetch('http://127.0.0.1:8080/api/v1/changes');
if (!answer.ok) throw new Error(await answer.text());
const { releases } = await answer.json();
for (const { revision, published_at, chains } of releases)
  console.log(revision, published_at, ...Object.keys(chains));
