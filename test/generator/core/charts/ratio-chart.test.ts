import { drawRatioChart } from '../../../../generator/core/charts/ratio-chart.js';
import { compareSeries } from '../../../../generator/core/collection/compare-series.js';
import { addDays } from '../../../../schemas/dates.js';
import { ofTag, readSvg } from '../../../support/pages/svg-reader.js';

/** Compares two made-up sources: the second lacks the days 40 to 49, and is up to 2 % lower. */
function draw(days: number, title = 'aws / growthepie, base'): string {
  const dates = Array.from({ length: days }, (_, i) => addDays('2025-01-01', i));
  const a = dates.map((date, i) => [date, { tx_count: String(1000 + i), fees_total: '2.5' }] as const);
  const b = dates.flatMap((date, i) =>
    i >= 40 && i < 50 ? [] : [[date, { tx_count: String(1000 + i - (i % 20)), fees_total: '2.5' }] as const],
  );
  return drawRatioChart({ title, lines: compareSeries(new Map(a), new Map(b)) });
}

describe('the chart of ratios', () => {
  it('shows each metric with its median and extremes, in a small SVG without invalid numbers', () => {
    const text = draw(300);
    const texts = ofTag(readSvg(text), 'text').map((each) => each.text);
    expect(text).not.toMatch(/NaN|Infinity|undefined|null|<script|href/);
    expect(Buffer.byteLength(text)).toBeLessThan(40_000);
    expect(texts).toEqual(
      expect.arrayContaining([
        'aws / growthepie, base',
        '1 January 2025 to 27 October 2025, UTC days. Difference from 1 in %',
        expect.stringMatching(
          /^tx_count: median 1\.00\d+, from 1 \(1 January 2025\) to 1\.019 \(20 January 2025\)$/,
        ),
        'fees_total: median 1, from 1 (1 January 2025) to 1 (1 January 2025)',
        '+1.9',
        '−0.1',
        'Mar',
      ]),
    );
  });

  it('draws the same for the same input, and breaks the line where a source has no dates', () => {
    expect(draw(100)).toBe(draw(100));
    const lines = ofTag(readSvg(draw(100)), 'path').map(({ attributes }) => attributes['d'] ?? '');
    expect(lines.map((path) => path.split('M').length - 1)).toEqual([2, 2]);
  });

  it('shows years instead of months for a long history', () => {
    const texts = ofTag(readSvg(draw(1_500)), 'text').map(({ text }) => text);
    expect(texts.filter((text) => /^20\d\d$/.test(text))).toEqual([
      '2025',
      '2026',
      '2027',
      '2028',
      '2025',
      '2026',
      '2027',
      '2028',
    ]);
    expect(texts).not.toContain('Mar');
  });

  it('says that there is nothing to compare, and escapes its title', () => {
    const text = drawRatioChart({ title: 'a < b', lines: [] });
    expect(ofTag(readSvg(text), 'text').map((each) => each.text)).toEqual(['a < b', 'No dates in both']);
  });
});
