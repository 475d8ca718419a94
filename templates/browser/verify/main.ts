/** The script of the page that verifies its own host: with the reader's trust anchor, and with files that the reader chooses. */
import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import { parseTrustAnchor, type TrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import { TrustError } from '../../../schemas/trust/trust-error.js';
import { verifySite, type ReadFile, type SiteProof } from '../../../schemas/trust/verify-site.js';
import type { PublicRelease } from '../../../schemas/types.generated.js';
import { withAnchor } from './anchor-commands.js';
import { failedSteps, runningSteps } from './proof-steps.js';
import { sha256 } from './sha256.js';
import { createSiteReader } from './site-reader.js';
import * as verdicts from './verdicts.js';
import { watchFiles } from './verify-files.js';
import { requireElement, showProgress, showSteps, showVerdict } from './verify-view.js';

/** Number of files that are read at a time. */
const CONCURRENCY = 6;

const form = requireElement('verify') as HTMLFormElement; // of the template
const field = requireElement('anchor') as HTMLInputElement; // the same
const start = requireElement('start');
const setSigned = watchFiles();
/** The commands of the page with their first text. */
const commands = [...document.querySelectorAll('#commands-list pre code')].map((element) => ({
  element,
  text: element.textContent,
}));

/** Reads the trust anchor. Returns `undefined` if it is not valid, and shows why. */
function readAnchor(): TrustAnchor | undefined {
  const text = field.value.trim();
  const anchor = parseTrustAnchor(text);
  const isFault = anchor === undefined;
  field.setAttribute('aria-invalid', String(isFault));
  requireElement('anchor-fault').textContent = isFault
    ? 'This is not a trust anchor. Enter the site name, "#" and the 43-character thumbprint, such as https://data.example.com#NzbLsX...'
    : '';
  if (isFault) field.focus();
  else for (const code of commands) code.element.textContent = withAnchor(code.text, text);
  return anchor;
}

/** Verifies the site, and shows each step and the result. */
async function verify(anchor: TrustAnchor): Promise<void> {
  let proof: Partial<SiteProof> = {};
  let list = new Uint8Array();
  let isRepeated = false;
  const show = (found: Partial<SiteProof>): void => {
    proof = found;
    showSteps(runningSteps(proof));
    showProgress(proof.verified, proof.files);
  };
  const showRunning = (): void => showVerdict(isRepeated ? verdicts.REPEATED : verdicts.RUNNING);
  const readSite = createSiteReader({
    fetchFile: fetch.bind(globalThis),
    origin: location.origin,
    pause: createPause(showRunning),
  });
  const read: ReadFile = async (path, options) => {
    if (options.fresh && !isRepeated) {
      isRepeated = true;
      showRunning();
      show({});
    }
    const file = await readSite(path, options);
    if (path === PUBLIC_PATHS.release && file !== undefined) list = Uint8Array.from(file.bytes);
    return file;
  };
  showRunning();
  show({});
  setSigned(undefined);
  try {
    const options = { anchor, read, sha256, concurrency: CONCURRENCY };
    const site = await verifySite({ ...options, now: Date.now, onProven: show });
    showVerdict(verdicts.provenVerdict(site));
    const release = JSON.parse(new TextDecoder().decode(list)) as PublicRelease; // verified as the first file
    setSigned({ statement: site.statement, release });
  } catch (error) {
    await showFault(proof, error);
  }
}

/** Returns a pause that the page shows once, however many files wait. `resume` is called when none waits any longer. */
function createPause(resume: () => void): (seconds: number) => Promise<void> {
  let waiting = 0;
  return async (seconds) => {
    if (waiting === 0) showVerdict(verdicts.pausedVerdict(seconds));
    waiting += 1;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    waiting -= 1;
    if (waiting === 0) resume();
  };
}

async function showFault(proof: Partial<SiteProof>, error: unknown): Promise<void> {
  if (!(error instanceof TrustError)) {
    showVerdict(verdicts.errorVerdict(error));
  } else {
    const isOutdated = error.code === 'jws-malformed' && !(await knowsEd25519());
    const fault = isOutdated ? new TrustError('unreachable', error.subject, 'signed with Ed25519') : error;
    showSteps(failedSteps(proof, fault));
    showVerdict(isOutdated ? verdicts.OUTDATED : verdicts.faultVerdict(fault));
  }
  showProgress();
}

/** Returns whether this browser verifies Ed25519 signatures. Browsers from before 2025 may not. */
async function knowsEd25519(): Promise<boolean> {
  const algorithm = { name: 'Ed25519' };
  return crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']).then(
    () => true,
    () => false,
  );
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (start.getAttribute('aria-disabled') === 'true') return;
  const anchor = readAnchor();
  if (anchor === undefined) return;
  start.setAttribute('aria-disabled', 'true'); // a disabled button would lose the focus
  void verify(anchor).finally(() => start.removeAttribute('aria-disabled'));
});
form.hidden = false;
requireElement('downloaded').hidden = false;
if (!isSecureContext) {
  start.setAttribute('aria-disabled', 'true');
  showVerdict(verdicts.INSECURE);
}
