import { chromium, type Browser, type Page } from 'playwright-core';
import { requireChromium } from './chromium.js';

/** Starts a browser. @throws Error when there is none, or it does not start: nobody goes on without. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: requireChromium(process.env), args: ['--no-sandbox'] });
}

/** Milliseconds from the beginning of a page's load to its largest paint. */
export function largestPaintMs(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime));
    observer.observe({ type: 'largest-contentful-paint', buffered: true });
  })`);
}
