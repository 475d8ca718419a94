import { createHash } from 'node:crypto';

const gateway = 'http://127.0.0.1:8080';
const path = '/api/v1/analyst-kit/base/regime-calendar';
const bytes = new Uint8Array(await (await fetch(gateway + path)).arrayBuffer());
const { files } = await (await fetch(`${gateway}/api/v1/release`)).json();
const { sha256 } = files.find((each) => each.path === path);
console.log(createHash('sha256').update(bytes).digest('hex') === sha256 ? 'OK' : 'damaged');
