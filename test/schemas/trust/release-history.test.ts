import { canonicalJson } from '../../../schemas/canonical-json.js';
import { historyText } from '../../../schemas/trust/release-history.js';
import type { PastRelease } from '../../../schemas/types.generated.js';

const pastRelease = (sequence: number): PastRelease => ({
  sequence,
  revision: `2026-03-0${sequence}.000001`,
  sha256: String(sequence).repeat(64),
  published_at: `2026-03-0${sequence}T06:00:00Z`,
});
const THREE = [1, 2, 3].map(pastRelease);

describe('the text of the history', () => {
  it.each([1, 2, 3])('of release %i has the entries up to it', (sequence) => {
    expect(historyText(THREE, sequence)).toBe(canonicalJson(THREE.slice(0, sequence)));
  });

  it('does not depend on the order of members', () => {
    const reversed = THREE.map((each) => Object.fromEntries(Object.entries(each).reverse()) as PastRelease);
    expect(historyText(reversed, 3)).toBe(historyText(THREE, 3));
  });

  it.each<[string, PastRelease[]]>([
    ['ends before the release', THREE.slice(0, 2)],
    ['has no entries', []],
    ['lacks an entry', [1, 3, 4].map(pastRelease)],
    ['has an entry twice', [1, 1, 3].map(pastRelease)],
    ['is in another order', [2, 1, 3].map(pastRelease)],
    ['begins with another release', [2, 3, 4].map(pastRelease)],
  ])('does not exist for a list that %s', (_, releases) => {
    expect(historyText(releases, 3)).toBeUndefined();
  });
});
