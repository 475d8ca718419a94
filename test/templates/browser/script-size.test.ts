import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const MAX_BYTES = 60_000;

it.each(['site', 'verify', 'account'])('the script %s.js has at most 60 kB compressed', (name) => {
  const script = readFileSync(new URL(`../../../templates/browser/${name}.js`, import.meta.url));
  expect(gzipSync(script).length).toBeLessThanOrEqual(MAX_BYTES);
});
