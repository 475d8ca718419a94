import type { RecordedRefusal } from '../../../schemas/types.generated.js';
import { withWritableCommand } from '../../../generator/state/stored-refusals.js';

const refusal: RecordedRefusal = {
  chain: 'bitcoin',
  since: '2026-08-21T06:15:00Z',
  sha256: 'a'.repeat(64),
  published_sha256: 'b'.repeat(64),
  summary: '1 published date would be restated',
  accept: { plan_digest: 'c'.repeat(64), args: ['publish', '--input', '/data/metrics'] },
};

describe('a refusal is recorded', () => {
  it('with the arguments of its run', () => {
    expect(withWritableCommand(refusal)).toEqual(refusal);
  });

  it('without them, if one of them has a character that the record cannot have', () => {
    const accept = { plan_digest: 'c'.repeat(64), args: ['publish', '--input', '/data/a\nb'] };
    expect(withWritableCommand({ ...refusal, accept })).toEqual({
      ...refusal,
      accept: { plan_digest: 'c'.repeat(64) },
    });
  });

  it('also if no option accepts it', () => {
    expect(withWritableCommand({ ...refusal, accept: null })).toEqual({ ...refusal, accept: null });
  });
});
