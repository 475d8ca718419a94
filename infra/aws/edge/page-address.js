// A function at CloudFront's edge (cloudfront-js-2.0): the copy of the page at /x is kept at /x/index.html.
// Outside /api/, a last part without an ending is a page's, as isPagePath in schemas/paths.ts has it.
function handler(event) {
  const request = event.request;
  const uri = request.uri;
  const last = uri.slice(uri.lastIndexOf('/'));
  if (!uri.startsWith('/api/') && !last.includes('.')) {
    request.uri = (uri === '/' ? '' : uri) + '/index.html';
  }
  return request;
}
