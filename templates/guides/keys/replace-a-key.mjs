const answer = await fetch('http://127.0.0.1:8080/api/v1/keys', {
  method: 'DELETE',
  headers: { 'X-API-Key': process.env.OLD_KEY },
});
console.log(await answer.text());
