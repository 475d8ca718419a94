import { TimeZone } from 'aws-cdk-lib';
import { Secret as TaskSecret } from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { ScheduleExpression, type CronOptionsWithTimezone } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { ORIGIN_VARIABLE } from '../../../gateway/lambda/variables.js';
import type { RolesPart } from '../permissions/roles.js';
import type { SecretsPart } from '../permissions/secrets.js';
import type { SigningKeysPart } from '../permissions/signing-keys.js';
import { gatewayVariables } from '../settings/gateway-variables.js';
import type { Parameters } from '../settings/parameters.js';
import { SchedulesPart } from './schedules.js';
import { SCRATCH, TasksPart, type TaskOptions } from './tasks.js';

/**
 * Two vCPUs, because a publish computes and writes at the same time. 4 GB is Fargate's minimum for them; the first publish
 * needs 400 MB.
 */
const PUBLISH_SIZE = { cpu: 2048, memoryMb: 4096 };
/** DuckDB needs 1.2 GB for the largest day. */
const COLLECT_SIZE = { cpu: 1024, memoryMb: 3072 };
const MAINTENANCE_SIZE = { cpu: 1024, memoryMb: 2048 };
const SMALL_SIZE = { cpu: 256, memoryMb: 1024 };

/** Start times in UTC. Values that collect finds within half an hour are published in the same hour, the others in the next. */
const AT = {
  Collect: { minute: '5' },
  Publish: { minute: '35' },
  Monitor: { minute: '50' },
  Reconcile: { hour: '5', minute: '17' },
  Copy: { hour: '8', minute: '10' },
  Verify: { weekDay: 'SUN', hour: '10', minute: '10' },
  Gc: { weekDay: 'SUN', hour: '14', minute: '10' },
  GcInput: { day: '1', hour: '20', minute: '10' }, // in the evening, when collect usually finds nothing new
} as const satisfies Record<string, CronOptionsWithTimezone>;

/**
 * Lag in days above which `status` fails. It is never reached, because the alarms read the lag of each chain from the report.
 * The option also makes `status` fail for outdated public copies and for signatures that readers refuse.
 */
const MAX_LAG_DAYS = '999999';
const REPORT = ['--log-json', '--report', '/dev/stdout'];
/** Writes the policy to a file for the command after it, because the root file system is read-only. */
const WITH_POLICY = ['sh', '-c', `printf %s "$SOURCES_POLICY" >${SCRATCH}/policy.json && exec "$@"`, 'sh'];

/** Roles, secrets and keys that the runs use. */
type RunAccess = {
  readonly roles: RolesPart;
  readonly secrets: SecretsPart;
  /** Undefined if releases are not signed. */
  readonly signingKeys: SigningKeysPart | undefined;
};

/**
 * All scheduled runs. Collect, publish and the monitor run every hour, so that the next run makes up for a failed one. The
 * others maintain the store, and reconcile the accounts with Stripe.
 */
export class ScheduledRunsPart extends Construct {
  readonly tasks: TasksPart;
  readonly schedules: SchedulesPart;
  /** Families of the task definitions that run daily or more rarely, so that a failed run needs a person. */
  readonly rareFamilies: readonly string[];
  private readonly parameters: Parameters;

  constructor(scope: Construct, parameters: Parameters, access: RunAccess) {
    super(scope, 'Runs');
    this.parameters = parameters;
    this.tasks = new TasksPart(this, parameters);
    this.schedules = new SchedulesPart(this, parameters, this.tasks);
    const store = ['--store', `s3://${parameters.buckets.published}`];
    this.addCollect(access.roles);
    this.addPublish(access, store);
    this.add('Monitor', {
      ...SMALL_SIZE,
      role: access.roles.monitor,
      command: ['generator', 'status', '--max-lag-days', MAX_LAG_DAYS, ...REPORT, ...store],
    });
    this.rareFamilies = [
      ...this.addMaintenance(access.roles, store),
      ...this.addReconcile(access.roles.reconciler, access.secrets),
    ];
  }

