// CloudFront Function (cloudfront-js-2.0): maps the path of a page, /x, to the path of its copy, /x/index.html.
// Like isPagePath in schemas/paths.ts, it considers a path a page if it is not below /api/ and has no file extension.
function handler(event) {
  const request = event.request;
  const uri = request.uri;
  const last = uri.slice(uri.lastIndexOf('/'));
  if (!uri.startsWith('/api/') && !last.includes('.')) {
    request.uri = (uri === '/' ? '' : uri) + '/index.html';
  }
  return request;
}
