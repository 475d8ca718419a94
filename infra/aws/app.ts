import { App, DefaultStackSynthesizer, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleGateway } from './bundle.js';
import { DELIVERY_REGION } from './names.js';
import { readParameters, type Parameters } from './parameters.js';
import { DeliveryPart } from './parts/delivery.js';
import { GatewayPart } from './parts/gateway.js';
import { GeneratorPart } from './parts/generator.js';
import { RolesPart } from './parts/roles.js';
import { SecretsPart } from './parts/secrets.js';
import { StorePart } from './parts/store.js';
import { WatchPart } from './parts/watch.js';

/** Adds the three stacks of a deployment: what it keeps, what it runs, and how it is delivered. */
export function addStacks(app: App, parameters: Parameters): void {
  const { name, account, region } = parameters;
  // Said here, for the CDK would go online to look zones up.
  const zones = ['a', 'b'].map((zone) => region + zone);
  app.node.setContext(`availability-zones:account=${account}:region=${region}`, zones);
  const stack = (
    id: string,
    description: string,
    at = region,
    synthesizer?: DefaultStackSynthesizer,
  ): Stack =>
    new Stack(app, id, {
      stackName: `${name}-${id.toLowerCase()}`,
      description,
      env: { account, region: at },
      terminationProtection: true,
      ...(synthesizer === undefined ? {} : { synthesizer }),
    });
  // It has no assets, so that it needs nothing that was set up in the account before.
  const bare = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
  new StorePart(stack('Store', 'Chain reference data: the buckets', region, bare), parameters);
  const service = stack('Service', 'Chain reference data: the programs, their rights, and what watches them');
  const roles = new RolesPart(service, parameters);
  const secrets = new SecretsPart(service, parameters);
  const gateway = new GatewayPart(service, parameters, roles, secrets);
  const generator = new GeneratorPart(service, parameters, roles, secrets);
  new WatchPart(service, parameters, gateway, generator);
  new DeliveryPart(
    stack('Delivery', 'Chain reference data: CloudFront before bucket and gateway', DELIVERY_REGION),
    parameters,
  );
}

if (import.meta.filename === process.argv[1]) {
  await bundleGateway();
  const app = new App({ analyticsReporting: false });
  const file: unknown = app.node.tryGetContext('parameters');
  addStacks(app, readParameters(typeof file === 'string' ? file : undefined));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
}
