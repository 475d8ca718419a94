const file = 'http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json';
const headers = { 'X-API-Key': process.env.CRD_API_KEY };
const link = await (await fetch(`${file}?redirect=false`, { headers })).json();
const week = await (await fetch(link.url)).json();
console.log(week.days.map(({ date, metrics }) => `${date} ${metrics.tx_count}`).join('\n'));
