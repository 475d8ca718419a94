import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { soldPrices } from '../../../../gateway/core/billing/billing-settings.js';
import { variableOf, type VariableName } from '../../../../gateway/core/configuration/variables.js';
import { readConfiguration } from '../../../../gateway/io/configuration/environment.js';
import { faultyVariables, configure, faultsOf, MINIMAL } from '../../../support/gateway/environments.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

const PLANTED = 'plantedsecret0123';
const KEY = `sk_live_${PLANTED}`;
const WEBHOOK = `whsec_${PLANTED}`;
const NEXT = `${WEBHOOK}/+_=`;
/** The variables that the secret key requires. */
const REST = {
  CRD_STRIPE_WEBHOOK_SECRET: WEBHOOK,
  CRD_STRIPE_PRICE_SINGLE_CHAIN: 'price_1Single',
  CRD_STRIPE_PRICE_RESEARCH: 'price_1Research',
  CRD_DASHBOARD_URL: 'https://dashboard.example.com/billing',
};
const SELLING = { ...MINIMAL, ...REST, CRD_STRIPE_SECRET_KEY: KEY };
const NEEDED = Object.keys(REST) as readonly (keyof typeof REST)[]; // keys of a closed literal

describe('a gateway that sells', () => {
  it('has billing settings only if the variables are set', () => {
    expect(configure(SELLING).billing).toEqual({
      secretKey: KEY,
      webhookSecrets: [WEBHOOK],
      prices: { 'single-chain': ['price_1Single'], research: ['price_1Research'] },
      dashboardUrl: REST.CRD_DASHBOARD_URL,
    });
    const empty = Object.fromEntries([...NEEDED, 'CRD_STRIPE_SECRET_KEY'].map((name) => [name, '']));
    expect(configure({ ...MINIMAL, ...empty })).toEqual(configure(MINIMAL));
    expect(configure(MINIMAL)).not.toHaveProperty('billing');
  });

  it.each(NEEDED)('requires %s, and treats an empty one as unset', (name) => {
    const fault = `${name}: required with CRD_STRIPE_SECRET_KEY, for example ${variableOf(name).example}`;
    expect(faultsOf({ ...SELLING, [name]: undefined })).toEqual([fault]);
    expect(faultsOf({ ...SELLING, [name]: '' })).toEqual([fault]);
  });

  it.each(NEEDED)('cannot set %s without CRD_STRIPE_SECRET_KEY', (name) => {
    expect(faultsOf({ ...MINIMAL, [name]: REST[name] })).toEqual([
      `${name}: has no effect without CRD_STRIPE_SECRET_KEY; set both, or unset this one`,
    ]);
  });

  it.each([
    ['price_1Single', 'price_1Single'],
    ['price_1Single, price_1Old', 'price_1Research,price_1Old'],
  ])('rejects a price that two plans share: %s and %s', (single, research) => {
    const prices = { CRD_STRIPE_PRICE_SINGLE_CHAIN: single, CRD_STRIPE_PRICE_RESEARCH: research };
    expect(faultsOf({ ...SELLING, ...prices })).toEqual([
      'CRD_STRIPE_PRICE_RESEARCH: expected no price of CRD_STRIPE_PRICE_SINGLE_CHAIN',
    ]);
  });

  it('sells at the first price of a plan, and recognizes the others', () => {
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
  ] as const)('of %s is %s by its prefix, and must match CRD_KEY_MODE', (key, mode) => {
    const other = mode === 'live' ? 'test' : 'live';
    const env = { ...SELLING, CRD_STRIPE_SECRET_KEY: key };
    expect(faultsOf({ ...env, CRD_KEY_MODE: mode })).toEqual([]);
    expect(faultsOf({ ...env, CRD_KEY_MODE: other })).toEqual([
      `CRD_STRIPE_SECRET_KEY: expected a ${other} mode key, because CRD_KEY_MODE is ${other}`,
    ]);
  });

  it('is live by default', () => {
    const key = 'sk_test_plantedsecret0123';
    expect(faultyVariables({ ...SELLING, CRD_STRIPE_SECRET_KEY: key })).toEqual(['CRD_STRIPE_SECRET_KEY']);
  });
});

