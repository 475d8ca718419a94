import { chartCss, figureCss } from '../charts/chart-style.js';
import type { SiteTexts } from './site-texts.js';

/** Returns the style sheet of all pages but those of the documentation, which need more. */
export function pageStyle({ styles }: Pick<SiteTexts, 'styles'>): string {
  return [styles.page, chartCss(), figureCss(), ''].join('\n');
}
