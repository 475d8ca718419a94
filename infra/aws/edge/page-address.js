// CloudFront Function (cloudfront-js-2.0): maps the path of a page, /x, to the path of its copy, /x/index.html, and
// redirects other spellings, /x/ and /x/index.html, to /x.
// It also marks requests for a fresh copy.
// Like isPagePath in schemas/paths.ts, it considers a path a page if it is not below /api/ and has no file extension.
// The page of a day has no copy: the gateway makes it.
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

function handler(event) {
  const request = event.request;
  const uri = request.uri;
  markFresh(request);
  if (uri.startsWith('/api/')) return request;
  const page = uri.endsWith('/index.html') ? uri.slice(0, -'index.html'.length) : uri;
  if (page !== '/' && page.endsWith('/')) return redirect(page);
  if (page !== uri) return redirect('/');
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  if (!name.includes('.') && !DAY.test(name)) {
    request.uri = (uri === '/' ? '' : uri) + '/index.html';
  }
  return request;
}

// CloudFront ignores Cache-Control in requests. This header is part of the cache key: a reader who asks for a fresh copy with
// `no-cache` gets one that was fetched in the same five seconds. Nobody else can set the header, so the bucket is asked at
// most once in that time.
function markFresh(request) {
  const headers = request.headers;
  const control = headers['cache-control'];
  delete headers['x-crd-fresh'];
  if (control && control.value.toLowerCase().includes('no-cache')) {
    headers['x-crd-fresh'] = { value: String(Math.floor(Date.now() / 5000)) };
  }
}

// One slash at the start: two would name another host.
function redirect(page) {
  const location = '/' + page.split('/').filter(Boolean).join('/');
  return {
    statusCode: 308,
    statusDescription: 'Permanent Redirect',
    headers: { location: { value: location }, 'cache-control': { value: 'public, max-age=300' } },
  };
}
