import { spawnSync } from 'node:child_process';
import vm from 'node:vm';
import { operationPages, schemasPage } from '../../../../generator/core/pages/api-pages.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { glossaryEntries } from '../../../../schemas/methodology.js';
import { FILE_EXAMPLES } from '../../../../schemas/openapi/examples.js';
import { operationPath } from '../../../../schemas/paths.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';

const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const { site } = await readProductTexts();
const glossary = glossaryEntries();
const toPage = (file: ReturnType<typeof schemasPage>) => ({
  path: file.path,
  html: file.content(STAMP).text,
});
const pages = operationPages(site, glossary).map(toPage);
const htmlOf = (operation: string): string =>
  pages.find(({ path }) => path === operationPath(operation))?.html ?? '';
const captionsOf = (html: string): string[] =>
  [...html.matchAll(/<caption>([^<]*)/g)].map(([, caption = '']) => caption);
const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&#x3D;', '=')
    .replaceAll('&#x60;', '`')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
/** The program of a page in a language. */
const programOf = (html: string, language: string): string =>
  textOf(new RegExp(`data-tab="${language}">[^]*?<code>([^]*?)</code>`).exec(html)?.[1] ?? '');

it('say of every member what it means, in the words of the file that it is in', () => {
  for (const { path, html } of [...pages, toPage(schemasPage(site, glossary))]) {
    const cells = [...html.matchAll(/<td class="meaning">([^]*?)<\/td>/g)].map(([, cell = '']) =>
      textOf(cell),
    );
    expect([path, cells.filter((cell) => cell.trim() === '')]).toEqual([path, []]);
  }
  const day = textOf(htmlOf('getDay'));
  expect(day).toContain("In a gold day, the day's value of the metric tx_count as read");
  expect(day).toContain('In a derived day, an object with the moving means');
});

it('ask for what the sample shows', () => {
  const urlOf = (operation: string): string =>
    /"(http[^"]*)"/.exec(programOf(htmlOf(operation), 'curl'))?.[1] ?? '';
  for (const [operation, files] of Object.entries(FILE_EXAMPLES)) {
    const [example] = Object.values(files) as [Readonly<Record<string, string>>];
    const parts = [example['chain'], example['genre'], example['window'] ?? example['date']];
    for (const part of parts.filter((each) => each !== undefined))
      expect(urlOf(operation)).toContain(`/${part}`);
    for (const [schema, file] of Object.entries(files))
      expect([operation, findSchemaFaults(schema as 'bundle', file)]).toEqual([operation, []]);
  }
  expect(urlOf('getSummary')).toContain('/bitcoin');
  expect(htmlOf('getSummary')).toContain('&quot;chain&quot;: &quot;bitcoin&quot;');
  expect(urlOf('getCalendar')).toContain('/bitcoin/');
});

describe('programs', () => {
  const ENVIRONMENT = { CRD_API_KEY: 'a key', SESSION: 'a session' };
  type Sent = { method: string; url: string; headers: object; body: string | null };

  function curlRequest(program: string): Sent {
    const headers = [...program.matchAll(/-H (?:"([^"]+)"|'([^']+)')/g)].map(([, one, other]) =>
      (one ?? other ?? '').replace('$CRD_API_KEY', 'a key').replace('$SESSION', 'a session').split(': '),
    );
    return {
      method: /-X (\w+)/.exec(program)?.[1] ?? 'GET',
      url: /"(http[^"]*)"$/.exec(program)?.[1] ?? '',
      headers: Object.fromEntries(headers) as object,
      body: /-d '([^']*)'/.exec(program)?.[1] ?? null,
    };
  }

  async function javaScriptRequest(program: string): Promise<Sent> {
    let sent: Sent | undefined;
    const fetch = (url: string, { method = 'GET', headers = {}, body = null }: Partial<Sent> = {}) => {
      sent = { method, url, headers: { ...headers }, body };
      return { ok: true, text: () => '', arrayBuffer: () => new ArrayBuffer(0) };
    };
    const context = { fetch, process: { env: ENVIRONMENT }, console: { log: () => undefined } };
    await vm.runInNewContext(`(async () => {${program}})()`, context);
    return sent ?? { method: '', url: '', headers: {}, body: null };
  }

  /** Runs programs with a package `requests` that prints what it is called with. */
  function pythonRequests(programs: readonly string[]): Sent[] {
    const stub = [
      'import json, sys, types',
      'class Answer:',
      '    text, content = "", b""',
      '    raise_for_status = lambda self: None',
      'def send(method):',
      '    def call(url, headers={}, data=None, timeout=None):',
      '        print(json.dumps(dict(method=method, url=url, headers=headers, body=data)), file=sys.stderr)',
      '        return Answer()',
      '    return call',
      'calls = {name: send(name.upper()) for name in ("get", "post", "delete", "put", "patch")}',
      'sys.modules["requests"] = types.SimpleNamespace(**calls)',
      'for program in json.load(sys.stdin):',
      '    exec(compile(program, "sample", "exec"), {})',
    ].join('\n');
    const { status, stderr } = spawnSync('python3', ['-c', stub], {
      input: JSON.stringify(programs),
      encoding: 'utf8',
      env: { ...process.env, ...ENVIRONMENT },
    });
    expect({ status, stderr: stderr.startsWith('{') }).toEqual({ status: 0, stderr: true });
    return stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Sent);
  }

  it('make the same request in each language', async () => {
    const python = pythonRequests(pages.map(({ html }) => programOf(html, 'python')));
    for (const [i, { path, html }] of pages.entries()) {
      const expected = curlRequest(programOf(html, 'curl'));
      expect([path, expected.url]).toEqual([path, expect.stringMatching(/^https:[^{}]+$/)]);
      expect([path, await javaScriptRequest(programOf(html, 'javascript'))]).toEqual([path, expected]);
      expect([path, python[i]]).toEqual([path, expected]);
    }
    expect(programOf(htmlOf('listKeys'), 'python')).toContain('f"Bearer {os.environ[\'SESSION\']}"');
  });
});

it('say what a table shows once, and not again as its caption', () => {
  for (const { path, html } of pages) {
    expect([path, captionsOf(html).filter((caption) => caption === 'Responses')]).toEqual([path, []]);
    const summaries = [...html.matchAll(/<summary>Members of <code>([^<]*)/g)].map(([, name = '']) => name);
    for (const name of summaries) expect(captionsOf(html)).not.toContain(`Members of ${name}`);
  }
});
