const headers = { Authorization: `Bearer ${process.env.CRD_API_KEY}` };
const answer = await fetch('http://127.0.0.1:8080/api/v1/entitlements', { headers });
if (!answer.ok) throw new Error(await answer.text());
console.log(JSON.stringify(await answer.json()));
