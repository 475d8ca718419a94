/** What the gateway answered: a document, a problem, or nothing that the page understands. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly document: T }
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      /** Why a session token was refused, such as `audience`. */
      readonly refusal?: string;
    }
  | { readonly kind: 'down' };

/** Sends requests of one session. The token is only ever in the header, and only in memory. */
export type GatewayApi = {
  readonly ask: <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<Answer<T>>;
};

const LIMIT_MS = 20_000;

/**
 * Creates the requests of a session. `onRefused` is called when the gateway does not accept its token: `expired` after it has
 * accepted it, otherwise `not-accepted`, with why the gateway refused the token if it says so.
 */
export function createGatewayApi(
  token: string,
  onRefused: (reason: 'expired' | 'not-accepted', code: string | undefined) => void,
): GatewayApi {
  let wasAccepted = false;
  return {
    async ask<T>(method: string, path: string, body?: object) {
      const answer = await request<T>(path, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (answer.kind === 'problem' && answer.code === 'session-invalid')
        onRefused(wasAccepted ? 'expired' : 'not-accepted', answer.refusal);
      wasAccepted ||= answer.kind === 'ok';
      return answer;
    },
  };
}

/** Requests a JSON document of the same origin, without cookies and caches. Never rejects. */
export async function request<T>(path: string, init: RequestInit = {}): Promise<Answer<T>> {
  try {
    const response = await fetch(path, {
      ...init,
      ...({ credentials: 'omit', cache: 'no-store', redirect: 'error' } as const),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const document: unknown = await response.json();
    if (response.ok) return { kind: 'ok', document: document as T }; // the gateway's own, as its OpenAPI describes it
    return toProblem(response.status, document);
  } catch {
    return { kind: 'down' };
  }
}

function toProblem(status: number, document: unknown): Answer<never> {
  const { code, detail, title, refusal } = (document ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string') return { kind: 'down' };
  const words = [detail, title].find((each) => typeof each === 'string');
  return {
    kind: 'problem',
    status,
    code,
    detail: typeof words === 'string' ? words : code,
    ...(typeof refusal === 'string' ? { refusal } : {}),
  };
}
