const url = 'http://127.0.0.1:8080/api/v1/analyst-kit/base/regime-calendar';
const first = await fetch(url);
if (!first.ok) throw new Error(await first.text());
const etag = first.headers.get('ETag');
const second = await fetch(url, { headers: { 'If-None-Match': etag } });
console.log(second.status); // 304: use the copy
