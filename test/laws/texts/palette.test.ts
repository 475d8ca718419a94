import { readFile } from 'node:fs/promises';
import { PAGE_COLOURS, REGIME_COLOURS, type Shade } from '../../../schemas/palette.js';

const css = await readFile(new URL('../../../templates/pages/first.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)');
const COLOURS: Readonly<Record<string, Shade | null>> = { ...REGIME_COLOURS, ...PAGE_COLOURS };

function variableOf(text: string, name: string): string | undefined {
  const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return new RegExp(`--${kebab}: (#[0-9a-f]{6});`).exec(text)?.[1]?.toUpperCase();
}

/** Returns the relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

it.each(Object.entries(COLOURS).filter(([, shade]) => shade !== null))(
  'the style sheet has the colour %s of the palette',
  (name, shade) => {
    expect([variableOf(light, name), variableOf(dark, name)]).toEqual([shade?.light, shade?.dark]);
  },
);

it.each(['light', 'dark'] as const)('text is readable on every background in the %s scheme', (scheme) => {
  const of = (name: keyof typeof PAGE_COLOURS): string => PAGE_COLOURS[name][scheme];
  for (const text of ['ink', 'soft', 'accent', 'demand', 'pressure'] as const)
    for (const ground of ['page', 'card'] as const)
      expect([text, ground, contrast(of(text), of(ground)) >= 4.5]).toEqual([text, ground, true]);
  expect(contrast(of('bad'), of('badPage'))).toBeGreaterThanOrEqual(4.5);
  expect(contrast(of('page'), of('accent'))).toBeGreaterThanOrEqual(4.5); // the text of a button
});
