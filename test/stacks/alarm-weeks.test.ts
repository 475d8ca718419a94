import { EXIT_CODES, type ExitName } from '../../generator/core/generator-error.js';
import {
  simulateAlarm,
  type Mail,
  type Placement,
  type Point,
  type Series,
} from '../support/aws/alarm-simulator.js';
import { readTemplates, resourcesOf, type Template } from '../support/aws/aws-synth.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';
import { lagDays } from '../../generator/core/artifacts/freshness.js';
import { isMatch, select } from '../support/aws/filter-pattern.js';

const HOUR = 60;
const DAY = 24 * HOUR;
/** Length of a simulation. It begins with a day in which alarms get their first periods. */
const WEEK = 9 * DAY;
const START_MS = Date.parse('2026-11-19T00:00:00Z');

/** Exit code of the run of an hour; undefined for a run that does not end. */
type Exits = (hour: number) => number | undefined;

/** What is special in a week. */
type WeekOptions = {
  readonly publish?: Exits;
  readonly monitor?: Exits;
  readonly collect?: Exits;
  /** Returns true for a day that a chain has no new date. */
  readonly isMissing?: (chain: Chain, day: number) => boolean;
  /** Days until the keys expire, on a day. */
  readonly keysLeft?: (day: number) => number;
};

type Line = { readonly minute: number; readonly text: string };

const succeed: Exits = () => 0;

/** Exit codes after which publish has renewed the timestamp, also without a new release. */
const RENEWING: readonly number[] = [EXIT_CODES.done, EXIT_CODES.refused, EXIT_CODES.held].map(
  ({ code }) => code,
);

/**
 * Returns the metrics of a week of hourly runs: their lines of the log, counted by the filters of the template. Every morning
 * there is a new date of each chain. Publish signs each release, and renews the timestamp twice a day.
 */
function weekOfRuns(template: Template, options: WeekOptions = {}): Series {
  const { publish = succeed, monitor = succeed, collect = succeed, isMissing = () => false } = options;
  const { keysLeft = () => 300 } = options;
  const lines: Line[] = [];
  const through = new Map<Chain, number>(CHAIN_IDS.map((chain) => [chain, -2]));
  let publishedAt = -DAY + 6 * HOUR;
  const signed: Point[] = [];
  for (let hour = 0; hour < WEEK / HOUR; hour += 1) {
    const [day, start] = [Math.floor(hour / 24), hour * HOUR];
    lines.push(...report('collect', collect(hour), start + 7));
    const isWriting = publish(hour) === 0 && hour % 24 >= 6;
    const fresh = CHAIN_IDS.filter(
      (chain) => isWriting && through.get(chain) !== day - 1 && !isMissing(chain, day),
    );
    fresh.forEach((chain) => through.set(chain, day - 1));
    if (fresh.length > 0) publishedAt = start + 36;
    const isRenewed =
      start - (signed.at(-1)?.minute ?? -DAY) >= DAY / 2 && RENEWING.includes(publish(hour) ?? -1);
    if (fresh.length > 0 || isRenewed) signed.push({ minute: start + 36, value: 1 });
    lines.push(...report('publish', publish(hour), start + 37));
    const signing = { keys_days_left: keysLeft(day) };
    const result = { ...statusAt(start + 51, publishedAt, through), signing };
    lines.push(...report('status', monitor(hour), start + 51, monitor(hour) === 0 ? result : null));
  }
  return { ...countLines(template, lines), Invocations: signed };
}

/** Returns the line of a report, or none of a run that did not end. */
function report(
  command: string,
  code: number | undefined,
  minute: number,
  result: object | null = null,
): Line[] {
  const document = { schema: 'run-report/1', command, exit: { code }, result };
  return code === undefined ? [] : [{ minute, text: JSON.stringify(document) }];
}

function statusAt(minute: number, publishedAt: number, through: ReadonlyMap<Chain, number>): object {
  const nowMs = START_MS + minute * 60_000;
  const chains = CHAIN_IDS.map((chain) => {
    const date = new Date(START_MS + (through.get(chain) ?? 0) * DAY * 60_000).toISOString().slice(0, 10);
    return [chain, { lag_days: lagDays(date, nowMs) }];
  });
  return { age_days: Math.floor((minute - publishedAt) / DAY), chains: Object.fromEntries(chains) };
}

