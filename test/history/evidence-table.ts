import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { currentMethodology, methodologyTextUrl } from '../../schemas/methodology.js';

/** Returns the text of the current methodology. */
export function readMethodologyText(): string {
  return readFileSync(fileURLToPath(methodologyTextUrl(currentMethodology().version)), 'utf8');
}

/** Returns the rows of the Evidence table by their first cell. */
export function evidenceRows(): Map<string, string> {
  const text = readMethodologyText();
  const evidence = text.slice(text.indexOf('## Evidence'));
  const lines = evidence.split('\n').filter((line) => line.startsWith('|'));
  return new Map(
    lines
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map((cells) => [cells[1] ?? '', cells[2] ?? '']),
  );
}
