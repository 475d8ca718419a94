import { methodologyDigest } from '../../../schemas/methodology.js';
import type { ReferenceTexts } from '../draft/site.js';
import { assembleRelease } from './assemble-release.js';
import { isSameHeld, type Held } from './held.js';
import { nextStamp } from './plan-release.js';
import type { PlannedRelease } from './plan-types.js';
import type { PublishedState } from './published-state.js';

/** Plans the release that changes what is on hold. `undefined` when nothing changes. */
export function planHold(
  previous: PublishedState,
  held: Held,
  { asOfMs, texts }: { readonly asOfMs: number; readonly texts: ReferenceTexts },
): PlannedRelease | undefined {
  if (isSameHeld(previous.record, held)) return undefined;
  return assembleRelease({
    previous,
    texts,
    methodologySha256: methodologyDigest(texts.methodology),
    stamp: nextStamp(previous.record, asOfMs),
    changed: [],
    held,
    reason: null,
    rollback: null,
  });
}
