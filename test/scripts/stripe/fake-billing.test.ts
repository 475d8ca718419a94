import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..', '..');

it('is imported only by scripts and tests, so that production never uses a payment service that moves no money', async () => {
  for (const folder of [
    'gateway',
    'generator',
    'infra/aws/delivery',
    'infra/aws/parts',
    'infra/aws/permissions',
    'infra/aws/runs',
    'infra/aws/settings',
    'infra/aws/watch',
    'infra/process',
    'infra/store',
    'schemas',
  ]) {
    for (const file of await readdir(path.join(ROOT, folder), { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const text = await readFile(path.join(ROOT, folder, file), 'utf8');
      expect([file, /fake-billing|from '[./]+scripts\//.test(text)]).toEqual([file, false]);
    }
  }
});
