/** Variable with the secrets that the function reads: a JSON object from variable names to ARNs. */
export const SECRETS_VARIABLE = 'SECRETS';
/** Variable with the accepted secrets of the CDN, separated by commas. */
export const ORIGIN_VARIABLE = 'ORIGIN_SECRET';
/** Header with which the CDN authenticates itself. */
export const ORIGIN_HEADER = 'x-origin-secret';
