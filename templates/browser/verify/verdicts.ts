import { count, instantWords } from '../../../schemas/words.js';
import { TRUST_PATHS } from '../../../schemas/paths.js';
import { UNPROVEN, type TrustError, type TrustFault } from '../../../schemas/trust/trust-error.js';
import type { SiteProof } from '../../../schemas/trust/verify-site.js';
import { isUnsigned, STEP_NAMES, stepOf } from './proof-steps.js';

/** The result of verification in words. `unproven`: nothing false was found, and not everything was proven. */
export type Verdict = {
  readonly state: 'running' | 'proven' | 'failed' | 'unproven';
  readonly title: string;
  readonly paragraphs: readonly string[];
};

const FALSE =
  'Do not use data from this host. Report it to the publisher through another channel, and include the message above.';
const OLD =
  'Do not rely on this host for current data. Open the publisher’s own address in another network; if it is old there too, ask the publisher.';

/** What a reader should do about each fault. */
const ADVICE: Readonly<Record<TrustFault, string>> = {
  'jws-malformed': FALSE,
  'jws-algorithm': FALSE,
  'jws-kind': FALSE,
  'jws-altered': FALSE,
  'key-unknown': FALSE,
  'key-revoked': FALSE,
  'key-expired': `Check the date and time of this device. If they are right: ${lowerFirst(FALSE)}`,
  'root-untrusted': `Compare the trust anchor with other channels of the publisher. If it is right: ${lowerFirst(FALSE)}`,
  'site-wrong': `Check that the trust anchor belongs to this site. If it does: ${lowerFirst(FALSE)}`,
  'keys-expired': OLD,
  'keys-old': OLD,
  'timestamp-expired': `Check the date and time of this device. If they are right: ${lowerFirst(OLD)}`,
  'timestamp-early': 'Set the date and time of this device, and verify again.',
  'release-unsigned': FALSE,
  'release-old': OLD,
  'release-forked': FALSE,
  'file-missing': FALSE,
  'file-altered': FALSE,
  mixed: 'Wait five minutes and verify again. By then, caches have the new release.',
  unreachable: 'Check your connection, and verify again.',
};

export const RUNNING: Verdict = { state: 'running', title: 'Verifying…', paragraphs: [] };

export const REPEATED: Verdict = {
  state: 'running',
  title: 'Verifying again…',
  paragraphs: ['A check failed, so all files are read again without caches. Only the second result counts.'],
};

/** Returns the verdict while a host makes the reader wait, because of a limit or an outage. */
export function pausedVerdict(seconds: number): Verdict {
  return {
    state: 'running',
    title: 'Waiting…',
    paragraphs: [
      `This host asks the page to wait, for example because it limits how many files a visitor may read in a minute. Verification continues in about ${count(seconds, 'second')}.`,
    ],
  };
}

/** The verdict of a browser that offers no cryptography, as all do for pages without https. */
export const INSECURE: Verdict = {
  state: 'unproven',
  title: 'This browser cannot verify here',
  paragraphs: [
    'Browsers compute digests only on pages with https. Open this page with https, or use a command below.',
  ],
};

/** The verdict of a browser that does not know the signatures of this site. */
export const OUTDATED: Verdict = {
  state: 'unproven',
  title: 'This browser is too old to verify',
  paragraphs: ['It does not know Ed25519 signatures. Use a newer browser, or a command below.'],
};

/** Returns the verdict on a site of which everything public was proven. */
export function provenVerdict({ statement, timestamp, files }: SiteProof): Verdict {
  return {
    state: 'proven',
    title: 'All public files are what the publisher signed',
    paragraphs: [
      `Proven: release ${statement.revision} was the newest on ${instantWords(timestamp.as_of)}, it was signed for ${statement.site}, and this host serves all ${count(files, 'public file')} in it unaltered.`,
      'Not proven: files for subscribers, unless you check them below; that everyone is shown the same history, because this page remembers nothing; and that this page itself is genuine, because it comes from the host that it checks. For an independent answer, use a command below.',
    ],
  };
}

/** Returns the verdict on a site with a fault. */
export function faultVerdict(fault: TrustError): Verdict {
  if (isUnsigned(fault)) return UNSIGNED;
  const isUnproven = UNPROVEN.has(fault.code);
  return {
    state: isUnproven ? 'unproven' : 'failed',
    title: `${isUnproven ? 'Not proven' : 'Failed'}: ${STEP_NAMES[stepOf(fault.subject)]}`,
    paragraphs: [`${fault.message}.`, ADVICE[fault.code]],
  };
}

const UNSIGNED: Verdict = {
  state: 'failed',
  title: 'This site is not signed',
  paragraphs: [
    `This site does not sign its releases: it has no key set at ${TRUST_PATHS.keys}. Nothing about it can be proven.`,
    'If its publisher gave you a trust anchor, somebody has removed the signatures. Do not use data from this host, and report it to the publisher through another channel.',
  ],
};

/** Returns the verdict after an error that is not a result of verification. */
export function errorVerdict(error: unknown): Verdict {
  return {
    state: 'unproven',
    title: 'Not proven: this page failed',
    paragraphs: [
      `${error instanceof Error ? error.message : String(error)}.`,
      'Reload the page and verify again, or use a command below.',
    ],
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
