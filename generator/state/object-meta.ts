import { cacheControlOf, dispositionOf } from '../../schemas/object-headers.js';
import type { ObjectMeta } from '../../infra/store/object-store.js';
import { JSON_TYPE } from '../core/artifacts/artifact.js';

/** Returns the HTTP headers stored with `key`. `path` is the URL path of the file, if it has one. */
export function metaOf(key: string, contentType = JSON_TYPE, path = ''): ObjectMeta {
  const contentDisposition = dispositionOf(path);
  const meta = { contentType, cacheControl: cacheControlOf(key) };
  return contentDisposition === undefined ? meta : { ...meta, contentDisposition };
}
