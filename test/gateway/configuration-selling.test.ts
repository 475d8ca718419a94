import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { soldPrices } from '../../gateway/core/billing/billing-settings.js';
import { variableOf, type VariableName } from '../../gateway/core/variables.js';
import { readConfiguration } from '../../gateway/io/environment.js';
import { blamed, configure, faultsOf, LEAST } from '../fixtures/environments.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const PLANTED = 'plantedsecret0123';
const KEY = `sk_live_${PLANTED}`;
const WEBHOOK = `whsec_${PLANTED}`;
const NEXT = `${WEBHOOK}/+_=`;
/** What is needed beside the key. */
const REST = {
  CRD_STRIPE_WEBHOOK_SECRET: WEBHOOK,
  CRD_STRIPE_PRICE_SINGLE_CHAIN: 'price_1Single',
  CRD_STRIPE_PRICE_RESEARCH: 'price_1Research',
  CRD_DASHBOARD_URL: 'https://dashboard.example.com/billing',
};
const SELLING = { ...LEAST, ...REST, CRD_STRIPE_SECRET_KEY: KEY };
const NEEDED = Object.keys(REST) as readonly (keyof typeof REST)[]; // keys of a closed literal

describe('a gateway that sells', () => {
  it('has its settings, and one without the variables has none', () => {
    expect(configure(SELLING).billing).toEqual({
      secretKey: KEY,
      webhookSecrets: [WEBHOOK],
      prices: { 'single-chain': ['price_1Single'], research: ['price_1Research'] },
      dashboardUrl: REST.CRD_DASHBOARD_URL,
    });
    const empty = Object.fromEntries([...NEEDED, 'CRD_STRIPE_SECRET_KEY'].map((name) => [name, '']));
    expect(configure({ ...LEAST, ...empty })).toEqual(configure(LEAST));
    expect(configure(LEAST)).not.toHaveProperty('billing');
  });

  it.each(NEEDED)('needs %s, also where it is empty', (name) => {
    const fault = `${name}: required with CRD_STRIPE_SECRET_KEY, for example ${variableOf(name).example}`;
    expect(faultsOf({ ...SELLING, [name]: undefined })).toEqual([fault]);
    expect(faultsOf({ ...SELLING, [name]: '' })).toEqual([fault]);
  });

  it.each(NEEDED)('is what %s is for', (name) => {
    expect(faultsOf({ ...LEAST, [name]: REST[name] })).toEqual([
      `${name}: has no effect without CRD_STRIPE_SECRET_KEY; set that too, or unset this`,
    ]);
  });

  it.each([
    ['price_1Single', 'price_1Single'],
    ['price_1Single, price_1Old', 'price_1Research,price_1Old'],
  ])('sells no two plans by one price: %s and %s', (single, research) => {
    const prices = { CRD_STRIPE_PRICE_SINGLE_CHAIN: single, CRD_STRIPE_PRICE_RESEARCH: research };
    expect(faultsOf({ ...SELLING, ...prices })).toEqual([
      'CRD_STRIPE_PRICE_RESEARCH: expected other prices than CRD_STRIPE_PRICE_SINGLE_CHAIN',
    ]);
  });

  it('sells by the first price of a plan, and knows the others', () => {
    const prices = ' price_1New , price_1Old,\tprice_1Oldest ';
    const { billing } = configure({ ...SELLING, CRD_STRIPE_PRICE_RESEARCH: prices });
    expect(billing?.prices.research).toEqual(['price_1New', 'price_1Old', 'price_1Oldest']);
    expect(billing && soldPrices(billing)).toEqual({
      'single-chain': 'price_1Single',
      research: 'price_1New',
    });
  });
});

