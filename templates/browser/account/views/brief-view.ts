import { dayPagePath, PAGE_PATHS } from '../../../../schemas/paths.js';
import type { BriefDay } from '../../../../schemas/types.generated.js';
import { briefParagraphs } from '../../../../schemas/words.js';
import type { BriefChoice } from '../arrival.js';
import { button, element } from '../dom.js';
import type { Answer } from '../gateway-api.js';
import { briefWords } from '../words.js';

/** The text of a brief. */
export type BriefText = Pick<BriefDay, 'headline' | 'body'>;

/** Returns the text of a brief, or why it cannot be read and what to do, under a heading that can get the focus. */
export function briefView(
  choice: BriefChoice,
  answer: Answer<{ readonly brief?: BriefText }>,
  retry: () => Promise<void>,
): { readonly article: HTMLElement; readonly heading: HTMLElement } {
  const heading = element('h2', { id: 'brief', tabindex: '-1' }, `Brief for ${briefWords(choice)}`);
  const text = answer.kind === 'ok' ? answer.document.brief : undefined;
  const article = element(
    'article',
    { class: 'card', 'aria-labelledby': 'brief' },
    heading,
    ...(text === undefined ? refusal(answer, retry) : paragraphs(text)),
    element('p', {}, element('a', { href: dayPagePath(choice.chain, choice.date) }, 'The page of this day')),
  );
  return { article, heading };
}

function paragraphs(text: BriefText): Node[] {
  const [headline = '', ...body] = briefParagraphs(text);
  return [element('strong', {}, headline), ...body].map((each) => element('p', {}, each));
}

function refusal(answer: Answer<unknown>, retry: () => Promise<void>): Node[] {
  if (answer.kind !== 'problem')
    return [...fault('The service did not answer with the text.'), button('Try again', retry)];
  const { status, detail } = answer;
  if (status === 403)
    return [...fault(detail), element('p', {}, element('a', { href: PAGE_PATHS.pricing }, 'See the plans'))];
  return [...fault(detail), ...(status === 429 || status >= 500 ? [button('Try again', retry)] : [])];
}

const fault = (words: string): Node[] => [element('p', { class: 'fault' }, words)];
