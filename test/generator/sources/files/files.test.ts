import type { CollectedDay } from '../../../../generator/core/collection/day-values.js';
import type { FilesOptions } from '../../../../generator/sources/files/files.js';
import { toDayNumber } from '../../../../schemas/dates.js';
import type { Chain } from '../../../../schemas/types.generated.js';
import { describeSource } from '../../../contract/source.js';
import { createFilesScene, type FilesScene } from '../../../support/sources/files-scene.js';

const SIGNAL = new AbortController().signal;
const SPAN = { first: '2026-03-20', last: '2026-03-26' };
const DATES = ['20', '21', '22', '23', '24', '25', '26'].map((day) => `2026-03-${day}`);

/** The form of Coin Metrics' own files, without most of their columns. */
const COIN_METRICS = [
  'time,AdrActCnt,FeeTotNtv,GasUsedTx,HashRate,PriceUSD,TxCnt',
  ...DATES.map((date, i) => `${date},70045${i},3.14159265358979323${i + 1},,812345678.5,65000.1,40012${i}`),
];
const MAPPING = {
  tx_count: { column: 'TxCnt', unit: 'transactions' },
  fees_total: { column: 'FeeTotNtv', unit: 'BTC' },
  hash_rate: { column: 'HashRate', unit: 'TH/s' },
} as const;
const MAPPED: Partial<FilesOptions> = {
  dateColumn: 'time',
  chains: { bitcoin: { file: 'btc.csv', columns: MAPPING } },
};
const CANONICAL = ['date,tx_count,gas_used,colour', ...DATES.map((date, i) => `${date},10${i},2000${i},red`)];

const toText = (lines: readonly string[], end = '\n'): string =>
  lines.map((line) => `${line}${end}`).join('');

async function createScene(): Promise<FilesScene> {
  const scene = await createFilesScene();
  await scene.write('btc.csv', toText(COIN_METRICS));
  await scene.write('base.csv', toText(CANONICAL));
  return scene;
}

for (const [name, chain, from, options] of [
  ['of the product', 'base', ',101,', {}],
  ['of Coin Metrics', 'bitcoin', ',400121', MAPPED],
] as const) {
  describeSource(`files with the header ${name}`, async () => {
    const scene = await createScene();
    return {
      create: () => scene.create(options),
      chains: [chain],
      span: SPAN,
      revise: (_chain, _date) =>
        scene.change(chain === 'base' ? 'base.csv' : 'btc.csv', from, from.replace('1', '9')),
      expectServed: scene.expectServed,
      dispose: scene.dispose,
    };
  });
}

