import { renderMarkdown, renderMarkdownLine, toSlug } from '../markdown-html.js';
import type { TrustedHtml } from '../../text/text-template.js';

/** A section of a guide. */
export type GuideSection = { readonly id: string; readonly title: string; readonly body: TrustedHtml };

/** The parts of a guide: its title, the paragraph below it, and its sections. */
export type Guide = {
  readonly title: string;
  readonly lead: string;
  readonly leadHtml: TrustedHtml;
  readonly sections: readonly GuideSection[];
};

/** Parses a guide. @throws Error if it does not begin with a first-level heading and one paragraph. */
export function parseGuide(text: string): Guide {
  const [head = '', ...parts] = text.trim().split(/^## /m);
  const [, title = '', lead = ''] = /^# (.+)\n\n([^]+)$/.exec(head.trim()) ?? [];
  if (title === '') throw new Error('A guide begins with "# Title", an empty line and a paragraph.');
  return {
    title,
    lead,
    leadHtml: renderMarkdownLine(lead),
    sections: parts.map((part) => {
      const [heading = '', ...body] = part.split('\n');
      return { id: toSlug(heading), title: heading, body: renderMarkdown(body.join('\n')).opening };
    }),
  };
}
