import type { Router } from 'express';
import { CHAINS } from '../../schemas/catalog.js';
import { sha256Hex } from '../../schemas/digest.js';
import { cacheControlOf } from '../../schemas/object-headers.js';
import { chainPagePath, dayPagePath, objectKey, PAGE_PATHS, publicKey } from '../../schemas/paths.js';
import type { BriefDay, Genre, MetaDay } from '../../schemas/types.generated.js';
import { contentPolicyOf } from '../core/http/content-policy.js';
import { compileDayPage, type DayLocation, type DayRequest, parseDayPath } from '../core/http/day-page.js';
import { locateDay } from '../core/releases/locate-day.js';
import { GatewayError } from '../core/problems.js';
import type { ReleaseView } from '../core/releases/release-view.js';
import { omitRateHeaders } from '../http/address-limit.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendFile } from '../http/send-file.js';
import { createByteCache } from '../io/releases/byte-cache.js';
import { absenceIn, type PublicRouterOptions, skipUnless } from './public.js';

/** Maximum size of the pages in memory, in bytes: more than a thousand. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const HTML_TYPE = 'text/html; charset=utf-8';

/** Options for `createDayPagesRouter`. */
export type DayPagesRouterOptions = Pick<
  PublicRouterOptions,
  'authentication' | 'releases' | 'source' | 'compressor'
> & {
  /** Template of the content of a page. */
  readonly template: string;
};

/**
 * Returns the route of the pages about days. A page is rendered from the record of its day and the frame that the release
 * has for these pages, and is the same for all readers.
 */
export function createDayPagesRouter(options: DayPagesRouterOptions): Router {
  const { authentication, releases, source, compressor, template } = options;
  const render = compileDayPage(template);
  const pages = createByteCache(MAX_CACHED_BYTES);

  async function make(release: ReleaseView, found: Found): Promise<Uint8Array> {
    const read = async (sha256: string): Promise<string> =>
      Buffer.from(await source.objects.read(objectKey(sha256), sha256)).toString('utf8');
    const readRecord = async (genre: Genre): Promise<unknown> => {
      const file = found.files.find((each) => each.genre === genre);
      return file === undefined ? undefined : JSON.parse(await read(file.sha256));
    };
    const [frame, meta, brief] = await Promise.all([
      read(release.publicFiles.get(PAGE_PATHS.dayFrame)?.sha256 ?? ''),
      readRecord('meta') as Promise<MetaDay>, // the generator has validated the records
      found.isFree ? (readRecord('briefs') as Promise<BriefDay | undefined>) : undefined,
    ]);
    return Buffer.from(render(frame, { meta, brief, location: found }));
  }

  const router = createRouter();
  router
    .route(dayPagePath(':chain', ':date'))
    .all(skipUnless((path) => parseDayPath(path) !== undefined))
    .all(
      ...beginRoute({
        template: dayPagePath('{chain}', '{date}'),
        methods: ['GET'],
        origins: '*',
        requestHeaders: ['If-None-Match', 'Range'],
      }),
    )
    .get(async (req, res) => {
      authentication.limitAddress(req, res);
      const { path } = contextOf(res);
      const day = parseDayPath(path);
      if (day !== undefined && isAhead(releases.current(), day)) await releases.catchUp();
      const release = releases.current();
      if (release === undefined || day === undefined) throw new GatewayError(absenceIn(releases));
      const found = findDay(release, day);
      const bytes = await pages.get(`${release.sha256} ${path}`, () => make(release, found));
      omitRateHeaders(res);
      await sendFile(req, res, {
        sha256: sha256Hex(bytes),
        mediaType: HTML_TYPE,
        sizeBytes: bytes.length,
        headers: {
          'Cache-Control': cacheControlOf(publicKey(chainPagePath(day.chain))),
          'Content-Security-Policy': contentPolicyOf(HTML_TYPE, path) ?? '',
          'X-Published-Revision': found.files[0]?.revision ?? release.revision,
        },
        source: { read: () => Promise.resolve(bytes), compressor },
      });
    });
  return router;
}

/** Returns whether a release may be too old to have a day: a reader can know of a newer one from another copy of the gateway. */
function isAhead(release: ReleaseView | undefined, day: DayRequest): boolean {
  if (release === undefined) return true;
  const location = locateDay(release, day);
  return location.kind === 'absent' && day.date > (location.dates?.[1] ?? '');
}

type Found = Extract<DayLocation, { kind: 'found' }>;

/** Returns the records of a day. @throws GatewayError 'not-found' with the dates that the chain has, or 'gone' */
function findDay(release: ReleaseView, day: DayRequest): Found {
  const { name } = CHAINS[day.chain];
  const location = locateDay(release, day);
  if (location.kind === 'gone') throw new GatewayError('gone');
  if (location.kind === 'absent' || !release.publicFiles.has(PAGE_PATHS.dayFrame)) {
    const dates = location.kind === 'absent' ? location.dates : undefined;
    const detail = dates === undefined ? {} : { detail: `${name} has days from ${dates.join(' to ')}.` };
    throw new GatewayError('not-found', detail);
  }
  return location;
}
