import { PUBLIC_PATHS, TRUST_PATHS } from '../../../../schemas/paths.js';
import { TrustError, type TrustFault } from '../../../../schemas/trust/trust-error.js';
import type { SiteProof } from '../../../../schemas/trust/verify-site.js';
import {
  failedSteps,
  runningSteps,
  stepOf,
  type Step,
} from '../../../../templates/browser/verify/proof-steps.js';

const KEYS = [{ revoked: null }, { revoked: { at: '2026-03-05T00:00:00Z', reason: 'lost' } }];
/** Members of a proof, with what the steps read of them. */
const PROOF = {
  keySet: { version: 2, expires: '2027-03-01T00:00:00Z', keys: KEYS },
  timestamp: { as_of: '2026-03-04T06:00:00Z', expires: '2026-03-06T06:00:00Z' },
  statement: { revision: '2026-03-04.000001', sequence: 3, published_at: '2026-03-04T06:00:00Z' },
  releases: 3,
  files: 1_200,
  verified: 12,
} as unknown as SiteProof;

const statesOf = (steps: readonly Step[]): string[] => steps.map(({ state }) => state);

/** Returns the first members of the proof. */
function proofOf(members: number): Partial<SiteProof> {
  return Object.fromEntries(Object.entries(PROOF).slice(0, members));
}

it.each([
  [0, ['checking', 'waiting', 'waiting', 'waiting', 'waiting']],
  [1, ['proven', 'checking', 'waiting', 'waiting', 'waiting']],
  [2, ['proven', 'proven', 'checking', 'waiting', 'waiting']],
  [3, ['proven', 'proven', 'checking', 'waiting', 'waiting']],
  [6, ['proven', 'proven', 'proven', 'proven', 'checking']],
])('with %d members of the proof, the steps are %j', (members, states) => {
  expect(statesOf(runningSteps(proofOf(members)))).toEqual(states);
});

it('says what was proven, in words', () => {
  const steps = runningSteps({ ...PROOF, verified: 1_200 });
  expect(steps).toEqual([
    {
      id: 'keys',
      state: 'proven',
      words: 'Version 2, in force until 1 March 2027, 00:00 UTC. 2 keys, 1 revoked.',
    },
    {
      id: 'timestamp',
      state: 'proven',
      words: 'Signed on 4 March 2026, 06:00 UTC, and valid until 6 March 2026, 06:00 UTC.',
    },
    {
      id: 'release',
      state: 'proven',
      words: 'Revision 2026-03-04.000001, release number 3, published on 4 March 2026, 06:00 UTC.',
    },
    { id: 'history', state: 'proven', words: '3 releases, from the first to this one.' },
    { id: 'files', state: 'proven', words: '1,200 of 1,200 files.' },
  ]);
});

it.each<[TrustFault, string, string[]]>([
  ['root-untrusted', TRUST_PATHS.keys, ['failed', 'waiting', 'waiting', 'waiting', 'waiting']],
  ['timestamp-expired', TRUST_PATHS.timestamp, ['proven', 'failed', 'waiting', 'waiting', 'waiting']],
  ['file-altered', PUBLIC_PATHS.release, ['proven', 'proven', 'failed', 'waiting', 'waiting']],
  ['release-forked', TRUST_PATHS.releases, ['proven', 'proven', 'proven', 'failed', 'waiting']],
  ['file-missing', '/docs', ['proven', 'proven', 'proven', 'proven', 'failed']],
  ['mixed', TRUST_PATHS.statement, ['proven', 'proven', 'unproven', 'waiting', 'waiting']],
  ['unreachable', '/docs', ['proven', 'proven', 'proven', 'proven', 'unproven']],
])('a fault %s of %s ends with the steps %j', (code, subject, states) => {
  const fault = new TrustError(code, subject);
  const steps = failedSteps(PROOF, fault);
  expect(statesOf(steps)).toEqual(states);
  expect(steps.find(({ id }) => id === stepOf(subject))?.words).toBe(`${fault.message}.`);
});