/** Returns the data points that the metric filters of the log of the tasks create. */
function countLines(template: Template, lines: readonly Line[]): Series {
  const filters = Object.values(resourcesOf(template, 'AWS::Logs::MetricFilter'))
    .map(({ Properties = {} }) => Properties)
    .filter(({ LogGroupName }) => JSON.stringify(LogGroupName).includes('RunsTasksLog'));
  const series = filters.map(({ FilterPattern, MetricTransformations }) => {
    const [transformation] = MetricTransformations as {
      MetricName: string;
      MetricValue: string;
      DefaultValue?: number;
    }[];
    const { MetricName = '', MetricValue = '', DefaultValue } = transformation ?? {};
    const points = lines.flatMap(({ minute, text }) => {
      const value = !isMatch(String(FilterPattern), text)
        ? DefaultValue
        : MetricValue.startsWith('$')
          ? Number(select(MetricValue, JSON.parse(text)))
          : Number(MetricValue);
      return value === undefined ? [] : [{ minute, value }];
    });
    return [MetricName, points];
  });
  return Object.fromEntries(series) as Series;
}

/** Returns a data point of every five minutes. */
function everyFiveMinutes(valueAt: (minute: number) => number): Point[] {
  return every(5, valueAt);
}

/** Returns data points at equal distances in minutes. */
function every(minutes: number, valueAt: (minute: number) => number): Point[] {
  return Array.from({ length: WEEK / minutes }, (_, i) => ({
    minute: i * minutes,
    value: valueAt(i * minutes),
  }));
}

const { Service, Delivery } = await readTemplates();
const alarms = [Service, Delivery].flatMap((template) =>
  Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(({ Properties = {} }) => Properties),
);

/** How CloudWatch may place the periods of an alarm, and how far it may look back. */
const PLACEMENTS: readonly Placement[] = [true, false].flatMap((isAligned) =>
  [0, 2].map((extraPeriods) => ({ isAligned, extraPeriods })),
);
/** Returns the number of requests of every five minutes as the HTTP API reports it: a sample for each request. */
function requests(countAt: (minute: number) => number): readonly Point[] {
  return everyFiveMinutes(countAt).map(({ minute, value }) => ({ minute, value: 1, samples: value }));
}

const TRAFFIC = {
  Count: requests(() => 400),
  '5xx': everyFiveMinutes(() => 0),
  Requests: everyFiveMinutes(() => 2000),
  '5xxErrorRate': everyFiveMinutes(() => 0),
  HealthCheckStatus: every(1, () => 1),
  DaysToExpiry: every(720, () => 200),
};

/** Returns the mails of a week, which must be the same for all placements: each as the alarm and its state. */
function mailsOf(series: Series): string[] {
  const listed = PLACEMENTS.map((placement) => {
    const options = { minutes: WEEK, placement };
    const mails = alarms.flatMap((alarm): Mail[] => simulateAlarm(alarm, { ...TRAFFIC, ...series }, options));
    return mails.map(({ alarm, state }) => `${alarm.replace('crd-', '')} ${state}`).sort();
  });
  const [first = [], ...others] = listed;
  others.forEach((each) => expect(each).toEqual(first));
  return first;
}

const mailsOfRuns = (options: WeekOptions): string[] => mailsOf(weekOfRuns(Service, options));
const from = (name: string): string[] => [`${name} ALARM`];
const fromTo = (...names: readonly string[]): string[] =>
  names.flatMap((name) => [`${name} ALARM`, `${name} OK`]);
/** Hours of a day of the week; the first days are only for the start. */
const hourOf = (day: number, hour = 0): number => day * 24 + hour;
/** Runs end with `name` between two hours, and with 0 otherwise. */
const between =
  (begin: number, end: number, name?: ExitName): Exits =>
  (hour) =>
    hour < begin || hour >= end ? 0 : name === undefined ? undefined : EXIT_CODES[name].code;

it('a week without incidents causes no mail', () => {
  expect(mailsOfRuns({})).toEqual([]);
});

it('a chain without new dates causes one mail, and another one when it is back', () => {
  const isMissing: WeekOptions['isMissing'] = (chain, day) => chain === 'base' && day >= 3;
  expect(mailsOfRuns({ isMissing })).toEqual(from('StaleBase'));
  const isMissingUntil: WeekOptions['isMissing'] = (chain, day) => isMissing(chain, day) && day < 7;
  expect(mailsOfRuns({ isMissing: isMissingUntil })).toEqual(fromTo('StaleBase'));
});

it('a chain that is late by a day causes no mail', () => {
  expect(mailsOfRuns({ isMissing: (chain, day) => chain === 'base' && day === 4 })).toEqual([]);
});

it('no new dates of any chain cause one mail', () => {
  expect(mailsOfRuns({ isMissing: (_chain, day) => day >= 3 })).toEqual(from('ReleaseOld'));
});

it.each([
  ['the store is unavailable', 'store-unavailable'],
  ['another run is always faster', 'conflict'],
  ['its input is invalid', 'input-invalid'],
  ['it has a bug', 'bug'],
  ['its tasks do not start, or hang', undefined],
] as const)(
  'if publish fails for days because %s, there are two mails, and two when it works',
  (_name, exit) => {
    const publish = between(hourOf(3), hourOf(7), exit);
    expect(mailsOfRuns({ publish })).toEqual(fromTo('PublishFailing', 'ReleaseOld'));
  },
);

