import type { Site } from '../../../schemas/types.generated.js';
import { LOCAL_ADDRESS } from '../pages/site-address.js';
import type { SiteTexts } from '../pages/site-texts.js';
import type { ReferenceTexts } from './reference-files.js';

/** What follows the address where a text explains it. */
const THIS_MACHINE = ' (this machine)';

/** Returns the texts of a site: the notebook, the example programs and the guides use its address. */
export function textsForSite(texts: ReferenceTexts, details: Site): ReferenceTexts {
  const address = details.base_url;
  const place = address.startsWith('http:') ? THIS_MACHINE : ''; // only loopback may be http
  const fill = (text: string): string =>
    text
      .split(LOCAL_ADDRESS)
      .map((part, i) =>
        i > 0 && part.startsWith(THIS_MACHINE) ? place + part.slice(THIS_MACHINE.length) : part,
      )
      .join(address);
  return {
    ...texts,
    notebook: fill(texts.notebook),
    site: {
      ...texts.site,
      details,
      examples: texts.site.examples.map(({ name, text }) => ({ name, text: fill(text) })),
      guides: fillGuides(texts.site.guides, fill),
    },
  };
}

function fillGuides(guides: SiteTexts['guides'], fill: (text: string) => string): SiteTexts['guides'] {
  const filled = Object.entries(guides).map(([name, { text, codes }]) => [
    name,
    { text: fill(text), codes: codes.map((code) => ({ ...code, text: fill(code.text) })) },
  ]);
  return Object.fromEntries(filled) as SiteTexts['guides']; // the same names
}
