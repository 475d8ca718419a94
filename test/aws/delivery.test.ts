import { readFile } from 'node:fs/promises';
import vm from 'node:vm';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import {
  calendarPath,
  assetPath,
  chainPagePath,
  chartPath,
  dayPagePath,
  EMBED_PATH,
  ENDPOINTS,
  isPagePath,
  methodologyPagePath,
  PAGE_PATHS,
  problemPath,
  PUBLIC_PATHS,
  publicKey,
  TRUST_PATHS,
} from '../../schemas/paths.js';
import { DAY_PAGES, GATEWAY_PATHS } from '../../infra/aws/delivery/delivery.js';
import { EMBED_HEADER_POLICY, PAGE_HEADER_POLICY } from '../../schemas/page-policy.js';
import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';

const { Delivery } = await readTemplates();

type Behavior = {
  readonly PathPattern?: string;
  readonly TargetOriginId: string;
  readonly ViewerProtocolPolicy: string;
  readonly CachePolicyId: unknown;
  readonly OriginRequestPolicyId?: string;
  readonly AllowedMethods: string[];
  readonly Compress: boolean;
  readonly FunctionAssociations?: unknown[];
};
type Origin = {
  readonly Id: string;
  readonly DomainName: string;
  readonly OriginPath?: string;
  readonly OriginAccessControlId?: unknown;
  readonly OriginCustomHeaders?: { HeaderName: string; HeaderValue: unknown }[];
};
type Distribution = {
  readonly Aliases: string[];
  readonly DefaultCacheBehavior: Behavior;
  readonly CacheBehaviors: Behavior[];
  readonly Origins: Origin[];
  readonly OriginGroups: { readonly Items: { Id: string; FailoverCriteria: unknown; Members: unknown }[] };
  readonly ViewerCertificate: object;
  readonly CustomErrorResponses: object[];
};
/** Ids of CloudFront's managed policies. */
const NOT_CACHED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const ALL_BUT_HOST = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

const distribution = propertiesOf(Delivery, 'AWS::CloudFront::Distribution')[
  'DistributionConfig'
] as Distribution;
const originOf = (host: RegExp): Origin => {
  const found = distribution.Origins.filter(({ DomainName }) => host.test(DomainName));
  expect(found.length).toBeGreaterThan(0);
  return found[0] as Origin;
};

/** Returns the logical id and the configuration of a cache policy. */
function cachePolicyOf(name: string): [id: string, policy: object] {
  const policies = Object.entries(resourcesOf(Delivery, 'AWS::CloudFront::CachePolicy')).map(
    ([id, { Properties }]) => [id, Properties?.['CachePolicyConfig'] as { Name: string }] as const,
  );
  const [id = '', policy = {}] = policies.find(([, { Name }]) => Name === name) ?? [];
  return [id, policy];
}

/** Matches a path against a pattern of CloudFront, in which * stands for any characters and ? for one. */
function matchesPattern(pattern: string, path: string): boolean {
  const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(path);
}

it('serves the public host with TLS 1.2 or later', () => {
  expect(distribution.Aliases).toEqual(['data.example.com']);
  expect(distribution.ViewerCertificate).toMatchObject({
    MinimumProtocolVersion: 'TLSv1.2_2021',
    SslSupportMethod: 'sni-only',
  });
});

it('reads only public copies of the bucket, with signed requests', () => {
  expect(originOf(/^example-crd-published\.s3\./)).toMatchObject({
    DomainName: 'example-crd-published.s3.eu-west-1.amazonaws.com',
    OriginPath: '/public',
    OriginAccessControlId: expect.anything(),
  });
  const control = propertiesOf(Delivery, 'AWS::CloudFront::OriginAccessControl');
  expect(control['OriginAccessControlConfig']).toMatchObject({
    SigningBehavior: 'always',
    SigningProtocol: 'sigv4',
  });
});

