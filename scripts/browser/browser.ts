import { chromium, type Browser, type Page } from 'playwright-core';
import { requireChromium } from './chromium.js';

/** Starts Chromium, and installs it first if it can. @throws Error if it cannot be installed or does not start. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: requireChromium(process.env), args: ['--no-sandbox'] });
}

/** Returns the largest contentful paint of a page, in milliseconds since navigation. */
export function largestPaintMs(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime));
    observer.observe({ type: 'largest-contentful-paint', buffered: true });
  })`);
}
