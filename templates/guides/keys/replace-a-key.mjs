const answer = await fetch('http://127.0.0.1:8080/api/v1/keys', {
  method: 'DELETE',
  headers: { Authorization: `Bearer ${process.env.OLD_KEY}` },
});
if (!answer.ok) throw new Error(await answer.text());
console.log(await answer.text());
