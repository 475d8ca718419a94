import { TRUST_PATHS } from '../../../../schemas/paths.js';
import { TRUST_FAULTS, TrustError, type TrustFault } from '../../../../schemas/trust/trust-error.js';
import type { SiteProof } from '../../../../schemas/trust/verify-site.js';
import { errorVerdict, faultVerdict, provenVerdict } from '../../../../templates/browser/verify/verdicts.js';

it('says what was proven and what was not', () => {
  const proof = {
    statement: { revision: '2026-03-04.000001', site: 'https://data.example.com' },
    timestamp: { as_of: '2026-03-04T06:00:00Z' },
    files: 12,
  } as unknown as SiteProof; // what the verdict reads
  const { state, paragraphs } = provenVerdict(proof);
  expect([state, ...paragraphs]).toEqual([
    'proven',
    'Proven: release 2026-03-04.000001 was the newest on 4 March 2026, 06:00 UTC, it was signed for https://data.example.com, and this host serves all 12 public files in it unaltered.',
    expect.stringMatching(/^Not proven: files for subscribers.*this page itself/),
  ]);
});

it.each(Object.keys(TRUST_FAULTS) as TrustFault[])(
  'names the step and the words of the fault %s, and says what to do',
  (code) => {
    const fault = new TrustError(code, TRUST_PATHS.timestamp, 'detail');
    const { state, title, paragraphs } = faultVerdict(fault);
    expect(title).toMatch(/: Timestamp$/);
    expect(paragraphs).toEqual([`${fault.message}.`, expect.stringMatching(/^[A-Z][^]*\.$/)]);
    expect(state).toBe(code === 'mixed' || code === 'unreachable' ? 'unproven' : 'failed');
  },
);

it('says plainly that a site without a key set does not sign its releases', () => {
  const { title, paragraphs } = faultVerdict(new TrustError('release-unsigned', TRUST_PATHS.keys));
  expect(title).toBe('This site is not signed');
  expect(paragraphs).toEqual([
    expect.stringContaining('This site does not sign its releases'),
    expect.stringContaining('somebody has removed the signatures'),
  ]);
});

it('an error of the page itself proves nothing', () => {
  expect(errorVerdict(new Error('no memory'))).toMatchObject({
    state: 'unproven',
    paragraphs: ['no memory.', expect.any(String)],
  });
});
