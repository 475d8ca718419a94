import { readFile } from 'node:fs/promises';
import { listPythonLines } from '../../../scripts/demo/python-lines.js';

const keys = { research: 'crd_test_1', singleChain: 'crd_test_2' };

it('installs the client from the address of the demo, with the line of the README', async () => {
  const [install] = await listPythonLines({ url: 'http://127.0.0.1:8081', keys });
  expect(install?.line).toContain(' @ http://127.0.0.1:8081/api/v1/python/');
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(install?.line.replace('8081', '8080'));
});

it('reads subscriber files with the key of the Research plan', async () => {
  const [, read] = await listPythonLines({ url: 'http://127.0.0.1:8081', keys });
  expect(read?.line).toContain('CRD_API_KEY=crd_test_1 python3');
});
