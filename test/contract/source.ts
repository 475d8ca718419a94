import { metricsOf } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { CollectedDay, Evidence } from '../../generator/core/collection/day-values.js';
import { SourceError, type Source } from '../../generator/sources/source.js';

/** A source with data, for one test. */
export type SourceUnderTest = {
  /** Creates a source for a new collection of the same data. */
  readonly create: () => Source;
  /** Chains that have values on every date of the span. */
  readonly chains: readonly Chain[];
  /** Set if a mark is that of the source's last update, so that a change of one date gives a new one to all. */
  readonly marks?: 'update';
  /** At least four dates. */
  readonly span: { readonly first: string; readonly last: string };
  /** Changes one value of a date. Sources that are created from now on must see it. Null if no date ever changes. */
  readonly revise: ((chain: Chain, date: string) => void) | null;
  /** Checks that the evidence names exactly what was served. */
  readonly expectServed: (evidence: Evidence) => void;
  readonly dispose: () => Promise<void>;
};

const DECIMAL = /^(0|[1-9]\d*)(\.\d*[1-9])?$/;
const SIGNAL = new AbortController().signal;

/** Tests the contract of `Source`, which every adapter must pass. */
export function describeSource(name: string, create: () => Promise<SourceUnderTest>): void {
  describe(`${name} fulfils the contract of Source`, () => {
    let under: SourceUnderTest;
    beforeEach(async () => {
      under = await create();
    });
    afterEach(() => under.dispose());

    describeFacts(() => under);
    describeDays(() => under);
    describeMarks(() => under);
  });
  describe(`the values of ${name}`, () => describeValues(create));
}

function describeFacts(under: () => SourceUnderTest): void {
  it('states its name, licence, times and definitions', () => {
    const { facts } = under().create();
    expect(facts.id).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(facts.url).toMatch(/^https:\/\//);
    expect(facts.completeFrom).toMatch(/^([01]\d|2[0-3]):[0-5]\d$/);
    expect([facts.name.trim(), facts.licence.trim(), facts.attribution]).not.toContain('');
    expect(['yes', 'no', 'unknown']).toContain(facts.resale);
    expect(facts.settlingDays).toBeGreaterThanOrEqual(0);
    expect(facts.requestsPerMinute).toBeGreaterThan(0);
    expect(facts.definitions.every((text) => text.trim() !== '')).toBe(true);
  });
}

function describeDays(under: () => SourceUnderTest): void {
  it('returns dates of the span only, and all that it has', async () => {
    const { chains, span } = under();
    for (const chain of chains) {
      const whole = await under().create().days(chain, span, SIGNAL);
      expect([...whole.keys()].sort()).toEqual(datesOf(span));
      const inner = { first: addDays(span.first, 1), last: addDays(span.last, -1) };
      const part = await under().create().days(chain, inner, SIGNAL);
      expect([...part.keys()].sort()).toEqual(datesOf(inner));
    }
  });

  it('returns no date of an empty span, and none of the future', async () => {
    const [chain = 'bitcoin'] = under().chains;
    const { first, last } = under().span;
    const source = under().create();
    expect(await source.days(chain, { first: last, last: first }, SIGNAL)).toEqual(new Map());
    expect(await source.days(chain, { first: '2999-01-01', last: '2999-12-31' }, SIGNAL)).toEqual(new Map());
  });

  it('gives the day that it announced, and the same day again', async () => {
    for (const [source, chain, dates] of await everyChain(under())) {
      for (const date of dates) {
        const day = await source.day(chain, date, SIGNAL);
        expect([day.chain, day.date]).toEqual([chain, date]);
        expect(await source.day(chain, date, SIGNAL)).toEqual(day);
      }
    }
  });

  it('refuses a date that it does not have', async () => {
    const [chain = 'bitcoin'] = under().chains;
    const refused: unknown = await under()
      .create()
      .day(chain, '2999-01-01', SIGNAL)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SourceError);
    expect(refused).toMatchObject({ code: 'not-yet' });
  });

  it('rejects with the reason of an aborted signal', async () => {
    const [chain = 'bitcoin'] = under().chains;
    const { span } = under();
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(under().create().days(chain, span, aborted)).rejects.toThrow('stopped');
    await expect(under().create().day(chain, span.first, aborted)).rejects.toThrow('stopped');
  });
}

function describeMarks(under: () => SourceUnderTest): void {
  it('gives the same marks for the same data, whatever the span', async () => {
    const { chains, span } = under();
    for (const chain of chains) {
      const marks = await under().create().days(chain, span, SIGNAL);
      expect(await under().create().days(chain, span, SIGNAL)).toEqual(marks);
      const last = await under().create().days(chain, { first: span.last, last: span.last }, SIGNAL);
      expect(last.get(span.last)).toBe(marks.get(span.last));
    }
  });

  it('gives another mark to a date whose value changed, and to no other except with a mark of all', async () => {
    const { span, marks, revise } = under();
    const date = addDays(span.first, 1);
    for (const chain of under().chains) {
      const before = await under().create().days(chain, span, SIGNAL);
      revise?.(chain, date);
      const after = await under().create().days(chain, span, SIGNAL);
      const changed = [...after.keys()].filter((each) => after.get(each) !== before.get(each));
      const revised = marks === 'update' ? datesOf(span) : [date];
      expect(changed).toEqual(revise === null ? [] : revised);
    }
  });
}

/** Reads every day once, because nothing changes the data. */
function describeValues(create: () => Promise<SourceUnderTest>): void {
  let under: SourceUnderTest;
  let days: readonly CollectedDay[];
  beforeAll(async () => {
    under = await create();
    days = await everyDay(under);
  });
  afterAll(() => under.dispose());

  it('are metrics of the chain only, as canonical decimals of at least 0', () => {
    for (const { chain, values } of days) {
      expect(Object.keys(values)).not.toEqual([]);
      expect(metricsOf(chain)).toEqual(expect.arrayContaining(Object.keys(values)));
      expect(Object.values(values).filter((text) => !DECIMAL.test(text))).toEqual([]);
    }
  });

  it('are never in dollars', () => {
    for (const day of days) expect(JSON.stringify(day)).not.toMatch(/usd/i);
  });

  it('have the digests and sizes of what was served as evidence', () => {
    for (const { evidence } of days) under.expectServed(evidence);
  });
}

async function everyChain({
  create,
  chains,
  span,
}: SourceUnderTest): Promise<(readonly [Source, Chain, readonly string[]])[]> {
  const source = create();
  const read = async (chain: Chain): Promise<readonly [Source, Chain, readonly string[]]> => {
    const dates = [...(await source.days(chain, span, SIGNAL)).keys()];
    expect(dates.length).toBeGreaterThan(3);
    return [source, chain, dates];
  };
  return Promise.all(chains.map(read));
}

async function everyDay(under: SourceUnderTest): Promise<CollectedDay[]> {
  const chains = await everyChain(under);
  const days = chains.flatMap(([source, chain, dates]) =>
    dates.map((date) => source.day(chain, date, SIGNAL)),
  );
  return Promise.all(days);
}

function datesOf({ first, last }: SourceUnderTest['span']): string[] {
  const dates: string[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}
