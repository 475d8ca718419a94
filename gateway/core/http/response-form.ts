import type { ResponseForm } from '../access/file-request.js';

const SIGNED_URL =
  /(?:^|,)\s*application\/json\s*(?:;[^,]*)?;\s*profile\s*=\s*(?:"signed-url"|signed-url)\s*(?=[;,]|$)([^,]*)/i;

/** Returns 'document' if an `Accept` header accepts the profile `signed-url` (q above 0), otherwise 'redirect'. */
export function responseFormOf(accept: string | undefined): ResponseForm {
  if (accept === undefined || !accept.includes('signed-url')) return 'redirect';
  const [match, parameters = ''] = SIGNED_URL.exec(accept) ?? [];
  return match !== undefined && !/;\s*q\s*=\s*0(?:\.0*)?\s*(?=;|$)/i.test(parameters)
    ? 'document'
    : 'redirect';
}
