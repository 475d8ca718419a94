import type { BriefsJudged } from './briefs-judged.js';
import { runProgram } from './plain-node.js';

let judged: BriefsJudged;

beforeAll(async () => {
  judged = (await runProgram('briefs')) as BriefsJudged; // the program prints them
}, 300_000);

describe('the briefs of the whole real history', () => {
  it('are one for each date', () => {
    expect(judged.briefs).toBe(6437 + 4038 + 1313 + 566);
  });

  it('say only listed claims, with numbers that are facts, which are members of the records of the date', () => {
    expect(judged.faults).toEqual([]);
    expect(judged.claims).not.toContain('none');
    expect(judged.sentences).toBeGreaterThan(10 * judged.briefs);
  });

  it('make use of the claims: all occur but those of days that the real history does not have', () => {
    expect(judged.claims.length).toBeGreaterThanOrEqual(30);
    expect(judged.unused).toEqual([
      'headline.missing',
      'state.pressure_only',
      'unlabelled.no_row',
      'unlabelled.no_input',
      'day.new_addresses',
      'day.fee_median',
      'missing.none',
      'missing.all',
    ]);
  });
});
