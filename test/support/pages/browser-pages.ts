import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Browser, Page, Response } from 'playwright-core';
import { PAGE_PATHS } from '../../../schemas/paths.js';

/** Folder of the screenshots. */
const SCREENS = path.join(import.meta.dirname, '../../../.ci/out/screens');
/** Time limit of one action in a browser. A page of 20,000 px takes a busy machine half a minute to draw. */
export const STEP_MS = 90_000;
/** Maximum height of a screenshot in pixels. */
const SCREEN_HEIGHT = 6_000;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Window width, colour scheme, JavaScript and clock of a visit. */
export type Look = {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
  readonly javaScript?: boolean;
  /** Fixed time of the page's clock. By default, the page uses the machine's clock. */
  readonly now?: string;
};

/** An open page and its errors. */
export type Visit = {
  readonly page: Page;
  /** Errors and warnings of the console and the network. */
  readonly faults: readonly string[];
  /** Returns the number of bytes of all response bodies. */
  readonly bytes: () => Promise<number>;
  readonly close: () => Promise<void>;
};

/** Opens a page without cached files or cookies. */
export async function visit(browser: Browser, url: string, look: Look): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 900 },
    colorScheme: look.scheme,
    javaScriptEnabled: look.javaScript ?? true,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(STEP_MS);
  const page = await context.newPage();
  if (look.now !== undefined) await page.clock.setFixedTime(look.now);
  const faults: string[] = [];
  const responses: Response[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('requestfailed', (request) => {
    const isIcon = new URL(request.url()).pathname === PAGE_PATHS.icon; // the browser ends its own request when it leaves a page
    if (!isIcon || request.failure()?.errorText !== 'net::ERR_ABORTED')
      faults.push(`failed: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
    responses.push(response);
  });
  await page.goto(url, { waitUntil: 'load' }); // on a busy machine the network is idle before a long page is parsed
  await page.waitForLoadState('networkidle');
  return {
    page,
    faults,
    async bytes() {
      const bodies = await Promise.all(responses.map((response) => response.body()));
      return bodies.reduce((sum, { length }) => sum + length, 0);
    },
    close: () => context.close(),
  };
}

/** Scrolls to each image, waits until all are drawn, and returns their number. */
export async function seePictures(page: Page): Promise<number> {
  const pictures = await page.locator('img').all();
  for (const picture of pictures) {
    await picture.scrollIntoViewIfNeeded();
    await picture.evaluate((image: { decode: () => Promise<void> }) => image.decode());
  }
  await page.evaluate('scrollTo(0, 0)');
  return pictures.length;
}

/** Returns the captions of tables that are wider than the page has room for, in a font, with how many pixels are cut off. */
export async function cutTablesOf(page: Page, font: string): Promise<string[]> {
  return page.evaluate(
    `(() => {
      document.documentElement.style.setProperty('--sans', ${JSON.stringify(`'${font}'`)});
      return [...document.querySelectorAll('.table')].flatMap((region) => {
        const cut = region.scrollWidth - region.clientWidth;
        return cut <= 0 ? [] : [\`\${region.getAttribute('aria-label')}: \${cut} px\`];
      });
    })()`,
  );
}

/** Returns the accessibility violations of a page, of all rules or of these. */
export async function findBarriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations: found } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })})`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

type AxeResults = {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
};

/** Returns the number of pixels by which a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Returns the pairs of texts of a page that are drawn over each other, at most ten. */
export function overlapsOf(page: Page): Promise<string[]> {
  return page.evaluate(FIND_OVERLAPS);
}

/** Compares the boxes of all visible texts, or those of an open dialog, from top to bottom. Two pixels may overlap: boxes are taller than letters. */
const FIND_OVERLAPS = `(() => {
  const boxes = [];
  const root = document.querySelector('dialog[open]') ?? document.body;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.data.trim();
    const parent = node.parentElement;
    if (text === '' || parent === null || parent.closest('script, style, title, desc, .skip') !== null) continue;
    if (!parent.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    if (getComputedStyle(parent).clipPath !== 'none') continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, top, right, bottom, width, height } of range.getClientRects())
      if (width > 1 && height > 1) boxes.push({ text, parent, left, top: top + 2, right, bottom: bottom - 2 });
  }
  const scrolls = (element) => element.closest('.table, pre');
  boxes.sort((a, b) => a.top - b.top);
  const found = [];
  for (const [i, a] of boxes.entries()) {
    for (const b of boxes.slice(i + 1)) {
      if (b.top >= a.bottom || found.length === 10) break;
      const apart = b.left >= a.right - 2 || a.left >= b.right - 2;
      if (!apart && a.parent !== b.parent && scrolls(a.parent) === scrolls(b.parent)) found.push(a.text + ' | ' + b.text);
    }
  }
  return found;
})()`;

/** Stores a screenshot of a page, or of the beginning of a long page. */
export async function keepScreen(page: Page, name: string): Promise<void> {
  await mkdir(SCREENS, { recursive: true });
  const { width, height } = await page.evaluate<{ width: number; height: number }>(
    '({ width: innerWidth, height: document.documentElement.scrollHeight })',
  );
  const clip = { x: 0, y: 0, width, height: Math.min(height, SCREEN_HEIGHT) };
  await page.screenshot({ path: path.join(SCREENS, `${name}.png`), fullPage: true, clip });
}

/** Returns the targets of the links of a page, and its links to missing fragments. */
export async function readLinks(
  url: string,
): Promise<{ readonly hrefs: string[]; readonly missing: string[] }> {
  const html = await (await fetch(url)).text();
  const ids = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
  const hrefs = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  return {
    hrefs: hrefs.map((href) => new URL(href, url).href),
    missing: hrefs.filter((href) => href.startsWith('#') && !ids.has(href.slice(1))),
  };
}

/** Returns true if the element of this selector has the focus. */
export function hasFocus(page: Page, selector: string): Promise<boolean> {
  return page.evaluate(`document.activeElement === document.querySelector(${JSON.stringify(selector)})`);
}
