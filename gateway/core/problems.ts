import { problemPath } from '../../schemas/paths.js';
import {
  PROBLEMS,
  type ProblemCode,
  type ProblemDocument,
  type SessionRefusal,
} from '../../schemas/problems.js';

export { problemPath } from '../../schemas/paths.js';
export {
  PROBLEMS,
  SESSION_REFUSALS,
  type ProblemCode,
  type ProblemDocument,
  type SessionRefusal,
} from '../../schemas/problems.js';

/**
 * Details of a problem. The caller sees `detail` and `headers`, so they contain no API key, token, signed URL or name of a
 * bucket. `cause` is for the log.
 */
type ProblemDetails = ErrorOptions & {
  /** A sentence for the caller; the meaning of the problem by default. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of 'session-invalid': why a token was refused. */
  readonly refusal?: SessionRefusal | undefined;
};

/** An error that is answered with a problem. It is expected, so the gateway does not log its stack. */
export class GatewayError extends Error {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: SessionRefusal | undefined;

  constructor(code: ProblemCode, { detail, headers = {}, refusal, ...options }: ProblemDetails = {}) {
    super(detail ?? PROBLEMS[code].meaning, options);
    this.name = 'GatewayError';
    this.code = code;
    this.headers = headers;
    this.refusal = refusal;
  }
}

/** Returns the document of a problem for one response. */
export function toProblem({ code, message, refusal }: GatewayError, requestId: string): ProblemDocument {
  const { status, title } = PROBLEMS[code];
  const document = { type: problemPath(code), title, status, detail: message, instance: requestId, code };
  return refusal === undefined ? document : { ...document, refusal };
}