  private addCollect({ collector }: RolesPart): void {
    const { collect, input } = this.parameters;
    if (collector === undefined || collect === undefined) return;
    const files = ['--policy', `${SCRATCH}/policy.json`, '--cache', SCRATCH];
    this.add('Collect', {
      ...COLLECT_SIZE,
      role: collector,
      command: [
        ...WITH_POLICY,
        'generator',
        'collect',
        ...files,
        '--into',
        addressOf(input),
        '--quiet',
        ...REPORT,
      ],
      environment: { SOURCES_POLICY: collect.policy },
      scratch: true,
    });
  }

  private addPublish({ roles, signingKeys }: RunAccess, store: readonly string[]): void {
    const { collect, input } = this.parameters;
    const source = ['--input', addressOf(input), ...(collect === undefined ? [] : ['--accept-collected'])];
    this.add('Publish', {
      ...PUBLISH_SIZE,
      role: roles.generator,
      // --existing: a wrong address must fail, not create a store
      command: [
        'generator',
        'publish',
        '--existing',
        '--require-all',
        '--quiet',
        ...REPORT,
        ...source,
        ...store,
      ],
      environment: this.signingVariables(signingKeys),
    });
  }

  private signingVariables(signingKeys: SigningKeysPart | undefined): Record<string, string> {
    const { trust } = this.parameters.signing ?? {};
    if (signingKeys?.usedArn === undefined) return {};
    return {
      CRD_SIGNING_KEY: `kms:${signingKeys.usedArn}`,
      ...(trust === undefined ? {} : { CRD_SIGNING_TRUST: trust }),
    };
  }

  private addMaintenance({ monitor, gc, copier }: RolesPart, store: readonly string[]): string[] {
    const { buckets, backup, collect, input, signing } = this.parameters;
    const trust = signing?.trust === undefined ? [] : ['--trust', signing.trust];
    const addGc = (id: 'Gc' | 'GcInput', address: readonly string[]): string =>
      this.add(id, {
        ...MAINTENANCE_SIZE,
        role: gc,
        command: ['generator', 'gc', '--apply', ...REPORT, ...address],
      });
    const verify = { role: monitor, command: ['generator', 'verify', ...REPORT, ...trust, ...store] };
    const families = [this.add('Verify', { ...MAINTENANCE_SIZE, ...verify }), addGc('Gc', store)];
    if (collect !== undefined) families.push(addGc('GcInput', ['--store', addressOf(input)]));
    if (copier === undefined || backup === undefined) return families;
    const to = `s3://${backup.bucket}?region=${backup.region}`;
    const fromAndTo = ['--from', `s3://${buckets.published}`, '--to', to];
    const copy = { role: copier, command: ['generator', 'copy', ...fromAndTo, ...trust, ...REPORT] };
    return [...families, this.add('Copy', { ...MAINTENANCE_SIZE, ...copy })];
  }

  private addReconcile(role: Role | undefined, secrets: SecretsPart): string[] {
    if (role === undefined) return [];
    // The origin secret is only for requests from CloudFront.
    const stripeSecrets = [...secrets.byVariable].filter(([variable]) => variable !== ORIGIN_VARIABLE);
    const family = this.add('Reconcile', {
      ...SMALL_SIZE,
      role,
      command: ['gateway', 'reconcile', '--apply'],
      environment: gatewayVariables(this.parameters),
      secrets: Object.fromEntries(
        stripeSecrets.map(([variable, secret]) => [variable, TaskSecret.fromSecretsManager(secret)]),
      ),
    });
    return [family];
  }

  /** Adds a run, and returns the family of its task definition. */
  private add(id: keyof typeof AT, task: TaskOptions): string {
    const { name, region } = this.parameters;
    const environment = { ...task.environment, AWS_REGION: region };
    const definition = this.tasks.define(id, { ...task, environment });
    const schedule = ScheduleExpression.cron({ ...AT[id], timeZone: TimeZone.ETC_UTC });
    this.schedules.add(`${name}-${id.toLowerCase()}`, definition, schedule);
    return definition.family;
  }
}

const addressOf = ({ bucket, prefix }: Parameters['input']): string => `s3://${bucket}/${prefix}`;
