/** The script of the page on which a reader searches the site. */
import { PUBLIC_PATHS } from '../../schemas/paths.js';
import { create } from './dom.js';
import {
  createFinder,
  dateIn,
  impossibleDateIn,
  type Finder,
  parseIndex,
  type Place,
  placesOfDate,
  type PublishedDays,
  snippetOf,
} from './search-places.js';

const MOST = 20;
/** How long after a letter the address follows, in milliseconds: browsers refuse too many changes. */
const ADDRESS_MS = 250;

/** The places of a query, and why they are not those of the date that it names. */
type Found = { readonly places: readonly Place[]; readonly note?: string | undefined };

function start(form: HTMLFormElement): void {
  const input = form.querySelector('input');
  const status = form.querySelector<HTMLElement>('[role=status]');
  const results = document.querySelector<HTMLElement>('[data-results]');
  const index = form.dataset['index'];
  if (input === null || status === null || results === null || index === undefined) return;

  let finder: Promise<Finder> | undefined;
  let chains: Promise<Chains> | undefined;
  const find = async (query: string): Promise<Found> => {
    finder ??= load(index).then((text) => createFinder(parseIndex(text)));
    const date = dateIn(query);
    if (date === undefined) return { places: (await finder)(query, MOST), note: impossibleNote(query) };
    chains ??= load(PUBLIC_PATHS.status).then(parseChains);
    const days = placesOfDate(date, await chains, query);
    if (days.length > 0) return { places: days };
    return { places: (await finder)(query, MOST), note: `No chain has ${date}.` };
  };

  let latest = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keepAddress = (): void => {
    clearTimeout(timer);
    const address = latest === '' ? location.pathname : `?q=${encodeURIComponent(latest)}`;
    history.replaceState(null, '', address);
  };
  const update = async (): Promise<void> => {
    const query = input.value.trim();
    latest = query;
    const found: Found = query === '' ? { places: [] } : await find(query);
    if (latest !== query) return; // a later query is on its way
    results.replaceChildren(...found.places.map((place) => toResult(place, query)));
    status.textContent = statusWords(found, query);
    clearTimeout(timer);
    timer = setTimeout(keepAddress, ADDRESS_MS);
  };
  const run = (): void => {
    update().catch(() => {
      finder = undefined;
      chains = undefined;
      status.textContent = 'The index could not be loaded. Try again.';
    });
  };

  form.hidden = false;
  input.value = new URLSearchParams(location.search).get('q') ?? '';
  input.addEventListener('input', run);
  input.addEventListener('blur', keepAddress); // before the reader follows a result, so that the way back leads here
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    results.querySelector('a')?.focus();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    results.querySelector('a')?.focus();
  });
  if (input.value === '') input.focus();
  else run();
}

async function load(path: string): Promise<string> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.text();
}

type Chains = Readonly<Record<string, PublishedDays>>;

function parseChains(text: string): Chains {
  const { chains } = JSON.parse(text) as { chains: Chains }; // a file of the same release
  return chains;
}

function toResult({ title, page, path, text }: Place, query: string): HTMLElement {
  const link = create('a', { textContent: title });
  link.href = path;
  const parts = snippetOf(text, query).map((part) =>
    part.isFound ? create('mark', { textContent: part.text }) : part.text,
  );
  return create('li', {}, [
    create('p', {}, [link, ' ', create('span', { className: 'small', textContent: page })]),
    create('p', { className: 'small' }, parts),
  ]);
}

function impossibleNote(query: string): string | undefined {
  const date = impossibleDateIn(query);
  return date === undefined ? undefined : `There is no day ${date}.`;
}

function statusWords({ places, note }: Found, query: string): string {
  if (query === '') return '';
  const words = countWords(places.length);
  return note === undefined ? words : `${note} ${words}`;
}

function countWords(found: number): string {
  if (found === 0) return 'Nothing found. Try another word.';
  if (found === MOST) return `The best ${MOST} results`;
  return found === 1 ? '1 result' : `${found} results`;
}

const form = document.querySelector<HTMLFormElement>('form[data-index]');
if (form !== null) start(form);
