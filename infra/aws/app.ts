import { App, Aspects, DefaultStackSynthesizer, Stack, Validations, type AppProps } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { DeliveryPart } from './delivery/delivery.js';
import { BackfillPart } from './parts/backfill.js';
import { GatewayDeploymentPart } from './parts/gateway-deployment.js';
import { GatewayPart } from './parts/gateway.js';
import { IdentityPart } from './parts/identity.js';
import { StorePart } from './parts/store.js';
import { RolesPart } from './permissions/roles.js';
import { SecretsPart } from './permissions/secrets.js';
import { SigningKeysPart } from './permissions/signing-keys.js';
import { ScheduledRunsPart } from './runs/scheduled-runs.js';
import { bundleGateway } from './settings/bundle.js';
import { CHECKOV_SKIPS } from './settings/checkov-skips.js';
import { DELIVERY_REGION, RAW_DATA_REGION, stackName } from './settings/names.js';
import { backupParameters, readParameters, type Parameters } from './settings/parameters.js';
import { AlarmsPart } from './watch/alarms.js';
import { ApiWatchPart } from './watch/api-watch.js';
import { createTrail } from './watch/signing-trail.js';

/**
 * Synthesizes the stacks for the parameters file named by the CDK context `parameters`, and checks them with cdk-nag.
 * Precondition: `bundleGateway` has run.
 */
export function synthesize(props: AppProps = {}): void {
  const app = new App({ analyticsReporting: false, ...props });
  const file: unknown = app.node.tryGetContext('parameters');
  addStacks(app, readParameters(typeof file === 'string' ? file : undefined));
  Aspects.of(app).add(CHECKOV_SKIPS);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
}

function addStacks(app: App, parameters: Parameters): void {
  const { name, account, region, zones, backup, userPool } = parameters;
  // Without this context, the CDK would look up the zones online.
  app.node.setContext(`availability-zones:account=${account}:region=${region}`, zones);
  const stack = (
    id: string,
    description: string,
    stackRegion = region,
    synthesizer?: DefaultStackSynthesizer,
  ): Stack =>
    new Stack(app, id, {
      stackName: stackName(parameters, id),
      description: `Chain reference data: ${description}`,
      env: { account, region: stackRegion },
      terminationProtection: parameters.protected === true,
      ...(synthesizer === undefined ? {} : { synthesizer }),
    });
  // The stack of the buckets has no assets, so CloudFormation alone can deploy its template, without a bootstrapped account.
  const bare = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
  const store = stack('Store', 'buckets', region, bare);
  new StorePart(store, parameters);
  if (backup !== undefined) {
    const copies = stack('Backup', 'buckets of the backup', backup.region, bare);
    new StorePart(copies, backupParameters(parameters, backup));
    store.addStackDependency(copies);
  }
  if (userPool !== undefined) new IdentityPart(stack('Identity', 'user pool'), parameters, userPool);
  const service = stack('Service', 'gateway, scheduled runs, permissions and alarms');
  const roles = new RolesPart(service, parameters);
  const secrets = new SecretsPart(service, parameters);
  const gateway = new GatewayPart(service, parameters, roles, secrets);
  const { signing } = parameters;
  const signingKeys = signing && new SigningKeysPart(service, parameters, signing, roles);
  const runs = new ScheduledRunsPart(service, parameters, { roles, secrets, signingKeys });
  const { gatewayFailing, topic } = new AlarmsPart(service, parameters, { gateway, runs, signingKeys });
  new GatewayDeploymentPart(service, name, gateway, gatewayFailing);
  new ApiWatchPart(service, parameters, gateway, topic);
  if (signing?.trail === 'create') createTrail(service, parameters);
  new DeliveryPart(stack('Delivery', 'CloudFront', DELIVERY_REGION), parameters);
  const { backfill } = parameters;
  if (backfill !== undefined)
    new BackfillPart(stack('Backfill', 'tables of raw data', RAW_DATA_REGION, bare), parameters, backfill);
}

if (import.meta.filename === process.argv[1]) {
  await bundleGateway();
  synthesize();
}
