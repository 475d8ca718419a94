import Handlebars from 'handlebars';

/** Makes a text of the values that its template names. */
export type TextTemplate = (values: object) => string;

/** A template for plain text: nothing is escaped, and a variable that is missing is an error. */
export function compileTextTemplate(source: string): TextTemplate {
  return Handlebars.compile(source, { noEscape: true, strict: true, knownHelpersOnly: true });
}
