import type { IncomingMessage, ServerResponse } from 'node:http';
import { chooseCoding } from '../../../gateway/http/content-coding.js';
import { subscriberTypeOf } from '../../../schemas/object-headers.js';

/** Returns the coding and the value of Vary for a file. */
function choose(mediaType: string, sizeBytes: number, headers: Record<string, string>, vary = ''): string[] {
  const sent = new Map([['Vary', vary]]);
  const res = {
    getHeader: (name: string) => sent.get(name),
    setHeader: (name: string, value: string) => sent.set(name, value),
  };
  const req = { headers } as unknown as IncomingMessage; // the part that it uses
  const coding = chooseCoding(req, res as unknown as ServerResponse, { mediaType, sizeBytes });
  return [coding, sent.get('Vary') ?? ''];
}

const GZIP = { 'accept-encoding': 'gzip' };

it.each([
  'application/json',
  'application/x-ipynb+json',
  'application/atom+xml',
  'application/xml',
  'image/svg+xml',
  'text/csv; charset=utf-8',
  'text/html; charset=utf-8',
  'text/javascript; charset=utf-8',
])('compresses %s from 1,000 bytes on', (mediaType) => {
  expect(choose(mediaType, 1_000, GZIP)).toEqual(['gzip', 'Accept-Encoding']);
  expect(choose(mediaType, 999, GZIP)).toEqual(['identity', '']);
});

it.each([subscriberTypeOf('a.parquet'), 'application/zip', 'image/png', 'application/octet-stream'])(
  'does not compress %s',
  (mediaType) => expect(choose(mediaType, 1_000_000, GZIP)).toEqual(['identity', '']),
);

it('adds to what the response depends on already', () => {
  expect(choose('text/csv', 2_000, GZIP, 'Origin')).toEqual(['gzip', 'Origin, Accept-Encoding']);
  expect(choose('text/csv', 2_000, {}, 'Origin, Accept-Encoding')[1]).toBe('Origin, Accept-Encoding');
});

it('does not parse an Accept-Encoding that no client needs', () => {
  const header = `gzip${', gzip'.repeat(3_000)}`;
  expect(choose('text/csv', 2_000, { 'accept-encoding': header })).toEqual(['identity', 'Accept-Encoding']);
});
