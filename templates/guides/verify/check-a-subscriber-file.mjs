import { createHash } from 'node:crypto';

const file = 'http://127.0.0.1:8080/api/v1/files/gold/base/7d/latest.json';
const headers = { 'X-API-Key': process.env.CRD_API_KEY };
const { url, sha256 } = await (await fetch(`${file}?redirect=false`, { headers })).json();
const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
console.log(createHash('sha256').update(bytes).digest('hex') === sha256 ? 'OK' : 'damaged');
