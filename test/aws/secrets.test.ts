import { withSecrets, type SecretReader } from '../../infra/aws/lambda/secrets.js';

/** Secrets by their ARNs: the text, and the one before. */
const readerOf = (texts: Readonly<Record<string, readonly [string, string?]>>): SecretReader => ({
  current: (arn) => {
    const [text] = texts[arn] ?? [];
    return text === undefined ? Promise.reject(new Error('there is none')) : Promise.resolve(text);
  },
  previous: (arn) => Promise.resolve(texts[arn]?.[1]),
});
const listed = (arns: Readonly<Record<string, string>>) => ({ SECRETS: JSON.stringify(arns) });

describe('the environment of the function', () => {
  it('has each text as the variable that wants it, beside what was there, and no list of secrets', async () => {
    const env = {
      CRD_STORE: 's3://a',
      ...listed({ CRD_STRIPE_SECRET_KEY: 'arn:1', ORIGIN_SECRET: 'arn:2' }),
    };
    const texts = { 'arn:1': ['sk_test_1', 'sk_test_0'], 'arn:2': ['new'] } as const;
    expect(await withSecrets(env, readerOf(texts))).toEqual({
      CRD_STORE: 's3://a',
      CRD_STRIPE_SECRET_KEY: 'sk_test_1', // of Stripe the one before is worth nothing
      ORIGIN_SECRET: 'new',
    });
  });

  it('has both texts of the origin, the newer one first, while it is changed', async () => {
    const env = listed({ ORIGIN_SECRET: 'arn:2' });
    expect(await withSecrets(env, readerOf({ 'arn:2': ['new', 'old'] }))).toEqual({
      ORIGIN_SECRET: 'new,old',
    });
  });

  it('is what it was where no secret is listed', async () => {
    expect(await withSecrets({ CRD_STORE: 'file:./a' }, readerOf({}))).toEqual({ CRD_STORE: 'file:./a' });
  });

  it('is none when a secret cannot be read: the variable and the secret are said, and no text', async () => {
    const env = listed({ ORIGIN_SECRET: 'arn:2', CRD_STRIPE_SECRET_KEY: 'arn:1' });
    await expect(withSecrets(env, readerOf({ 'arn:2': ['new'] }))).rejects.toThrow(
      /^CRD_STRIPE_SECRET_KEY: the secret arn:1 cannot be read: Error: there is none$/,
    );
  });

  it('is none when several cannot be read: all of them are said', async () => {
    const env = listed({ ORIGIN_SECRET: 'arn:2', CRD_STRIPE_SECRET_KEY: 'arn:1' });
    await expect(withSecrets(env, readerOf({}))).rejects.toThrow(
      /^CRD_STRIPE_SECRET_KEY: .*; ORIGIN_SECRET: .*/,
    );
  });

  it('is none when the text before cannot be asked for', async () => {
    const reader = { ...readerOf({ 'arn:2': ['new'] }), previous: () => Promise.reject(new Error('denied')) };
    await expect(withSecrets(listed({ ORIGIN_SECRET: 'arn:2' }), reader)).rejects.toThrow(
      /^ORIGIN_SECRET: .*denied$/,
    );
  });
});
