import { formatTrustAnchor, parseTrustAnchor } from '../../../schemas/trust/trust-anchor.js';

const ROOT = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';

describe('a trust anchor', () => {
  it.each(['https://data.example.com', 'a', 'https://example.com:8443/mirror?of=us', '!$~'])(
    'names the site %s and its root key',
    (site) => {
      expect(parseTrustAnchor(`${site}#${ROOT}`)).toEqual({ site, root: ROOT });
    },
  );

  it('is written as it is read', () => {
    const text = `https://data.example.com#${ROOT}`;
    expect(formatTrustAnchor(parseTrustAnchor(text) ?? { site: '', root: '' })).toBe(text);
  });

  it.each([
    ['no root key', 'https://data.example.com'],
    ['an empty root key', 'https://data.example.com#'],
    ['no site', `#${ROOT}`],
    ['a root key that is too short', `a#${ROOT.slice(1)}`],
    ['a root key that is too long', `a#${ROOT}A`],
    ['a root key in Base64', `a#${ROOT.replaceAll('-', '+')}`],
    ['a second #', `a#b#${ROOT}`],
    ['a space', `a b#${ROOT}`],
    ['a space at the end', `a#${ROOT} `],
    ['a line break at the end', `a#${ROOT}\n`],
    ['a control character', `a\u001b#${ROOT}`],
    ['a letter beyond ASCII', `ä#${ROOT}`],
    ['a site of 201 characters', `${'a'.repeat(201)}#${ROOT}`],
  ])('is not a text with %s', (_, text) => {
    expect(parseTrustAnchor(text)).toBeUndefined();
  });
});
