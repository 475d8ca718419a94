import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { readKeySet } from '../../schemas/trust/verify-documents.js';
import { formatTrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { openStore } from '../../infra/store/open-store.js';
import { readCurrent } from '../../generator/signing/signing.js';
import type { DemoGateway, DemoLine } from './demo-gateway.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';

const SITE = 'chain-reference-data-demo';

/** Runs the generator and returns whether it exited with 0. */
type Generate = (...args: readonly string[]) => Promise<boolean>;

/** The keys of the demo: the file of the release key, and what readers trust. */
type DemoKeys = { readonly releaseKey: string; readonly anchor: string };

/**
 * Creates throwaway keys beside the store if there are none, and installs their key set. Returns `undefined` on failure; the
 * generator has already printed the reason.
 */
export async function prepareKeys(store: string, generate: Generate): Promise<DemoKeys | undefined> {
  const folder = `${store}.keys`;
  const file = (name: string): string => path.join(folder, name);
  const keys = ['--quiet', '--keys', file('keys.jws')];
  if ((await stat(file('keys.jws')).catch(() => undefined)) === undefined) {
    await mkdir(folder, { recursive: true });
    const current = await readCurrent(await openStore(`file:${store}`));
    const from = String((current?.record.sequence ?? 0) + 1);
    const made = ['--root-key', file('root.pem'), '--release-key', file('release.pem')];
    if (!(await generate('keys', 'init', '--site', SITE, ...made, '--from-sequence', from, ...keys)))
      return undefined;
  }
  if (!(await generate('keys', 'install', '--store', `file:${store}`, ...keys))) return undefined;
  const text = (await readFile(file('keys.jws'), 'utf8')).trim();
  const { site, root } = await readKeySet({ text, subject: file('keys.jws') });
  return {
    releaseKey: file('release.pem'),
    anchor: formatTrustAnchor({ site, root: await thumbprintOf(root) }),
  };
}

/** Returns the commands that verify the demo from outside. */
export function listVerifyLines(
  { url }: Pick<DemoGateway, 'url'>,
  { store, anchor }: { readonly store: string; readonly anchor: string },
): Omit<DemoLine, 'shows'>[] {
  return [
    {
      title: `Verify as an outside reader (or open ${url}/verify)`,
      line: `crd verify ${url} --trust '${anchor}'`,
    },
    {
      title: 'The same for the store, with the generator',
      line: `npx crd-generator verify --store ${store} --trust '${anchor}'`,
    },
  ];
}
