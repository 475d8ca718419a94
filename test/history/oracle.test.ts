import { CHAIN_IDS } from '../../schemas/catalog.js';
import { COMPARED, type OracleComparison } from './oracle-comparison.js';
import { runProgram } from './plain-node.js';

const SLOW_MS = 900_000;

let comparisons: readonly OracleComparison[];

beforeAll(async () => {
  comparisons = (await runProgram('oracle')) as OracleComparison[]; // output of the program
}, SLOW_MS);

describe('an independent implementation, written from the text of the methodology', () => {
  it('has a record on every date of the real history, and the number of labels in the methodology', () => {
    const counts = comparisons.map(({ chain, dates, labelled }) => [chain, dates, labelled]);
    expect(counts).toEqual([
      ['bitcoin', 6437, 5621],
      ['ethereum', 4038, 3825],
      ['arbitrum', 1313, 755],
      ['base', 566, 88],
    ]);
  });

  describe.each(CHAIN_IDS)('agrees on every date of %s', (chain) => {
    it.each(COMPARED)('on %s', (what) => {
      const found = comparisons.find((each) => each.chain === chain)?.disagreements[what];
      expect(found?.slice(0, 3)).toEqual([]);
    });
  });
});