describe('the mode of the key', () => {
  it.each([
    ['sk_live_plantedsecret0123', 'live'],
    ['rk_live_plantedsecret0123', 'live'],
    ['sk_live_planted_test_0123', 'live'],
    ['sk_test_plantedsecret0123', 'test'],
    ['rk_test_plantedsecret0123', 'test'],
    ['sk_test_planted_live_0123', 'test'],
    ['sk_test_x_live_y', 'test'],
  ] as const)('of %s is %s by its beginning, and must be that of CRD_KEY_MODE', (key, mode) => {
    const other = mode === 'live' ? 'test' : 'live';
    const env = { ...SELLING, CRD_STRIPE_SECRET_KEY: key };
    expect(faultsOf({ ...env, CRD_KEY_MODE: mode })).toEqual([]);
    expect(faultsOf({ ...env, CRD_KEY_MODE: other })).toEqual([
      `CRD_STRIPE_SECRET_KEY: expected a key of the mode ${other}, which CRD_KEY_MODE says`,
    ]);
  });

  it('is live where nothing else is said', () => {
    const key = 'sk_test_plantedsecret0123';
    expect(blamed({ ...SELLING, CRD_STRIPE_SECRET_KEY: key })).toEqual(['CRD_STRIPE_SECRET_KEY']);
  });
});

describe('the value of', () => {
  it.each<[VariableName, string, readonly string[]]>([
    ['CRD_STRIPE_WEBHOOK_SECRET', `${WEBHOOK},${NEXT}`, [WEBHOOK, NEXT]],
    ['CRD_STRIPE_WEBHOOK_SECRET', `  ${NEXT} ,  ${WEBHOOK} `, [NEXT, WEBHOOK]],
    ['CRD_STRIPE_WEBHOOK_SECRET', `${WEBHOOK}\n${NEXT}`, [WEBHOOK, NEXT]],
    ['CRD_STRIPE_PRICE_RESEARCH', 'price_a,price_b , price_c', ['price_a', 'price_b', 'price_c']],
  ])('%s may be a list: %j', (name, text, value) => {
    expect(variableOf(name).judge(text)).toEqual({ value });
  });

  it.each([
    'https://dashboard.example.com',
    'https://dashboard.example.com/?tab=billing',
    'http://localhost:3000/x',
  ])('CRD_DASHBOARD_URL may be %s', (text) => {
    expect(blamed({ ...SELLING, CRD_DASHBOARD_URL: text })).toEqual([]);
  });

  it.each<[VariableName, string[]]>([
    [
      'CRD_STRIPE_SECRET_KEY',
      [
        ...['sk_live_', 'sk_live_short', `pk_live_${PLANTED}`, `sk_prod_${PLANTED}`, `SK_LIVE_${PLANTED}`],
        ...[` ${KEY}`, `${KEY}\n`, `${KEY},${KEY}`, `${KEY}-x`, WEBHOOK, `sk_live_${'a'.repeat(251)}`],
      ],
    ],
    [
      'CRD_STRIPE_WEBHOOK_SECRET',
      [
        ...[`${WEBHOOK},`, `,${WEBHOOK}`, `${WEBHOOK},,${NEXT}`, `${WEBHOOK},${NEXT},${WEBHOOK}x`, KEY],
        ...['whsec_', 'whsec_short', PLANTED, `${WEBHOOK} ${NEXT}`, `${WEBHOOK}\n\n${NEXT}`],
      ],
    ],
    ['CRD_STRIPE_PRICE_SINGLE_CHAIN', ['price_', 'prod_1', 'price_1,', ',price_1', 'price_1,,price_2']],
    [
      'CRD_STRIPE_PRICE_RESEARCH',
      ['price_1,price_1', 'price_1 price_2', 'price_1;price_2', 'Price_1', `price_${'a'.repeat(251)}`, '49'],
    ],
    [
      'CRD_DASHBOARD_URL',
      [
        ...['http://dashboard.example.com/', 'dashboard.example.com', '/billing', 'https://u:p@a.example/'],
        ...['https://a.example/#x', 'javascript:alert(1)', 'https://a.example/ x', 'https://'],
      ],
    ],
  ])('%s must be one of its forms', (name, texts) => {
    for (const text of texts) expect([text, blamed({ ...SELLING, [name]: text })]).toEqual([text, [name]]);
  });
});

