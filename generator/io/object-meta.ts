import { cacheControlOf, dispositionOf } from '../../schemas/paths.js';
import type { ObjectMeta } from '../../infra/store/object-store.js';
import { JSON_TYPE } from '../core/artifacts/artifact.js';

/** What a reader of `key` is told: `path` is the URL path of the file, where it has one. */
export function metaOf(key: string, contentType = JSON_TYPE, path = ''): ObjectMeta {
  const contentDisposition = dispositionOf(path);
  const meta = { contentType, cacheControl: cacheControlOf(key) };
  return contentDisposition === undefined ? meta : { ...meta, contentDisposition };
}
