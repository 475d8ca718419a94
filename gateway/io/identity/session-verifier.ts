import type { Logger } from 'pino';
import type { SessionSettings } from '../../core/configuration/session-settings.js';
import { atMostEvery } from '../timing/at-most-every.js';
import { createKeySet } from './key-set.js';
import { createSessions, type Sessions, type SessionsOptions } from './sessions.js';

const MINUTE_MS = 60_000;
/** More reasons than there are. Nothing that a client sends can be a part of one. */
const MAX_REASONS = 50;

/** Options for `createSessionVerifier`. */
type SessionVerifierOptions = {
  readonly fetch: typeof fetch;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly logger: Logger;
};

/** Creates the verifier of dashboard sessions, or returns `undefined` if no identity provider is configured. */
export function createSessionVerifier(
  settings: SessionSettings | undefined,
  { fetch, now, logger }: SessionVerifierOptions,
): Sessions | undefined {
  if (settings === undefined) return undefined;
  const { jwks: address, ...expected } = settings;
  const onError = (error: unknown): void => {
    logger.warn({ err: error }, "cannot read the identity provider's keys");
  };
  const keySet = createKeySet({ address, fetch, now, onError });
  void keySet.prepare();
  const onRefused = logEachReason(now, (refusal) => {
    logger.info(refusal, 'refused a session token; this reason is not logged again for a minute');
  });
  return createSessions({ keySet, ...expected, now, onRefused });
}

type Refused = SessionsOptions['onRefused'];

/** Returns a function that logs each reason at most once a minute, so that a frequent one does not hide the others. */
function logEachReason(now: () => number, log: Refused): Refused {
  const byReason = new Map<string, Refused>();
  return (refusal) => {
    const { reason } = refusal;
    if (!byReason.has(reason) && byReason.size < MAX_REASONS)
      byReason.set(reason, atMostEvery(MINUTE_MS, now, log));
    byReason.get(reason)?.(refusal);
  };
}
