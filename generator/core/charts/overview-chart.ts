import { CHAINS } from '../../../schemas/catalog.js';
import { toDate, toDayNumber } from '../../../schemas/dates.js';
import type { OverviewChain, OverviewChart } from '../artifacts/chart-files.js';
import { CHART_DAYS } from '../artifacts/label-runs.js';
import { BODY_TOP, drawMonths, svgText, toChartSvg } from './chart-page.js';
import { LEFT, toChartWindow, type ChartWindow } from './chart-window.js';
import { drawRibbon } from './ribbon.js';
import { createSvgDocument, type SvgElement } from './svg-drawing.js';

const NAME = 'overview';
const RIBBON_HEIGHT = 34;
/** Height of a chain: its text, its ribbon and the space below. */
const ROW_HEIGHT = 76;
const TEXT_HEIGHT = 18;
const MONTHS_HEIGHT = 30;

/** Draws the last year of every chain as a ribbon. All ribbons end with the newest date of any chain. */
export function drawOverviewChart({ chains, origin }: OverviewChart): string {
  const document = createSvgDocument();
  const last = chains
    .map(({ through }) => through)
    .sort()
    .at(-1);
  const page = { document, name: NAME, title: `All chains: regimes of the last ${CHART_DAYS} days` };
  const provenance = `Methodology ${origin.methodologyVersion}, published revision ${origin.revision}.`;
  if (last === undefined) {
    const text = 'No chain has published dates';
    const words = {
      heading: 'Regimes of all chains',
      subheading: text,
      description: `${text}. ${provenance}`,
    };
    return toChartSvg({ ...page, ...words, height: BODY_TOP, body: [] });
  }
  const window = toChartWindow(last);
  const bottom = BODY_TOP + ROW_HEIGHT * (chains.length - 1) + TEXT_HEIGHT + RIBBON_HEIGHT + 8;
  return toChartSvg({
    ...page,
    height: bottom + MONTHS_HEIGHT,
    description: [...chains.map((each) => chainDescription(each, window)), provenance].join(' '),
    heading: 'Regimes of all chains',
    subheading: `${toDate(window.from)} to ${last}, UTC days`,
    body: [
      drawMonths(document, window, { top: BODY_TOP + TEXT_HEIGHT, bottom }),
      ...chains.flatMap((each, i): SvgElement[] => {
        const top = BODY_TOP + ROW_HEIGHT * i;
        return [
          svgText(document, chainHeading(each, last), { class: 'over', x: LEFT, y: top + TEXT_HEIGHT - 8 }),
          drawRibbon(each.runs, {
            document,
            name: NAME,
            window,
            top: top + TEXT_HEIGHT,
            height: RIBBON_HEIGHT,
          }),
        ];
      }),
    ],
  });
}

function chainHeading({ chain, label, since, through }: OverviewChain, last: string): string {
  const until = through === last ? '' : `, data to ${through}`;
  return `${CHAINS[chain].name}: ${label} since ${since}${until}`;
}

function chainDescription(
  { chain, label, since, through, runs }: OverviewChain,
  { from, to }: ChartWindow,
): string {
  const days = new Map<string, number>();
  for (const run of runs) {
    const daysInWindow = Math.min(to, toDayNumber(run.last) + 1) - Math.max(from, toDayNumber(run.first));
    if (daysInWindow > 0) days.set(run.label, (days.get(run.label) ?? 0) + daysInWindow);
  }
  const counts = [...days]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`);
  const countsByLabel =
    counts.length === 0 ? 'no data for these days' : `days by label: ${counts.join(', ')}`;
  return `${CHAINS[chain].name} has been ${label} since ${since}, with data to ${through}; ${countsByLabel}.`;
}
