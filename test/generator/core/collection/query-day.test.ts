import { METRICS, metricsOf } from '../../../../schemas/catalog.js';
import type { Chain } from '../../../../schemas/types.generated.js';
import { toQueryDay, type TextRow } from '../../../../generator/core/collection/query-day.js';

const EVM: TextRow = {
  date: '2026-01-01',
  block_count: '3',
  block_numbers: '3',
  first_block: '10',
  last_block: '12',
  block_tx_count: '5',
  gas_used: '300',
  gas_limit_sum: '100',
  all_rows: '5',
  all_gas: '300',
  tx_count: '4',
  failed_tx_count: '1',
  status_missing: '0',
  type_missing: '0',
  fee_missing: '0',
  fee_disagrees: '0',
  active_addresses: '7',
  tx_gas_used: '150',
  l2_fees: '300000000000',
  fees: '1000000000000000001',
  fee_median_x2: '3',
};
const BITCOIN: TextRow = {
  date: '2026-01-01',
  bits: '1d00ffff',
  block_count: '2',
  block_numbers: '2',
  first_block: '10',
  last_block: '11',
  block_tx_count: '5',
  block_size: '600',
  block_weight: '2000',
  all_rows: '8',
  coinbase_count: '3',
  output_missing: '0',
  coinbase_output: '1000000500',
  tx_count: '5',
  fee_missing: '0',
  active_addresses: '9',
  fees: '500',
  fee_median_x2: '201',
};
const LATER: TextRow = {
  ...BITCOIN,
  bits: '1b0404cb',
  block_count: '1',
  block_numbers: '1',
  first_block: '12',
  last_block: '12',
  block_tx_count: '3',
  block_size: '300',
  block_weight: '1000',
};

describe('a day of base', () => {
  it('has its values in the units of the catalog', () => {
    expect(toQueryDay('base', [EVM]).values).toEqual({
      tx_count: '4',
      active_addresses: '7',
      failed_tx_count: '1',
      block_count: '3',
      gas_used: '300',
      gas_limit_mean: '33.333333333333333333',
      gas_price_mean: '2',
      fees_total: '1.000000000000000001',
      fee_median: '0.0000000000000000015',
    });
  });

  it('has all integers of the query as counts', () => {
    const { date: _date, ...integers } = EVM;
    expect(toQueryDay('base', [EVM]).counts).toEqual(integers);
  });

  it('has no value where there is nothing to take a mean or median of', () => {
    const empty = { ...EVM, tx_count: '0', tx_gas_used: '0', l2_fees: '0', fees: '0', fee_median_x2: null };
    const { values } = toQueryDay('base', [empty]);
    expect(values).not.toHaveProperty('gas_price_mean');
    expect(values).not.toHaveProperty('fee_median');
    expect(values).toMatchObject({ tx_count: '0', fees_total: '0' });
  });

  it('has no value where a block lacks it, and no count', () => {
    const day = toQueryDay('base', [{ ...EVM, gas_used: null, gas_limit_sum: null }]);
    expect(day.values).not.toHaveProperty('gas_used');
    expect(day.values).not.toHaveProperty('gas_limit_mean');
    expect(day.counts).not.toHaveProperty('gas_used');
  });
});

describe('a day of ethereum or arbitrum', () => {
  it('has a mean gas price of all fees', () => {
    const { l2_fees: _fees, ...row } = EVM;
    expect(toQueryDay('ethereum', [row]).values.gas_price_mean).toBe('6666666.6666666666733');
  });

  it('has no gas limit on arbitrum', () => {
    const { gas_limit_sum: _limit, l2_fees: _fees, ...row } = EVM;
    expect(toQueryDay('arbitrum', [row]).values).not.toHaveProperty('gas_limit_mean');
  });
});

describe('a day of bitcoin', () => {
  it('adds up the blocks of both difficulties, and takes the transactions once', () => {
    const { values, counts } = toQueryDay('bitcoin', [BITCOIN, LATER]);
    expect(values).toMatchObject({
      tx_count: '5',
      block_count: '3',
      block_size: '900',
      block_weight: '3000',
      fees_total: '0.000005',
      fee_median: '0.000001005',
      issuance: '10',
    });
    expect(Number(values.difficulty)).toBeCloseTo((2 + 16307.420938523983) / 3, 9);
    expect(counts).toMatchObject({
      block_count: '3',
      block_tx_count: '8',
      first_block: '10',
      last_block: '12',
      all_rows: '8',
      bits_1d00ffff: '2',
      bits_1b0404cb: '1',
    });
  });

  it('lacks the size of its blocks if those of one difficulty lack it', () => {
    const { values } = toQueryDay('bitcoin', [BITCOIN, { ...LATER, block_size: null }]);
    expect(values).not.toHaveProperty('block_size');
    expect(values.block_weight).toBe('3000');
  });

  it('is refused if its rows differ in the transactions', () => {
    expect(() => toQueryDay('bitcoin', [BITCOIN, { ...LATER, tx_count: '6' }])).toThrow(
      new RangeError('the rows of a date differ in tx_count'),
    );
    expect(() => toQueryDay('bitcoin', [{ ...BITCOIN, fee_median_x2: null }, LATER])).toThrow(RangeError);
  });
});

describe('a row that is not as the query promises', () => {
  it.each<[string, Chain, TextRow[]]>([
    ['a number with a fraction', 'base', [{ ...EVM, fees: '1.5' }]],
    ['a number with an exponent', 'base', [{ ...EVM, fees: '1e18' }]],
    ['two rows of a day without difficulties', 'base', [EVM, EVM]],
    ['no row', 'bitcoin', []],
    ['bits that are missing', 'bitcoin', [{ ...BITCOIN, bits: null }]],
  ])('is refused: %s', (_what, chain, rows) => {
    expect(() => toQueryDay(chain, rows)).toThrow(RangeError);
  });
});

it.each<[Chain, TextRow]>([
  ['bitcoin', BITCOIN],
  ['ethereum', EVM],
  ['base', EVM],
])('each value of %s is a metric that the catalog has for the chain', (chain, row) => {
  const names = Object.keys(toQueryDay(chain, [row]).values);
  expect(metricsOf(chain)).toEqual(expect.arrayContaining(names));
  expect(Object.keys(METRICS)).toEqual(expect.arrayContaining(names));
});
