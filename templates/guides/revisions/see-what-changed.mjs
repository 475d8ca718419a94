const { releases } = await (await fetch('http://127.0.0.1:8080/api/v1/changes')).json();
for (const { revision, published_at, chains } of releases)
  console.log(revision, published_at, ...Object.keys(chains));
