import { resourcesOf, type Template } from './aws-synth.js';

/** A statement of a policy, whose values are lists of texts with all references resolved. */
export type Statement = {
  readonly sid: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Principals of a resource policy; `undefined` in a policy of a role. */
  readonly principals?: readonly string[];
};

/** A call to AWS: an action on a resource, with the values of condition keys. */
export type Call = {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, string>>;
};

/** Default values of condition keys. */
const DEFAULTS = { 'aws:SecureTransport': 'true' };

/** Returns true if a statement allows the call and none denies it. Ignores principals: pass the statements of one caller. */
export function isAllowed(statements: readonly Statement[], call: Call): boolean {
  const matching = statements.filter((statement) => matches(statement, call));
  return (
    matching.some(({ effect }) => effect === 'Allow') && matching.every(({ effect }) => effect === 'Allow')
  );
}

function matches(
  { actions, resources, conditions }: Statement,
  { action, resource, context }: Call,
): boolean {
  const known: Readonly<Record<string, string>> = { ...DEFAULTS, ...context };
  return (
    actions.some((each) => isLike(action.toLowerCase(), each.toLowerCase())) &&
    resources.some((each) => isLike(resource, each)) &&
    Object.entries(conditions).every(([operator, keys]) =>
      Object.entries(keys).every(([key, values]) => holds(operator, known[key], values)),
    )
  );
}

function holds(operator: string, found: string | undefined, values: readonly string[]): boolean {
  switch (operator) {
    case 'ForAnyValue:StringEquals': // a call has one value of the key here
    case 'StringEquals':
    case 'Bool':
      return found !== undefined && values.includes(found);
    case 'ForAnyValue:StringLike':
    case 'StringLike':
    case 'ArnLike':
    case 'ArnEquals': // accepts wildcards like ArnLike
      return found !== undefined && values.some((value) => isLike(found, value));
    case 'ArnNotEquals': // holds for a missing key too
      return found === undefined || !values.some((value) => isLike(found, value));
    default:
      throw new Error(`unsupported condition: ${operator}`);
  }
}

/** Matches a text against a pattern with * and ?. */
function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*/g, '.*').replace(/\?/g, '.')}$`, 's').test(text);
}

type Raw = Readonly<Record<string, unknown>>;

/** Unsupported resources that grant permissions to roles. */
const UNSUPPORTED = ['AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy'];

/** Returns the statements of all policies of the role with this name. */
export function statementsOfRole(template: Template, roleName: string): readonly Statement[] {
  const entries = Object.entries(template.Resources);
  const [id] =
    entries.find(
      ([, { Type, Properties }]) => Type === 'AWS::IAM::Role' && Properties?.['RoleName'] === roleName,
    ) ?? [];
  if (id === undefined) throw new Error(`no role ${roleName}`);
  const { ManagedPolicyArns: managed, Policies: inline } = template.Resources[id]?.Properties ?? {};
  if (
    managed !== undefined ||
    inline !== undefined ||
    entries.some(([, { Type }]) => UNSUPPORTED.includes(Type))
  ) {
    throw new Error(`${roleName} may have permissions of an unsupported kind`);
  }
  const policies = entries
    .filter(([, { Type }]) => Type === 'AWS::IAM::Policy')
    .map(([, { Properties = {} }]) => Properties)
    .filter(({ Roles }) => (Roles as Raw[]).some((each) => each['Ref'] === id));
  return policies.flatMap(({ PolicyDocument }) => toStatements(PolicyDocument));
}

/** Returns the statements of all bucket policies. */
export function statementsOfBuckets(template: Template): readonly Statement[] {
  const buckets = Object.entries(resourcesOf(template, 'AWS::S3::Bucket'));
  const arns = new Map(
    buckets.map(([id, { Properties }]) => [`<${id}.Arn>`, String(Properties?.['BucketName'])]),
  );
  const named = (text: string): string =>
    text.replace(/^<[^>]+>/, (id) => (arns.has(id) ? `arn:aws:s3:::${arns.get(id) ?? ''}` : id));
  return Object.values(resourcesOf(template, 'AWS::S3::BucketPolicy'))
    .flatMap(({ Properties }) => toStatements(Properties?.['PolicyDocument']))
    .map((statement) => ({ ...statement, resources: statement.resources.map(named) }));
}

export function toStatements(document: unknown): Statement[] {
  return ((document as Raw)['Statement'] as Raw[]).map(assertPlain).map((each) => ({
    sid: typeof each['Sid'] === 'string' ? each['Sid'] : '',
    effect: each['Effect'] as Statement['effect'],
    actions: toList(each['Action']),
    resources: toList(each['Resource']),
    conditions: Object.fromEntries(
      Object.entries((each['Condition'] ?? {}) as Record<string, Raw>).map(([operator, keys]) => [
        operator,
        Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, toList(value)])),
      ]),
    ),
    ...(each['Principal'] === undefined
      ? {}
      : { principals: Object.values(each['Principal'] as Raw).flatMap(toList) }),
  }));
}

/** Returns a statement unless it has negative elements, such as NotAction. */
function assertPlain(statement: Raw): Raw {
  const negative = Object.keys(statement).filter((name) => name.startsWith('Not'));
  if (negative.length > 0) throw new Error(`unsupported: ${negative.join(', ')}`);
  return statement;
}

function toList(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(resolve);
}

/** Resolves a text of a template. Values that only CloudFormation knows become `<LogicalId>` or `<LogicalId.Attribute>`. */
export function resolve(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const [[name, argument] = []] = Object.entries(value);
  if (name === 'Ref') return `<${String(argument)}>`;
  if (name === 'Fn::GetAtt') return `<${(argument as string[]).join('.')}>`;
  if (name === 'Fn::Join') {
    const [separator, parts] = argument as [string, unknown[]];
    return parts.map(resolve).join(separator);
  }
  throw new Error(`unsupported: ${JSON.stringify(value)}`);
}
