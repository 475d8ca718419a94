import type { Entitlements } from '../../../../schemas/types.generated.js';
import {
  briefPath,
  chosenBrief,
  closedIn,
  closedPath,
  formatChoices,
  linkPath,
  periodChoices,
} from '../../../../templates/browser/account/downloads.js';
import { describeEntitlements, type Grant } from '../../../../gateway/core/access/entitlements.js';
import { parseFileRequest } from '../../../../gateway/core/access/file-request.js';

const NOW = Date.parse('2026-08-20T00:00:00Z');
const accountWith = (plan: Grant['plan']): Entitlements => {
  const grant = {
    plan,
    chain: plan === 'research' ? null : 'base',
    origin: 'manual',
    sinceMs: 0,
    untilMs: 2 * NOW,
  } as const;
  return describeEntitlements([grant], NOW);
};
const research = accountWith('research');
const single = accountWith('single-chain');

it('offers the windows of the plan, then the closed periods, the newest first', () => {
  const values = (choices: ReturnType<typeof periodChoices>) => choices.map(({ value }) => value);
  expect(values(periodChoices(research, 'gold', ['2024', '2025', '2026-01']))).toEqual([
    'latest',
    '7d',
    '30d',
    '90d',
    '365d',
    '2026-01',
    '2025',
    '2024',
  ]);
  expect(values(periodChoices(single, 'gold', []))).toEqual(['latest', '7d', '30d', '90d']);
  expect(values(periodChoices(single, 'briefs', []))).toEqual(['latest']);
});

it('offers a wanted date with a plan that includes its files', () => {
  const first = (plan: Entitlements, genre: 'gold' | 'briefs') =>
    periodChoices(plan, genre, [], '2026-08-19')[0]?.value;
  expect([first(research, 'gold'), first(research, 'briefs')]).toEqual(['2026-08-19', '2026-08-19']);
  expect([first(single, 'gold'), first(single, 'briefs')]).toEqual(['latest', 'latest']);
  expect(linkPath({ chain: 'base', genre: 'briefs', period: '2026-08-19', format: 'json' })).toBe(
    '/api/v1/files/briefs/chains/base/2026-08-19.json?redirect=false',
  );
});

it('offers the text of a brief only for the brief of a date', () => {
  const brief = { chain: 'base', date: '2026-08-19' } as const;
  const choice = { chain: 'base', genre: 'briefs', period: brief.date, format: 'json' } as const;
  expect(chosenBrief(choice)).toEqual(brief);
  expect(briefPath(brief)).toBe(linkPath(choice));
  expect(chosenBrief({ ...choice, genre: 'meta' })).toBeUndefined();
  for (const period of ['latest', '7d', '2025', '2026-01'])
    expect(chosenBrief({ ...choice, period })).toBeUndefined();
});

it('asks for the closed periods of contents that have volumes, with a plan that includes them', () => {
  expect(closedPath(research, 'base', 'gold')).toBe(
    '/api/v1/files/gold/base/manifest.json?redirect=false&volumes=csv',
  );
  expect([closedPath(research, 'base', 'briefs'), closedPath(single, 'base', 'gold')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(
    closedIn([
      { path: '/api/v1/files/gold/base/volumes/2025.csv' },
      { path: '/x/2026-01.csv' },
      { path: '/y' },
    ]),
  ).toEqual(['2025', '2026-01']);
});

it('leads every choice to a file that the gateway knows', () => {
  for (const genre of research.genres)
    for (const { value: period } of periodChoices(
      research,
      genre,
      genre === 'briefs' ? [] : ['2025', '2026-01'],
    ))
      for (const { value: format } of formatChoices(period)) {
        const [path = '', query = ''] = linkPath({ chain: 'base', genre, period, format }).split('?');
        expect(parseFileRequest(path, query)).toMatchObject({ form: 'document' });
      }
});
