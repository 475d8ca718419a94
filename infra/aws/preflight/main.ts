/** Checks whether an account is ready for a deployment: npm run preflight -- PARAMETERS.json */
import { resolveCname } from 'node:dns/promises';
import { printable } from '../../process/printable.js';
import { readParameters } from '../settings/parameters.js';
import { formatFindings } from './finding.js';
import { checkDeployment } from './preflight.js';

try {
  const [, , file] = process.argv;
  if (file === undefined)
    throw new Error('The file of the parameters is missing. Run: npm run preflight -- production.json');
  const findings = await checkDeployment(readParameters(file), { resolveAlias: resolveCname });
  const faults = findings.filter(({ state }) => state === 'fault').length;
  console.log(printable(formatFindings(findings)));
  console.log(
    faults === 0
      ? '\nReady to deploy, as far as this can be checked without writing.'
      : `\nNot ready to deploy. Faults to fix first: ${faults}.`,
  );
  process.exitCode = faults === 0 ? 0 : 1;
} catch (error) {
  console.error(printable(error instanceof Error ? error.message : String(error)));
  process.exitCode = 2;
}
