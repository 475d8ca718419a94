import {
  ArnPrincipal,
  Policy,
  Role,
  ServicePrincipal,
  type IPrincipal,
  type PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { roleNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import { acknowledgeWildcards } from './acknowledge-wildcards.js';
import {
  collectorStatements,
  copierStatements,
  gatewayStatements,
  gcStatements,
  generatorStatements,
  monitorStatements,
  reconcilerStatements,
  signerStatements,
} from './statements.js';

const WILDCARD_REASON =
  'Keys below this prefix contain digests, dates and ids that are not known in advance.';

/** The roles of the tasks and of the function, and one whose credentials sign URLs. */
export class RolesPart extends Construct {
  readonly generator: Role;
  /** Undefined if nothing is collected. */
  readonly collector: Role | undefined;
  readonly monitor: Role;
  readonly gc: Role;
  /** Undefined without a backup bucket. */
  readonly copier: Role | undefined;
  readonly gateway: Role;
  /** Undefined if nothing is sold. */
  readonly reconciler: Role | undefined;
  readonly signer: Role;

  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Roles');
    const names = roleNames(parameters);
    const tasks = new ServicePrincipal('ecs-tasks.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': parameters.account } },
    });
    const functions = new ServicePrincipal('lambda.amazonaws.com'); // which names no account when it assumes a role
    this.generator = this.create('Generator', names.generator, tasks, generatorStatements(parameters));
    this.collector =
      parameters.collect && this.create('Collector', names.collector, tasks, collectorStatements(parameters));
    this.monitor = this.create('Monitor', names.monitor, tasks, monitorStatements(parameters));
    this.gc = this.create('Gc', names.gc, tasks, gcStatements(parameters));
    const target = parameters.backup?.bucket;
    this.copier =
      target === undefined
        ? undefined
        : this.create('Copier', names.copier, tasks, copierStatements(parameters, target));
    this.gateway = this.create('Gateway', names.gateway, functions, gatewayStatements(parameters));
    this.reconciler =
      parameters.selling &&
      this.create('Reconciler', names.reconciler, tasks, reconcilerStatements(parameters));
    this.signer = this.create(
      'Signer',
      names.signer,
      new ArnPrincipal(this.gateway.roleArn),
      signerStatements(parameters),
    );
  }

  private create(id: string, roleName: string, assumedBy: IPrincipal, statements: PolicyStatement[]): Role {
    const role = new Role(this, id, { roleName, assumedBy });
    const policy = new Policy(this, `${id}Policy`, { policyName: roleName, roles: [role], statements });
    acknowledgeWildcards(policy, statements, WILDCARD_REASON);
    return role;
  }
}
