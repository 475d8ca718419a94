import { startBrowser } from './browser.js';
import { CARD_SIZE, cardSvg } from './card-svg.js';

/** Draws the social card, templates/pages/card.png, with Chromium and the font Liberation Sans: `npm run card`. */
const browser = await startBrowser();
try {
  const page = await browser.newPage({ viewport: CARD_SIZE });
  await page.setContent(`<body style="margin:0">${cardSvg()}</body>`);
  await page.screenshot({ path: new URL('../../templates/pages/card.png', import.meta.url).pathname });
} finally {
  await browser.close();
}
