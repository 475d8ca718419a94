import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startIdentityProvider, type IdentityProvider } from '../gateway/identity-provider.js';
import { prepareServedRelease, type ServedRelease } from '../gateway/served-release.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';
import { findBundle } from './aws-synth.js';
import { startLambda, type LambdaProcess } from './lambda-process.js';

/** A published release and the settings of a gateway for it, to run as a function or as a server. */
export type LambdaScene = {
  readonly folder: string;
  readonly release: ServedRelease;
  readonly provider: IdentityProvider;
  /** Environment variables of the gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** Headers of a request with a dashboard session. */
  readonly session: Readonly<Record<string, string>>;
  /** Headers of a request with an API key. */
  readonly keyed: Readonly<Record<string, string>>;
  /** Starts the function behind two proxies, with some variables changed. */
  readonly start: (changed?: Readonly<Record<string, string>>) => Promise<LambdaProcess>;
  readonly dispose: () => Promise<void>;
};

const SELLING = {
  CRD_STRIPE_SECRET_KEY: 'sk_test_0123456789',
  CRD_STRIPE_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('hex')}`,
  CRD_STRIPE_PRICE_SINGLE_CHAIN: 'price_single',
  CRD_STRIPE_PRICE_RESEARCH: 'price_research',
  CRD_DASHBOARD_URL: 'https://dashboard.example.com',
};

export async function createLambdaScene(): Promise<LambdaScene> {
  const folder = await createTemporaryFolder();
  const bundle = await findBundle();
  const release = await prepareServedRelease({
    store: `file:${path.join(folder.path, 'store')}`,
    accounts: `file:${path.join(folder.path, 'accounts')}`,
    folder: path.join(folder.path, 'input'),
  });
  const provider = await startIdentityProvider(() => Date.now());
  const jwks = path.join(folder.path, 'jwks.json');
  await writeFile(jwks, JSON.stringify(await provider.jwks()));
  const env = {
    ...release.env,
    ...SELLING,
    CRD_PUBLIC_BASE_URL: 'https://data.example.com',
    CRD_JWKS: `file:${jwks}`,
    CRD_JWT_ISSUER: provider.issuer,
    CRD_JWT_AUDIENCE: provider.audience,
  };
  const token = await provider.sign({ account: 'a-reader' });
  return {
    folder: folder.path,
    release,
    provider,
    env,
    session: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    keyed: { 'x-api-key': release.key },
    start: (changed = {}) => startLambda(bundle, { ...env, CRD_TRUST_PROXY: '2', ...changed }),
    async dispose() {
      await provider.dispose();
      await folder.dispose();
    },
  };
}