describe('files', () => {
  let scene: FilesScene;
  beforeEach(async () => {
    scene = await createScene();
  });
  afterEach(() => scene.dispose());

  const day = async (chain: Chain, date: string, options?: Partial<FilesOptions>): Promise<CollectedDay> =>
    scene.create(options).day(chain, date, SIGNAL);
  const failureOf = async (text: string, options: Partial<FilesOptions> = {}): Promise<unknown> => {
    await scene.write('base.csv', text);
    return day('base', '2026-03-26', options).catch((error: unknown) => error);
  };

  it('reads the file of Coin Metrics with a mapping, and nothing in dollars', async () => {
    const { values, evidence } = await day('bitcoin', '2026-03-21', MAPPED);
    expect(values).toEqual({
      tx_count: '400121',
      fees_total: '3.141592653589793232',
      hash_rate: '812345678.5',
    });
    expect(JSON.stringify(evidence)).not.toContain(scene.folder);
    expect(evidence).toMatchObject({ responses: [{ url: 'files:btc.csv' }] });
  });

  it('states what the operator states', () => {
    const facts = {
      licence: 'contract 17',
      resale: 'unknown',
      attribution: 'Source: us',
      settlingDays: 2,
    } as const;
    expect(scene.create({ ...facts, completeFrom: '03:00', definitions: ['x'] }).facts).toMatchObject({
      ...facts,
      completeFrom: '03:00',
      definitions: ['x'],
    });
  });

  it.each([
    ['bitcoin', 'fees_total', 'satoshi', '123456789012345678901', '1234567890123.45678901'],
    ['bitcoin', 'fee_median', 'BTC', '1.50e-06', '0.0000015'],
    ['bitcoin', 'hash_rate', 'EH/s', '812.345678123456789', '812345678.123456789'],
    ['bitcoin', 'hash_rate', 'H/s', '1', '0.000000000001'],
    ['bitcoin', 'block_size', 'MB', '230.5', '230500000'],
    ['ethereum', 'fees_total', 'wei', '1000000000000000001', '1.000000000000000001'],
    ['ethereum', 'fee_median', 'gwei', '12345.6789', '0.0000123456789'],
    ['ethereum', 'gas_price_mean', 'wei', '1500000000', '1.5'],
    ['ethereum', 'gas_price_mean', 'ETH', '0.0000000015', '1.5'],
    ['base', 'gas_used', 'Mgas', '1750570.666589', '1750570666589'],
    ['base', 'l1_fees_total', 'gwei', '0.000', '0'],
    ['arbitrum', 'tx_count', 'transactions', '9.0', '9'],
    ['arbitrum', 'tx_count', 'transactions', '301000.', '301000'],
    ['bitcoin', 'block_size', 'MB', '.5', '500000'],
    ['bitcoin', 'fees_total', 'satoshi', '1e20', '1000000000000'],
    ['bitcoin', 'fees_total', 'BTC', '-0.0', '0'],
  ] as const)('converts %s %s in %s without loss', async (chain, metric, unit, text, value) => {
    await scene.write(`${chain}.csv`, `date,x\n2026-03-26,${text}\n`);
    expect((await day(chain, '2026-03-26', { columns: { [metric]: { column: 'x', unit } } })).values).toEqual(
      {
        [metric]: value,
      },
    );
  });

  it.each([
    ['a byte order mark', `\uFEFF${toText(CANONICAL)}`],
    ['Windows line ends', toText(CANONICAL, '\r\n')],
    ['quoted cells', toText(CANONICAL).replaceAll('red', '"red, or not"')],
    ['times at midnight', toText(CANONICAL).replace(/^(2026-03-\d\d)/gm, '$1T00:00:00.000000000Z')],
    ['times with a zone', toText(CANONICAL).replace(/^(2026-03-\d\d)/gm, '$1 00:00:00+00:00')],
    [
      'Unix seconds',
      toText(CANONICAL).replace(/^2026-03-\d\d/gm, (date) => String(toDayNumber(date) * 86_400)),
    ],
  ])('reads %s', async (_name, text) => {
    await scene.write('base.csv', text);
    expect((await day('base', '2026-03-21')).values).toEqual({ tx_count: '101', gas_used: '20001' });
  });

  it('takes an empty cell for a missing value, and does not offer a date without values', async () => {
    await scene.write('base.csv', 'date,tx_count,gas_used\n2026-03-24,,\n2026-03-25,,5\n2026-03-26,1,2\n');
    const source = scene.create();
    expect([...(await source.days('base', SPAN, SIGNAL)).keys()]).toEqual(['2026-03-25', '2026-03-26']);
    expect((await source.day('base', '2026-03-25', SIGNAL)).values).toEqual({ gas_used: '5' });
    await expect(source.day('base', '2026-03-24', SIGNAL)).rejects.toMatchObject({ code: 'not-yet' });
  });

  it('does not offer a date that has not ended', async () => {
    await scene.write('base.csv', 'date,tx_count\n2026-03-26,1\n2026-03-27,1\n');
    const span = { first: '2026-03-26', last: '2026-03-27' };
    expect([...(await scene.create().days('base', span, SIGNAL)).keys()]).toEqual(['2026-03-26']);
  });

  it('keeps the mark of a date when only a column changes that is not mapped', async () => {
    const marks = async (): Promise<unknown> => scene.create(MAPPED).days('bitcoin', SPAN, SIGNAL);
    const before = await marks();
    scene.change('btc.csv', ',65000.1,', ',65001.2,');
    expect(await marks()).toEqual(before);
  });

  it('has no dates of a chain of which no metric is mapped, and needs no file for it', async () => {
    const columns = { hash_rate: { column: 'HashRate', unit: 'TH/s' } };
    expect(await scene.create({ columns }).days('ethereum', SPAN, SIGNAL)).toEqual(new Map());
  });

  it('is unavailable without the file or the folder', async () => {
    await expect(day('arbitrum', '2026-03-26')).rejects.toMatchObject({
      code: 'unavailable',
      message: `ours: arbitrum.csv: there is no such file in ${scene.folder}.`,
    });
    const gone = scene.create();
    await scene.dispose();
    await expect(gone.day('base', '2026-03-26', SIGNAL)).rejects.toMatchObject({ code: 'unavailable' });
  });

  describe('refuses in a file', () => {
    it.each([
      [
        'NaN',
        'date,tx_count\n2026-03-26,NaN\n',
        'base.csv:2:2: tx_count "NaN" is not finite. Write a finite number,',
      ],
      [
        'infinity',
        'date,tx_count\n2026-03-26,inf\n',
        'base.csv:2:2: tx_count "inf" is not finite. Write a finite number, or leave the cell empty when the value is missing.',
      ],
      [
        'a negative number',
        'date,tx_count\n2026-03-26,-1\n',
        'base.csv:2:2: tx_count "-1" is negative. Metrics are never negative: correct it,',
      ],
      [
        'a fraction as a count',
        'tx_count,date\n1.5,2026-03-26\n',
        'base.csv:2:1: tx_count "1.5" is not a whole number. Write a whole number of transactions, or leave the cell empty when the value is missing.',
      ],
      [
        'thousands separators',
        'date,tx_count\n2026-03-26,"1,000"\n',
        'base.csv:2:2: tx_count "1,000" is not a number. Write a decimal',
      ],
      [
        'a date twice',
        'date,tx_count\n2026-03-25,1\n2026-03-25,1\n',
        'base.csv:3: expected a date after 2026-03-25',
      ],
      [
        'dates that descend',
        'date,tx_count\n2026-03-26,1\n2026-03-25,1\n',
        'base.csv:3: expected a date after 2026-03-26',
      ],
      [
        'a date that does not exist',
        'date,tx_count\n2026-02-30,1\n',
        'base.csv:2:1: expected a date as YYYY-MM-DD',
      ],
      ['a time of day', 'date,tx_count\n2026-03-26T01:00:00Z,1\n', 'base.csv:2:1: expected a date'],
      ['a second after midnight', 'date,tx_count\n1774483201,1\n', 'base.csv:2:1: expected a date'],
      ['a date with slashes', 'date,tx_count\n3/26/2026,1\n', 'base.csv:2:1: expected a date'],
      [
        'a time in another zone',
        'date,tx_count\n2026-03-26T00:00:00+02:00,1\n',
        'base.csv:2:1: expected a date',
      ],
      [
        'a short row',
        'date,tx_count,gas_used\n2026-03-26,1\n',
        'base.csv:2: expected 3 cells as in the header, got 2.',
      ],
      [
        'semicolons',
        'date;tx_count\n2026-03-26;1\n',
        'base.csv:1: its columns are separated by semicolons: separate them by commas.',
      ],
      [
        'tabs',
        'date\ttx_count\n2026-03-26\t1\n',
        'base.csv:1: its columns are separated by tabs: separate them by commas.',
      ],
      [
        'no date',
        'day,tx_count\n2026-03-26,1\n',
        'base.csv:1: expected a column "date", got no such column.',
      ],
      ['no metric', 'date,colour\n2026-03-26,red\n', 'base.csv:1: expected a column of a metric, got none.'],
      [
        'a column twice',
        'date,tx_count,tx_count\n2026-03-26,1,1\n',
        'base.csv:1: expected one column "tx_count", got several.',
      ],
      ['nothing', '', 'base.csv: expected a header, got an empty file.'],
      [
        'an end in the middle',
        'date,tx_count\n2026-03-26,1',
        'base.csv:2: expected a line end after the last row',
      ],
      ['an open quote', 'date,tx_count\n"2026-03-26,1\n', 'base.csv:2: not CSV'],
      [
        'a NUL character, as in UTF-16',
        'date,tx_count\n2026-03-26,1\u0000\n',
        'base.csv:2:2: tx_count "1?" is not a number. Write a decimal',
      ],
    ])('%s', async (_name, text, message) => {
      expect(await failureOf(text)).toMatchObject({
        code: 'shape',
        message: expect.stringContaining(`ours: ${message}`.replace(/^ours: got/, 'got')),
      });
    });

    const BOUNDS = ['-0,1e16,1', '0,9007199254740993,1', '0,1,1e17', '0,1,1e-31'];
    it.each(BOUNDS)('a value that publish would refuse: %s', async (cells) => {
      const [, , fees] = cells.split(',');
      const at = fees === '1' ? 'base.csv:2:3: tx_count ' : 'base.csv:2:4: fees_total ';
      const error = await failureOf(`date,gas_used,tx_count,fees_total\n2026-03-26,${cells}\n`);
      expect(error).toMatchObject({ code: 'shape', message: expect.stringContaining(`ours: ${at}`) });
      expect((error as Error).message).toMatch(
        /is (above 2\^53|below 1e-30).*\. Check the unit of the column\.$/,
      );
    });

    it.each([
      ['block_size', 'MB', '0.0000001', '"0.0000001" (0.1 bytes) is not a whole number.'],
      ['fees_total', 'satoshi', '1e25', '"1e25" (100000000000000000 native coin) is above 2^53'],
      ['block_size', 'MB', 'many', '"many" is not a number. Write a decimal such as 12.5'],
    ])(
      'a value of %s in %s by the number in the unit of the catalog',
      async (metric, unit, text, message) => {
        await scene.write('bitcoin.csv', `date,x\n2026-03-26,${text}\n`);
        const columns = { [metric]: { column: 'x', unit } };
        await expect(day('bitcoin', '2026-03-26', { columns })).rejects.toMatchObject({
          code: 'shape',
          message: expect.stringContaining(`ours: bitcoin.csv:2:2: x ${message}`),
        });
      },
    );

    it('a fraction in another unit, with the unit of the column as remedy', async () => {
      await scene.write('bitcoin.csv', 'date,x\n2026-03-26,0.0000001\n');
      const columns = { block_size: { column: 'x', unit: 'MB' } };
      await expect(day('bitcoin', '2026-03-26', { columns })).rejects.toThrow(
        /Check that the column is in MB, or leave the cell empty when the value is missing\.$/,
      );
    });

    it('a missing column of the mapping', async () => {
      const columns = { tx_count: { column: 'TxCnt', unit: 'transactions' } };
      const message = 'ours: base.csv:1: expected a column "TxCnt", got no such column.';
      expect(await failureOf(toText(CANONICAL), { columns })).toMatchObject({ code: 'shape', message });
    });
  });

  describe('refuses as usage', () => {
    const map = (metric: string, column: string, unit: string): Partial<FilesOptions> => ({
      chains: { ethereum: { columns: { [metric]: { column, unit } } } },
    });

    it.each([
      [
        'a column in dollars',
        map('fees_total', 'FeeTotUSD', 'ETH'),
        'ours: the column "FeeTotUSD" of fees_total looks like a price',
      ],
      ['a column in spelled dollars', map('fees_total', 'fees in dollars', 'ETH'), 'looks like a price'],
      ['a price', map('tx_count', 'price', 'transactions'), 'looks like a price'],
      ['a price of gas in dollars', map('gas_price_mean', 'gas_price_usd', 'gwei'), 'looks like a price'],
      [
        'an unknown unit',
        map('fees_total', 'fees', 'satoshi'),
        'the unknown unit "satoshi". Use native coin, ETH, gwei, wei in the policy.',
      ],
      ['a unit of the prototype', map('fees_total', 'fees', 'constructor'), 'the unknown unit "constructor"'],
      [
        'a metric that the chain lacks',
        map('hash_rate', 'HashRate', 'TH/s'),
        'there is no metric "hash_rate"',
      ],
      ['a path', { chains: { ethereum: { file: '../eth.csv' } } }, '"../eth.csv" is not the name of a file'],
      ['a parent folder', { chains: { ethereum: { file: '..' } } }, '".." is not the name of a file'],
    ])('%s', (_name, options, message) => {
      expect(caught(() => scene.create(options))).toMatchObject({
        exit: 'usage',
        message: expect.stringContaining(message),
      });
    });

    it('a price in the mapping of all chains, and a unit of another chain when it is used', async () => {
      const fees = (column: string): Partial<FilesOptions> => ({
        columns: { fees_total: { column, unit: 'BTC' } },
      });
      expect(caught(() => scene.create(fees('fee_eur')))).toMatchObject({ exit: 'usage' });
      await expect(day('base', '2026-03-26', fees('fees'))).rejects.toMatchObject({
        exit: 'usage',
        message:
          'ours: base: fees_total has the unknown unit "BTC". Use native coin, ETH, gwei, wei in the policy.',
      });
    });

    it.each(['Value', 'Market transactions', 'Capacity', 'UniqueValue(UTC)'])(
      'but not a column "%s" whose metric and unit the mapping names',
      (column) => {
        expect(() => scene.create(map('tx_count', column, 'transactions'))).not.toThrow();
      },
    );

    it('but not the price of gas, which is a metric', async () => {
      await scene.write('ethereum.csv', 'date,Gas Price\n2026-03-26,7\n');
      const { values } = await day('ethereum', '2026-03-26', map('gas_price_mean', 'Gas Price', 'gwei'));
      expect(values).toEqual({ gas_price_mean: '7' });
    });
  });

  describe('the probe', () => {
    it('compares the header with the mapping, and the newest date with yesterday', async () => {
      const source = scene.create(MAPPED);
      expect(await source.probe('bitcoin', SIGNAL)).toEqual([
        { item: 'column time of btc.csv', expected: 'dates', found: 'column 1', agrees: true },
        {
          item: 'column TxCnt of btc.csv',
          expected: 'tx_count, unit transactions',
          found: 'column 7',
          agrees: true,
        },
        {
          item: 'column FeeTotNtv of btc.csv',
          expected: 'fees_total, unit BTC',
          found: 'column 3',
          agrees: true,
        },
        {
          item: 'column HashRate of btc.csv',
          expected: 'hash_rate, unit TH/s',
          found: 'column 5',
          agrees: true,
        },
        { item: 'newest date of btc.csv', expected: '2026-03-26', found: '2026-03-26', agrees: true },
      ]);
    });

    it('shows a missing column, a fault in a row and a late date', async () => {
      scene.change('btc.csv', 'TxCnt', 'TxCount');
      const differences = async (): Promise<unknown> =>
        (await scene.create(MAPPED).probe('bitcoin', SIGNAL))
          .filter(({ agrees }) => !agrees)
          .map(({ item, found }) => `${item}: ${found}`);
      expect(await differences()).toEqual([
        'column TxCnt of btc.csv: no such column',
        'rows of btc.csv: ours: btc.csv:1: expected a column "TxCnt", got no such column.',
      ]);
      await scene.write('btc.csv', toText(COIN_METRICS.slice(0, -1)));
      expect(await differences()).toEqual(['newest date of btc.csv: 2026-03-25']);
    });
  });
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
