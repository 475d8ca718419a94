import { PAGE_COLOURS, REGIME_COLOURS } from '../../schemas/palette.js';
import type { RegimeLabel } from '../../schemas/types.generated.js';

/** Size of the card in pixels, as social networks show it. */
export const CARD_SIZE = { width: 1200, height: 630 } as const;

const MARGIN = 80;
const RIBBON = { top: 326, height: 34, step: 46 } as const;
const LEGEND_TOP = 556;
/** Distance of a word of the legend from the left edge of its dot. */
const LEGEND_TEXT = 26;
/** Mean width of a letter of the legend. */
const LETTER_WIDTH = 11.8;

type Coloured = Exclude<RegimeLabel, 'indeterminate'>;
/** A regime and its share of a ribbon. */
type Run = readonly [label: Coloured, share: number];

/** Four ribbons, invented: the card shows what a ribbon is, and no data. */
const RIBBONS: readonly (readonly Run[])[] = [
  [['steady', 9], ['expanding', 6], ['strained', 3], ['congested', 5], ['strained', 2], ['steady', 8], ['quiet', 4], ['dormant', 5], ['quiet', 3], ['steady', 7]],
  [['quiet', 6], ['steady', 5], ['slack', 7], ['steady', 4], ['expanding', 9], ['strained', 4], ['congested', 3], ['expanding', 6], ['steady', 8]],
  [['expanding', 8], ['steady', 6], ['quiet', 3], ['steady', 10], ['strained', 5], ['steady', 5], ['slack', 8], ['expanding', 7]],
  [['dormant', 7], ['quiet', 5], ['slack', 4], ['steady', 7], ['expanding', 10], ['congested', 6], ['strained', 4], ['expanding', 4], ['steady', 5]],
]; // prettier-ignore

const LEGEND = Object.keys(REGIME_COLOURS).filter((label): label is Coloured => label !== 'indeterminate');

/** Returns the picture that social networks show beside a link to a page. It has no name and no number. */
export function cardSvg(): string {
  const { width, height } = CARD_SIZE;
  const { page, ink, soft, accent } = PAGE_COLOURS;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="'Liberation Sans', Arial, sans-serif">
<rect width="${width}" height="${height}" fill="${page.light}"/>
<rect width="${width}" height="12" fill="${accent.light}"/>
<text x="${MARGIN - 4}" y="150" font-size="76" font-weight="700" letter-spacing="-1.5" fill="${ink.light}">What state is a chain in?</text>
<text x="${MARGIN}" y="212" font-size="31" fill="${soft.light}">One regime for each day of Bitcoin, Ethereum, Arbitrum and Base.</text>
<text x="${MARGIN}" y="256" font-size="31" fill="${soft.light}">No prices, no forecasts, no advice.</text>
${RIBBONS.map((runs, i) => ribbon(runs, RIBBON.top + i * RIBBON.step)).join('\n')}
${legend()}
</svg>`;
}

function ribbon(runs: readonly Run[], y: number): string {
  const total = runs.reduce((sum, [, share]) => sum + share, 0);
  const scale = (CARD_SIZE.width - 2 * MARGIN) / total;
  let from = 0;
  return runs
    .map(([label, share]) => {
      const x = MARGIN + Math.round(from * scale);
      from += share;
      const end = MARGIN + Math.round(from * scale);
      return `<rect x="${x}" y="${y}" width="${end - x - 2}" height="${RIBBON.height}" fill="${colourOf(label)}"/>`;
    })
    .join('');
}

function legend(): string {
  const widths = LEGEND.map((label) => LEGEND_TEXT + label.length * LETTER_WIDTH);
  const free = CARD_SIZE.width - 2 * MARGIN - widths.reduce((sum, width) => sum + width, 0);
  return LEGEND.map((label, i) => {
    const before = widths.slice(0, i).reduce((sum, width) => sum + width, 0);
    const x = Math.round(MARGIN + before + (i * free) / (LEGEND.length - 1));
    const dot = `<circle cx="${x + 9}" cy="${LEGEND_TOP - 7}" r="8.5" fill="${colourOf(label)}" stroke="${PAGE_COLOURS.outline.light}"/>`;
    return `${dot}<text x="${x + LEGEND_TEXT}" y="${LEGEND_TOP}" font-size="22" fill="${PAGE_COLOURS.ink.light}">${label}</text>`;
  }).join('\n');
}

function colourOf(label: Coloured): string {
  return REGIME_COLOURS[label]?.light ?? PAGE_COLOURS.line.light;
}
