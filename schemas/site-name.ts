/** Name of the service on its pages without a `site.json`. */
export const SITE_NAME = 'Chain reference data';
