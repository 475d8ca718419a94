import {
  createCollectScene,
  dailyCsv,
  FIRST_DATE,
  type CollectScene,
} from '../support/collection/collect-scene.js';

const NEXT = '2026-03-27';
const NEXT_MORNING = '2026-03-28T06:15:00Z';

let scene: CollectScene;
beforeEach(async () => void (scene = await createCollectScene()));
afterEach(() => scene.dispose());

/** Writes days with metrics that base does not require: 1,000 and a little more each day, and at last far more. */
async function writeMore(...metrics: string[]): Promise<void> {
  const [head = '', ...rows] = dailyCsv(FIRST_DATE, NEXT).trim().split('\n');
  const lines = rows.map((row, i) => {
    const value = row.startsWith(NEXT) ? 90_000 : 1_000 + i;
    return [row, ...metrics.map(() => value)].join();
  });
  await scene.write('base.csv', `${[[head, ...metrics].join(), ...lines].join('\n')}\n`);
}

describe('a withheld value for which no date waits', () => {
  it('is named with the command that accepts it', async () => {
    await writeMore('new_addresses');
    const { code, stderr } = await scene.collect([], NEXT_MORNING);
    const named = `--accept ${NEXT}:new_addresses=90000`;
    expect({ code, lines: stderr.split('\n') }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(
          /^base: 2026-03-27 does without new_addresses, which is withheld\. jump: new_addresses is 90000, more than 6 times/,
        ),
        expect.stringMatching(
          new RegExp(`^ {2}If the value is true: generator collect .* ${named} --reason`),
        ),
        '',
      ],
    });
    expect(await scene.csv('base')).toMatch(/\n2026-03-27,100013,50013,,/);
    const accept = ['--chain', 'base', '--accept', `${NEXT}:new_addresses=90000`, '--reason', 'an airdrop'];
    expect(await scene.collect(accept, NEXT_MORNING)).toMatchObject({ code: 0, stderr: '' });
    expect(await scene.csv('base')).toContain('2026-03-27,100013,50013,90000,');
  });

  it('is one of five that are named, and of more that are counted', async () => {
    await writeMore(
      ...['new_addresses', 'failed_tx_count', 'gas_used', 'gas_limit_mean', 'l1_fees_total'],
      'gas_price_mean',
    );
    const { stderr } = await scene.collect([], NEXT_MORNING);
    const lines = stderr.split('\n');
    expect(lines.filter((line) => line.includes(' does without '))).toHaveLength(5);
    expect(lines[5]).toBe('base: and 1 more withheld value (--json lists all)');
    expect(lines[6]?.match(/--accept /g)).toHaveLength(5);
  });

  it('of a date that waits is named once, with what the date waits for', async () => {
    await writeMore('new_addresses');
    await scene.change('base.csv', `${NEXT},100013`, `${NEXT},900000`);
    const { stderr } = await scene.collect([], NEXT_MORNING);
    expect(stderr.match(/new_addresses is 90000/g)).toHaveLength(1);
  });

  it('is one that cannot be beside the others, even if the date before has none', async () => {
    const [head = '', ...rows] = dailyCsv(FIRST_DATE, NEXT).trim().split('\n');
    const lines = rows.map((row) => `${row},${row.startsWith(NEXT) ? '200000' : ''}`);
    await scene.write('base.csv', `${[`${head},failed_tx_count`, ...lines].join('\n')}\n`);
    const { code, stderr } = await scene.collect([], NEXT_MORNING);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^base: 2026-03-27 does without failed_tx_count, which is withheld\. relation: failed_tx_count is 200000, more than /,
    );
  });
});
