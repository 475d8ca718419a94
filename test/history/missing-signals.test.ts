import { readFileSync } from 'node:fs';
import { currentMethodology, methodologyTextUrl } from '../../schemas/methodology.js';
import type { Agreement, MissingSignals } from '../../scripts/calibration/missing-signals.js';
import { runProgram } from './plain-node.js';

const SLOW_MS = 900_000;

let measured: readonly MissingSignals[];

beforeAll(async () => {
  measured = (await runProgram('missing-signals')) as MissingSignals[]; // output of the program
}, SLOW_MS);

describe('the real history without one of its signals', () => {
  it('has the scores and the agreement with hindsight that the methodology states', () => {
    const text = readFileSync(methodologyTextUrl(currentMethodology().version), 'utf8');
    const evidence = text.slice(text.indexOf('## Evidence'));
    const rows = evidence.split('\n').map((line) => {
      const cells = line.replaceAll('`', '').split('|');
      return cells.slice(1, -1).map((cell) => cell.trim());
    });
    const shown = ({ score, agreement }: Agreement): string => `${score.toFixed(3)}; ${agreement.toFixed(3)}`;
    for (const { chain, signals, days, complete, without } of measured) {
      expect(rows).toContainEqual([
        `${chain} ${signals.join(', ')}`,
        String(days),
        shown(complete),
        shown(without),
      ]);
    }
    expect(measured).toHaveLength(15);
  });

  it('agrees with hindsight almost as often as its mean score says', () => {
    for (const { without } of measured)
      expect(Math.abs(without.agreement - without.score)).toBeLessThan(0.09);
  });
});
