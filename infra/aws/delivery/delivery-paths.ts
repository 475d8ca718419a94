import path from 'node:path';
import {
  ACCOUNT_PATHS,
  accountAssetPath,
  ENDPOINTS,
  FILES_PATH,
  TRUST_PATHS,
} from '../../../schemas/paths.js';

/** Paths that CloudFront passes to the gateway without a cache. */
export const GATEWAY_PATHS = [
  `${FILES_PATH}/*`,
  ACCOUNT_PATHS.page,
  accountAssetPath('*'),
  ENDPOINTS.account,
  ENDPOINTS.keys,
  ENDPOINTS.entitlements,
  `${ENDPOINTS.checkout}*`,
  ENDPOINTS.webhook,
  ENDPOINTS.readiness,
];

/** Paths of the files by which readers verify releases. */
export const TRUST_PATTERNS = [
  `${path.posix.dirname(TRUST_PATHS.keys)}/*`,
  `${path.posix.dirname(TRUST_PATHS.statement)}/*.jws`,
  TRUST_PATHS.releases,
];
