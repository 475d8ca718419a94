import { problemPath } from '../../schemas/paths.js';
import { PROBLEMS, type ProblemCode, type ProblemDocument } from '../../schemas/problems.js';

export { problemPath } from '../../schemas/paths.js';
export { PROBLEMS, type ProblemCode, type ProblemDocument } from '../../schemas/problems.js';

/**
 * Details of a problem. The caller sees `detail` and `headers`, so they contain no API key, token, signed URL or name of a
 * bucket. `cause` is for the log.
 */
type ProblemDetails = ErrorOptions & {
  /** A sentence for the caller; the meaning of the problem by default. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An error that is answered with a problem. It is expected, so the gateway does not log its stack. */
export class GatewayError extends Error {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, { detail, headers = {}, ...options }: ProblemDetails = {}) {
    super(detail ?? PROBLEMS[code].meaning, options);
    this.name = 'GatewayError';
    this.code = code;
    this.headers = headers;
  }
}

/** Returns the document of a problem for one response. */
export function toProblem({ code, message }: GatewayError, requestId: string): ProblemDocument {
  const { status, title } = PROBLEMS[code];
  return { type: problemPath(code), title, status, detail: message, instance: requestId, code };
}
