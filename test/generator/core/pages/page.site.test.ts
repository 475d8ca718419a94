import { docsPage } from '../../../../generator/core/pages/docs-pages.js';
import { frontPage } from '../../../../generator/core/pages/front-page.js';
import { pricingPage } from '../../../../generator/core/pages/pricing-page.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import type { Site } from '../../../../schemas/types.generated.js';

const STAMP = { revision: '2026-08-20.000001', sequence: 1, publishedAt: '2026-08-20T06:00:00Z' };
const SITE: Site = {
  name: 'Data <of> "Example"',
  base_url: 'https://data.example.com',
  publisher: 'Example & Sons',
  contact: 'data@example.com',
  terms_url: 'https://example.com/terms?a=1&b=2',
  privacy_url: 'https://example.com/privacy',
  sign_up_url: 'https://example.com/sign-up',
};

async function render(details?: Site): Promise<{ readonly front: string; readonly docs: string }> {
  const { site } = await readProductTexts(details);
  return {
    front: frontPage(site, { facts: [], methodologyVersion: 'v1' }).content(STAMP).text,
    docs: docsPage(site).content(STAMP).text,
  };
}

it('pages have the name of the site in their titles, and publisher and links in their footer', async () => {
  const { front, docs } = await render(SITE);
  expect(front).toContain('<title>Data &lt;of&gt; &quot;Example&quot;</title>');
  expect(docs).toContain('<title>Documentation · Data &lt;of&gt; &quot;Example&quot;</title>');
  for (const page of [front, docs]) {
    const footer = page.slice(page.indexOf('<footer'));
    expect(footer).toContain('Published by Example &amp; Sons.');
    expect(footer.match(/href="(?:mailto|https)[^"]*"[^>]*>[^<]*/g)).toEqual([
      'href="mailto:data@example.com" rel="noopener noreferrer">Contact',
      'href="https://example.com/terms?a&#x3D;1&amp;b&#x3D;2" rel="noopener noreferrer">Terms',
      'href="https://example.com/privacy" rel="noopener noreferrer">Privacy',
    ]);
  }
});

it('the front page has the command with the address, and plans lead to where people sign up', async () => {
  const { front } = await render(SITE);
  const { wheel } = (await readProductTexts()).site;
  expect(front).toContain(
    `pip install &quot;chain-reference-data[pandas,verify] @ https://data.example.com${wheel}&quot;</code></pre>`,
  );
  expect(front.match(/class="button" href="https:\/\/example.com\/sign-up"/g)).toHaveLength(2);
  expect(front).toContain('<link rel="canonical" href="https://data.example.com/">');
  expect(front).toContain('<meta property="og:image" content="https://data.example.com/assets/card.png">');
  expect(front).toContain('<meta name="twitter:card" content="summary_large_image">');
});

it('without a site, the front page says that it does not know its address, and plans lead to the account page', async () => {
  const { front, docs } = await render();
  expect(front).toContain('<title>Chain reference data</title>');
  expect(front).toContain('This copy of the site was published without its address');
  expect(front.match(/class="button" href="\/account\?plan&#x3D;(single-chain|research)"/g)).toHaveLength(2);
  expect(front + docs).not.toMatch(/Published by|mailto:|canonical|og:image/);
});

it('the pricing page has the answers of the publisher, and no others', async () => {
  const pricing = async (details?: Site): Promise<string> => {
    const { site } = await readProductTexts(details);
    return pricingPage(site, undefined).content(STAMP).text;
  };
  const questions = (page: string): string[] =>
    [...page.matchAll(/<h3>([^<]*\?)<\/h3>/g)].map(([, text = '']) => text);
  const usual = [
    'How do I pay?',
    'Can I cancel?',
    'What happens to files that I downloaded?',
    'Do you sell prices or forecasts?',
  ];
  expect(questions(await pricing())).toEqual(usual);
  const page = await pricing({ ...SITE, refunds: 'Within 14 days.', redistribution: 'Charts & maps.' });
  expect(questions(page)).toEqual([
    'Can I get my money back?',
    'What may I pass on to others?',
    ...usual.slice(2),
    'Who answers other questions?',
  ]);
  expect(page).toContain('<p>Within 14 days.</p>');
  expect(page).toContain('<p>Charts &amp; maps.</p>');
  expect(page).toContain(
    '<p>Example &amp; Sons: <a href="mailto:data@example.com" rel="noopener noreferrer">data@example.com</a>.</p>',
  );
});

it('a contact that is a page is linked as such', async () => {
  const { front } = await render({ ...SITE, contact: 'https://example.com/contact' });
  expect(front).toContain('<a href="https://example.com/contact" rel="noopener noreferrer">Contact</a>');
});
