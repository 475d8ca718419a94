import { count, countWords } from '../../../schemas/words.js';
import { proveFiles, type ChosenFile, type FileResult, type Signed } from './chosen-files.js';
import { sha256 } from './sha256.js';
import { requireElement, showResults } from './verify-view.js';

const FIRST = 'First verify the site above: the files are compared with its signed release.';

/**
 * Verifies the files that the reader chooses. Returns a function that sets the signed release to compare with; `undefined` clears
 * it.
 */
export function watchFiles(): (signed: Signed | undefined) => void {
  const input = requireElement('chosen') as HTMLInputElement; // of the template
  let signed: Signed | undefined;
  let latest = 0;
  const update = async (): Promise<void> => {
    const turn = (latest += 1); // results of an earlier choice may come later
    const files = [...(input.files ?? [])];
    if (signed === undefined || files.length === 0) {
      showResults([], signed === undefined ? FIRST : '');
      return;
    }
    showResults([], 'Computing digests…');
    const { results, words } = await resultsOf(files, signed);
    if (turn === latest) showResults(results, words);
  };
  input.addEventListener('change', () => void update());
  return (found) => {
    signed = found;
    void update();
  };
}

async function resultsOf(
  files: readonly File[],
  signed: Signed,
): Promise<{ readonly results: readonly FileResult[]; readonly words: string }> {
  const chosen: ChosenFile[] = [];
  const manifests = new Set(Object.values(signed.statement.manifests));
  try {
    for (const file of files) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const digest = await sha256(bytes);
      chosen.push({ name: file.name, sha256: digest, ...(manifests.has(digest) ? { bytes } : {}) });
    }
  } catch {
    return { results: [], words: 'A file could not be read. Choose the files again.' };
  }
  const results = proveFiles(chosen, signed);
  const proven = results.filter(({ state }) => state === 'proven').length;
  return { results, words: `${countWords(proven)} of ${count(results.length, 'file')} proven.` };
}
