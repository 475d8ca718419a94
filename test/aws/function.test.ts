import { toConfiguration } from '../../gateway/core/configuration/configuration.js';
import { propertiesOf, readTemplates } from '../support/aws/aws-synth.js';
import { resolve } from '../support/aws/policy-simulator.js';

const SECRETS = {
  CRD_STRIPE_SECRET_KEY: 'sk_live_0123456789',
  CRD_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
};

const { Service } = await readTemplates();
const properties = propertiesOf(Service, 'AWS::Lambda::Function', { FunctionName: 'crd-gateway' });
const { Variables: variables } = properties['Environment'] as { Variables: Record<string, unknown> };

it('has a valid configuration of the gateway, once the secrets are added', () => {
  const { SECRETS: listed, ...env } = variables;
  const configuration = toConfiguration({ ...(env as Record<string, string>), ...SECRETS });
  expect(configuration).not.toHaveProperty('faults');
  const names = [...resolve(listed).matchAll(/"([A-Z_]+)":/g)].map(([, name]) => name);
  expect(names).toEqual(['CRD_ORIGIN_SECRET', ...Object.keys(SECRETS)]);
});

it('has no secret in its environment', () => {
  expect(JSON.stringify(variables)).not.toMatch(/sk_|whsec_|resolve:secretsmanager/);
});

it('runs on ARM, with a shorter timeout than the API', () => {
  expect(properties).toMatchObject({ Architectures: ['arm64'], Handler: 'handler.handler', Timeout: 20 }); // the API: 30 s
});
