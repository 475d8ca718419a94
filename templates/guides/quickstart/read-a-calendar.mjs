const answer = await fetch('http://127.0.0.1:8080/api/v1/analyst-kit/base/regime-calendar');
if (!answer.ok) throw new Error(await answer.text());
const rows = (await answer.text()).trim().split('\n');
console.log(rows.slice(-3).join('\n'));
