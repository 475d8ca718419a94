import { runProgram } from '../plain-node.js';

type VolumesCompared = {
  readonly compared: { readonly volumes: number; readonly rows: number; readonly values: number };
  readonly differences: readonly string[];
};

it('every cell of the volumes of the real history is the same as Parquet, as CSV and in the day file', async () => {
  const { compared, differences } = (await runProgram('volumes')) as VolumesCompared; // output of the program
  expect(differences).toEqual([]);
  expect(compared.volumes).toBe(204);
  expect(compared.rows).toBeGreaterThan(36_000);
  expect(compared.values).toBeGreaterThan(1_000_000);
}, 600_000);
