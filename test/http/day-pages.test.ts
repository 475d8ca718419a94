import { request } from 'node:http';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { chainPagePath, dayPagePath } from '../../schemas/paths.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { rollBack } from '../support/release/operate.js';
import { readCurrent } from '../support/release/read-release.js';
import { cutSeries } from '../../generator/core/input/input-series.js';
import { addDays } from '../../schemas/dates.js';

/** 2021-09-13 to 2022-03-31. */
const series = randomSeries({ chain: 'base', seed: 3, days: 200, firstDate: '2021-09-13' });
const [FIRST, LAST] = ['2021-09-13', '2022-03-31'];

let store: ObjectStore;
let gateway: GatewayServer;
beforeAll(async () => {
  store = createMemoryStore();
  await publishSeries(store, { inputs: [series], asOf: '2022-04-01T06:00:00Z' });
  gateway = await startGateway({ store });
});
afterAll(() => gateway.stop());

const get = (date: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(gateway.url + dayPagePath('base', date), { headers, redirect: 'manual' });

it('every day of the history has a page with its regime, links to the days beside it and its records', async () => {
  for (let date = FIRST; date <= LAST; date = addDays(date, 1)) {
    const answer = await get(date);
    const html = await answer.text();
    expect([date, answer.status]).toEqual([date, 200]);
    expect(html).not.toMatch(/⟦|undefined|NaN/);
    expect(html.match(/<h1>|<p class="lead">/g)).toEqual(['<h1>', '<p class="lead">']);
    expect(html).toContain(`content&#x3D;meta&amp;date&#x3D;${date}`);
    const links = [...html.matchAll(/<a href="([^"]*)" rel="(?:prev|next)">/g)].map(([, href]) => href);
    const beside = [addDays(date, -1), addDays(date, 1)].filter((each) => each >= FIRST && each <= LAST);
    expect(links).toEqual(beside.map((each) => dayPagePath('base', each)));
  }
});

it('the latest 30 days show their brief and scores; of older days, the page says what a plan opens', async () => {
  const free = await (await get('2022-03-02')).text();
  expect(free).toContain('with a score of');
  expect(free).not.toContain('is for subscribers');
  const older = await (await get('2022-03-01')).text();
  expect(older).toContain('from&#x3D;2021-12-31&amp;to&#x3D;2022-04-30&amp;day&#x3D;2022-03-01');
  expect(older).not.toContain('with a score of');
  expect(older).toContain('content&#x3D;briefs&amp;date&#x3D;2022-03-01');
  expect(older).toContain('is for subscribers with the plan Research, as text and as a file');
});

it('answers with an ETag, the headers of a page, and 304', async () => {
  const answer = await get(LAST);
  const chain = await fetch(gateway.url + chainPagePath('base'));
  for (const name of [
    'cache-control',
    'content-security-policy',
    'content-type',
    'access-control-allow-origin',
  ])
    expect([name, answer.headers.get(name)]).toEqual([name, chain.headers.get(name)]);
  const again = await get(LAST, { 'If-None-Match': answer.headers.get('etag') ?? '' });
  expect(again.status).toBe(304);
  expect((await fetch(gateway.url + dayPagePath('base', LAST), { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(gateway.url + dayPagePath('base', LAST), { method: 'POST' })).status).toBe(405);
});

it('answers 404 with the first and last date for a day outside the history, and for a text that is no date', async () => {
  for (const date of [addDays(FIRST, -1), addDays(LAST, 1)]) {
    const answer = await get(date, { Accept: 'text/html' });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain(`Base has days from ${FIRST} to ${LAST}.`);
  }
  for (const text of ['2022-02-30', 'today', '2022-2-3', '2022-03-01x', '⟦content⟧'])
    expect([text, (await get(encodeURIComponent(text))).status]).toEqual([text, 404]);
  expect((await fetch(`${gateway.url}/chains/bitcoin/${LAST}`)).status).toBe(404);
  expect((await fetch(`${gateway.url}/chains/dogecoin/${LAST}`)).status).toBe(404);
});

it('redirects other spellings of the address', async () => {
  for (const ending of ['/', '.html', '/index.html']) {
    const answer = await get(LAST + ending);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, dayPagePath('base', LAST)]);
  }
});

it('answers 410 for a withdrawn day', async () => {
  const other = createMemoryStore();
  await publishSeries(other, { inputs: [cutSeries(series, '2022-03-30')], asOf: '2022-03-31T06:00:00Z' });
  const { revision } = await readCurrent(other);
  await publishSeries(other, { inputs: [series], asOf: '2022-04-01T06:00:00Z' });
  await rollBack(other, { asOf: '2022-04-01T07:00:00Z', to: revision, reason: 'a test' });
  const second = await startGateway({ store: other });
  expect((await fetch(second.url + dayPagePath('base', LAST))).status).toBe(410);
  const before = await (await fetch(second.url + dayPagePath('base', '2022-03-30'))).text();
  expect(before).not.toContain('rel="next"');
  await second.stop();
});

it('answers 503 before the first release', async () => {
  const empty = await startGateway({ store: createMemoryStore() });
  expect((await fetch(empty.url + dayPagePath('base', LAST))).status).toBe(503);
  await empty.stop();
});

it('answers all at once, from one rendering', async () => {
  const { hostname, port } = new URL(gateway.url);
  const statuses = await Promise.all(
    Array.from(
      { length: 50 },
      () =>
        new Promise<number | undefined>((resolve, reject) => {
          request({ hostname, port, path: dayPagePath('base', '2022-02-01') }, (res) => {
            res.resume().on('end', () => resolve(res.statusCode));
          })
            .on('error', reject)
            .end();
        }),
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});
