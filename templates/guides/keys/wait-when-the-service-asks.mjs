import { setTimeout } from 'node:timers/promises';

async function patientFetch(url, options) {
  for (let tries = 5; ; tries -= 1) {
    const answer = await fetch(url, options);
    const seconds = Number(answer.headers.get('Retry-After') ?? 1);
    if ((answer.status !== 429 && answer.status !== 503) || tries === 0) return answer;
    await setTimeout(seconds * 1000);
  }
}

const file = 'http://127.0.0.1:8080/api/v1/files/gold/base/latest.json?redirect=false';
const link = await (await patientFetch(file, { headers: { 'X-API-Key': process.env.CRD_API_KEY } })).json();
const { days } = await (await patientFetch(link.url)).json();
console.log(days[0].date);
