import type { AnswerForm } from './file-request.js';

const SIGNED_URL =
  /(?:^|,)\s*application\/json\s*(?:;[^,]*)?;\s*profile\s*=\s*(?:"signed-url"|signed-url)\s*(?=[;,]|$)([^,]*)/i;

/** How an `Accept` header wants the answer: as a document when it names the profile `signed-url`, and not with q=0. */
export function formOfAccept(accept: string | undefined): AnswerForm {
  if (accept === undefined || !accept.includes('signed-url')) return 'redirect';
  const [match, parameters = ''] = SIGNED_URL.exec(accept) ?? [];
  return match !== undefined && !/;\s*q\s*=\s*0(?:\.0*)?\s*(?=;|$)/i.test(parameters)
    ? 'document'
    : 'redirect';
}
