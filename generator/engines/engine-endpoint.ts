import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';

/**
 * Returns the address of an engine's service: https, or http on loopback.
 * @throws GeneratorError 'usage' for any other, and for one with a user, query or fragment
 */
export function parseEngineEndpoint(engine: string, endpoint: string): { origin: string; base: string } {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isLoopback = /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url?.hostname ?? '');
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
  if (!isSafe || url.username !== '' || url.search !== '' || url.hash !== '') {
    const rule = 'must be an https URL without user, query and fragment';
    throw new GeneratorError('usage', `${engine}: the endpoint ${rule}. Fix it.`, { next: RUN_AGAIN });
  }
  return { origin: url.origin, base: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}
