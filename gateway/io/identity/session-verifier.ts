import type { Logger } from 'pino';
import type { SessionSettings } from '../../core/configuration/session-settings.js';
import { atMostEvery } from '../timing/at-most-every.js';
import { createKeySet } from './key-set.js';
import { createSessions, type Sessions } from './sessions.js';

const MINUTE_MS = 60_000;

/** Options for `createSessionVerifier`. */
export type SessionVerifierOptions = {
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
  const onRefused = atMostEvery(MINUTE_MS, now, (reason: string) => {
    logger.info({ reason }, 'refused a session token; further refusals in the next minute are not logged');
  });
  return createSessions({ keySet, ...expected, now, onRefused });
}
