import { setTimeout } from 'node:timers/promises';

async function patientFetch(url, options) {
  for (let tries = 5; ; tries -= 1) {
    const answer = await fetch(url, options);
    const seconds = Number(answer.headers.get('Retry-After') ?? 1);
    if ((answer.status !== 429 && answer.status !== 503) || tries === 0) return answer;
    await setTimeout(seconds * 1000);
  }
}

const file = 'http://127.0.0.1:8080/api/v1/files/gold/base/latest.json';
const headers = { Authorization: `Bearer ${process.env.CRD_API_KEY}` };
const answer = await patientFetch(file, { headers });
if (!answer.ok) throw new Error(await answer.text());
const { days } = await answer.json();
console.log(days[0].date);
