import { CHAIN_IDS, GENRES, PLAN_IDS, PLANS, type PlanId } from '../../../schemas/catalog.js';
import { parseDate } from '../../../schemas/dates.js';
import { ACCOUNT_PATHS, downloadPath } from '../../../schemas/paths.js';
import type { Chain, Genre } from '../../../schemas/types.generated.js';

/** Why someone came to the page: to look, back from a checkout or the portal, to download files, or to buy a certain plan. */
export type Purpose =
  | { readonly kind: 'look' }
  | { readonly kind: 'paid' }
  | { readonly kind: 'not-paid' }
  | { readonly kind: 'portal' }
  | {
      readonly kind: 'download';
      readonly chain: Chain;
      readonly file?: { readonly genre: Genre; readonly date: string };
    }
  | { readonly kind: 'buy'; readonly plan: PlanId; readonly chain: Chain | null };

/** A brief by its chain and date. */
export type BriefChoice = { readonly chain: Chain; readonly date: string };

/** Returns the brief that someone came to read; `undefined` for any other purpose. */
export function wantedBrief(purpose: Purpose): BriefChoice | undefined {
  if (purpose.kind !== 'download' || purpose.file?.genre !== 'briefs') return undefined;
  return { chain: purpose.chain, date: purpose.file.date };
}

/** How the page was opened: with the response of the identity provider, or for a purpose. */
type Arrival =
  | { readonly kind: 'callback'; readonly parameters: URLSearchParams }
  | { readonly kind: 'visit'; readonly purpose: Purpose };

const LOOK: Purpose = { kind: 'look' };

/** Parses the query of the page's address. Anything unknown in it has no effect. */
export function parseArrival(query: string): Arrival {
  const parameters = new URLSearchParams(query);
  // A provider that did not understand the request answers without its state.
  if ((parameters.has('state') && parameters.has('code')) || parameters.has('error')) {
    return { kind: 'callback', parameters };
  }
  return { kind: 'visit', purpose: parsePurpose(parameters) };
}

/**
 * Returns the purpose of a return path, the part of the address that is kept while someone signs in. It is never used as an
 * address: a path to anywhere else, or none, means only to look.
 */
export function parseReturnPath(path: string | undefined): Purpose {
  const [page, query = '', ...others] = (path ?? '').split('?');
  if (page !== ACCOUNT_PATHS.page || others.length > 0) return LOOK;
  return parsePurpose(new URLSearchParams(query));
}

/** Returns the return path of a purpose. */
export function toReturnPath(purpose: Purpose): string {
  const query = QUERIES[purpose.kind](purpose);
  return `${ACCOUNT_PATHS.page}${query === '' ? '' : `?${query}`}`;
}

const QUERIES: Readonly<Record<Purpose['kind'], (purpose: Purpose) => string>> = {
  look: () => '',
  paid: () => 'checkout=success',
  'not-paid': () => 'checkout=cancelled',
  portal: () => 'portal=returned',
  download: (purpose) =>
    purpose.kind === 'download' ? (downloadPath(purpose.chain, purpose.file).split('?')[1] ?? '') : '',
  buy: (purpose) =>
    purpose.kind === 'buy'
      ? `plan=${purpose.plan}${purpose.chain === null ? '' : `&chain=${purpose.chain}`}`
      : '',
};

/** Returns whether someone with this purpose was signed in a moment ago, so that signing in again may work without a question. */
export function isReturn({ kind }: Purpose): boolean {
  return kind === 'paid' || kind === 'not-paid' || kind === 'portal';
}

function parsePurpose(parameters: URLSearchParams): Purpose {
  if (parameters.get('checkout') === 'success') return { kind: 'paid' };
  if (parameters.get('checkout') === 'cancelled') return { kind: 'not-paid' };
  if (parameters.get('portal') === 'returned') return { kind: 'portal' };
  const wanted = CHAIN_IDS.find((each) => each === parameters.get('download'));
  if (wanted !== undefined) {
    const genre = GENRES.find((each) => each === parameters.get('content'));
    const date = parameters.get('date') ?? '';
    const file = genre === undefined || parseDate(date) === undefined ? {} : { file: { genre, date } };
    return { kind: 'download', chain: wanted, ...file };
  }
  const plan = PLAN_IDS.find((each) => each === parameters.get('plan'));
  if (plan === undefined) return LOOK;
  const chain = CHAIN_IDS.find((each) => each === parameters.get('chain')) ?? null;
  return { kind: 'buy', plan, chain: PLANS[plan].chains === 'all' ? null : chain };
}
