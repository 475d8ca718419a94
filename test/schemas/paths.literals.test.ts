import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.join(import.meta.dirname, '../..');
const FOLDERS = ['gateway', 'generator', 'infra', 'schemas', 'scripts'];

/** The beginning of a URL path, anywhere in a text; it does not follow the dot of a relative file name. */
const URL_PATH =
  /(?<!\.)\/(?:api\/|(?:healthz|readyz|metrics|docs)\b|(?:_objects|assets|chains|charts|methodology|problems)\/)/;
const KEY_FOLDER = '(?:objects|releases|public|accounts|keys|usage)/';
const KEY_FILE = '(?:store|current|aliases|collection|gc|refusal)\\.json';
/** An object key, or its beginning. */
const KEY = new RegExp(`^(?:${KEY_FOLDER}|${KEY_FILE}$)`);
/** Matches every source text with such a literal. Other files need no parsing. */
const CANDIDATE = new RegExp(`${URL_PATH.source}|["'\`}](?:${KEY_FOLDER}|${KEY_FILE})`);

/** The name of a schema, which begins like a key. */
const RELEASES_SCHEMA = 'the schema of the list of releases';

/** Literals elsewhere that look like a path or key of the service, each with what it is. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'generator/signing/signed-history.ts releases/1': RELEASES_SCHEMA,
  'schemas/trust/document-forms.ts releases/1': RELEASES_SCHEMA,
  'scripts/trust/vector-states.ts releases/1': RELEASES_SCHEMA,
  'infra/aws/parts/store.ts accounts/': 'folder of access logs in the bucket of logs',
};

/** Returns the source files of a folder, without dependencies, outputs and generated code. */
function sourcesIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return /^(node_modules|cdk\.out)$/.test(entry.name) ? [] : sourcesIn(file);
    return file.endsWith('.ts') && !file.endsWith('.generated.ts') ? [file] : [];
  });
}

/** Returns the string literals and parts of template literals of a source text, without import specifiers. */
function literalsIn(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isImportTypeNode(node)) return;
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest));
  return found;
}

const spelledIn = (text: string): string[] =>
  (CANDIDATE.test(text) ? literalsIn(text) : []).filter((each) => URL_PATH.test(each) || KEY.test(each));

const SOURCES = FOLDERS.flatMap(sourcesIn).filter((file) => !/^schemas\/(page-)?paths\.ts$/.test(file));

it('finds every path and key spelled only in schemas/paths.ts and page-paths.ts', () => {
  const found = SOURCES.flatMap((file) =>
    spelledIn(readFileSync(path.join(ROOT, file), 'utf8')).map((literal) => `${file} ${literal}`),
  );
  expect([...new Set(found)].sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  expect(SOURCES.length).toBeGreaterThan(300);
});

it.each([
  `const at = '/api/v1/keys';`,
  'const at = `/api/v1/summary/${chain}`;',
  'const at = `${url}/healthz`;',
  `ask("GET /metrics")`,
  `store.get('current.json')`,
  'const key = `accounts/${digest}.json`;',
])('would find %s', (source) => {
  expect(spelledIn(source)).toHaveLength(1);
});

it.each([
  `import { a } from './charts/chart.js';`,
  `const a = await import('./methodology/v1.js');`,
  `const help = 'generator publish --input ./metrics';`,
  `// GET /healthz\nconst store = 's3://my-releases/data';`,
])('would not find %s', (source) => {
  expect(spelledIn(source)).toEqual([]);
});