it('asks the gateway for files that the bucket lacks, so that a 404 is a problem document', () => {
  const { OriginGroups, DefaultCacheBehavior } = distribution;
  expect(OriginGroups.Items.map(({ Id, FailoverCriteria }) => [Id, FailoverCriteria])).toContainEqual([
    DefaultCacheBehavior.TargetOriginId,
    { StatusCodes: { Items: [403, 404], Quantity: 2 } },
  ]);
});

it('authenticates to the gateway with a secret that is not in the template', () => {
  const { OriginCustomHeaders = [] } = originOf(/^gateway\.invalid$/);
  expect(OriginCustomHeaders).toEqual([
    {
      HeaderName: 'x-origin-secret',
      HeaderValue: '{{resolve:secretsmanager:crd/origin-eu-west-1:SecretString:::}}',
    },
  ]);
});

it('passes the paths of subscribers to the gateway: complete except for the host, uncached, only with HTTPS', () => {
  const { CacheBehaviors } = distribution;
  const gateway = CacheBehaviors.filter(
    ({ TargetOriginId, PathPattern }) =>
      TargetOriginId === originOf(/^gateway\.invalid$/).Id && PathPattern !== DAY_PAGES,
  );
  expect(gateway.map(({ PathPattern }) => PathPattern)).toEqual(GATEWAY_PATHS); // the runbook spells them
  for (const behavior of gateway) {
    expect(behavior).toMatchObject({
      TargetOriginId: originOf(/^gateway\.invalid$/).Id,
      ViewerProtocolPolicy: 'https-only',
      CachePolicyId: NOT_CACHED,
      OriginRequestPolicyId: ALL_BUT_HOST,
      Compress: false,
    });
    expect(behavior.AllowedMethods.toSorted()).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'OPTIONS',
      'PATCH',
      'POST',
      'PUT',
    ]);
    expect(behavior).not.toHaveProperty('FunctionAssociations');
  }
});

it('caches public copies by their Cache-Control and not by query, and compresses them', () => {
  const [, policy] = cachePolicyOf('crd-public');
  expect(policy).toMatchObject({
    MinTTL: 0,
    DefaultTTL: 60,
    ParametersInCacheKeyAndForwardedToOrigin: {
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['X-CRD-Fresh'] },
      QueryStringsConfig: { QueryStringBehavior: 'none' },
      EnableAcceptEncodingBrotli: true,
      EnableAcceptEncodingGzip: true,
    },
  });
  const { DefaultCacheBehavior } = distribution;
  expect(DefaultCacheBehavior).toMatchObject({
    Compress: true,
    ViewerProtocolPolicy: 'redirect-to-https',
  });
  expect(DefaultCacheBehavior.AllowedMethods.toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS']);
});

it('serves the files by which readers verify releases from the bucket, and caches them for a minute at most', () => {
  const { CacheBehaviors, DefaultCacheBehavior } = distribution;
  const [id, policy] = cachePolicyOf('crd-trust');
  expect(policy).toMatchObject({ MinTTL: 0, DefaultTTL: 60, MaxTTL: 60 });
  for (const path of Object.values(TRUST_PATHS)) {
    const first = CacheBehaviors.find(({ PathPattern = '' }) => matchesPattern(PathPattern, path));
    const { PathPattern: _, ...behavior } = first ?? DefaultCacheBehavior;
    expect(behavior).toEqual({ ...DefaultCacheBehavior, CachePolicyId: { Ref: id } });
  }
});

it.each([PAGE_PATHS.verify, assetPath('site.js'), PUBLIC_PATHS.release])(
  'serves %s like other public files',
  (path) => {
    const { CacheBehaviors } = distribution;
    expect(CacheBehaviors.filter(({ PathPattern = '' }) => matchesPattern(PathPattern, path))).toEqual([]);
  },
);

