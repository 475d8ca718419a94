import { readFile } from 'node:fs/promises';
import { CARD_SIZE, cardSvg } from '../../../scripts/browser/card-svg.js';
import { REGIME_COLOURS } from '../../../schemas/palette.js';

const CARD = new URL('../../../templates/pages/card.png', import.meta.url);
/** Offset of the size in a PNG: after its signature and the head of its first chunk. */
const SIZE_AT = 16;

it('has every regime in its colour, and no number', () => {
  const svg = cardSvg();
  for (const [label, shade] of Object.entries(REGIME_COLOURS))
    if (shade !== null) expect(svg).toMatch(new RegExp(`fill="${shade.light}".*>${label}</text>`));
  expect(svg.replace(/<[^>]*>/g, '')).not.toMatch(/\d/);
});

it('is committed as a PNG of the size that pages state, of at most 60 kB', async () => {
  const png = await readFile(CARD);
  expect(png.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  expect([png.readUInt32BE(SIZE_AT), png.readUInt32BE(SIZE_AT + 4)]).toEqual([
    CARD_SIZE.width,
    CARD_SIZE.height,
  ]);
  expect(png.length).toBeLessThanOrEqual(60_000);
});
