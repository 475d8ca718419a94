const file = 'http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json';
const answer = await fetch(file, { headers: { Authorization: `Bearer ${process.env.CRD_API_KEY}` } });
if (!answer.ok) throw new Error(await answer.text());
const week = await answer.json();
for (const { date, metrics } of week.days) console.log(date, metrics.tx_count);
