import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEventV2, CloudFrontRequestEvent } from 'aws-lambda';
import { withoutIndex } from '../../schemas/paths.js';
import type { LoopbackRequest, LoopbackResponse } from './loopback.js';

/** An event of an HTTP API or a function URL (API Gateway's format 2.0), or of CloudFront (Lambda@Edge), which the stack in infra/aws does not use. */
export type GatewayEvent = APIGatewayProxyEventV2 | CloudFrontRequestEvent;

/** A request as an event describes it. */
export type EventRequest = LoopbackRequest & {
  /** Path without the query. */
  readonly path: string;
  /** Address of the peer that connected to AWS. */
  readonly sourceIp: string;
};

/** Reads the request from an event. */
export function toRequest(event: GatewayEvent): EventRequest {
  return 'Records' in event ? readCloudFrontEvent(event) : readHttpApiEvent(event);
}

function readHttpApiEvent({ rawPath, rawQueryString, headers, body, ...event }: APIGatewayProxyEventV2) {
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

function readCloudFrontEvent({ Records: [record] }: CloudFrontRequestEvent) {
  if (record === undefined) throw new TypeError('the event has no record');
  const { method, uri, querystring, headers, body, clientIp } = record.cf.request;
  return {
    method,
    path: uri,
    target: toTarget(uri, querystring),
    headers: Object.entries(headers).flatMap(([name, values]) =>
      values.map(({ value }) => [name, value] as const),
    ),
    body: body?.data ? Buffer.from(body.data, body.encoding === 'base64' ? 'base64' : 'utf8') : undefined,
    sourceIp: clientIp,
  };
}

/** Escapes what AWS has decoded, so that a path stays a path. */
function toTarget(path: string, query: string): string {
  const escaped = path.replace(/[^!-~]|[?#]/gu, encodeURIComponent);
  return query === '' ? escaped : `${escaped}?${query.replace(/[^!-~]|#/gu, encodeURIComponent)}`;
}

/** Returns a response in the format of the event's source. CloudFront sets the length itself. */
export function toResult(event: GatewayEvent, { status, headers, body }: LoopbackResponse): object {
  const isText = isUtf8(body);
  const text = body.toString(isText ? 'utf8' : 'base64');
  if (!('Records' in event)) {
    return { statusCode: status, headers: Object.fromEntries(headers), body: text, isBase64Encoded: !isText };
  }
  const listed = headers.filter(([name]) => name !== 'content-length');
  return {
    status,
    headers: Object.fromEntries(listed.map(([name, value]) => [name, [{ key: name, value }]])),
    body: text,
    bodyEncoding: isText ? 'text' : 'base64',
  };
}
