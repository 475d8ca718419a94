/** The script of the pages with metrics, and of their embedded form. */
import { startMetrics } from './metric-figure.js';

for (const figure of document.querySelectorAll<HTMLElement>('figure[data-metrics]'))
  void startMetrics(figure);
