import { PAGE_PATHS } from '../../../schemas/paths.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { pageFile } from './page.js';
import { addressOf } from './site-address.js';
import type { SiteTexts } from './site-texts.js';

/** Placeholder for the trust anchor in commands. The script of the page replaces it with the reader's. */
const ANCHOR = 'SITE#THUMBPRINT';

/** The steps of verification in their order. The script of the page finds each by its id. */
const STEPS = [
  { id: 'keys', name: 'Key set', words: 'Signed by the root key in your trust anchor, and not expired.' },
  {
    id: 'timestamp',
    name: 'Timestamp',
    words: 'Names the newest release, and is at most 48 hours old.',
  },
  {
    id: 'release',
    name: 'Release',
    words: 'Signed by a key in the key set, and the same release that the timestamp names.',
  },
  { id: 'history', name: 'List of releases', words: 'The list of all releases matches its signed digest.' },
  { id: 'files', name: 'Public files', words: 'Each has the digest that the signed release lists.' },
];

/** Returns the page on which readers verify the site in their browser. */
export function verifyPage(site: SiteTexts): FileTemplate {
  const address = addressOf(site.details?.base_url);
  return pageFile(site, {
    path: PAGE_PATHS.verify,
    template: 'verify',
    title: 'Verify this site',
    description: 'Check in your browser that every public file of this site is what its publisher signed.',
    scripts: [site.verifyScript],
    values: () => ({
      steps: STEPS,
      docs: PAGE_PATHS.docs,
      commands: [
        {
          words: 'The Python client verifies the site, or a folder that it has mirrored:',
          label: 'Verify with the Python client',
          text: `crd verify ${address} --trust '${ANCHOR}'`,
        },
        {
          words: 'The generator verifies a store or a copy of it, with all subscriber files:',
          label: 'Verify with the generator',
          text: `generator verify --store file:PATH --trust '${ANCHOR}'`,
        },
      ],
    }),
  });
}
