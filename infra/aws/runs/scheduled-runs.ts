import { Duration, TimeZone } from 'aws-cdk-lib';
import { Secret as TaskSecret } from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { ScheduleExpression, type CronOptionsWithTimezone } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { ORIGIN_VARIABLE } from '../../../gateway/lambda/variables.js';
import type { RolesPart } from '../permissions/roles.js';
import type { SecretsPart } from '../permissions/secrets.js';
import type { SigningKeysPart } from '../permissions/signing-keys.js';
import { generatorExits, RECONCILE_EXITS, type ExitHandling } from '../settings/exits.js';
import { gatewayVariables } from '../settings/gateway-variables.js';
import type { Parameters } from '../settings/parameters.js';
import { ScheduledRun } from './scheduled-run.js';
import { TasksPart, type TaskOptions } from './tasks.js';

/**
 * Two vCPUs, because a publish computes and writes at the same time. 4 GB is Fargate's minimum for them; the first publish
 * needs 400 MB.
 */
const PUBLISH_SIZE = { cpu: 2048, memoryMb: 4096 };
const MAINTENANCE_SIZE = { cpu: 1024, memoryMb: 2048 };
const SMALL_SIZE = { cpu: 256, memoryMb: 1024 };

/** The metrics of the previous day have arrived by then. */
const PUBLISH_AT = { hour: '6', minute: '15' };
/** Every hour. */
const MONITOR_AT = { minute: '45' };
const RECONCILE_AT = { hour: '5', minute: '17' };
const COPY_AT = { hour: '8', minute: '15' };
const VERIFY_AT = { weekDay: 'SUN', hour: '10', minute: '15' };
const GC_AT = { weekDay: 'SUN', hour: '14', minute: '15' };
/** Longer than the heartbeat timeout of the gc lease (1 h): a killed gc keeps its lease until then. */
const GC_RETRY_DELAY = Duration.minutes(65);
/** Lag in days above which the monitor fails. */
const MAX_LAG_DAYS = '2';
const REPORT = ['--log-json', '--report', '/dev/stdout'];

type RunOptions = TaskOptions & {
  /** In UTC. */
  readonly at: CronOptionsWithTimezone;
  readonly exits: ExitHandling;
  readonly retries?: number;
  readonly retryDelay?: Duration;
};

/** What the runs may use. */
export type RunAccess = {
  readonly roles: RolesPart;
  readonly secrets: SecretsPart;
  /** Undefined if releases are not signed. */
  readonly signingKeys: SigningKeysPart | undefined;
};

/** All scheduled runs: the daily publish, its monitor, the maintenance of the store, and the reconciliation with Stripe. */
export class ScheduledRunsPart extends Construct {
  readonly publish: ScheduledRun;
  readonly monitor: ScheduledRun;
  /** Undefined if billing is not configured. */
  readonly reconcile: ScheduledRun | undefined;
  /** Verification and garbage collection, and the copy if there is a backup bucket. */
  readonly maintenance: readonly ScheduledRun[];
  private readonly parameters: Parameters;
  private readonly tasks: TasksPart;

  constructor(scope: Construct, parameters: Parameters, access: RunAccess) {
    super(scope, 'Runs');
    const { roles, secrets, signingKeys } = access;
    this.parameters = parameters;
    this.tasks = new TasksPart(this, parameters);
    const { buckets, input } = parameters;
    const store = ['--store', `s3://${buckets.published}`];
    const source = ['--input', `s3://${input.bucket}/${input.prefix}`];
    this.publish = this.addRun('Publish', {
      ...PUBLISH_SIZE,
      role: roles.generator,
      // --existing: a wrong address must fail, not create a store
      command: [
        ...['generator', 'publish', '--existing', '--require-all', '--quiet', ...REPORT],
        ...[...source, ...store],
      ],
      ...(signingKeys?.usedArn === undefined
        ? {}
        : { environment: { CRD_SIGNING_KEY: `kms:${signingKeys.usedArn}` } }),
      at: PUBLISH_AT,
      exits: generatorExits(),
      retries: 3,
    });
    this.monitor = this.addRun('Monitor', {
      ...SMALL_SIZE,
      role: roles.monitor,
      command: ['generator', 'status', '--max-lag-days', MAX_LAG_DAYS, ...REPORT, ...store],
      at: MONITOR_AT,
      // For seconds after a commit, the public copies are outdated and status exits 8. PublishFailed reports a refusal.
      exits: generatorExits({ retryAlso: ['damaged'], succeedAlso: ['refused'] }),
    });
    this.maintenance = this.createMaintenance(roles, store);
    this.reconcile = roles.reconciler && this.createReconcile(roles.reconciler, secrets);
  }

  private createMaintenance({ monitor, gc, copier }: RolesPart, store: readonly string[]): ScheduledRun[] {
    const { buckets, backup } = this.parameters;
    const verify = this.addRun('Verify', {
      ...MAINTENANCE_SIZE,
      role: monitor,
      command: ['generator', 'verify', ...REPORT, ...store],
      at: VERIFY_AT,
      exits: generatorExits({ retryAlso: ['damaged'] }), // a concurrent publish may look like damage
    });
    const gcRun = this.addRun('Gc', {
      ...MAINTENANCE_SIZE,
      role: gc,
      command: ['generator', 'gc', '--apply', ...REPORT, ...store],
      at: GC_AT,
      exits: generatorExits(),
      retryDelay: GC_RETRY_DELAY,
    });
    if (copier === undefined || backup === undefined) return [verify, gcRun];
    const fromAndTo = [
      '--from',
      `s3://${buckets.published}`,
      '--to',
      `s3://${backup.bucket}?region=${backup.region}`,
    ];
    const copy = this.addRun('Copy', {
      ...MAINTENANCE_SIZE,
      role: copier,
      command: ['generator', 'copy', ...fromAndTo, ...REPORT],
      at: COPY_AT,
      exits: generatorExits(),
    });
    return [verify, gcRun, copy];
  }

  private createReconcile(role: Role, secrets: SecretsPart): ScheduledRun {
    // The origin secret is only for requests from CloudFront.
    const stripeSecrets = [...secrets.byVariable].filter(([variable]) => variable !== ORIGIN_VARIABLE);
    return this.addRun('Reconcile', {
      ...SMALL_SIZE,
      role,
      command: ['gateway', 'reconcile', '--apply'],
      environment: gatewayVariables(this.parameters),
      secrets: Object.fromEntries(
        stripeSecrets.map(([variable, secret]) => [variable, TaskSecret.fromSecretsManager(secret)]),
      ),
      at: RECONCILE_AT,
      exits: RECONCILE_EXITS,
    });
  }

  private addRun(id: string, { at, exits, retries = 1, retryDelay, ...task }: RunOptions): ScheduledRun {
    const { name, account, region } = this.parameters;
    const environment = { ...task.environment, AWS_REGION: region };
    return new ScheduledRun(this, id, {
      account,
      region,
      name: `${name}-${id.toLowerCase()}`,
      tasks: this.tasks,
      task: this.tasks.define(id, { ...task, environment }),
      schedule: ScheduleExpression.cron({ ...at, timeZone: TimeZone.ETC_UTC }),
      exits,
      retries,
      ...(retryDelay === undefined ? {} : { retryDelay }),
    });
  }
}
