/** Header with which the proxy in front of the gateway authenticates itself. */
export const ORIGIN_HEADER = 'x-origin-secret';
