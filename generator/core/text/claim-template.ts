import Handlebars from 'handlebars';
import type { TextTemplate } from './text-template.js';

/**
 * A template of one sentence, in which nothing but `{{value}}` stands: briefs say some twenty a day, over years of days,
 * and a template that can do more takes ten times as long to say it.
 * @throws Error when the sentence asks for more than values, or, when it is said, for one that is missing.
 */
export function compileClaimTemplate(source: string): TextTemplate {
  const parts = Handlebars.parse(source).body.map((statement) => {
    const { value, path } = statement as { value?: string; path?: { original?: string } }; // of one type or the other
    const said = statement.type === 'ContentStatement' ? value : undefined;
    const name = statement.type === 'MustacheStatement' ? path?.original : undefined;
    if (said === undefined && !/^\w+$/.test(name ?? '')) throw new Error(`not a plain sentence: ${source}`);
    return { said, name: name ?? '' };
  });
  return (values) => {
    let sentence = '';
    for (const { said, name } of parts) sentence += said ?? valueOf(values as Record<string, unknown>, name);
    return sentence;
  };
}

function valueOf(values: Readonly<Record<string, unknown>>, name: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new Error(`"${name}" is not among the values of a sentence`);
  return value;
}
