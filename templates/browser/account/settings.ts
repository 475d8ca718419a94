import { ACCOUNT_PATHS } from '../../../schemas/paths.js';
import { request } from './gateway-api.js';

/** How the page signs in. */
export type SignIn = {
  readonly issuer: string;
  readonly client_id: string;
  readonly scopes: string;
  readonly resource: string | null;
  readonly token: 'access' | 'id';
  readonly sign_out: 'post' | 'get';
};

/** The settings of the page, as the gateway sends them. */
export type Settings = { readonly sign_in: SignIn | null; readonly sells: boolean };

/** Reads the settings of the page; `undefined` if the gateway does not answer. */
export async function readSettings(): Promise<Settings | undefined> {
  const answer = await request<Settings>(ACCOUNT_PATHS.settings);
  return answer.kind === 'ok' ? answer.document : undefined;
}
