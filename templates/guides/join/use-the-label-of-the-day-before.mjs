const answer = await fetch('http://127.0.0.1:8080/api/v1/analyst-kit/base/regime-calendar');
if (!answer.ok) throw new Error(await answer.text());
const rows = (await answer.text()).trim().split('\n').slice(1);
const regimes = new Map(rows.map((row) => row.split(',')).map(([date, , regime]) => [date, regime]));

function dayBefore(date) {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
}
const mine = [...regimes.keys()].slice(-3); // your dates
for (const date of mine) console.log(date, regimes.get(dayBefore(date)));
