import { SourceError } from '../source.js';

/** Status 404: the service does not have what was requested, or no longer. */
export class NotFoundError extends SourceError {
  constructor(message: string) {
    super('shape', message);
    this.name = 'NotFoundError';
  }
}
