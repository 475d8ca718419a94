import type { ResponseForm } from '../access/file-request.js';

const SIGNED_URL =
  /(?:^|,)\s*application\/json\s*(?:;[^,]*)?;\s*profile\s*=\s*(?:"signed-url"|signed-url)\s*(?=[;,]|$)([^,]*)/i;

/**
 * Returns 'document' if an `Accept` header accepts the profile `signed-url`, otherwise 'redirect'. A `q` counts only after
 * the profile, in the first range that names it.
 */
export function responseFormOf(accept: string | undefined): ResponseForm {
  if (accept === undefined || !accept.includes('signed-url')) return 'redirect'; // most requests name no profile; the name is in lower case
  const [match, parameters = ''] = SIGNED_URL.exec(accept) ?? [];
  return match !== undefined && !/;\s*q\s*=\s*0(?:\.0*)?\s*(?=;|$)/i.test(parameters)
    ? 'document'
    : 'redirect';
}
