import fc from 'fast-check';
import {
  addDays,
  endOfDayMs,
  parseDate,
  parseInstant,
  toDate,
  toDayNumber,
  toInstant,
  wholeDaysBetween,
} from '../../schemas/dates.js';
import { findSchemaFaults } from '../../schemas/validate.js';

const FIRST = -719_528; // 0000-01-01
const LAST = 2_932_896; // 9999-12-31
const dayNumber = () => fc.integer({ min: FIRST, max: LAST });
const instantMs = () =>
  fc.integer({ min: FIRST * 86_400, max: LAST * 86_400 }).map((seconds) => seconds * 1000);

const DATES: [string, number][] = [
  ['1970-01-01', 0],
  ['1969-12-31', -1],
  ['2000-02-29', 11_016],
  ['2024-02-29', 19_782],
  ['2024-03-01', 19_783],
  ['2025-03-30', 20_177],
  ['2025-10-26', 20_387],
  ['0000-01-01', FIRST],
  ['0000-02-29', FIRST + 59],
  ['0099-12-31', -683_004],
  ['9999-12-31', LAST],
];

const NOT_DATES = [
  '2025-02-30',
  '2025-02-29',
  '1900-02-29',
  '2100-02-29',
  '2025-04-31',
  '2025-13-01',
  '2025-00-01',
  '2025-01-00',
  '2025-01-32',
  '2025-2-3',
  '25-02-03',
  '20250203',
  '2025/02/03',
  '03-02-2025',
  '+002025-02-03',
  '-2025-02-03',
  '12025-02-03',
  '2025-02-03T00:00:00Z',
  ' 2025-02-03',
  '2025-02-03 ',
  '2025-02-03\n',
  '２０２５-02-03',
  '2025-02',
  'today',
  '',
];

describe('parseDate', () => {
  it.each(DATES)('parses %s as day %d', (text, day) => {
    expect(parseDate(text)).toBe(day);
    expect(toDate(day)).toBe(text);
  });

  it.each(NOT_DATES)('returns undefined for %j', (text) => {
    expect(parseDate(text)).toBeUndefined();
    expect(() => toDayNumber(text)).toThrow(RangeError);
  });

  it('agrees with the schema on what a date is', () => {
    const isDate = (date: string) => findSchemaFaults('sources', source(date)).length === 0;
    const source = (from: string) => ({ base: [{ from, name: 'a', licence: 'b' }] });
    expect(DATES.filter(([text]) => !isDate(text))).toEqual([]);
    expect(NOT_DATES.filter(isDate)).toEqual([]);
  });

  it('reverses toDate', () => {
    fc.assert(
      fc.property(dayNumber(), (day) => {
        expect(parseDate(toDate(day))).toBe(day);
      }),
    );
  });

  it('preserves order: a later date has a greater day number', () => {
    fc.assert(
      fc.property(dayNumber(), dayNumber(), (a, b) => {
        expect(toDate(a) < toDate(b)).toBe(a < b);
      }),
    );
  });
});

describe('addDays', () => {
  it.each([
    ['2024-02-28', 1, '2024-02-29'],
    ['2023-02-28', 1, '2023-03-01'],
    ['2024-03-01', -1, '2024-02-29'],
    ['2025-12-31', 1, '2026-01-01'],
    ['2025-03-29', 2, '2025-03-31'],
    ['2026-08-20', -384, '2025-08-01'],
    ['2026-08-20', 0, '2026-08-20'],
  ])('adds to %s %d days: %s', (date, days, expected) => {
    expect(addDays(date, days)).toBe(expected);
  });

  it('is reversed by the opposite count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: -4000, max: 4000 }), (day, days) => {
        expect(addDays(addDays(toDate(day), days), -days)).toBe(toDate(day));
      }),
    );
  });

  it('throws for a date that does not exist', () => {
    expect(() => addDays('2025-02-30', 1)).toThrow('not a date: 2025-02-30');
  });
});

describe('parseInstant', () => {
  it.each([
    ['2026-08-21T06:00:00Z', '2026-08-21T06:00:00Z'],
    ['2026-08-21', '2026-08-21T00:00:00Z'],
    ['2026-08-21T06:00:00+02:00', '2026-08-21T04:00:00Z'],
    ['2026-08-21T06:00:00-05:30', '2026-08-21T11:30:00Z'],
    ['2026-08-21T00:00:00+14:00', '2026-08-20T10:00:00Z'],
    ['2026-08-21T06:00:00+00:00', '2026-08-21T06:00:00Z'],
    ['2026-08-21T06:00:00-00:00', '2026-08-21T06:00:00Z'],
    ['2026-08-21T23:59:59.999Z', '2026-08-21T23:59:59Z'],
    ['2026-08-21T23:59:59.999999999999Z', '2026-08-21T23:59:59Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
    ['2025-03-30T02:30:00Z', '2025-03-30T02:30:00Z'],
  ])('parses %s as %s', (text, instant) => {
    const ms = parseInstant(text);
    expect(ms === undefined ? undefined : toInstant(ms)).toBe(instant);
  });

  it.each([
    '2025-02-30T00:00:00Z',
    '2025-02-30',
    '2025-02-03T24:00:00Z',
    '2025-02-03T25:00:00Z',
    '2025-02-03T00:60:00Z',
    '2025-02-03T00:00:61Z',
    '2025-02-03T00:00:00',
    '2025-02-03T00:00Z',
    '2025-02-03T00:00:00.Z',
    '2025-02-03T00:00:00+24:00',
    '2025-02-03T00:00:00+02:60',
    '2025-02-03T00:00:00+0200',
    '2025-02-03T00:00:00 Z',
    '2025-02-03 00:00:00Z',
    '2025-02-03T00:00:00Z\n',
    ' 2025-02-03T00:00:00Z',
    '2025-W06-1',
    '1738540800',
    'now',
    '',
  ])('returns undefined for %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('reverses toInstant', () => {
    fc.assert(
      fc.property(instantMs(), (ms) => {
        expect(parseInstant(toInstant(ms))).toBe(ms);
      }),
    );
  });

  it('truncates toward the past', () => {
    fc.assert(
      fc.property(instantMs(), fc.integer({ min: 0, max: 999 }), (ms, rest) => {
        expect(toInstant(ms + rest)).toBe(toInstant(ms));
        expect(parseInstant(new Date(ms + rest).toISOString())).toBe(ms);
      }),
    );
  });
});

describe('endOfDayMs and wholeDaysBetween', () => {
  it('end a day at the start of the next', () => {
    expect(toInstant(endOfDayMs(toDayNumber('2024-02-28')))).toBe('2024-02-29T00:00:00Z');
    expect(toInstant(endOfDayMs(toDayNumber('2025-12-31')))).toBe('2026-01-01T00:00:00Z');
  });

  it.each([
    ['2026-08-21T00:00:00Z', '2026-08-21T00:00:00Z', 0],
    ['2026-08-21T00:00:00Z', '2026-08-21T23:59:59Z', 0],
    ['2026-08-21T00:00:00Z', '2026-08-22T00:00:00Z', 1],
    ['2026-08-20T12:00:00Z', '2026-08-23T11:59:59Z', 2],
    ['2026-08-21T00:00:01Z', '2026-08-21T00:00:00Z', -1],
  ])('count the whole days from %s to %s: %d', (from, to, days) => {
    expect(wholeDaysBetween(Date.parse(from), Date.parse(to))).toBe(days);
  });
});
