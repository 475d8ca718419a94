import path from 'node:path';
import {
  ACCOUNT_PATHS,
  accountAssetPath,
  API_PATH,
  ENDPOINTS,
  FILES_PATH,
  TRUST_PATHS,
} from '../../../schemas/paths.js';

const API_ENDPOINTS = Object.values(ENDPOINTS).filter((each) => each.startsWith(API_PATH));

/** Paths that CloudFront passes to the gateway without a cache. */
export const GATEWAY_PATHS = [
  `${FILES_PATH}/*`,
  ACCOUNT_PATHS.page,
  accountAssetPath('*'),
  ...API_ENDPOINTS.filter((each) => !API_ENDPOINTS.some((other) => isBelow(each, other))).map((each) =>
    API_ENDPOINTS.some((other) => isBelow(other, each)) ? `${each}*` : each,
  ),
  ENDPOINTS.readiness,
];

function isBelow(path: string, other: string): boolean {
  return path.startsWith(`${other}/`);
}

/** Paths of the files by which readers verify releases. */
export const TRUST_PATTERNS = [
  `${path.posix.dirname(TRUST_PATHS.keys)}/*`,
  `${path.posix.dirname(TRUST_PATHS.statement)}/*.jws`,
  TRUST_PATHS.releases,
];
