/** Variable that says which secrets the function needs: a JSON object of a variable's name and a secret's ARN. */
export const SECRETS_VARIABLE = 'SECRETS';
/** Variable with the secrets that the CDN may send, separated by a comma. */
export const ORIGIN_VARIABLE = 'ORIGIN_SECRET';
/** Header by which the CDN says that it is the one who asks. */
export const ORIGIN_HEADER = 'x-origin-secret';
