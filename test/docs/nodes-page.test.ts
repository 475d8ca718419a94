import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runInProcess } from '../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { startDailyNodes, type DailyNodes } from '../support/sources/daily-nodes.js';
import { ROOT } from './markdown-pages.js';

const page = await readFile(path.join(ROOT, 'generator/NODES.md'), 'utf8');
/** The blocks of code of the walk, in their order, without what indents them. */
const walk = page.slice(page.indexOf('## From nothing'), page.indexOf('### A trial on anvil'));
const blocks = [...walk.matchAll(/^( *)```(\w+)\n([^]*?)^ *```$/gm)].map(
  ([, indent = '', kind = '', text = '']) => ({ kind, text: text.replaceAll(`\n${indent}`, '\n').trim() }),
);
const [policy = ''] = blocks.filter(({ kind }) => kind === 'json').map(({ text }) => text);
const [since = ''] = /(?<="since": ")[^"]+/.exec(policy) ?? [];

describe('the page of nodes', () => {
  let nodes: DailyNodes;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    nodes = await startDailyNodes(since);
    await mkdir(path.join(folder.path, 'data'));
    const { endpoint } = nodes.ethereum;
    await writeFile(path.join(folder.path, 'nodes.policy.json'), policy.replace(/http:[^"]+/, endpoint));
  });
  afterAll(async () => {
    delete process.env['BITCOIN_NODE'];
    await nodes.dispose();
    await folder.dispose();
  });

  it('leads from nothing to a published day of both chains, with the output that it shows', async () => {
    let output = '';
    for (const { kind, text } of blocks) {
      if (kind === 'text') expect(output).toContain(`${text}\n`);
      for (const line of kind === 'sh' ? text.split('\n') : []) {
        const [, name = '', address = ''] = /^export (\w+)=(\S+)$/.exec(line) ?? [];
        if (name !== '') {
          const { host } = new URL(nodes.bitcoin.endpoint);
          process.env[name] = Object.assign(new URL(address), { host }).href;
          continue;
        }
        const words = line.replaceAll('file:.', `file:${folder.path}`).split(' ').slice(1);
        const at = (word: string): string => word.replace(/^nodes\.policy/, `${folder.path}/$&`);
        const { code, stdout, stderr } = await runInProcess(words.map(at), '2026-11-01T12:00:00Z');
        expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
        output = stdout;
      }
    }
    expect(output).toMatch(new RegExp(`ethereum +${since}`));
    expect(output).toMatch(new RegExp(`bitcoin +${since}`));
    expect(nodes.bitcoin.takeRequests()[0]?.headers.authorization).toMatch(/^Basic /);
    const front = await readFile(path.join(folder.path, 'data/store/public/index.html'), 'utf8');
    expect(front).toContain('/chains/ethereum');
  }, 120_000);
});
