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
    expect(measured).toHaveLength(14);
  });

  it('agrees with hindsight about as often as its mean score says, or more often', () => {
    const gaps = measured.map(({ without: { score, agreement } }) => score - agreement);
    expect(Math.max(...gaps).toFixed(3)).toBe('0.086');
    expect(Math.min(...gaps).toFixed(3)).toBe('-0.113');
  });
});
