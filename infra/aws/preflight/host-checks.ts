import { DescribeCertificateCommand, type ACMClient } from '@aws-sdk/client-acm';
import type { Parameters } from '../settings/parameters.js';
import { fault, note, ok, type Finding } from './finding.js';

/** Returns the names that a host is an alias of. Rejects with the `code` of a DNS error, such as `ENOTFOUND`. */
export type ResolveAlias = (host: string) => Promise<readonly string[]>;

/** Checks that the certificate was issued for the host. */
export async function checkCertificate(
  acm: ACMClient,
  { certificateArn, host }: Pick<Parameters, 'certificateArn' | 'host'>,
  subject = 'certificate',
): Promise<Finding> {
  const { Certificate: certificate } = await acm.send(
    new DescribeCertificateCommand({ CertificateArn: certificateArn }),
  );
  const { Status: status = 'unknown', SubjectAlternativeNames: names = [] } = certificate ?? {};
  if (!names.some((name) => covers(name, host)))
    return fault(
      subject,
      `is for ${names.join(', ')}, not for ${host}`,
      `Request one for ${host} in ${certificateArn.split(':')[3] ?? ''}, and set "certificateArn" to it.`,
    );
  if (status === 'ISSUED') return ok(subject, `issued for ${names.join(', ')}`);
  return fault(
    subject,
    `has the status ${status}`,
    'Add the CNAME records that the ACM console shows to the DNS of the host, and wait until it is issued.',
  );
}

/** Checks that the host points to CloudFront, which is possible only after `Delivery` was deployed. */
export async function checkHost(resolve: ResolveAlias, { host }: Parameters): Promise<Finding> {
  const remedy = `After the deployment of Delivery, point ${host} to its output DistributionHost.`;
  try {
    const aliases = await resolve(host);
    const isOurs = aliases.some((alias) => alias.endsWith('.cloudfront.net'));
    return isOurs
      ? ok('host', `${host} points to ${aliases.join(', ')}`)
      : note('host', `${host} points to ${aliases.join(', ')}, not to CloudFront`, remedy);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (code !== 'ENOTFOUND' && code !== 'ENODATA') throw error;
    return note('host', `${host} has no CNAME record yet`, remedy);
  }
}

/** Returns whether a certificate with this name is valid for the host: `*.` stands for one part, as in `*.example.com`. */
function covers(name: string, host: string): boolean {
  return name === host || (name.startsWith('*.') && host.slice(host.indexOf('.')) === name.slice(1));
}
