import type { Site } from './types.generated.js';

/** A link to a page of the publisher. */
type SiteLink = { readonly name: string; readonly href: string };

/** Returns the links to the publisher's contact, terms and privacy notice, which the footer of every page has. */
export function siteLinks({ contact, terms_url: terms, privacy_url: privacy }: Site): readonly SiteLink[] {
  const link = (name: string, href: string | undefined): SiteLink[] =>
    href === undefined ? [] : [{ name, href }];
  const isPage = contact?.startsWith('https:') ?? true;
  return [
    ...link('Contact', isPage ? contact : `mailto:${contact ?? ''}`),
    ...link('Terms', terms),
    ...link('Privacy', privacy),
  ];
}
