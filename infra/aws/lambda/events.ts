import type { APIGatewayProxyEventV2, CloudFrontRequestEvent } from 'aws-lambda';

/** What calls the function: an HTTP API or a function URL by API Gateway's form 2.0, or CloudFront at an edge. */
export type GatewayEvent = APIGatewayProxyEventV2 | CloudFrontRequestEvent;

/** The path that an event asks for. */
export function pathOf(event: GatewayEvent): string {
  return 'Records' in event ? (event.Records[0]?.cf.request.uri ?? '/') : event.rawPath;
}

/**
 * The event, of the page `/x` where CloudFront asks for its copy, `/x/index.html`: it has found none in the bucket.
 */
export function withPageAddress(event: GatewayEvent): GatewayEvent {
  if ('Records' in event || event.rawPath.startsWith('/api/')) return event;
  const rawPath = event.rawPath.replace(/\/index\.html$/, '') || '/';
  const { requestContext } = event;
  return {
    ...event,
    rawPath,
    requestContext: { ...requestContext, http: { ...requestContext.http, path: rawPath } },
  };
}

/** The only value of a header, its name in lower case; `undefined` where there is none, or several. */
export function headerOf(event: GatewayEvent, name: string): string | undefined {
  if (!('Records' in event)) return event.headers[name];
  const values = event.Records[0]?.cf.request.headers[name] ?? [];
  return values.length === 1 ? values[0]?.value : undefined;
}

/** An answer before the gateway was asked, in the form of the event. */
export function refusalOf(event: GatewayEvent, status: number): object {
  return 'Records' in event
    ? { status: String(status), headers: { 'cache-control': [{ key: 'Cache-Control', value: 'no-store' }] } }
    : { statusCode: status, headers: { 'cache-control': 'no-store' } };
}
