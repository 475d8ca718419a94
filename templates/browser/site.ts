/** The script of the pages: makes charts interactive, and shows which data is late by the reader's clock. */
import { enhanceFigure } from './chart-figure.js';
import { watchFreshness } from './freshness.js';

for (const figure of document.querySelectorAll<HTMLElement>('figure[data-chart]')) enhanceFigure(figure);
watchFreshness();
