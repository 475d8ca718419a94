/** The script of the published pages: charts, notices about late data, code tabs, copy buttons, search, link targets. */
import { enhanceFigure } from './chart-figure.js';
import { enhanceTabs } from './code-tabs.js';
import { enhanceCode } from './copy-code.js';
import { watchFreshness } from './freshness.js';
import { openTarget } from './open-target.js';
import { fillAddress } from './fill-address.js';
import { enhanceFilter } from './filter.js';

for (const figure of document.querySelectorAll<HTMLElement>('figure[data-chart]')) enhanceFigure(figure);
watchFreshness();
fillAddress();
enhanceTabs();
enhanceCode();
enhanceFilter();
openTarget();