it('gets the page of a day from the gateway, over https, and caches it as the gateway says', () => {
  const { CacheBehaviors, DefaultCacheBehavior, OriginGroups } = distribution;
  const path = dayPagePath('base', '2024-04-20');
  const { PathPattern, ...behavior } =
    CacheBehaviors.find(({ PathPattern = '' }) => matchesPattern(PathPattern, path)) ?? {};
  expect(PathPattern).toBe(DAY_PAGES);
  expect(behavior).toEqual({ ...DefaultCacheBehavior, TargetOriginId: originOf(/^gateway\.invalid$/).Id });
  expect(OriginGroups.Items.map(({ Id }) => Id)).toContain(DefaultCacheBehavior.TargetOriginId);
});

it('passes on what a preflight needs, and Accept, by which the gateway chooses between a page and JSON', () => {
  const policy = propertiesOf(Delivery, 'AWS::CloudFront::OriginRequestPolicy');
  expect(policy['OriginRequestPolicyConfig']).toMatchObject({
    HeadersConfig: {
      HeaderBehavior: 'whitelist',
      Headers: ['Accept', 'Origin', 'Access-Control-Request-Headers', 'Access-Control-Request-Method'],
    },
    CookiesConfig: { CookieBehavior: 'none' },
    QueryStringsConfig: { QueryStringBehavior: 'none' },
  });
});

it('does not cache errors', () => {
  expect(distribution.CustomErrorResponses).toEqual(
    [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504].map((ErrorCode) => ({
      ErrorCode,
      ErrorCachingMinTTL: 0,
    })),
  );
});

it.each([
  ['crd-pages', PAGE_HEADER_POLICY],
  ['crd-charts', "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none'"],
])('the headers policy %s has the security headers of the gateway', (name, policy) => {
  const policies = Object.values(Delivery.Resources)
    .filter(({ Type }) => Type === 'AWS::CloudFront::ResponseHeadersPolicy')
    .map(({ Properties }) => Properties?.['ResponseHeadersPolicyConfig'] as { Name: string });
  expect(policies.find(({ Name }) => Name === name)).toMatchObject({
    SecurityHeadersConfig: {
      ContentSecurityPolicy: { ContentSecurityPolicy: policy, Override: true },
      ContentTypeOptions: { Override: true },
      FrameOptions: { FrameOption: 'DENY', Override: true },
      ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: true },
      StrictTransportSecurity: { AccessControlMaxAgeSec: 63_072_000, IncludeSubdomains: true },
    },
    CorsConfig: { AccessControlAllowOrigins: { Items: ['*'] }, AccessControlAllowCredentials: false },
  });
});

it('lets any page embed the pages below /embed/, and no other', () => {
  const policies = Object.values(Delivery.Resources)
    .filter(({ Type }) => Type === 'AWS::CloudFront::ResponseHeadersPolicy')
    .map(({ Properties }) => Properties?.['ResponseHeadersPolicyConfig'] as { Name: string });
  const embed = policies.find(({ Name }) => Name === 'crd-embed');
  expect(embed).toMatchObject({
    SecurityHeadersConfig: {
      ContentSecurityPolicy: { ContentSecurityPolicy: EMBED_HEADER_POLICY, Override: true },
    },
  });
  expect(JSON.stringify(embed)).not.toContain('FrameOption');
  const behaviors = (distribution as { CacheBehaviors: { PathPattern: string }[] }).CacheBehaviors;
  expect(behaviors.map(({ PathPattern }) => PathPattern)).toContain(`${EMBED_PATH}*`);
});

it('logs neither queries, cookies nor client addresses', () => {
  const { RecordFields } = propertiesOf(Delivery, 'AWS::Logs::Delivery') as {
    RecordFields: string[];
  };
  expect(RecordFields).toContain('cs-uri-stem');
  expect(
    RecordFields.filter((field) => /query|cookie|referer|user-agent|c-ip|forwarded/i.test(field)),
  ).toEqual([]);
});

