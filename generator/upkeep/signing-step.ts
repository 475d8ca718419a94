import type { FormatCommand } from './future-step.js';
import type { Remedy } from './signing-status.js';

/** Returns what a person does next if readers who verify signatures refuse the release. */
export function signingStep(remedy: Remedy, address: string, format: FormatCommand): string {
  const publish = format(['publish', '--input', 'DIR', '--store', address]);
  const steps: Readonly<Record<Remedy, string>> = {
    publish: `its timestamp is not current; unless this store is a copy, renew it: ${publish}`,
    keys: `the keys have expired; renew them with the root key ("generator keys rotate"), and install them: ${format(['keys', 'install', '--keys', 'keys.jws', '--store', address])}`,
    sign: `its key was revoked or has expired; check that the release is yours, and sign it again: ${format(['repair', '--sign', '--store', address])}`,
    clock: `its timestamp is from the future; compare the clock of this machine with that of the publisher, then: ${publish}`,
    verify: `signed files are damaged, missing or replaced; to see which: ${format(['verify', '--store', address])}`,
  };
  return `readers who verify signatures refuse this release: ${steps[remedy]}`;
}
