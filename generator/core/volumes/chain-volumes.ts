import { VOLUME_GENRES, type VolumeGenre } from '../../../schemas/catalog.js';
import type { Manifest, ManifestDate } from '../../../schemas/types.generated.js';
import type { Steps } from '../steps.js';
import { draftVolumes, type VolumeDraft, type VolumeOptions } from './draft-volumes.js';

/** The next volumes of a chain. */
export type ChainVolumes = { readonly [genre in VolumeGenre]: VolumeDraft };

/** Options for `draftChainVolumes`. */
type ChainVolumeOptions = Omit<VolumeOptions, 'genre' | 'entries' | 'metaEntries' | 'published'> & {
  readonly entries: { readonly [genre in VolumeGenre]: readonly ManifestDate[] };
  /** The published manifests; absent for a chain that was not published before. */
  readonly published?: { readonly [genre in VolumeGenre]: Manifest | undefined } | undefined;
};

/** Drafts the volumes of a chain from the next entries of its genres. */
export function* draftChainVolumes({
  entries,
  published,
  ...shared
}: ChainVolumeOptions): Steps<ChainVolumes> {
  const volumes: [VolumeGenre, VolumeDraft][] = [];
  for (const genre of VOLUME_GENRES) {
    const own = { genre, entries: entries[genre], metaEntries: entries.meta };
    const before = { own: published?.[genre], meta: published?.meta };
    volumes.push([genre, yield* draftVolumes({ ...shared, ...own, published: before })]);
  }
  return Object.fromEntries(volumes) as ChainVolumes; // one of each
}
