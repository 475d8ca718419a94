import { readFile } from 'node:fs/promises';
import { compileDayPage } from '../../../../gateway/core/http/day-page.js';
import { DAY_MARKS } from '../../../../schemas/paths.js';
import type { MetaDay } from '../../../../schemas/types.generated.js';

it('the frame of an earlier release, without a place for the lead, also gives a page with one heading and one lead', async () => {
  const template = new URL('../../../../templates/pages/day-content.html.hbs', import.meta.url);
  const render = compileDayPage(await readFile(template, 'utf8'));
  const regime = {
    label: 'quiet',
    since: '2023-02-27',
    run_days: 3,
    previous_label: null,
    determinism_hash: '',
  };
  const meta = { chain: 'base', date: '2023-03-01', drivers: [], scorecard: {}, regime };
  const facts = {
    meta: {
      ...meta,
      confidence: { score: 0.9, level: 'high', data_quality: 1, missing_signals: [] },
    } as unknown as MetaDay, // what the page shows
    brief: undefined,
    location: { kind: 'found', files: [], isFree: true, before: undefined, after: undefined },
  } as const;
  const lead = 'Quiet, day 3 since 27 February 2023: less use than usual.';
  for (const beginning of ['', `<h1>${DAY_MARKS.title}</h1><p class="lead">${DAY_MARKS.lead}</p>`]) {
    const html = render(`<main>${beginning}${DAY_MARKS.content}</main>`, facts);
    expect(html.match(/<h1>[^<]*|<p class="lead">[^<]*/g)).toEqual([
      '<h1>Base on 1 March 2023',
      `<p class="lead">${lead}`,
    ]);
  }
});