describe('the faults of selling', () => {
  it('are all told at once, each of them once', () => {
    const env = {
      ...LEAST,
      CRD_STRIPE_SECRET_KEY: `pk_live_${PLANTED}`,
      CRD_STRIPE_WEBHOOK_SECRET: `${PLANTED},${PLANTED}`,
      CRD_STRIPE_PRICE_SINGLE_CHAIN: 'price_1,price_1',
      CRD_DASHBOARD_URL: 'http://dashboard.example.com',
      CRD_STRIPE_PRICE: 'price_1',
    };
    expect(blamed(env)).toEqual([
      'CRD_STRIPE_SECRET_KEY',
      'CRD_STRIPE_WEBHOOK_SECRET',
      'CRD_STRIPE_PRICE_SINGLE_CHAIN',
      'CRD_DASHBOARD_URL',
      'CRD_STRIPE_PRICE_RESEARCH',
      'CRD_STRIPE_PRICE',
    ]);
  });

  it('never tell a secret', () => {
    const keys = [KEY, `sk_test_${PLANTED}`, `pk_live_${PLANTED}`, `sk_live_${PLANTED}!`, PLANTED, undefined];
    const secrets = [WEBHOOK, PLANTED, `${WEBHOOK},`, `${WEBHOOK},${WEBHOOK},${WEBHOOK}`, KEY, undefined];
    const all = keys.flatMap((key) =>
      secrets.map((secret) =>
        faultsOf({ ...SELLING, CRD_STRIPE_SECRET_KEY: key, CRD_STRIPE_WEBHOOK_SECRET: secret }).join('\n'),
      ),
    );
    expect(all.filter((faults) => faults === '')).toHaveLength(1); // of the sound pair
    expect(all.join('\n')).not.toContain(PLANTED);
  });
});

describe('a secret of selling in a file', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await createTemporaryFolder();
  });
  afterEach(() => folder.dispose());

  async function fileWith(name: string, text: string): Promise<string> {
    const file = path.join(folder.path, name);
    await writeFile(file, text);
    return file;
  }

  it('is read: the key, and the webhook secrets on lines of their own', async () => {
    const env = {
      ...SELLING,
      CRD_STRIPE_SECRET_KEY: '',
      CRD_STRIPE_SECRET_KEY_FILE: await fileWith('key', `${KEY}\n`),
      CRD_STRIPE_WEBHOOK_SECRET: '',
      CRD_STRIPE_WEBHOOK_SECRET_FILE: await fileWith('webhook', `${NEXT}\r\n${WEBHOOK}\r\n`),
    };
    expect(await readConfiguration(env)).toMatchObject({
      configuration: { billing: { secretKey: KEY, webhookSecrets: [NEXT, WEBHOOK] } },
    });
  });

  it.each(['CRD_STRIPE_SECRET_KEY', 'CRD_STRIPE_WEBHOOK_SECRET'] as const)(
    'is one fault alone when it cannot be read, or stands beside its variable: %s',
    async (name) => {
      const absent = path.join(folder.path, 'absent');
      const unread = await readConfiguration({ ...SELLING, [name]: '', [`${name}_FILE`]: absent });
      expect(unread).toEqual({
        faults: [`${name}: ${name}_FILE names ${absent}, which cannot be read (ENOENT)`],
      });
      const both = { ...SELLING, [`${name}_FILE`]: await fileWith('secret', SELLING[name]) };
      expect(await readConfiguration(both)).toEqual({
        faults: [`${name}: expected either ${name} or ${name}_FILE, not both`],
      });
    },
  );

  it('tells nothing of its text, and nothing else is read from a file', async () => {
    const file = await fileWith('secret', `${PLANTED}\n`);
    const names = ['CRD_STRIPE_SECRET_KEY_FILE', 'CRD_STRIPE_WEBHOOK_SECRET_FILE', 'CRD_DASHBOARD_URL_FILE'];
    const files = Object.fromEntries(names.map((name) => [name, file]));
    const judged = await readConfiguration({
      ...SELLING,
      CRD_STRIPE_SECRET_KEY: '',
      CRD_STRIPE_WEBHOOK_SECRET: '',
      ...files,
    });
    expect(judged).toEqual({
      faults: [
        expect.stringMatching(/^CRD_STRIPE_SECRET_KEY: expected a secret or restricted key/),
        expect.stringMatching(/^CRD_STRIPE_WEBHOOK_SECRET: expected one secret that begins with whsec_/),
        'CRD_DASHBOARD_URL_FILE: the gateway has no such variable',
      ],
    });
    expect(JSON.stringify(judged)).not.toContain(PLANTED);
  });
});
