import { pino, type DestinationStream, type Logger } from 'pino';
import { printableLog } from '../../../infra/process/printable.js';
import { StoreError } from '../../../infra/store/object-store.js';
import { OperatorError } from '../../core/exit-codes.js';
import { GatewayError } from '../../core/problems.js';

/** Options for `createLogger`; `scrub` removes secrets from logged errors. */
type LoggerOptions = {
  readonly destination: DestinationStream;
  readonly level: string;
  readonly scrub: (text: string) => string;
};

/** Creates a logger of JSON lines. It logs the stack only of unexpected errors. */
export function createLogger({ destination, level, scrub }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => describeError(error, scrub) },
  };
  return pino(options, printableLog(destination));
}

function describeError(error: unknown, scrub: (text: string) => string): object {
  if (typeof error !== 'object' || error === null) return { message: scrub(String(error)) };
  const { name, message, stack, cause } = error as {
    name?: unknown;
    message?: unknown;
    stack?: unknown;
    cause?: unknown;
  };
  const isKnown =
    error instanceof GatewayError || error instanceof StoreError || error instanceof OperatorError;
  return {
    name: scrub(String(name)),
    message: scrub(String(message)),
    ...(cause === undefined ? {} : { cause: describeError(cause, scrub) }),
    ...(isKnown || typeof stack !== 'string' ? {} : { stack: scrub(stack) }),
  };
}
