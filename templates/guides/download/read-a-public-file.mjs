import { writeFile } from 'node:fs/promises';

const answer = await fetch('http://127.0.0.1:8080/api/v1/analyst-kit/base/regime-calendar');
if (!answer.ok) throw new Error(await answer.text());
const calendar = await answer.text();
await writeFile('base-calendar.csv', calendar);
console.log(calendar.trim().split('\n').at(-1));
