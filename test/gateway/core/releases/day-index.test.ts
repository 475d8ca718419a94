import fc from 'fast-check';
import { addDays } from '../../../../schemas/dates.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import type { Manifest } from '../../../../schemas/types.generated.js';
import { findVersion, indexManifest } from '../../../../gateway/core/releases/day-index.js';

type Entry = Manifest['dates'][number];

const REVISIONS = Array.from({ length: 9 }, (_, i) => `2025-03-0${i + 1}.000001`);

/**
 * Returns a date with one version per start revision, in ascending order. `withdrawnVersions` are the positions of
 * the versions that withdraw the date.
 */
function entryOf(
  date: string,
  startRevisions: readonly number[],
  withdrawnVersions: readonly number[],
): Entry {
  const versions = startRevisions.map((from) => ({
    revision: REVISIONS[from] ?? '',
    in_force_from: REVISIONS[from] ?? '',
    sha256: sha256Hex(`${date} ${from}`),
    bytes: 100 + from,
  }));
  const last = versions.at(-1);
  if (last === undefined) throw new Error('a date has a version');
  return {
    date,
    schema: 'gold-day/1',
    methodology_version: 'v1',
    path: `/api/v1/files/gold/base/${date}.json`,
    status: withdrawnVersions.includes(versions.length - 1) ? 'withdrawn' : 'available',
    ...last,
    superseded: versions.slice(0, -1).map((version, i) => ({
      ...version,
      reason: 'corrected',
      ...(withdrawnVersions.includes(i) ? { status: 'withdrawn' as const } : {}),
    })),
  };
}

function manifestOf(dates: Entry[]): Manifest {
  return {
    schema: 'manifest/1',
    genre: 'gold',
    chain: 'base',
    updated_through: dates.at(-1)?.date ?? '',
    published_revision: REVISIONS[8] ?? '',
    sequence: 9,
    methodology_version: 'v1',
    expected_next_by: '2025-03-10T00:00:00Z',
    revisions: {},
    dates,
    sources: [],
  };
}

const arbitraryManifest = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 1, max: 3 }),
      startRevisions: fc.uniqueArray(fc.nat(8), { minLength: 1, maxLength: 4 }),
      withdrawnVersions: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((generated) => {
    let date = '2025-01-01';
    return manifestOf(
      generated.map(({ gap, startRevisions, withdrawnVersions }) => {
        date = addDays(date, gap);
        return entryOf(date, startRevisions.sort(), withdrawnVersions);
      }),
    );
  });

/** Finds a version by a linear search through the manifest. */
function findNaively({ dates }: Manifest, date: string, asOf: string | null): unknown {
  const entry = dates.find((each) => each.date === date);
  if (entry === undefined) return undefined;
  const versions = [...entry.superseded, entry].filter((each) => asOf === null || each.in_force_from <= asOf);
  const version = versions.at(-1);
  if (version === undefined) return undefined;
  if (version.status === 'withdrawn') return { kind: 'withdrawn' };
  const { sha256, bytes, revision } = version;
  return { kind: 'published', sha256, bytes, revision };
}

describe('indexManifest and findVersion', () => {
  it('find the version of every date as of every revision', () => {
    fc.assert(
      fc.property(arbitraryManifest, (manifest) => {
        const index = indexManifest(manifest);
        for (let t = 0; t < 60; t += 1) {
          const date = addDays('2025-01-01', t);
          const moments = [null, '2025-02-01.000001', ...REVISIONS, '2026-01-01.000001'];
          expect(moments.map((asOf) => findVersion(index, date, asOf))).toEqual(
            moments.map((asOf) => findNaively(manifest, date, asOf)),
          );
        }
      }),
      { numRuns: 20 },
    );
  });

  it('list every revision that the manifest names', () => {
    const index = indexManifest(
      manifestOf([entryOf('2025-01-01', [0, 3], []), entryOf('2025-01-02', [5], [0])]),
    );
    expect(index.revisions).toEqual([REVISIONS[0], REVISIONS[3], REVISIONS[5]]);
    expect(index.updatedThrough).toBe('2025-01-02');
  });
});
