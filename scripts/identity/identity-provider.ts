import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration, Provider } from 'oidc-provider';
import { toPage } from './plain-page.js';

/** An OpenID provider on loopback, in which anyone signs in by typing a name. */
export type DemoProvider = {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly clientId: string;
  /** The resource that tokens are requested for, and their audience. */
  readonly resource: string;
  readonly stop: () => Promise<void>;
};

/** Options for `startDemoProvider`. */
export type DemoProviderOptions = {
  /** The account page. It may be known only after the provider has started. */
  readonly pageUrl: string;
  /** How many seconds an access token is valid; one hour by default. */
  readonly tokenSeconds?: () => number;
};

const CLIENT_ID = 'account-page';
const RESOURCE = 'urn:chain-reference-data:demo';
/** Path of the sign-in form. */
const FORM = /^\/sign-in\/[\w-]+$/;
const SIGN_OUT_PATH = '/session/end';
const FORM_BYTES = 4_096;
const HOUR_SECONDS = 3_600;

/** Starts the provider on a free port: npm's certified `oidc-provider`, with a form of our own. */
export async function startDemoProvider(options: DemoProviderOptions): Promise<DemoProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  const issuer = `http://127.0.0.1:${port}`;
  const provider = await withoutWarnings(async () => {
    const { Provider } = await import('oidc-provider'); // it warns about Node 20 when it is loaded
    return new Provider(issuer, await configure(options));
  });
  provider.use(takeSignOutForms);
  const answer = provider.callback();
  server.on('request', (req, res) => {
    if (FORM.test(req.url ?? '')) void answerForm(provider, req, res).catch(() => res.writeHead(400).end());
    else void answer(req, res);
  });
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    clientId: CLIENT_ID,
    resource: RESOURCE,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function configure({
  pageUrl,
  tokenSeconds = () => HOUR_SECONDS,
}: DemoProviderOptions): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { origin } = new URL(pageUrl);
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [pageUrl],
        post_logout_redirect_uris: [pageUrl],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'demo', alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clientBasedCORS: (_context, asking) => asking === origin,
    claims: { openid: ['sub'], profile: ['name'] },
    conformIdTokenClaims: false, // the name is in the ID token
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => Promise.resolve({ sub: id, name: id }),
    }),
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, provider } = oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: tokenSeconds,
      AuthorizationCode: 60,
      IdToken: HOUR_SECONDS,
      Session: 24 * HOUR_SECONDS,
      Grant: 24 * HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
    },
    features: FEATURES,
  };
}

/** JWT access tokens for the resource, and signing out with a button. */
const FEATURES: NonNullable<Configuration['features']> = {
  devInteractions: { enabled: false },
  resourceIndicators: {
    enabled: true,
    getResourceServerInfo: () => ({
      scope: '',
      audience: RESOURCE,
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'ES256' } },
    }),
    useGrantedResource: () => true,
  },
  rpInitiatedLogout: {
    enabled: true,
    logoutSource(context, form) {
      const button = '<button form="op.logoutForm" name="logout" value="yes">Sign out</button>';
      context.body = toPage('Sign out of the demo?', `${form}<p>${button}</p>`);
    },
  },
};

/**
 * Takes forms that sign out. `oidc-provider` takes them with `enableHttpPostMethods`, which needs cookies with `SameSite=None`.
 * Browsers refuse these over plain HTTP.
 */
const takeSignOutForms: Parameters<Provider['use']>[0] = async (context, next) => {
  if (context.method === 'POST' && context.path === SIGN_OUT_PATH) {
    context.querystring = await readForm(context.req);
    context.method = 'GET';
  }
  await next();
};

/** Shows the form, or signs in with the name that was typed. */
async function answerForm(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'POST') {
    await provider.interactionDetails(req, res); // rejects a form of another browser
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
    res.end(toPage('Sign in to the demo', SIGN_IN_FORM));
    return;
  }
  const name = new URLSearchParams(await readForm(req)).get('name')?.trim() ?? '';
  const result = /^[\w .@-]{1,64}$/.test(name)
    ? { login: { accountId: name } }
    : { error: 'access_denied', error_description: 'no name was given' };
  await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
}

const SIGN_IN_FORM = `<p>This form is part of the demo. Any name is an account of its own, without a password.</p>
<form method="post"><p><label>Name <input name="name" value="ada" maxlength="64" autofocus></label></p><p><button>Sign in</button></p></form>`;

async function readForm(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of req) {
    text += String(piece);
    if (text.length > FORM_BYTES) throw new Error('the form is too long');
  }
  return text;
}

/** Runs `work` without the advice that `oidc-provider` prints for deployments on the internet. */
async function withoutWarnings<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  console.warn = console.info = () => undefined;
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
