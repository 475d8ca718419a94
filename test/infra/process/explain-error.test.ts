import { createErrorExplainer } from '../../../infra/process/explain-error.js';

class ExpectedError extends Error {}

const explain = createErrorExplainer({
  exitOf: (error) => (error instanceof ExpectedError ? 'refused' : undefined),
  interrupted: 'interrupted: nothing was written',
});

describe('createErrorExplainer', () => {
  it('explains an expected error by its message', () => {
    expect(explain(new ExpectedError('no such key'))).toEqual({ exit: 'refused', message: 'no such key' });
  });

  it('explains an abort as an interrupt, also one from another realm', () => {
    const interrupted = { exit: 'interrupted', message: 'interrupted: nothing was written' };
    expect(explain(new DOMException('aborted', 'AbortError'))).toEqual(interrupted);
    expect(explain({ name: 'AbortError' })).toEqual(interrupted);
  });

  it('explains anything else as a bug, with its stack', () => {
    const { exit, message } = explain(new TypeError('oops'));
    expect({ exit, message }).toEqual({
      exit: 'bug',
      message: expect.stringMatching(/^this is a bug, please report it:\nTypeError: oops\n {4}at /),
    });
    expect(explain('a string').message).toBe('this is a bug, please report it:\na string');
  });
});
