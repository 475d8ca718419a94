import { withSecrets, type SecretReader } from '../../../gateway/lambda/secrets.js';

/** Creates a reader of secrets by their ARNs: the current value, and the previous one. */
const readerOf = (texts: Readonly<Record<string, readonly [string, string?]>>): SecretReader => ({
  current: (arn) => {
    const [text] = texts[arn] ?? [];
    return text === undefined ? Promise.reject(new Error('not found')) : Promise.resolve(text);
  },
  previous: (arn) => Promise.resolve(texts[arn]?.[1]),
});
const listed = (arns: Readonly<Record<string, string>>) => ({ SECRETS: JSON.stringify(arns) });

describe('the environment of the function', () => {
  it('gets a variable for each secret, and no list of secrets', async () => {
    const env = {
      CRD_STORE: 's3://a',
      ...listed({ CRD_STRIPE_SECRET_KEY: 'arn:1', CRD_ORIGIN_SECRET: 'arn:2' }),
    };
    const texts = { 'arn:1': ['sk_test_1', 'sk_test_0'], 'arn:2': ['new'] } as const;
    expect(await withSecrets(env, readerOf(texts))).toEqual({
      CRD_STORE: 's3://a',
      CRD_STRIPE_SECRET_KEY: 'sk_test_1', // the previous version is read only for the origin secret
      CRD_ORIGIN_SECRET: 'new',
    });
  });

  it('gets both values of the origin secret during its rotation, the current one first', async () => {
    const env = listed({ CRD_ORIGIN_SECRET: 'arn:2' });
    expect(await withSecrets(env, readerOf({ 'arn:2': ['new', 'old'] }))).toEqual({
      CRD_ORIGIN_SECRET: 'new,old',
    });
  });

  it('is unchanged if no secret is listed', async () => {
    expect(await withSecrets({ CRD_STORE: 'file:./a' }, readerOf({}))).toEqual({ CRD_STORE: 'file:./a' });
  });

  it('is an error with the variable and the ARN if a secret cannot be read, without a value', async () => {
    const env = listed({ CRD_ORIGIN_SECRET: 'arn:2', CRD_STRIPE_SECRET_KEY: 'arn:1' });
    await expect(withSecrets(env, readerOf({ 'arn:2': ['new'] }))).rejects.toThrow(
      /^CRD_STRIPE_SECRET_KEY: cannot read the secret arn:1: Error: not found$/,
    );
  });

  it('is an error with all secrets that cannot be read', async () => {
    const env = listed({ CRD_ORIGIN_SECRET: 'arn:2', CRD_STRIPE_SECRET_KEY: 'arn:1' });
    await expect(withSecrets(env, readerOf({}))).rejects.toThrow(
      /^CRD_ORIGIN_SECRET: .*; CRD_STRIPE_SECRET_KEY: .*/,
    );
  });

  it('is an error if the previous value cannot be read', async () => {
    const reader = { ...readerOf({ 'arn:2': ['new'] }), previous: () => Promise.reject(new Error('denied')) };
    await expect(withSecrets(listed({ CRD_ORIGIN_SECRET: 'arn:2' }), reader)).rejects.toThrow(
      /^CRD_ORIGIN_SECRET: .*denied$/,
    );
  });
});