it('a failure that heals within two hours causes no mail', () => {
  for (const name of ['store-unavailable', 'conflict', 'interrupted', undefined] as const) {
    const exits = between(hourOf(4, 6), hourOf(4, 8), name);
    expect(mailsOfRuns({ publish: exits, collect: exits, monitor: exits })).toEqual([]);
  }
});

it('a refusal causes one mail when it begins, and one when it is settled, however often publish repeats it', () => {
  const refused = between(hourOf(4, 7), hourOf(5, 5), 'refused');
  expect(mailsOfRuns({ publish: refused })).toEqual(fromTo('PublishRefused'));
  const withFailures: Exits = (hour) => (hour % 5 === 0 ? EXIT_CODES.conflict.code : refused(hour));
  expect(mailsOfRuns({ publish: withFailures })).toEqual(fromTo('PublishRefused'));
});

it('a hold causes one mail, when the release is old', () => {
  expect(mailsOfRuns({ publish: between(hourOf(3), Infinity, 'held') })).toEqual(from('ReleaseOld'));
});

it('a monitor that does not run is what its mail says, and no other alarm begins or ends', () => {
  expect(mailsOfRuns({ monitor: between(hourOf(4), hourOf(4, 20)) })).toEqual(fromTo('MonitorFailing'));
  const isMissing: WeekOptions['isMissing'] = (chain, day) => chain === 'base' && day >= 2;
  const monitor = between(hourOf(6), hourOf(6, 20), 'store-unavailable');
  expect(mailsOfRuns({ monitor, isMissing })).toEqual([...fromTo('MonitorFailing'), ...from('StaleBase')]);
});

it('damage causes a mail if the monitor finds it twice, not for the seconds after a commit', () => {
  const monitor = (end: number): Exits => between(hourOf(4, 6), end, 'damaged');
  expect(mailsOfRuns({ monitor: monitor(hourOf(4, 7)) })).toEqual([]);
  expect(mailsOfRuns({ monitor: monitor(hourOf(5)) })).toEqual(fromTo('StoreDamaged'));
});

it('a deadline or a revision, which collect reports once, causes one mail', () => {
  for (const name of ['damaged', 'refused'] as const)
    expect(mailsOfRuns({ collect: between(hourOf(4, 12), hourOf(4, 13), name) })).toEqual(
      from('SourceLateOrRevised'),
    );
});

it('a source that does not answer, or has another form, causes a mail after six hours', () => {
  for (const name of ['store-unavailable', 'input-invalid'] as const) {
    expect(mailsOfRuns({ collect: between(hourOf(4, 6), hourOf(4, 11), name) })).toEqual([]);
    expect(mailsOfRuns({ collect: between(hourOf(4, 6), hourOf(5), name) })).toEqual(
      fromTo('CollectFailing'),
    );
  }
});

it('keys that are not renewed cause one mail, and one when they are', () => {
  const keysLeft: WeekOptions['keysLeft'] = (day) => (day < 7 ? 25 - day : 400);
  expect(mailsOfRuns({ keysLeft })).toEqual(fromTo('KeysExpire'));
});

it('signatures that the trail does not report cause one mail', () => {
  const runs = weekOfRuns(Service);
  const silent = (runs['Invocations'] ?? []).filter(({ minute }) => minute < hourOf(4) * 60);
  expect(mailsOf({ ...runs, Invocations: silent })).toEqual(from('SigningSilent'));
});

