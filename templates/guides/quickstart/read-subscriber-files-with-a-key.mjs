const url = 'http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json?redirect=false';
const headers = { 'X-API-Key': process.env.CRD_API_KEY };
const link = await (await fetch(url, { headers })).json();
const week = await (await fetch(link.url)).json();
for (const { date, metrics } of week.days) console.log(date, metrics.tx_count);
