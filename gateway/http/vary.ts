import type { ServerResponse } from 'node:http';

/** Adds the name of a request header to `Vary`, unless it is there. */
export function varyBy(res: ServerResponse, name: string): void {
  const names = String(res.getHeader('Vary') ?? '')
    .split(', ')
    .filter(Boolean);
  if (!names.includes(name)) res.setHeader('Vary', [...names, name].join(', '));
}
