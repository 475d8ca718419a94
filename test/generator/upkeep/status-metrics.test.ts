import type { CollectedChain, CollectionStatus } from '../../../generator/upkeep/collection-status.js';
import { formatStatusMetrics } from '../../../generator/upkeep/status-metrics.js';
import type { SigningStatus } from '../../../generator/upkeep/signing-status.js';
import type { StoreStatus } from '../../../generator/upkeep/inspect-store.js';

const STATUS = {
  published_at: '2026-08-20T06:30:00Z',
  chains: { base: { updated_through: '2026-08-18' } },
  refusals: [],
  signing: null,
} as unknown as StoreStatus; // nothing else is read
const NOW = Date.parse('2026-08-20T13:00:00.900Z');

const BASE: CollectedChain = {
  through: '2026-08-18',
  late_seconds: 3600,
  awaited: [
    {
      date: '2026-08-19',
      since: '2026-08-20T06:15:00Z',
      until: '2026-08-20T12:00:00Z',
      overdue: true,
      missing: ['fee_median', 'tx_count'],
      sources: ['growthepie'],
      reasons: [],
      withheld: { tx_count: 'jump' },
    },
  ],
  drifts: [
    {
      date: '2026-08-18',
      metric: 'tx_count',
      source: 'growthepie',
      from: '1',
      to: '2',
      since: '2026-08-20T06:15:00Z',
      accept: '',
    },
  ],
};
const COLLECTION: CollectionStatus = {
  address: 's3://bucket/metrics',
  sequence: 3,
  as_of: '2026-08-20T06:15:00Z',
  chains: { base: BASE, arbitrum: { through: null, late_seconds: null, awaited: [], drifts: [] } },
};

/** Returns the value of each metric with its labels. */
function read(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]),
  );
}

describe('the metrics of a status', () => {
  it('have the release and what it waits for', () => {
    expect(read(formatStatusMetrics(STATUS, undefined, NOW))).toEqual({
      generator_status_timestamp_seconds: Date.parse('2026-08-20T13:00:00Z') / 1000,
      generator_release_timestamp_seconds: Date.parse('2026-08-20T06:30:00Z') / 1000,
      'generator_published_date_timestamp_seconds{chain="base"}': Date.parse('2026-08-18') / 1000,
      generator_refusals: 0,
    });
  });

  it('have how long signatures are valid, and 0 if readers refuse them', () => {
    const signing: SigningStatus = {
      key_set_version: 1,
      keys_expire: '2027-01-01T00:00:00Z',
      keys_days_left: 130,
      timestamp_expires: '2026-08-22T06:30:00Z',
      fault: null,
      remedy: null,
    };
    expect(read(formatStatusMetrics({ ...STATUS, signing }, undefined, NOW))).toMatchObject({
      generator_signature_expiry_timestamp_seconds: Date.parse('2026-08-22T06:30:00Z') / 1000,
      generator_signing_keys_expiry_timestamp_seconds: Date.parse('2027-01-01') / 1000,
    });
    const soon = { ...signing, keys_expire: '2026-08-21T00:00:00Z' };
    expect(read(formatStatusMetrics({ ...STATUS, signing: soon }, undefined, NOW))).toMatchObject({
      generator_signature_expiry_timestamp_seconds: Date.parse('2026-08-21') / 1000,
    });
    const refused = { ...signing, keys_expire: null, timestamp_expires: null };
    expect(read(formatStatusMetrics({ ...STATUS, signing: refused }, undefined, NOW))).toMatchObject({
      generator_signature_expiry_timestamp_seconds: 0,
      generator_signing_keys_expiry_timestamp_seconds: 0,
    });
  });

  it('have how late each collected chain is, and what it waits for', () => {
    expect(read(formatStatusMetrics(STATUS, COLLECTION, NOW))).toMatchObject({
      generator_collected_change_timestamp_seconds: Date.parse('2026-08-20T06:15:00Z') / 1000,
      'generator_collected_date_timestamp_seconds{chain="base"}': Date.parse('2026-08-18') / 1000,
      'generator_collected_late_seconds{chain="base"}': 3600,
      'generator_collected_awaited_dates{chain="base"}': 1,
      'generator_collected_awaited_dates{chain="arbitrum"}': 0,
      'generator_collected_overdue_dates{chain="base"}': 1,
      'generator_collected_drifts{chain="base"}': 1,
      'generator_collected_withheld_values{chain="base",rule="jump"}': 1,
      'generator_collected_withheld_values{chain="base",rule="whole"}': 0,
      'generator_collected_withheld_values{chain="arbitrum",rule="jump"}': 0,
    });
  });

  it('have no line for what is not known', () => {
    const text = formatStatusMetrics({ ...STATUS, published_at: null, chains: {} }, COLLECTION, NOW);
    expect(text).not.toMatch(/late_seconds\{chain="arbitrum"|generator_release|generator_published/);
  });

  it('are in the text format of Prometheus: a help line and a type for each name, before its values', () => {
    const text = formatStatusMetrics(STATUS, COLLECTION, NOW);
    for (const block of text.split(/^(?=# HELP)/m)) {
      const [, name = ''] = /^# HELP (\w+) [^\n]+\n/.exec(block) ?? [];
      const value = `${name}(\\{\\w+="[a-z-]+"(,\\w+="[a-z-]+")?\\})? \\d+\\n`;
      expect(block).toMatch(new RegExp(`^# HELP ${name} .+\\n# TYPE ${name} gauge\\n(${value})+$`));
    }
    expect(text.match(/^# TYPE/gm)).toHaveLength(11);
  });
});
