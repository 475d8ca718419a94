import { CHAINS } from '../../../schemas/catalog.js';
import { toDate, toDayNumber } from '../../../schemas/dates.js';
import type { OverviewChain, OverviewChart } from '../artifacts/chart-files.js';
import { CHART_DAYS } from '../artifacts/label-runs.js';
import { BODY_TOP, drawMonths, svgText, toChartSvg } from './chart-page.js';
import { LEFT, toChartWindow, type ChartWindow } from './chart-window.js';
import { drawRibbon } from './ribbon.js';
import { createSvgDocument, type SvgElement } from './svg-drawing.js';

const NAME = 'overview';
const RIBBON = 34;
/** Height of a chain: its words, its ribbon, and what is left free below. */
const ROW = 76;
const WORDS = 18;
const MONTHS = 30;

/** Draws the year of every chain as a ribbon, all over the same days: those up to the newest date of any. */
export function drawOverviewChart({ chains, origin }: OverviewChart): string {
  const document = createSvgDocument();
  const last = chains
    .map(({ through }) => through)
    .sort()
    .at(-1);
  const page = { document, name: NAME, title: `All chains: regimes of the last ${CHART_DAYS} days` };
  const madeOf = `Methodology ${origin.methodologyVersion}, published revision ${origin.revision}.`;
  if (last === undefined) {
    const says = 'No chain has dates in force';
    const words = { heading: 'Regimes of all chains', subheading: says, description: `${says}. ${madeOf}` };
    return toChartSvg({ ...page, ...words, height: BODY_TOP, body: [] });
  }
  const window = toChartWindow(last);
  const bottom = BODY_TOP + ROW * (chains.length - 1) + WORDS + RIBBON + 8;
  return toChartSvg({
    ...page,
    height: bottom + MONTHS,
    description: [...chains.map((each) => describe(each, window)), madeOf].join(' '),
    heading: 'Regimes of all chains',
    subheading: `${toDate(window.from)} to ${last}, UTC days`,
    body: [
      drawMonths(document, window, { top: BODY_TOP + WORDS, bottom }),
      ...chains.flatMap((each, i): SvgElement[] => {
        const top = BODY_TOP + ROW * i;
        return [
          svgText(document, stateWords(each, last), { class: 'over', x: LEFT, y: top + WORDS - 8 }),
          drawRibbon(each.runs, { document, name: NAME, window, top: top + WORDS, height: RIBBON }),
        ];
      }),
    ],
  });
}

function stateWords({ chain, label, since, through }: OverviewChain, last: string): string {
  const until = through === last ? '' : `, data to ${through}`;
  return `${CHAINS[chain].name}: ${label} since ${since}${until}`;
}

function describe({ chain, label, since, through, runs }: OverviewChain, { from, to }: ChartWindow): string {
  const days = new Map<string, number>();
  for (const run of runs) {
    const shown = Math.min(to, toDayNumber(run.last) + 1) - Math.max(from, toDayNumber(run.first));
    if (shown > 0) days.set(run.label, (days.get(run.label) ?? 0) + shown);
  }
  const counts = [...days]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`);
  const shown = counts.length === 0 ? 'none of these days has data' : `days by label: ${counts.join(', ')}`;
  return `${CHAINS[chain].name} is ${label} since ${since}, with data to ${through}; ${shown}.`;
}