describe('the CloudFront function', () => {
  const NOW_MS = Date.parse('2026-08-20T12:00:03Z');
  const PATHS = [
    ...Object.values(PAGE_PATHS),
    ...Object.values(PUBLIC_PATHS),
    ...Object.values(TRUST_PATHS),
    ...CHAIN_IDS.flatMap((chain) => [chainPagePath(chain), chartPath(chain), calendarPath(chain)]),
    methodologyPagePath('v1'),
    problemPath('not-found'),
    '/nothing',
    '/api/v1/nothing',
    '/a.b/c',
    assetPath('site-0123456789abcdef.css'),
    '/api/',
    PAGE_PATHS.verify,
  ];
  type Headers = Readonly<Record<string, { readonly value: string }>>;
  type Outcome = { readonly uri?: string; readonly headers?: Headers };
  let run: (uri: string, headers?: Headers) => Outcome;
  const rewrite = (uri: string): string | undefined => run(uri).uri;
  beforeAll(async () => {
    const source = await readFile(new URL('../../infra/aws/edge/page-address.js', import.meta.url), 'utf8');
    const context = vm.createContext({ Date: { now: () => NOW_MS } });
    vm.runInContext(source, context);
    run = (uri, headers = {}) =>
      vm.runInContext(`handler({ request: ${JSON.stringify({ uri, headers })} })`, context) as Outcome;
  });

  it.each(PATHS)('maps %s to the key of its public copy', (path) => {
    expect(`public${rewrite(path)}`).toBe(publicKey(path));
  });

  it('changes only the paths of pages', () => {
    for (const path of PATHS) expect([path, rewrite(path) !== path]).toEqual([path, isPagePath(path)]);
  });

  it('leaves the path of the page of a day, which has no copy', () => {
    const path = dayPagePath('base', '2024-04-20');
    expect(rewrite(path)).toBe(path);
  });

  it.each([
    ['/docs/', '/docs'],
    ['/index.html', '/'],
    ['/chains/base/index.html', '/chains/base'],
    ['/chains/base/2024-04-20/', '/chains/base/2024-04-20'],
    ['//evil.example/', '/evil.example'],
    ['//', '/'],
  ])('redirects %s to %s', (path, page) => {
    expect(run(path).headers?.['location']?.value).toBe(page);
  });

  it.each(['no-cache', 'max-age=0, No-Cache'])(
    'gives a reader who sends "%s" a copy of the same five seconds',
    (value) => {
      const { headers } = run('/api/v1/release', { 'cache-control': { value } });
      expect(headers?.['x-crd-fresh']).toEqual({ value: '357445440' });
    },
  );

  it('lets no reader choose what the cache is asked for', () => {
    const forged = { 'x-crd-fresh': { value: 'forged' }, 'cache-control': { value: 'max-age=0' } };
    expect(run('/api/v1/release', forged).headers).toEqual({ 'cache-control': { value: 'max-age=0' } });
    expect(run('/docs', { 'x-crd-fresh': { value: 'forged' } }).headers).toEqual({});
  });

  it('is deployed unchanged', async () => {
    const source = await readFile(new URL('../../infra/aws/edge/page-address.js', import.meta.url), 'utf8');
    expect(propertiesOf(Delivery, 'AWS::CloudFront::Function')['FunctionCode']).toBe(source);
  });
});

it('the runbook of the gateway names the paths that a CDN must pass to it', async () => {
  const runbook = await readFile(new URL('../../gateway/RUNBOOK.md', import.meta.url), 'utf8');
  const [, sentence = ''] =
    /Let the CDN pass these paths to the gateway, uncached: (.*)\./.exec(runbook) ?? [];
  const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, each]) => each);
  expect(runbook).toContain(`Let it pass \`${DAY_PAGES}\`, the pages of days, to the gateway too.`);
  expect(named.sort()).toEqual(GATEWAY_PATHS.filter((each) => each !== ENDPOINTS.readiness).sort());
});
