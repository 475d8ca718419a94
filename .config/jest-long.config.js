/** Jest's projects that run by hand: `npm run test:long`. They take long or need much to be installed. */
import common, { PAGES, project, S3, STACKS } from './jest.config.js';

/** Runs LocalStack, and synthesizes the stacks. */
const DEPLOYED = { ...S3, globalSetup: '<rootDir>/test/support/aws/start-deployed.mjs' };

export default {
  ...common,
  projects: [
    project('records', ['history/records'], PAGES),
    project('kills', ['integration/kills'], S3),
    project('flaky', ['integration/flaky'], S3),
    project('gateway', ['integration/gateway']),
    project('pages', ['integration/pages']),
    project('clients', ['integration/clients'], S3),
    project('collection', ['integration/collection'], S3),
    project('disks', ['integration/disks'], PAGES),
    project('compose', ['integration/compose'], S3),
    project('deployed', ['deployed', 'integration/s3'], DEPLOYED), // the store's laws hold in a bucket of the stack
    project('stacks', ['stacks'], STACKS),
    project('engine', ['engine']),
  ],
};
