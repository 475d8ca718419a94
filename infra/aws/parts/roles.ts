import { Duration } from 'aws-cdk-lib';
import {
  ArnPrincipal,
  Policy,
  Role,
  ServicePrincipal,
  type IPrincipal,
  type PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { roleNames } from '../names.js';
import type { Parameters } from '../parameters.js';
import { acknowledgeWildcards } from './acknowledge.js';
import {
  collectorStatements,
  copierStatements,
  gatewayStatements,
  generatorStatements,
  monitorStatements,
  reconcilerStatements,
  signerStatements,
} from './statements.js';

/** As long as a role may be assumed by who has assumed one already. */
const SIGNER_SESSION = Duration.hours(1);

/** Why a right is given for all keys below a prefix. */
const KEYS = 'Keys below this prefix are digests, dates and ids, which nobody knows before they are written.';

/** Who may do what: one role for each program, and one whose credentials sign URLs. */
export class RolesPart extends Construct {
  readonly generator: Role;
  readonly monitor: Role;
  readonly collector: Role;
  /** Absent without a bucket to copy to. */
  readonly copier: Role | undefined;
  readonly gateway: Role;
  /** Absent when nothing is sold. */
  readonly reconciler: Role | undefined;
  readonly signer: Role;

  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Roles');
    const names = roleNames(parameters);
    const tasks = new ServicePrincipal('ecs-tasks.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': parameters.account } },
    });
    const functions = new ServicePrincipal('lambda.amazonaws.com');
    this.generator = this.make('Generator', names.generator, tasks, generatorStatements(parameters));
    this.monitor = this.make('Monitor', names.monitor, tasks, monitorStatements(parameters));
    this.collector = this.make('Collector', names.collector, tasks, collectorStatements(parameters));
    const target = parameters.backup?.bucket;
    this.copier =
      target === undefined
        ? undefined
        : this.make('Copier', names.copier, tasks, copierStatements(parameters, target));
    this.gateway = this.make('Gateway', names.gateway, functions, gatewayStatements(parameters));
    this.reconciler =
      parameters.selling &&
      this.make('Reconciler', names.reconciler, tasks, reconcilerStatements(parameters));
    this.signer = this.make(
      'Signer',
      names.signer,
      new ArnPrincipal(this.gateway.roleArn),
      signerStatements(parameters),
    );
  }

  private make(id: string, roleName: string, assumedBy: IPrincipal, statements: PolicyStatement[]): Role {
    const role = new Role(this, id, { roleName, assumedBy, maxSessionDuration: SIGNER_SESSION });
    const policy = new Policy(this, `${id}Policy`, { policyName: roleName, roles: [role], statements });
    acknowledgeWildcards(policy, statements, KEYS);
    return role;
  }
}
