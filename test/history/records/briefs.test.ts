import type { BriefsJudged } from '../briefs-judged.js';
import { runProgram } from '../plain-node.js';

let output: BriefsJudged;

beforeAll(async () => {
  output = (await runProgram('briefs')) as BriefsJudged; // output of the program
}, 300_000);

describe('the briefs of the whole real history', () => {
  it('exist for each date', () => {
    expect(output.briefs).toBe(6437 + 4038 + 1313 + 566);
  });

  it('make only known claims, with numbers from the records of the date or the methodology', () => {
    expect(output.faults).toEqual([]);
    expect(output.claims).not.toContain('none');
    expect(output.sentences).toBeGreaterThan(3 * output.briefs);
  });

  it('make every claim, except those about kinds of days that are not in the real history', () => {
    expect(output.unused).toEqual(['headline.both_least', 'headline.missing', 'extreme.both_least']);
  });
});
