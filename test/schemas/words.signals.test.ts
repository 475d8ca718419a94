import { SIGNAL_WORDS } from '../../schemas/words.js';
import { currentMethodology } from '../../schemas/methodology.js';

it('there are words for every signal of the methodology', () => {
  const used = new Set(
    [...JSON.stringify(currentMethodology()).matchAll(/"signal":"(\w+)"/g)].map(([, name]) => name),
  );
  expect(used.size).toBeGreaterThan(3);
  expect([...used].filter((name) => SIGNAL_WORDS[name ?? ''] === undefined)).toEqual([]);
});
