import Handlebars from 'handlebars';

/** A compiled template. */
export type TextTemplate = (values: object) => string;

/** Compiles a plain-text template: nothing is escaped, and a missing variable is an error. */
export function compileTextTemplate(source: string): TextTemplate {
  return Handlebars.compile(source, { noEscape: true, strict: true, knownHelpersOnly: true });
}

/**
 * Compiles a template of one sentence: text, and names such as `{{value}}`. Briefs need about twenty sentences per day over
 * years of days, and a full Handlebars template is ten times slower.
 * @throws Error when the template contains a block, a partial, a comment or a path; the compiled template throws when a value is missing.
 */
export function compileClaimTemplate(source: string): TextTemplate {
  const parts = Handlebars.parse(source).body.map((statement) => {
    const { value, path } = statement as { value?: string; path?: { original?: string } }; // content or mustache
    const text = statement.type === 'ContentStatement' ? value : undefined;
    const name = statement.type === 'MustacheStatement' ? path?.original : undefined;
    if (text === undefined && !/^\w+$/.test(name ?? ''))
      throw new Error(`a claim may only contain text and {{values}}: ${source}`);
    return { text, name: name ?? '' };
  });
  return (values) => {
    let sentence = '';
    for (const { text, name } of parts) sentence += text ?? valueOf(values as Record<string, unknown>, name);
    return sentence;
  };
}

function valueOf(values: Readonly<Record<string, unknown>>, name: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new Error(`the claim needs a value for "${name}"`);
  return value;
}

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
