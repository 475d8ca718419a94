import { methodologyDigest } from '../../../schemas/methodology.js';
import type { ReferenceTexts } from '../draft/reference-files.js';
import { assembleRelease } from './assemble-release.js';
import { nextStamp } from './plan-release.js';
import type { PlannedRelease } from './plan-types.js';
import type { PublishedState } from './published-state.js';

/** Plans the release that holds publication for a public reason, or ends the hold (`null`). `undefined` when nothing changes. */
export function planHold(
  previous: PublishedState,
  hold: string | null,
  { asOfMs, texts }: { readonly asOfMs: number; readonly texts: ReferenceTexts },
): PlannedRelease | undefined {
  if (previous.record.hold === hold) return undefined;
  return assembleRelease({
    previous,
    texts,
    methodologySha256: methodologyDigest(texts.methodology),
    stamp: nextStamp(previous.record, asOfMs),
    changed: [],
    hold,
    reason: null,
    rollback: null,
  });
}
