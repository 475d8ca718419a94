import { TrustError, UNPROVEN } from '../../../schemas/trust/trust-error.js';
import { verifySite } from '../../../schemas/trust/verify-site.js';
import { ATTACKS, loadAttack, loadState, readerOptions, VECTORS } from '../../support/trust/vector-site.js';

const STATES = Object.entries(VECTORS.states);
/** The rows for a reader without a memory and without an API key. */
const FOR_ALL = ATTACKS.filter(({ seen, reader }) => seen === null && reader === 'public');

describe('a signed site', () => {
  const clocks = STATES.flatMap(([name, state]) =>
    [state.now, ...state.also_now].map((now) => ({ name, state, now })),
  );

  it.each(clocks)('is proven: $name at $now', async ({ name, state, now }) => {
    const proof = await verifySite(readerOptions(loadState(name), { ...state, now }));
    expect(proof).toMatchObject({
      keySet: { version: state.key_set_version, site: VECTORS.site },
      timestamp: { sequence: state.sequence, sha256: state.sha256 },
      statement: { sequence: state.sequence, sha256: state.sha256 },
      releases: state.releases,
      files: state.public_files,
      verified: state.public_files,
    });
  });
});

describe('an attack', () => {
  it.each(FOR_ALL)('$name: $fault', async (attack) => {
    const found = await verifySite(readerOptions(loadAttack(attack), attack)).catch(
      (error: unknown) => error,
    );
    expect(found instanceof TrustError ? found.code : found).toEqual(
      attack.fault ?? expect.objectContaining({ files: 12 }),
    );
  });
});
