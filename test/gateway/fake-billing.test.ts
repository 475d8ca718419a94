import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');

it('is of scripts and tests alone: nothing that runs in production can reach a payment service that moves no money', async () => {
  for (const folder of [
    'gateway',
    'generator',
    'infra/store',
    'infra/aws/lambda',
    'infra/aws/parts',
    'schemas',
  ]) {
    for (const file of await readdir(path.join(ROOT, folder), { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const text = await readFile(path.join(ROOT, folder, file), 'utf8');
      expect([file, /fake-billing|from '[./]+scripts\//.test(text)]).toEqual([file, false]);
    }
  }
});