describe('requests to the gateway', () => {
  const runs = weekOfRuns(Service);
  const failing = (isFailing: (minute: number) => boolean, count = 400): string[] =>
    mailsOf({
      ...runs,
      Count: requests(() => count),
      '5xx': everyFiveMinutes((minute) => (isFailing(minute) ? Math.min(count, 40) : 0)),
    });
  const during = (begin: number, minutes: number) => (minute: number) =>
    minute >= begin * 60 && minute < begin * 60 + minutes;

  it('a short burst of 5xx causes no mail, a longer one two', () => {
    expect(failing(during(hourOf(4), 5))).toEqual([]);
    expect(failing(during(hourOf(4), 60))).toEqual(fromTo('Answers5xx'));
  });

  it('bursts that come again and again are one alarm', () => {
    const isBurst = (minute: number): boolean => during(hourOf(4), 24 * 60)(minute) && minute % 25 < 10;
    expect(failing(isBurst)).toEqual(fromTo('Answers5xx'));
  });

  it('an outage of days causes one mail, also with few requests', () => {
    expect(failing((minute) => minute >= hourOf(4) * 60)).toEqual(from('Answers5xx'));
    expect(failing((minute) => minute >= hourOf(4) * 60, 8)).toEqual(from('Answers5xx'));
    expect(failing((minute) => minute >= hourOf(4) * 60, 4)).toEqual([]);
  });

  it('a failed webhook is one alarm until Stripe no longer repeats the event', () => {
    const retries = [0, 5, 35, 155, 455, 1055, 1655, 2255, 2855].map((minutes) => hourOf(4) * 60 + minutes);
    const WebhookFailures = retries.map((minute) => ({ minute, value: 1 }));
    expect(mailsOf({ ...runs, WebhookFailures })).toEqual(fromTo('WebhookFailures'));
  });

  it('each alert about a payment causes one mail', () => {
    const BillingAlerts = [4, 5, 6].map((day) => ({ minute: hourOf(day, 9) * 60, value: 1 }));
    expect(mailsOf({ ...runs, BillingAlerts })).toEqual(Array(3).fill('BillingAlerts ALARM'));
  });
});

it('a schedule that cannot start its task causes a mail', () => {
  const InvocationDroppedCount = [{ minute: hourOf(4) * 60, value: 1 }];
  expect(mailsOf({ ...weekOfRuns(Service), InvocationDroppedCount })).toEqual(from('ScheduleFailed'));
});

describe('what comes and goes for a day', () => {
  const runs = weekOfRuns(Service);
  const BEGIN = hourOf(4) * 60;
  const during = (minute: number, minutes: number): boolean => minute >= BEGIN && minute < BEGIN + minutes;
  /** True in bursts of 15 of 25 minutes. */
  const comesAndGoes = (minute: number): boolean => during(minute, 24 * 60) && (minute - BEGIN) % 25 < 15;
  const series = (isBad: (minute: number) => boolean, good: number, bad: number) =>
    everyFiveMinutes((minute) => (isBad(minute) ? bad : good));

  it.each([
    ['FilesUnavailable', 'FilesUnavailable', 0, 1],
    ['WebhookRefusals', 'WebhookRefusals', 0, 11],
    ['OriginRefused', 'OriginRefused', 0, 21],
    ['Delivery5xx', '5xxErrorRate', 0, 5],
    ['DeliveryVolume', 'Requests', 2000, 100_001],
    ['AccountsReplicaLate', 'ReplicationLatency', 1, 901],
    ['AccountsReplicaLate', 'OperationsFailedReplication', 0, 1],
  ])('raises %s by %s once, and not for five minutes', (alarm, metric, good, bad) => {
    const mails = (isBad: (minute: number) => boolean): string[] =>
      mailsOf({ ...runs, [metric]: series(isBad, good, bad) });
    expect(mails(comesAndGoes)).toEqual(fromTo(alarm));
    expect(mails((minute) => during(minute, 5))).toEqual([]);
  });

  it('raises RequestVolume once', () => {
    const Count = requests((minute) => (comesAndGoes(minute) ? 15_001 : 400));
    expect(mailsOf({ ...runs, Count })).toEqual(fromTo('RequestVolume'));
  });

  it('raises SiteDown once, and not for two minutes', () => {
    const mails = (isBad: (minute: number) => boolean): string[] =>
      mailsOf({ ...runs, HealthCheckStatus: every(1, (minute) => (isBad(minute) ? 0 : 1)) });
    expect(mails((minute) => during(minute, 2))).toEqual([]);
    expect(mails((minute) => during(minute, 24 * 60) && minute % 10 < 4)).toEqual(fromTo('SiteDown'));
  });
});

it('a health check that reports nothing is an outage', () => {
  const isSilent = (minute: number): boolean => minute >= hourOf(4) * 60 && minute < hourOf(5) * 60;
  const HealthCheckStatus = every(1, () => 1).filter(({ minute }) => !isSilent(minute));
  expect(mailsOf({ ...weekOfRuns(Service), HealthCheckStatus })).toEqual(fromTo('SiteDown'));
});

it('a certificate that is not renewed causes one mail, and one when it is', () => {
  const daysLeft = (minute: number): number => (minute < hourOf(7) * 60 ? 33 - minute / 1440 : 395);
  const DaysToExpiry = every(720, (minute) => Math.floor(daysLeft(minute)));
  expect(mailsOf({ ...weekOfRuns(Service), DaysToExpiry })).toEqual(fromTo('CertificateExpires'));
});

it('a mail about an event that could not be sent causes another mail', () => {
  const FailedInvocations = [{ minute: hourOf(4) * 60, value: 1 }];
  expect(mailsOf({ ...weekOfRuns(Service), FailedInvocations })).toEqual(from('MailsFailed'));
});
