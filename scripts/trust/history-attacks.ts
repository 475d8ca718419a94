import { TRUST_PATHS } from '../../schemas/paths.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import type { StatesByName } from './forged-documents.js';
import { put, putStatement, putTimestamp, replace, type AttackPlan } from './attack-table.js';

const LIST = TRUST_PATHS.releases;
const FORK = [
  putTimestamp('fork-timestamp.jws'),
  putStatement('fork-statement.jws'),
  put(LIST, 'fork-releases.json'),
];
const PAST_FORK = [putStatement('past-fork-statement.jws'), put(LIST, 'past-fork-releases.json')];
const NO_LIST = { put: LIST, text: '{"releases":[null,null,null],"schema":"releases/1"}' };

/** The attacks on time: replayed and frozen releases, and wrong clocks. */
export const TIME_ATTACKS: readonly AttackPlan[] = [
  {
    name: 'an old release is replayed after its timestamp expired',
    base: 'release-1',
    now: '2026-03-04T12:00:00Z',
    fault: 'timestamp-expired',
  },
  {
    name: 'an old release is replayed before its timestamp expires, to a reader who has seen a later one',
    base: 'release-2',
    now: '2026-03-04T12:00:00Z',
    seen: 'release-3',
    fault: 'release-old',
  },
  {
    name: 'an old release is replayed before its timestamp expires, to a reader who has seen nothing',
    base: 'release-2',
    now: '2026-03-04T12:00:00Z',
    fault: null,
  },
  {
    name: 'an old release is replayed under a new timestamp by the release key',
    base: 'release-2',
    now: '2026-03-04T12:00:00Z',
    seen: 'release-3',
    changes: [putTimestamp('timestamp-of-release-2-renewed.jws')],
    fault: 'release-old',
  },
  {
    name: 'an old statement is under a new timestamp',
    changes: [replace(TRUST_PATHS.statement, 'release-2')],
    fault: 'mixed',
  },
  {
    name: 'an old timestamp, not yet expired, is beside a new release',
    changes: [replace(TRUST_PATHS.timestamp, 'release-2')],
    fault: 'mixed',
  },
  {
    name: 'an old timestamp, expired, is beside a new release',
    changes: [replace(TRUST_PATHS.timestamp, 'release-1')],
    fault: 'timestamp-expired',
  },
  { name: 'the site is frozen for 48 hours', now: '2026-03-06T06:00:00Z', fault: 'timestamp-expired' },
  { name: 'the clock is ahead by a day', now: '2026-03-05T12:00:00Z', fault: null },
  { name: 'the clock is ahead by three days', now: '2026-03-07T12:00:00Z', fault: 'timestamp-expired' },
  { name: 'the clock is ahead by a year', now: '2027-03-04T12:00:00Z', fault: 'keys-expired' },
  { name: 'the clock is behind by a day', now: '2026-03-03T12:00:00Z', fault: 'timestamp-early' },
  { name: 'the timestamp is five minutes ahead of the clock', now: '2026-03-04T05:55:00Z', fault: null },
  {
    name: 'the timestamp is five minutes and a second ahead of the clock',
    now: '2026-03-04T05:54:59Z',
    fault: 'timestamp-early',
  },
  {
    name: 'the key set is from the future',
    base: 'revoked',
    now: '2026-03-04T23:00:00Z',
    fault: 'timestamp-early',
  },
];

/** Changes of the list of releases that leave what the digest of the history is about. */
const LIST_FORMS: Readonly<Record<string, (text: string) => string>> = {
  'a space': (text) => text.replace(':', ': '),
  'a line feed behind it': (text) => `${text}\n`,
  'a byte order mark': (text) => `\uFEFF${text}`,
  'a repeated member': (text) => text.replace('{', '{"schema":"releases/1",'),
  'a member too many': (text) => text.replace(/\}$/, ',"unknown":1}'),
  'another order of members': (text) => text.replace(/^\{(.*),("schema":.*)\}$/, '{$2,$1}'),
  'something else behind the signed releases': (text) => text.replace(']', ',{"sequence":4}]'),
  'a gap behind the signed releases': (text) => {
    const list = JSON.parse(text) as { releases: { sequence: number }[] }; // our own list
    const last = { ...list.releases.at(-1), sequence: 5 };
    return canonicalJson({ ...list, releases: [...list.releases, last] });
  },
};

/** Returns the attacks on the history: two releases at one place, other lists of releases, other forms of the list. */
export function historyAttacks(stateOf: StatesByName): AttackPlan[] {
  const text = String(stateOf('release-3').files.get(LIST));
  const forms = Object.entries(LIST_FORMS).map(([has, change]): AttackPlan => ({
    name: `the list of releases has ${has}`,
    changes: [{ put: LIST, text: change(text) }],
    fault: 'file-altered',
  }));
  return [...HISTORY_ATTACKS, ...forms];
}

const HISTORY_ATTACKS: readonly AttackPlan[] = [
  {
    name: 'the release key signed another record at the same sequence',
    changes: FORK.slice(1),
    fault: 'release-forked',
  },
  {
    name: 'a fork is shown to a reader who has seen the true release',
    seen: 'release-3',
    changes: FORK,
    fault: 'release-forked',
  },
  { name: 'a fork is shown to a reader who has seen nothing', changes: FORK, fault: null },
  {
    name: 'the past is rewritten for a reader who has seen it',
    seen: 'release-2',
    changes: PAST_FORK,
    fault: 'release-forked',
  },
  {
    name: 'the list of releases has another past than the statement',
    changes: [put(LIST, 'past-fork-releases.json')],
    fault: 'file-altered',
  },
  {
    name: 'the list of releases ends before the release',
    changes: [replace(LIST, 'release-2')],
    fault: 'file-altered',
  },
  {
    name: 'the list of releases names a later release too',
    base: 'release-2',
    changes: [replace(LIST, 'release-3')],
    fault: null,
  },
  { name: 'the list of releases has no releases', changes: [NO_LIST], fault: 'file-altered' },
  {
    name: 'the list of releases is not JSON',
    changes: [{ put: LIST, text: '<!doctype html>' }],
    fault: 'file-altered',
  },
  {
    name: 'the list of releases has text that is not Unicode',
    changes: [
      {
        ...NO_LIST,
        text: String.raw`{"releases":[{"sequence":1,"revision":"\ud800"},{"sequence":2},{"sequence":3}]}`,
      },
    ],
    fault: 'file-altered',
  },
  {
    name: 'the signed list of releases ends with another release than its statement',
    changes: [putStatement('statement-of-another-history.jws'), put(LIST, 'fork-releases.json')],
    fault: 'release-forked',
  },
  ...[
    ['another revision', 'statement-with-another-revision.jws'],
    ['another time', 'statement-with-another-time.jws'],
    ['another release before it', 'statement-with-another-previous.jws'],
    ['another revision before it', 'statement-with-another-previous-revision.jws'],
    ['no release before it', 'statement-without-previous.jws'],
  ].map(([what, file = '']): AttackPlan => ({
    name: `the statement names ${what} than the list of releases`,
    changes: [putStatement(file)],
    fault: 'release-forked',
  })),
  { name: 'the list of releases is missing', changes: [{ delete: LIST }], fault: 'file-missing' },
  {
    name: 'the release key signed two lists of files for one record',
    changes: [putStatement('statement-of-other-files.jws')],
    fault: 'file-altered',
  },
  { name: 'a reader who has seen release 1 accepts release 3', seen: 'release-1', fault: null },
  { name: 'a reader who has seen release 3 accepts it again', seen: 'release-3', fault: null },
];
