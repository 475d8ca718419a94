import Handlebars from 'handlebars';

/** A compiled template. */
export type TextTemplate = (values: object) => string;

/** Compiles a plain-text template: nothing is escaped, and a missing variable is an error. */
export function compileTextTemplate(source: string): TextTemplate {
  return Handlebars.compile(source, { noEscape: true, strict: true, knownHelpersOnly: true });
}
