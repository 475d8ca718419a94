/** The address in texts for a site without one: a gateway on this machine with the default port. */
export const LOCAL_ADDRESS = 'http://127.0.0.1:8080';

/** Returns the address of a site without a slash at the end; without a site, that of this machine. */
export const addressOf = (baseUrl = LOCAL_ADDRESS): string => baseUrl.replace(/\/$/, '');
