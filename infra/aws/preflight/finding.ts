/** The result of one check. A fault would make a deployment fail; a note informs, or says what to do later. */
export type Finding = {
  readonly state: 'ok' | 'note' | 'fault';
  readonly subject: string;
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
};

/** Returns a finding without a remedy. */
export const ok = (subject: string, text: string): Finding => ({ state: 'ok', subject, text });

/** Returns something to know, or to do later. */
export const note = (subject: string, text: string, remedy: string): Finding => ({
  state: 'note',
  subject,
  text,
  remedy,
});

/** Returns something that would make a deployment fail. */
export const fault = (subject: string, text: string, remedy: string): Finding => ({
  state: 'fault',
  subject,
  text,
  remedy,
});

/** Formats findings for a terminal: one line each, with the remedy on the next line. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  return findings
    .flatMap(({ state, subject, text, remedy }) => [
      `${state.padEnd(5)}  ${subject.padEnd(width)}  ${text}`,
      ...(remedy === undefined ? [] : [`${' '.repeat(width + 9)}${remedy}`]),
    ])
    .join('\n');
}
