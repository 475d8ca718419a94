import fc from 'fast-check';
import { datasetMarkup, toDataBlock } from '../../../../generator/core/pages/dataset-markup.js';
import { calendarPath } from '../../../../schemas/paths.js';
import type { Site } from '../../../../schemas/types.generated.js';

const OPTIONS = {
  name: 'Calendars',
  description: 'The regime of each day.',
  path: '/',
  chains: ['base', 'bitcoin'],
  sources: [
    { name: 'one', licence: 'CC BY 4.0', attribution: 'by one' },
    { name: 'one', licence: 'CC BY 4.0', attribution: 'by one' },
  ],
} as const;
const SITE: Site = { name: 'A site', base_url: 'https://data.example.com', publisher: 'A publisher' };

it('without a site, the dataset has no member that needs an address', () => {
  const markup = datasetMarkup(undefined, OPTIONS);
  expect(markup).toMatchObject({ '@type': 'Dataset', isAccessibleForFree: true });
  for (const member of ['url', 'distribution', 'license', 'creator'])
    expect(markup).not.toHaveProperty(member);
  expect(JSON.stringify({ ...markup, '@context': '' })).not.toContain('http');
});

it('with a site, each calendar is a download with an absolute address', () => {
  expect(datasetMarkup(SITE, OPTIONS)).toMatchObject({
    url: 'https://data.example.com/',
    creator: { name: 'A publisher' },
    distribution: OPTIONS.chains.map((chain) => ({
      '@type': 'DataDownload',
      encodingFormat: 'text/csv',
      contentUrl: `https://data.example.com${calendarPath(chain)}`,
    })),
  });
});

it('a source of several chains is named once', () => {
  expect(datasetMarkup(undefined, OPTIONS)).toMatchObject({
    isBasedOn: [{ '@type': 'CreativeWork', name: 'one', license: 'CC BY 4.0', creditText: 'by one' }],
  });
});

it('a data block contains what it was made of, and nothing that a browser takes for a tag or an entity', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('</script>', '<!--<script>', '&lt;/script>', ']]>'));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), text), (markup) => {
      const block = toDataBlock(markup);
      expect(block).not.toMatch(/[<>&]/);
      expect(JSON.parse(block)).toEqual(JSON.parse(JSON.stringify(markup)));
    }),
  );
});
