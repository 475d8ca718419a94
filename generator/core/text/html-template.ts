import Handlebars from 'handlebars';
import type { TextTemplate } from './text-template.js';

/** HTML that a template does not escape: our own text, or output that is already escaped. */
export type TrustedHtml = InstanceType<typeof Handlebars.SafeString>;

/** Marks HTML as already escaped. */
export function trustHtml(html: string): TrustedHtml {
  return new Handlebars.SafeString(html);
}

/** Escapes text for HTML content and attributes. */
export function escapeHtml(text: string): string {
  return Handlebars.escapeExpression(text);
}

/**
 * Compiles HTML templates, each available to the others as a partial. Every value that is not trusted HTML is escaped.
 * A missing variable is an error. Templates use no conditions: an optional part is a list of at most one value.
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
