/** Variable with the secrets that the function reads: a JSON object from variable names to ARNs. */
export const SECRETS_VARIABLE = 'SECRETS';
/** Variable with the accepted secrets of the CDN. */
export const ORIGIN_VARIABLE = 'CRD_ORIGIN_SECRET';
