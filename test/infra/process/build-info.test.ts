import { readBuildInfo, versionText } from '../../../infra/process/build-info.js';
import product from '../../../package.json' with { type: 'json' };

it('knows only the version of a program that runs from its sources', () => {
  expect(readBuildInfo()).toEqual({ version: product.version, commit: null, lockfile_sha256: null });
});

it('prints the version as it is, and with --json what the program was built from', () => {
  expect(versionText(['--version'])).toBe(product.version);
  expect(JSON.parse(versionText(['--version', '--json']))).toEqual(readBuildInfo());
});