describe('the value of', () => {
  it.each<[VariableName, string, readonly string[]]>([
    ['CRD_STRIPE_WEBHOOK_SECRET', `${WEBHOOK},${NEXT}`, [WEBHOOK, NEXT]],
    ['CRD_STRIPE_WEBHOOK_SECRET', `  ${NEXT} ,  ${WEBHOOK} `, [NEXT, WEBHOOK]],
    ['CRD_STRIPE_WEBHOOK_SECRET', `${WEBHOOK}\n${NEXT}`, [WEBHOOK, NEXT]],
    ['CRD_STRIPE_PRICE_RESEARCH', 'price_a,price_b , price_c', ['price_a', 'price_b', 'price_c']],
  ])('%s can be a list: %j', (name, text, value) => {
    expect(variableOf(name).parse(text)).toEqual({ value });
  });

  it.each([
    'https://dashboard.example.com',
    'https://dashboard.example.com/?tab=billing',
    'http://localhost:3000/x',
  ])('CRD_DASHBOARD_URL can be %s', (text) => {
    expect(faultyVariables({ ...SELLING, CRD_DASHBOARD_URL: text })).toEqual([]);
  });

  it.each<[VariableName, string[]]>([
    [
      'CRD_STRIPE_SECRET_KEY',
      [
        'sk_live_',
        'sk_live_short',
        `pk_live_${PLANTED}`,
        `sk_prod_${PLANTED}`,
        `SK_LIVE_${PLANTED}`,
        ` ${KEY}`,
        `${KEY}\n`,
        `${KEY},${KEY}`,
        `${KEY}-x`,
        WEBHOOK,
        `sk_live_${'a'.repeat(251)}`,
      ],
    ],
    [
      'CRD_STRIPE_WEBHOOK_SECRET',
      [
        `${WEBHOOK},`,
        `,${WEBHOOK}`,
        `${WEBHOOK},,${NEXT}`,
        `${WEBHOOK},${NEXT},${WEBHOOK}x`,
        KEY,
        'whsec_',
        'whsec_short',
        PLANTED,
        `${WEBHOOK} ${NEXT}`,
        `${WEBHOOK}\n\n${NEXT}`,
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
        'http://dashboard.example.com/',
        'dashboard.example.com',
        '/billing',
        'https://u:p@a.example/',
        'https://a.example/#x',
        'javascript:alert(1)',
        'https://a.example/ x',
        'https://',
      ],
    ],
  ])('%s rejects other forms', (name, texts) => {
    for (const text of texts)
      expect([text, faultyVariables({ ...SELLING, [name]: text })]).toEqual([text, [name]]);
  });
});

describe('billing faults', () => {
  it('are all reported at once, each of them once', () => {
    const env = {
      ...MINIMAL,
      CRD_STRIPE_SECRET_KEY: `pk_live_${PLANTED}`,
      CRD_STRIPE_WEBHOOK_SECRET: `${PLANTED},${PLANTED}`,
      CRD_STRIPE_PRICE_SINGLE_CHAIN: 'price_1,price_1',
      CRD_DASHBOARD_URL: 'http://dashboard.example.com',
      CRD_STRIPE_PRICE: 'price_1',
    };
    expect(faultyVariables(env)).toEqual([
      'CRD_STRIPE_SECRET_KEY',
      'CRD_STRIPE_WEBHOOK_SECRET',
      'CRD_STRIPE_PRICE_SINGLE_CHAIN',
      'CRD_DASHBOARD_URL',
      'CRD_STRIPE_PRICE_RESEARCH',
      'CRD_STRIPE_PRICE',
    ]);
  });

  it('never contain a secret', () => {
    const keys = [KEY, `sk_test_${PLANTED}`, `pk_live_${PLANTED}`, `sk_live_${PLANTED}!`, PLANTED, undefined];
    const secrets = [WEBHOOK, PLANTED, `${WEBHOOK},`, `${WEBHOOK},${WEBHOOK},${WEBHOOK}`, KEY, undefined];
    const messages = keys.flatMap((key) =>
      secrets.map((secret) =>
        faultsOf({ ...SELLING, CRD_STRIPE_SECRET_KEY: key, CRD_STRIPE_WEBHOOK_SECRET: secret }).join('\n'),
      ),
    );
    expect(messages.filter((faults) => faults === '')).toHaveLength(1); // the valid pair
    expect(messages.join('\n')).not.toContain(PLANTED);
  });
});

describe('a billing secret in a file', () => {
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

  it('is read: the key, and the webhook secrets on separate lines', async () => {
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
    'causes a single fault when it cannot be read, or when its variable is set too: %s',
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

  it('is never quoted, and other variables are not read from files', async () => {
    const file = await fileWith('secret', `${PLANTED}\n`);
    const names = ['CRD_STRIPE_SECRET_KEY_FILE', 'CRD_STRIPE_WEBHOOK_SECRET_FILE', 'CRD_DASHBOARD_URL_FILE'];
    const files = Object.fromEntries(names.map((name) => [name, file]));
    const result = await readConfiguration({
      ...SELLING,
      CRD_STRIPE_SECRET_KEY: '',
      CRD_STRIPE_WEBHOOK_SECRET: '',
      ...files,
    });
    expect(result).toEqual({
      faults: [
        expect.stringMatching(/^CRD_STRIPE_SECRET_KEY: expected a secret or restricted key/),
        expect.stringMatching(/^CRD_STRIPE_WEBHOOK_SECRET: expected one secret that begins with whsec_/),
        'CRD_DASHBOARD_URL_FILE: unknown variable. Correct its name or unset it.',
      ],
    });
    expect(JSON.stringify(result)).not.toContain(PLANTED);
  });
});
