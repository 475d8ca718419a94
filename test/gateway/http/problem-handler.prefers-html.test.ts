import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { prefersHtml } from '../../../gateway/http/problem-handler.js';

/** Real `Accept` headers of navigations, as the browsers send them. */
const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const OLD_FIREFOX =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8';

it.each(['x-api-key', 'authorization'])('sends JSON to a program that sends %s', (name) => {
  const req = new IncomingMessage(new Socket());
  Object.assign(req.headers, { accept: CHROME, [name]: 'x' });
  expect(prefersHtml(req)).toBe(false);
});

function prefers(accept: string | undefined): boolean {
  const req = new IncomingMessage(new Socket());
  if (accept !== undefined) req.headers.accept = accept;
  return prefersHtml(req);
}

it.each([
  ['Chrome', CHROME],
  ['Firefox', FIREFOX],
  ['an older Firefox', OLD_FIREFOX],
  ['only HTML', 'text/html'],
  ['any text', 'text/*'],
  ['HTML before JSON', 'application/json;q=0.5, text/html;q=0.6'],
  ['HTML, but no JSON', 'text/html, application/json;q=0, application/problem+json;q=0'],
])('sends the page to %s', (_name, accept) => {
  expect(prefers(accept)).toBe(true);
});

it.each([
  ['no Accept', undefined],
  ['curl and fetch', '*/*'],
  ['JSON', 'application/json'],
  ['a problem', 'application/problem+json'],
  ['a link as JSON', 'application/json; profile="signed-url"'],
  ['axios', 'application/json, text/plain, */*'],
  ['an image in a page', 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'],
  ['a stylesheet', 'text/css,*/*;q=0.1'],
  ['refused HTML', 'text/html;q=0'],
  ['refused HTML, and anything else', 'text/html;q=0, */*'],
  ['less HTML than JSON', 'text/html;q=0.1, application/json'],
  ['less HTML than anything', 'text/html;q=0.9, */*'],
  ['nothing that we have', 'image/png'],
  ['HTML with a parameter that ours does not have', 'text/html;level=1'],
  ['an empty header', ''],
  ['a malformed header', ';;,,text html,/;q=x'],
  ['a malformed q', 'text/html;q=much'],
  ['many ranges', Array.from({ length: 2_000 }, (_, i) => `a/${i};q=0.5`).join(',')],
])('sends the document to %s', (_name, accept) => {
  expect(prefers(accept)).toBe(false);
});
