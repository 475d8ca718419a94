import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { withoutIndex } from '../../schemas/paths.js';
import type { LoopbackRequest, LoopbackResponse } from './loopback.js';

/** An event of an HTTP API or a function URL (API Gateway's format 2.0). */
export type GatewayEvent = APIGatewayProxyEventV2;

/** A request as an event describes it. */
export type EventRequest = LoopbackRequest & {
  /** Path without the query. */
  readonly path: string;
  /** Address of the peer that connected to AWS. */
  readonly sourceIp: string;
};

/** Reads the request from an event. */
export function toRequest({ rawPath, rawQueryString, headers, body, ...event }: GatewayEvent): EventRequest {
  const { method, sourceIp } = event.requestContext.http;
  // For a page that the bucket lacks, CloudFront sends the path of its copy, such as `/docs/index.html`.
  const path = withoutIndex(rawPath);
  return {
    method,
    path,
    target: toTarget(path, rawQueryString),
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
    body: body ? Buffer.from(body, event.isBase64Encoded ? 'base64' : 'utf8') : undefined,
    sourceIp,
  };
}

/** Escapes what AWS has decoded, so that a path stays a path. */
function toTarget(path: string, query: string): string {
  const escaped = path.replace(/[^!-~]|[?#]/gu, encodeURIComponent);
  return query === '' ? escaped : `${escaped}?${query.replace(/[^!-~]|#/gu, encodeURIComponent)}`;
}

/** Returns a response in the format of an HTTP API. */
export function toResult({ status, headers, body }: LoopbackResponse): object {
  const isText = isUtf8(body);
  const text = body.toString(isText ? 'utf8' : 'base64');
  return { statusCode: status, headers: Object.fromEntries(headers), body: text, isBase64Encoded: !isText };
}
