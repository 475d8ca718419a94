import { problemPath, PROBLEMS, type ProblemCode, type ProblemDocument } from '../../schemas/problems.js';

export { problemPath, PROBLEMS, type ProblemCode, type ProblemDocument } from '../../schemas/problems.js';

/** What a problem says beyond its code; never a key, a token, a signed URL or a bucket. */
export type ProblemDetails = ErrorOptions & {
  /** A sentence for the caller; the problem's meaning where absent. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A failure that is answered with its problem; no stack, for it is not ours. */
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

/** The document of a problem in the answer to one request. */
export function toProblem({ code, message }: GatewayError, requestId: string): ProblemDocument {
  const { status, title } = PROBLEMS[code];
  return { type: problemPath(code), title, status, detail: message, instance: requestId, code };
}
