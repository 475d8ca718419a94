import { Duration, TimeZone } from 'aws-cdk-lib';
import { Secret as TaskSecret } from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { RECONCILE_ENDINGS, generatorEndings } from '../endings.js';
import { gatewayVariables } from '../gateway-variables.js';
import { ORIGIN_VARIABLE } from '../lambda/variables.js';
import type { Parameters } from '../parameters.js';
import type { RolesPart } from './roles.js';
import { ScheduledRun, type ScheduledRunTerms } from './scheduled-run.js';
import type { SecretsPart } from './secrets.js';
import { TasksPart } from './tasks.js';

/** A processor to compute and one to write; the first publication takes 400 MB. */
const PUBLISH_SIZE = { cpu: 2048, memoryMb: 4096 };
const UPKEEP_SIZE = { cpu: 1024, memoryMb: 2048 };
const SMALL_SIZE = { cpu: 256, memoryMb: 1024 };
/** Of the day before, whose metrics have arrived by then. */
const PUBLISH_AT = { hour: '6', minute: '15', timeZone: TimeZone.ETC_UTC };
const RECONCILE_AT = { hour: '5', minute: '17', timeZone: TimeZone.ETC_UTC };
const COPY_AT = { hour: '8', minute: '15', timeZone: TimeZone.ETC_UTC };
const VERIFY_AT = { weekDay: 'SUN', hour: '10', minute: '15', timeZone: TimeZone.ETC_UTC };
const COLLECT_AT = { weekDay: 'SUN', hour: '14', minute: '15', timeZone: TimeZone.ETC_UTC };
const MONITOR_AT = { minute: '45', timeZone: TimeZone.ETC_UTC };
/** By then a collection that broke off is forgotten: before, nobody may begin another. */
const AFTER_COLLECTION = Duration.minutes(65);
/** How late a chain may be, in days, before somebody is told. */
const MAX_LAG_DAYS = '2';

type UpkeepTerms = Pick<ScheduledRunTerms, 'schedule' | 'endings' | 'pause'>;

/** What runs by the clock: the daily publication, its monitor, the upkeep of the store, and the comparison with Stripe. */
export class GeneratorPart extends Construct {
  readonly publish: ScheduledRun;
  readonly monitor: ScheduledRun;
  /** Absent when nothing is sold. */
  readonly reconcile: ScheduledRun | undefined;
  /** What keeps the store well: it is read through, cleared of what nothing reaches, and copied. */
  readonly upkeep: readonly ScheduledRun[];

  constructor(scope: Construct, parameters: Parameters, roles: RolesPart, secrets: SecretsPart) {
    super(scope, 'Generator');
    const { name, account, region, buckets, input } = parameters;
    const place = { account, region };
    const tasks = new TasksPart(this, parameters);
    const store = ['--store', `s3://${buckets.published}`];
    const told = ['--log-json', '--report', '/dev/stdout'];
    const environment = { AWS_REGION: region };
    const publish = [
      ...['generator', 'publish', '--existing', '--quiet', ...told],
      ...['--input', `s3://${input.bucket}/${input.prefix}`, ...store],
    ];
    const monitor = ['generator', 'status', '--max-lag-days', MAX_LAG_DAYS, ...told, ...store];
    this.publish = new ScheduledRun(this, 'Publish', {
      ...place,
      name: `${name}-publish`,
      tasks,
      task: tasks.define('Publish', {
        role: roles.generator,
        environment,
        command: publish,
        ...PUBLISH_SIZE,
      }),
      schedule: ScheduleExpression.cron(PUBLISH_AT),
      retries: 3,
      endings: generatorEndings(),
    });
    this.monitor = new ScheduledRun(this, 'Monitor', {
      ...place,
      name: `${name}-monitor`,
      tasks,
      task: tasks.define('Monitor', { role: roles.monitor, environment, command: monitor, ...SMALL_SIZE }),
      schedule: ScheduleExpression.cron(MONITOR_AT),
      retries: 1,
      endings: generatorEndings('damaged'), // for seconds after a commit the public copies do lag
    });
    this.upkeep = this.toUpkeep(parameters, roles, tasks, [...told, ...store]);
    this.reconcile = roles.reconciler && this.toReconcile(parameters, roles.reconciler, secrets, tasks);
  }

  private toUpkeep(
    { name, account, region, buckets, backup }: Parameters,
    { monitor, collector, copier }: RolesPart,
    tasks: TasksPart,
    shared: readonly string[],
  ): ScheduledRun[] {
    const run = (id: string, role: Role, command: readonly string[], terms: UpkeepTerms): ScheduledRun =>
      new ScheduledRun(this, id, {
        ...{ account, region, name: `${name}-${id.toLowerCase()}`, tasks, retries: 1, ...terms },
        task: tasks.define(id, {
          role,
          environment: { AWS_REGION: region },
          command: ['generator', ...command],
          ...UPKEEP_SIZE,
        }),
      });
    const [from, to] = [`s3://${buckets.published}`, `s3://${backup?.bucket}?region=${backup?.region}`];
    const told = shared.slice(0, -2);
    const endings = generatorEndings();
    return [
      run('Verify', monitor, ['verify', ...shared], {
        schedule: ScheduleExpression.cron(VERIFY_AT),
        endings: generatorEndings('damaged'), // it may have read beside a publication
      }),
      run('Collect', collector, ['gc', '--apply', ...shared], {
        schedule: ScheduleExpression.cron(COLLECT_AT),
        endings,
        pause: AFTER_COLLECTION,
      }),
      ...(copier === undefined
        ? []
        : [
            run('Copy', copier, ['copy', '--from', from, '--to', to, ...told], {
              schedule: ScheduleExpression.cron(COPY_AT),
              endings,
            }),
          ]),
    ];
  }

  private toReconcile(
    parameters: Parameters,
    role: Role,
    secrets: SecretsPart,
    tasks: TasksPart,
  ): ScheduledRun {
    const ofStripe = [...secrets.all].filter(([variable]) => variable !== ORIGIN_VARIABLE);
    const name = `${parameters.name}-reconcile`;
    return new ScheduledRun(this, 'Reconcile', {
      account: parameters.account,
      region: parameters.region,
      name,
      tasks,
      task: tasks.define('Reconcile', {
        ...SMALL_SIZE,
        command: ['gateway', 'reconcile', '--apply'],
        role,
        environment: { ...gatewayVariables(parameters), AWS_REGION: parameters.region },
        secrets: Object.fromEntries(
          ofStripe.map(([variable, secret]) => [variable, TaskSecret.fromSecretsManager(secret)]),
        ),
      }),
      schedule: ScheduleExpression.cron(RECONCILE_AT),
      retries: 1,
      endings: RECONCILE_ENDINGS,
    });
  }
}
