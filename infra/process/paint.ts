import { styleText } from 'node:util';

/** Colours the outcome with which a text begins, also after one name: "published: ...", "bitcoin: refused: ...". */
export type Paint = (text: string) => string;

/** What an outcome means for the reader. */
const COLOURS = { good: 'green', attention: 'yellow', bad: 'red' } as const;

/** The words for outcomes that both programs print. A colour never says more than its word. */
const OUTCOMES: Readonly<Record<keyof typeof COLOURS, readonly string[]>> = {
  good: [
    'published',
    'unchanged',
    'verified',
    'fresh',
    'rolled-back',
    'released',
    'copied',
    'sound',
    'repaired',
    'fine',
    'granted',
    'active',
    'installed',
    'wrote',
  ],
  attention: [
    'partial',
    'advice',
    'one only',
    'held',
    'publication is held',
    'late',
    'warming up',
    'absent',
    'pending',
    'grace',
  ],
  bad: [
    'error:',
    'generator:',
    'gateway:',
    'refused',
    'invalid',
    'input invalid',
    'damaged',
    'stale',
    'verification failed',
    'interrupted',
    'LATE',
    'OVERDUE',
    'NO',
    'fault',
    'needs attention',
  ],
};

const TONES = new Map(
  (['good', 'attention', 'bad'] as const).flatMap((tone) => OUTCOMES[tone].map((word) => [word, tone])),
);
const BEGINNING = new RegExp(`^((?:[\\w-]+: )?)(${[...TONES.keys()].join('|')})(?![\\w-])`);

export const PLAIN: Paint = (text) => text;

/**
 * Returns a paint for a stream. It colours only what Node would colour there: on a terminal, unless NO_COLOR or TERM=dumb
 * are set, and elsewhere if FORCE_COLOR asks for it.
 */
export function createPaint(stream: NodeJS.WritableStream): Paint {
  return (text) =>
    text.replace(BEGINNING, (_, name: string, outcome: string) => {
      const tone = TONES.get(outcome) ?? 'attention';
      return name + styleText(COLOURS[tone], outcome, { stream });
    });
}

/** Returns whether Node would colour what is written to a stream. */
export function hasColours(stream: NodeJS.WritableStream): boolean {
  return styleText('bold', '.', { stream }) !== '.';
}
