import { formatTrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import { thumbprintOf } from '../../../schemas/trust/verify-jws.js';
import type { KeySet, ReleaseKey } from '../../../schemas/types.generated.js';
import { formatTable } from '../../../infra/process/format-table.js';
import { isInForce } from '../../core/trust/key-set.js';

/** Returns what readers trust to verify a site: its name and the thumbprint of its root key. */
export async function anchorOf({ site, root }: KeySet): Promise<string> {
  return formatTrustAnchor({ site, root: await thumbprintOf(root) });
}

/** Returns a key set in words. */
export async function describeKeySet(keySet: KeySet, nowMs: number): Promise<string> {
  const { version, expires, signed_from_sequence: from, keys } = keySet;
  const rows = keys.map((key) => [
    key.kid,
    key.jwk.crv,
    key.valid_from,
    key.valid_until,
    stateOf(key, nowMs),
  ]);
  return [
    `trust anchor: ${await anchorOf(keySet)}`,
    `version ${version}, expires ${expires}; releases are signed from sequence ${from}`,
    formatTable(['release key', 'kind', 'valid from', 'valid until', 'state'], rows),
  ].join('\n');
}

function stateOf(key: ReleaseKey, nowMs: number): string {
  if (key.revoked !== null) return `revoked: ${key.revoked.reason}`;
  return isInForce(key, nowMs) ? 'in force' : 'expired';
}
