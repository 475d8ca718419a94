import { withMinusSigns } from '../../../schemas/words.js';
import { chartCss, HATCH_STEP, isHatched, LABELS, type Scheme } from './chart-style.js';
import { type Mark, moveDown, type Scene, textAtLeft, toLines } from './scenes.js';

const NAMESPACE = 'http://www.w3.org/2000/svg';
/** Characters that XML 1.0 does not allow, even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
/** Texts without a character that must be escaped. */
const PLAIN = /^[\w .,:%#()/-]*$/;
/** Width of a line's own coordinates. */
const LINE_WIDTH = 1000;
/** Width of a chart as a file, and its margin, in pixels. */
const FILE_WIDTH = 960;
const MARGIN = 20;
const LEGEND_ITEM = 112;
/** Number of characters of a subtitle that fit in a line even in a wide font, and the distance of its lines in pixels. */
const SUBTITLE_CHARACTERS = 110;
const SUBTITLE_LINE = 18;

/** Options for `toSvg`. */
type SvgOptions = {
  /** Prefix of all ids, so that charts on one page share none. */
  readonly name: string;
  /** What the chart shows, for screen readers. */
  readonly label: string;
  readonly description: string;
  /** Whether bars have their words as a tooltip. */
  readonly hasTooltips?: boolean;
};

/** Returns a chart as part of a page. It is as wide as its container, and styled by the page's style sheet. */
export function toSvg({ height, marks }: Scene, options: SvgOptions): string {
  const { name, label, description } = options;
  return `<svg ${attributesOf({
    class: 'crd-chart',
    width: '100%',
    height,
    role: 'img',
    'aria-label': label,
    'aria-describedby': `${name}-desc`,
  })}><desc id="${name}-desc">${escapeXml(description)}</desc>${hatchOf(name)}${marks.map((mark) => toElement(mark, options)).join('')}</svg>`;
}

/** Options for `toSvgFile`. */
type SvgFileOptions = SvgOptions & {
  readonly heading: string;
  readonly subheading: string;
  /** Whether the legend of the labels is drawn. Default: true. */
  readonly hasLegend?: boolean;
  /** The colours; both schemes by default. */
  readonly scheme?: Scheme;
};

/** Returns a chart as a file of its own, with a title, a legend and its styles. */
export function toSvgFile(scene: Scene, options: SvgFileOptions): string {
  const { name, label, description, heading, subheading, scheme, hasLegend = true } = options;
  const { width, height, left, top, body, legendTop } = layOut(scene, subheading);
  const legend = hasLegend ? legendMarks() : [];
  const inner = {
    x: left,
    y: top,
    width: width - left - MARGIN,
    height: body,
    ...(left > MARGIN ? { overflow: 'visible' } : {}),
  };
  const toPart = (mark: Mark): string => toElement(mark, options);
  return [
    `<svg ${attributesOf({
      xmlns: NAMESPACE,
      class: 'crd-chart',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      lang: 'en',
      'aria-labelledby': `${name}-title`,
      'aria-describedby': `${name}-desc`,
    })}><title id="${name}-title">${escapeXml(label)}</title><desc id="${name}-desc">${escapeXml(description)}</desc><style>${chartCss(scheme)}</style>${hatchOf(name)}`,
    `<rect ${attributesOf({ class: 'ground', width, height })}/>`,
    `<svg ${attributesOf({ x: MARGIN, y: 0, width: width - 2 * MARGIN, height: top })}>${headMarks(heading, subheading).map(toPart).join('')}</svg>`,
    `<svg ${attributesOf(inner)}>${scene.marks.map(toPart).join('')}</svg>`,
    `<svg ${attributesOf({ x: MARGIN, y: legendTop, width: width - 2 * MARGIN, height: 24 })}>${legend.map(toPart).join('')}</svg>`,
    '</svg>\n',
  ].join('');
}

/** Returns where the parts of a chart's file are, in pixels. A long subtitle moves the chart down. */
export function layOut(
  { height: body, gutter = 0 }: Scene,
  subheading: string,
): {
  readonly width: number;
  readonly height: number;
  readonly margin: number;
  /** Where the chart begins, beside the numbers of its axis. */
  readonly left: number;
  readonly top: number;
  readonly body: number;
  readonly legendTop: number;
} {
  const top = 68 + SUBTITLE_LINE * (toLines(subheading, SUBTITLE_CHARACTERS).length - 1);
  const legendTop = top + body + 12;
  const left = MARGIN + gutter;
  return { width: FILE_WIDTH, height: legendTop + 40, margin: MARGIN, left, top, body, legendTop };
}

/** Returns the title and the lines of the subtitle of a chart's file. */
export function headMarks(heading: string, subheading: string): Mark[] {
  const lines = toLines(subheading, SUBTITLE_CHARACTERS).map((line, i) =>
    textAtLeft(line, 54 + SUBTITLE_LINE * i, 'state'),
  );
  return [textAtLeft(heading, 34, 'title'), ...lines];
}

/** Returns the legend of a chart's file, in one line. */
export function legendMarks(): Mark[] {
  const width = FILE_WIDTH - 2 * MARGIN;
  return moveDown(
    LABELS.flatMap((label, i): Mark[] => {
      const from = (i * LEGEND_ITEM) / width;
      const box = { from, to: from + 14 / width, top: 0, height: 14 } as const;
      return [
        { kind: 'bar', ...box, paint: label },
        { kind: 'bar', ...box, paint: 'frame' },
        { kind: 'text', x: from, dx: 20, y: 12, anchor: 'start', text: label, style: 'state' },
      ];
    }),
    2,
  );
}

function hatchOf(name: string): string {
  const size = { width: HATCH_STEP, height: HATCH_STEP };
  const pattern = attributesOf({
    id: `${name}-hatch`,
    ...size,
    patternUnits: 'userSpaceOnUse',
    patternTransform: 'rotate(45)',
  });
  return `<defs><pattern ${pattern}><line class="hatch" x1="0" y1="0" x2="0" y2="${HATCH_STEP}"/></pattern></defs>`;
}

function toElement(mark: Mark, options: SvgOptions): string {
  if (mark.kind === 'bar') return toRect(mark, options);
  if (mark.kind === 'bars') return toBars(mark, options);
  if (mark.kind === 'line') return toPath(mark);
  if (mark.kind === 'text') {
    const { x, dx, y, anchor, text, style } = mark;
    const attributes = attributesOf({
      class: style,
      x: percent(x),
      ...(dx === 0 ? {} : { dx }),
      y: round(y),
      ...(anchor === 'start' ? {} : { 'text-anchor': anchor }),
    });
    return `<text ${attributes}>${escapeXml(withMinusSigns(text))}</text>`;
  }
  const { from, to, top, bottom, paint } = mark;
  return `<line ${attributesOf({ class: paint, x1: percent(from), y1: round(top), x2: percent(to), y2: round(bottom) })}/>`;
}

function toRect(mark: Mark & { kind: 'bar' }, { name, hasTooltips = true }: SvgOptions): string {
  const { from, to, top, height, paint, title } = mark;
  const attributes = attributesOf({
    ...(paint === 'indeterminate' ? { fill: `url(#${name}-hatch)` } : { class: paint }),
    x: percent(from),
    y: top,
    width: percent(to - from),
    height,
  });
  if (title === undefined || !hasTooltips) return `<rect ${attributes}/>`;
  return `<rect ${attributes}><title>${escapeXml(title)}</title></rect>`;
}

/** Bars have their own coordinates, like a line; hatched ones have not, because the hatching would be stretched too. */
function toBars(mark: Mark & { kind: 'bars' }, { name }: SvgOptions): string {
  const { spans, top, height, paint, isFaint } = mark;
  if (isHatched(paint)) {
    const rects = spans.map(([from, to]) => {
      const place = attributesOf({ x: percent(from), y: top, width: percent(to - from), height });
      return `<rect ${place}/>`;
    });
    const group = { fill: `url(#${name}-hatch)`, ...(isFaint ? { class: 'faint' } : {}) };
    return `<g ${attributesOf(group)}>${rects.join('')}</g>`;
  }
  const data = spans.map(([from, to]) => {
    const [left, right] = [round(from * LINE_WIDTH), round(to * LINE_WIDTH)];
    return `M${left},0H${right}V1H${left}z`;
  });
  const path = attributesOf({ class: `bars ${paint}${isFaint ? ' faint' : ''}`, d: data.join('') });
  return `<svg ${ownCoordinates(top, height, 1)}><path ${path}/></svg>`;
}

/** A line has its own coordinates, which are stretched to the width; its stroke is not. */
function toPath({ top, height, points, paint }: Mark & { kind: 'line' }): string {
  const data = points.map((point, i): string => {
    if (point === null) return '';
    const [x, y] = point;
    const place = `${round(x * LINE_WIDTH)},${round(y)}`;
    if ((points[i - 1] ?? null) !== null) return `L${place}`;
    return (points[i + 1] ?? null) === null ? `M${place}h0` : `M${place}`; // a day between gaps is a point
  });
  if (data.every((each) => each === '')) return '';
  return `<svg ${ownCoordinates(top, height, height)}><path class="${paint}" d="${data.join('')}"/></svg>`;
}

/** Returns the attributes of a part `height` pixels high whose coordinates, up to `LINE_WIDTH` and `units`, are stretched. */
function ownCoordinates(top: number, height: number, units: number): string {
  return attributesOf({
    y: top,
    width: '100%',
    height,
    viewBox: `0 0 ${LINE_WIDTH} ${units}`,
    preserveAspectRatio: 'none',
    overflow: 'visible',
  });
}

function attributesOf(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${typeof value === 'number' ? value : escapeXml(value)}"`)
    .join(' ');
}

function percent(share: number): string {
  return share === 0 ? '0' : `${Math.round(share * 1e5) / 1e3}%`;
}

function round(x: number): number {
  return Math.round(x * 10) / 10;
}

function escapeXml(text: string): string {
  if (PLAIN.test(text)) return text; // most texts, and charts are drawn with every frame
  return text
    .replace(NOT_XML, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
