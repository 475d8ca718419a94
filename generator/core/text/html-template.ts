import Handlebars from 'handlebars';
import type { TextTemplate } from './text-template.js';

/** HTML that a template passes on as it is: made from our own text, or by what escapes it itself. */
export type TrustedHtml = InstanceType<typeof Handlebars.SafeString>;

/** Marks HTML as made by what escapes. */
export function trustHtml(html: string): TrustedHtml {
  return new Handlebars.SafeString(html);
}

/** Text as HTML writes it, also within an attribute. */
export function escapeHtml(text: string): string {
  return Handlebars.escapeExpression(text);
}

/**
 * Templates for HTML by their names, each of which is a partial of the others: every value is escaped that is not
 * trusted HTML, and a variable that is missing is an error.
 */
export function compileHtmlTemplates<Name extends string>(
  sources: Readonly<Record<Name, string>>,
): { readonly [name in Name]: TextTemplate } {
  const engine = Handlebars.create();
  const entries = Object.entries<string>(sources).map(([name, source]): [string, TextTemplate] => {
    const template = engine.compile<object>(source, { strict: true, knownHelpersOnly: true });
    engine.registerPartial(name, template);
    return [name, (values) => template(values)];
  });
  return Object.fromEntries(entries) as { [name in Name]: TextTemplate }; // one for each name
}
