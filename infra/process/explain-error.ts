/** The exit of a failed run, and the message for the operator. */
export type Explanation<Exit extends string> = { readonly exit: Exit; readonly message: string };

/** Options for `createErrorExplainer`. */
type ExplainerOptions<Exit extends string> = {
  /** Returns the exit for an error that the program expects, `undefined` for any other. */
  readonly exitOf: (error: Error) => Exit | undefined;
  /** The message for a run that was interrupted. */
  readonly interrupted: string;
};

/**
 * Creates a function that explains why a run failed: an expected error by its message, an aborted run by `interrupted`, and
 * any other error, which is a bug, by its stack.
 */
export function createErrorExplainer<Exit extends string>({
  exitOf,
  interrupted,
}: ExplainerOptions<Exit>): (error: unknown) => Explanation<Exit | 'interrupted' | 'bug'> {
  return (error) => {
    const exit = error instanceof Error ? exitOf(error) : undefined;
    if (error instanceof Error && exit !== undefined) return { exit, message: error.message };
    if (isAbort(error)) return { exit: 'interrupted', message: interrupted };
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { exit: 'bug', message: `this is a bug, please report it:\n${stack}` };
  };
}

/** Checks the name instead of the class, because the error may come from another realm, such as Jest's VM context. */
function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}
