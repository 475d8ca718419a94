import {
  describeSourceChanges,
  findSourceChanges,
} from '../../../../generator/core/release/assemble-release.js';
import type { SourceSegment } from '../../../../schemas/types.generated.js';

const OLD: SourceSegment = { name: 'coinmetrics', licence: 'CC-BY-NC 4.0' };
const NODE: SourceSegment = { from: '2026-01-01', name: 'my-node', licence: 'own data' };

it.each<[string, SourceSegment[], SourceSegment[], string]>([
  ['another licence', [OLD], [{ ...OLD, licence: 'CC-BY 4.0' }], 'coinmetrics CC-BY-NC 4.0 -> CC-BY 4.0'],
  ['another name', [OLD], [{ ...OLD, name: 'other' }], 'coinmetrics CC-BY-NC 4.0 -> other CC-BY-NC 4.0'],
  [
    'other details',
    [OLD],
    [{ ...OLD, url: 'https://x', notes: 'n' }],
    'coinmetrics CC-BY-NC 4.0: url, notes',
  ],
  [
    'another licence and other details',
    [OLD],
    [{ ...OLD, licence: 'CC0', attribution: 'by', url: 'https://x' }],
    'coinmetrics CC-BY-NC 4.0 -> CC0, with another attribution, url',
  ],
  ['a new source', [OLD], [OLD, NODE], 'none -> my-node own data (from 2026-01-01)'],
  ['a source less', [OLD, NODE], [OLD], 'my-node own data -> none (from 2026-01-01)'],
  [
    'two changes',
    [OLD, NODE],
    [
      { ...OLD, licence: 'CC0' },
      { ...NODE, licence: 'CC0' },
    ],
    'coinmetrics CC-BY-NC 4.0 -> CC0; my-node own data -> CC0 (from 2026-01-01)',
  ],
])('describes %s', (_what, before, after, expected) => {
  expect(describeSourceChanges(findSourceChanges(before, after))).toBe(`sources changed: ${expected}`);
});

it('finds no change when only the order of the members differs', () => {
  expect(findSourceChanges([OLD], [{ licence: OLD.licence, name: OLD.name }])).toEqual([]);
});
