import { CHAIN_IDS } from '../../schemas/catalog.js';
import { COMPARED, type OracleComparison } from './oracle-comparison.js';
import { runProgram } from './plain-node.js';

const SLOW_MS = 300_000;

let comparisons: readonly OracleComparison[];

beforeAll(async () => {
  comparisons = (await runProgram('oracle')) as OracleComparison[]; // the program prints them
}, SLOW_MS);

describe('an implementation that was written from the text alone and shares no code', () => {
  it('has a record on every date of the real history, of which it labels as many as the text says', () => {
    const counts = comparisons.map(({ chain, dates, labelled }) => [chain, dates, labelled]);
    expect(counts).toEqual([
      ['bitcoin', 6437, 5621],
      ['ethereum', 4038, 3825],
      ['arbitrum', 1313, 755],
      ['base', 566, 88],
    ]);
  });

  describe.each(CHAIN_IDS)('agrees on every date of %s', (chain) => {
    it.each(COMPARED)('at %s', (what) => {
      const found = comparisons.find((each) => each.chain === chain)?.disagreements[what];
      expect(found?.slice(0, 3)).toEqual([]);
    });
  });
});
