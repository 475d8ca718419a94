const headers = { 'X-API-Key': process.env.CRD_API_KEY };
const answer = await fetch('http://127.0.0.1:8080/api/v1/entitlements', { headers });
console.log(JSON.stringify(await answer.json()));
