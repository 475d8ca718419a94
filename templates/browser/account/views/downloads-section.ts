import type { Chain, Entitlements, Genre } from '../../../../schemas/types.generated.js';
import type { BriefChoice, Purpose } from '../arrival.js';
import { button, element } from '../dom.js';
import {
  chainChoices,
  chosenBrief,
  type Choice,
  closedIn,
  closedPath,
  contentChoices,
  type Download,
  formatChoices,
  linkPath,
  periodChoices,
} from '../downloads.js';
import type { Answer } from '../gateway-api.js';
import type { BriefText } from './brief-view.js';

/** A link that the gateway answers with. */
export type FileLink = {
  readonly url: string;
  readonly volumes?: readonly { readonly path: string }[];
  readonly brief?: BriefText;
};

/** Options for `downloadsSection`. */
type DownloadsSectionOptions = {
  readonly entitlements: Entitlements;
  /** What is chosen first, if the account has it. */
  readonly wanted: Extract<Purpose, { kind: 'download' }> | undefined;
  readonly ask: (path: string) => Promise<Answer<FileLink>>;
  /** Shows the text of a brief, or why it cannot be shown. */
  readonly read: (brief: BriefChoice) => Promise<void>;
};

const NO_ANSWER = 'The service did not answer. Try again.';

/** Returns the content of the section in which a person chooses a file and downloads it with the session. */
export function downloadsSection({ entitlements, wanted, ask, read }: DownloadsSectionOptions): Node[] {
  const fault = element('p', { class: 'fault', role: 'alert' });
  const lists = {
    chain: select('download-chain', chainChoices(entitlements)),
    genre: select('download-genre', contentChoices(entitlements)),
    period: select('download-period', []),
    format: select('download-format', []),
  };
  const date = wanted?.file?.date;
  choose(lists.chain, wanted?.chain);
  choose(lists.genre, wanted?.file?.genre);
  /** What the person chose last: a list without it comes back to it. */
  let wish = { period: date ?? 'latest', format: 'json' };

  const chosen = (): Download => ({
    chain: lists.chain.value as Chain, // the lists have only these
    genre: lists.genre.value as Genre,
    period: lists.period.value,
    format: lists.format.value,
  });
  const reading = button('Read', async () => {
    const brief = chosenBrief(chosen());
    if (brief !== undefined) await read(brief);
  });
  const showFormats = (): void => {
    fill(lists.format, formatChoices(lists.period.value));
    choose(lists.format, wish.format);
    reading.hidden = chosenBrief(chosen()) === undefined;
  };
  const showPeriods = async (): Promise<void> => {
    const { chain, genre } = chosen();
    const show = (closed: readonly string[]): void => {
      fill(lists.period, periodChoices(entitlements, genre, closed, date));
      choose(lists.period, wish.period);
      showFormats();
    };
    show([]);
    const path = closedPath(entitlements, chain, genre);
    const answer = path === undefined ? undefined : await ask(path);
    const isLate = lists.chain.value !== chain || lists.genre.value !== genre;
    if (isLate || answer === undefined) return;
    if (answer.kind === 'ok') show(closedIn(answer.document.volumes ?? []));
    fault.textContent = faultOf(answer);
  };
  const download = async (): Promise<void> => {
    const answer = await ask(linkPath(chosen()));
    const isLink = answer.kind === 'ok' && /^https?:/.test(answer.document.url);
    fault.textContent = isLink ? '' : faultOf(answer) || NO_ANSWER;
    if (isLink) element('a', { href: answer.document.url }).click();
  };

  lists.chain.addEventListener('change', () => void showPeriods());
  lists.genre.addEventListener('change', () => void showPeriods());
  lists.period.addEventListener('change', () => {
    wish = { ...wish, period: lists.period.value };
    showFormats();
  });
  lists.format.addEventListener('change', () => {
    wish = { ...wish, format: lists.format.value };
  });
  void showPeriods();
  return sectionOf(lists, [button('Download', download, 'main'), reading], fault);
}

type Lists = Readonly<Record<'chain' | 'genre' | 'period' | 'format', HTMLSelectElement>>;

function sectionOf(lists: Lists, buttons: readonly HTMLElement[], fault: HTMLElement): Node[] {
  return [
    element('h2', { id: 'download' }, 'Download a file'),
    element('p', {}, 'Choose a file of your plan. It is downloaded with your sign-in, without a key.'),
    element(
      'div',
      { class: 'row downloads' },
      field('Chain of the file', lists.chain),
      field('Content', lists.genre),
      field('Period', lists.period),
      field('Format', lists.format),
      ...buttons,
    ),
    fault,
  ];
}

function select(id: string, choices: readonly Choice[]): HTMLSelectElement {
  const list = element('select', { id });
  fill(list, choices);
  return list;
}

function fill(list: HTMLSelectElement, choices: readonly Choice[]): void {
  list.replaceChildren(...choices.map((choice) => element('option', { value: choice.value }, choice.label)));
}

/** Chooses an option, if the list has it. */
function choose(list: HTMLSelectElement, value: string | undefined): void {
  if ([...list.options].some((option) => option.value === value)) list.value = value ?? '';
}

/** Returns why there is no document; empty if there is one. */
function faultOf(answer: Answer<unknown>): string {
  if (answer.kind === 'ok') return '';
  return answer.kind === 'problem' ? answer.detail : NO_ANSWER;
}

function field(label: string, list: HTMLSelectElement): HTMLElement {
  return element('div', { class: 'field' }, element('label', { for: list.id }, label), list);
}
