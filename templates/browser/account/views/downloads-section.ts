import type { Chain, Entitlements, Genre } from '../../../../schemas/types.generated.js';
import { button, element } from '../dom.js';
import {
  chainChoices,
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

/** A link that the gateway answers with. */
export type FileLink = { readonly url: string; readonly volumes?: readonly { readonly path: string }[] };

/** Options for `downloadsSection`. */
type DownloadsSectionOptions = {
  readonly entitlements: Entitlements;
  /** The chain that is chosen first, if the account has it. */
  readonly wanted: Chain | undefined;
  readonly ask: (path: string) => Promise<Answer<FileLink>>;
};

const NO_ANSWER = 'The service did not answer. Try again.';

/** Returns the content of the section in which a person chooses a file and downloads it with the session. */
export function downloadsSection({ entitlements, wanted, ask }: DownloadsSectionOptions): Node[] {
  const fault = element('p', { class: 'fault', role: 'alert' });
  const lists = {
    chain: select('download-chain', chainChoices(entitlements)),
    genre: select('download-genre', contentChoices(entitlements)),
    period: select('download-period', []),
    format: select('download-format', []),
  };
  if (wanted !== undefined && entitlements.chains.includes(wanted)) lists.chain.value = wanted;

  const chosen = (): Download => ({
    chain: lists.chain.value as Chain, // the lists have only these
    genre: lists.genre.value as Genre,
    period: lists.period.value,
    format: lists.format.value,
  });
  const showFormats = (): void => fill(lists.format, formatChoices(lists.period.value));
  const showPeriods = async (): Promise<void> => {
    const { chain, genre } = chosen();
    const show = (closed: readonly string[]): void => {
      fill(lists.period, periodChoices(entitlements, genre, closed));
      showFormats();
    };
    show([]);
    const path = closedPath(entitlements, chain, genre);
    const answer = path === undefined ? undefined : await ask(path);
    const isLate = lists.chain.value !== chain || lists.genre.value !== genre;
    if (answer?.kind === 'ok' && !isLate) show(closedIn(answer.document.volumes ?? []));
  };
  const download = async (): Promise<void> => {
    const answer = await ask(linkPath(chosen()));
    const isLink = answer.kind === 'ok' && /^https?:/.test(answer.document.url);
    fault.textContent = isLink ? '' : answer.kind === 'problem' ? answer.detail : NO_ANSWER;
    if (isLink) element('a', { href: answer.document.url }).click();
  };

  lists.chain.addEventListener('change', () => void showPeriods());
  lists.genre.addEventListener('change', () => void showPeriods());
  lists.period.addEventListener('change', showFormats);
  void showPeriods();
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
      button('Download', download, 'main'),
    ),
    fault,
  ];
}

function select(id: string, choices: readonly Choice[]): HTMLSelectElement {
  const list = element('select', { id });
  fill(list, choices);
  return list;
}

/** Replaces the options of a list, and keeps the chosen one if it is still there. */
function fill(list: HTMLSelectElement, choices: readonly Choice[]): void {
  const { value } = list;
  list.replaceChildren(...choices.map((choice) => element('option', { value: choice.value }, choice.label)));
  if (choices.some((choice) => choice.value === value)) list.value = value;
}

function field(label: string, list: HTMLSelectElement): HTMLElement {
  return element('div', { class: 'field' }, element('label', { for: list.id }, label), list);
}
