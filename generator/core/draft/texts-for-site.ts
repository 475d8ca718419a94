import type { Site } from '../../../schemas/types.generated.js';
import type { ReferenceTexts } from './reference-files.js';

/** The address in the notebook and the example programs: a gateway on this machine with the default port. */
export const LOCAL_ADDRESS = 'http://127.0.0.1:8080';
/** What follows the address where a text explains it. */
const THIS_MACHINE = ' (this machine)';

/** Returns the texts of a site: the notebook and the example programs use its address by default. */
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
    },
  };
}
