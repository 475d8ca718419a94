import {
  findLicenceRefusal,
  type SourceTerms,
} from '../../../../generator/core/collection/collection-rules.js';

const terms = (resale: SourceTerms['resale']): SourceTerms => ({
  id: 'somewhere',
  licence: 'Terms of 2026',
  resale,
});

describe('the licence guard', () => {
  it.each(['yes', 'no', 'unknown'] as const)(
    'lets a store that sells nothing use a licence with %s',
    (resale) => {
      expect(findLicenceRefusal(terms(resale), { commercial: false })).toBeUndefined();
    },
  );

  it('lets a commercial store use data that may be sold', () => {
    expect(findLicenceRefusal(terms('yes'), { commercial: true })).toBeUndefined();
  });

  it('refuses a commercial store data that must not be sold, whatever is stated', () => {
    for (const statement of [undefined, 'They said yes.']) {
      expect(findLicenceRefusal(terms('no'), { commercial: true, statement })).toBe(
        'somewhere: the licence (Terms of 2026) does not allow the data to be sold, and the store is commercial. Use another source.',
      );
    }
  });

  it.each([undefined, '', ' \n'])(
    'refuses a commercial store an unclear licence with the statement %p',
    (statement) => {
      expect(findLicenceRefusal(terms('unknown'), { commercial: true, statement })).toMatch(
        /^somewhere: it is unknown whether the licence \(Terms of 2026\) .* write its answer as the statement of the source/,
      );
    },
  );

  it('lets a commercial store use an unclear licence with a statement', () => {
    const use = { commercial: true, statement: 'Allowed by letter of 2026-08-01.' };
    expect(findLicenceRefusal(terms('unknown'), use)).toBeUndefined();
  });
});
