import fc from 'fast-check';
import { toPageAddress } from '../../../gateway/routes/public.js';

const PAGES = ['/', '/docs', '/chains/base', '/methodology/v1'];
const meant = (path: string): string | undefined => toPageAddress(path, (each) => PAGES.includes(each));

it.each([
  ['/docs/', '/docs'],
  ['/docs//', '/docs'],
  ['/docs.html', '/docs'],
  ['/docs/index.html', '/docs'],
  ['/docs//index.html', '/docs'],
  ['/docs/index.html/', '/docs'],
  ['/chains/base/', '/chains/base'],
  ['/methodology/v1.html', '/methodology/v1'],
  ['/index.html', '/'],
  ['//', '/'],
])('leads %s to %s', (path, page) => {
  expect(meant(path)).toBe(page);
});

it.each([
  '/',
  '/docs',
  '//evil.example/',
  '//docs/',
  '/docs.html.html',
  '/doc/',
  '/index',
  '/chains/',
  '/.html/x',
])('leads %j nowhere', (path) => {
  expect(meant(path)).toBeUndefined();
});

it('leads only to a page, never to another host', () => {
  const address = fc.array(
    fc.constantFrom('/', '//', 'docs', '.html', '/index.html', '\\', 'evil.example', '..', '%2f'),
  );
  fc.assert(
    fc.property(address, (parts) => {
      expect([undefined, ...PAGES]).toContain(meant(`/${parts.join('')}`));
    }),
  );
  expect(meant(`/docs${'/'.repeat(8_192)}`)).toBeUndefined();
});
