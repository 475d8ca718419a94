const file = 'http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json';
const headers = { Authorization: `Bearer ${process.env.CRD_API_KEY}` };
const answer = await fetch(`${file}?redirect=false`, { headers });
if (!answer.ok) throw new Error(await answer.text());
const { url } = await answer.json();
console.log(url);
