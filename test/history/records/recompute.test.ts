import { createTemporaryFolder } from '../../support/process/temporary-folder.js';
import { AS_OF, metricsFolder } from '../history-data.js';
import { runGenerator } from '../plain-node.js';

it('the real history passes verify --deep, which recomputes it from its gold days', async () => {
  const folder = await createTemporaryFolder();
  const store = ['--store', `file:${folder.path}`];
  const input = ['--input', metricsFolder(), '--as-of', AS_OF];
  expect(await runGenerator('publish', ...store, ...input)).toMatchObject({ exitCode: 0 });
  const { exitCode, stdout } = await runGenerator('verify', '--deep', '--json', ...store);
  expect(JSON.parse(stdout)).toMatchObject({ faults: [] });
  expect(exitCode).toBe(0);
  await folder.dispose();
}, 900_000);
