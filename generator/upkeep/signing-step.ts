import type { FormatCommand } from './future-step.js';
import type { Remedy } from './signing-status.js';

/** Returns the operator's next step when readers who verify signatures refuse the release. */
export function signingStep(remedy: Remedy, address: string, format: FormatCommand): string {
  const publish = format(['publish', '--input', 'DIR', '--store', address]);
  const steps: Readonly<Record<Remedy, string>> = {
    publish: `its timestamp is missing or not current. Renew it, unless this store is a copy: ${publish}`,
    keys: `the keys have expired; renew them with the root key ("generator keys rotate"; with --release-key if no key is in force), and install them: ${format(['keys', 'install', '--keys', 'keys.jws', '--store', address])}`,
    sign: `its key was revoked or has expired; check that the release is yours, and sign it again with the new key: ${format(['repair', '--sign', '--store', address])}`,
    clock: `its timestamp is from the future. Correct the clock of this machine or of the publisher, whichever is wrong, then run: ${publish}`,
    verify: `signed files are damaged, missing or replaced; to see which: ${format(['verify', '--store', address])}`,
  };
  return `readers who verify signatures refuse this release: ${steps[remedy]}`;
}
