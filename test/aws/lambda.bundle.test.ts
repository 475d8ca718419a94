import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ACCOUNT_FILES } from '../../gateway/io/account-page/read-account-files.js';
import { GATEWAY_SCHEMAS } from '../../infra/aws/settings/bundle.js';
import { findBundle } from '../support/aws/aws-synth.js';

const MAX_BYTES = 2_000_000;

const folder = path.dirname(await findBundle());
const files = new Map(
  await Promise.all(
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map(async (file) => [path.relative(folder, file), await readFile(file, 'utf8')] as const),
  ),
);

it(`is smaller than ${MAX_BYTES / 1e6} MB, without version 2 of the AWS SDK`, () => {
  const sizes = [...files.values()].map((text) => Buffer.byteLength(text));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  for (const text of files.values()) expect(text).not.toMatch(/aws-sdk-nodejs|AWS\.util\.|aws-sdk\/global/);
});

it('has the validators of the schemas that the modules of the gateway and its stores name, and no others', async () => {
  const root = path.join(import.meta.dirname, '../..');
  const names = ['gateway', 'infra/store'].map(async (part) =>
    (await readdir(path.join(root, part), { recursive: true })).map((name) => path.join(part, name)),
  );
  const named = new Set<string>();
  for (const name of (await Promise.all(names)).flat()) {
    if (!name.endsWith('.ts') || name.startsWith('gateway/commands')) continue; // commands do not run in the function
    const text = await readFile(path.join(root, name), 'utf8');
    const calls = text.matchAll(
      /(?:assertValid|assertPublished|findSchemaFaults|readDocument|AccountSchema =)[^;]*?;/g,
    );
    for (const [call] of calls) for (const [, word = ''] of call.matchAll(/'([a-z-]+)'/g)) named.add(word);
  }
  expect([...named].sort()).toEqual(GATEWAY_SCHEMAS);
  const shipped = [...files.keys()].flatMap(
    (file) => /^validators\/(.+)\.first-\w+\.cjs$/.exec(file)?.[1] ?? [],
  );
  expect(shipped.sort()).toEqual(GATEWAY_SCHEMAS);
});

it('has the files of the account page, its script bundled', () => {
  for (const name of Object.values(ACCOUNT_FILES)) {
    expect(files.get(path.join('templates', name))?.length).toBeGreaterThan(100);
  }
  expect(files.get(path.join('templates', ACCOUNT_FILES.script))).not.toMatch(/from"\./);
});

it('loads Stripe on demand, not at the start', () => {
  const atStart = new Set<string>();
  const follow = (name: string): void => {
    if (atStart.has(name)) return;
    atStart.add(name);
    const imports = (files.get(name) ?? '').matchAll(/(?:from|import)"\.\/([^"]+\.mjs)"/g);
    for (const [, next = ''] of imports) follow(next);
  };
  follow('handler.mjs');
  const isStripe = (name: string): boolean => files.get(name)?.includes('api.stripe.com') ?? false;
  expect([...files.keys()].filter(isStripe).length).toBe(1);
  expect([...atStart].filter(isStripe)).toEqual([]);
  expect(atStart.size).toBeGreaterThan(1);
});
