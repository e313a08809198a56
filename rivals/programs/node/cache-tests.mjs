// Runs http-cache-tests against a proxy: node cache-tests.mjs SUITE MODULES [ID...]
//
// SUITE is a checkout of the suite, and MODULES a folder of npm packages with undici 7 as undici-7. The
// program prints the port of the suite's server, reads the port of the proxy from standard
// input, and prints the results as JSON. The client sends complete URLs to the proxy.
//
// The suite marks its requests with the fields Test-Name, Test-ID and Req-Num. Some caches
// store one response for each value of an unknown field. So the client does not send these
// fields, and the server adds them again.
import { createServer } from 'node:http'
import { createRequire, register } from 'node:module'
import { createInterface } from 'node:readline/promises'
import { pathToFileURL } from 'node:url'

const [suite, modules, ...ids] = process.argv.slice(2)
const undici = createRequire(pathToFileURL(`${modules}/x.js`))('undici-7')
// The suite finds undici in MODULES.
register('data:text/javascript,' + encodeURIComponent(`export const resolve = (name, context, next) => name === 'undici'
  ? next('undici-7', { ...context, parentURL: ${JSON.stringify(pathToFileURL(`${modules}/x.js`).href)} }) : next(name, context)`))

const load = name => import(pathToFileURL(`${suite}/${name}`))
const log = console.log
console.log = console.error = () => {} // the suite's remarks

const marks = new Map() // the fields of the latest request, by the path's second segment
const handlers = {}
for (const name of ['config', 'test', 'state']) handlers[name] = (await load(`test-engine/server/handle-${name}.mjs`)).default
const server = createServer((request, response) => {
  const [, first, ...rest] = new URL(request.url, 'http://localhost').pathname.split('/')
  if (!(first in handlers)) return response.writeHead(404).end()
  if (first === 'test') Object.assign(request.headers, marks.get(rest[0]))
  handlers[first](rest, request, response)
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
log(server.address().port)
const origin = `http://127.0.0.1:${server.address().port}`

const lines = createInterface({ input: process.stdin })
const proxy = `http://127.0.0.1:${await lines.question('')}`
lines.close()

const toProxy = dispatch => (options, handler) =>
  dispatch({ ...options, origin: proxy, path: origin + options.path, headers: { ...options.headers, host: new URL(origin).host } }, handler)
const agent = new undici.Agent()
globalThis.fetch = (url, options = {}) => {
  const [, first, id] = new URL(url).pathname.split('/')
  if (first !== 'test') return undici.fetch(url, options)
  const marked = {}
  const headers = options.headers.filter(([name, value]) => {
    const mark = ['test-name', 'test-id', 'req-num'].includes(name.toLowerCase())
    if (mark) marked[name.toLowerCase()] = value
    return !mark
  })
  marks.set(id, marked)
  return undici.fetch(url, { ...options, headers, dispatcher: (options.dispatcher ?? agent).compose(toProxy) })
}

const all = (await load('tests/index.mjs')).default
const tests = all.map(one => ({ ...one, tests: one.tests.filter(test => !ids.length || ids.includes(test.id)) }))
const { runTests, getResults } = await load('test-engine/client/runner.mjs')
await runTests(tests, false, origin)
const results = getResults()
const text = JSON.stringify(tests.flatMap(one => one.tests).filter(test => test.id in results)
  .map(test => ({ id: test.id, kind: test.kind ?? 'required', depends: test.depends_on ?? [], name: test.name, result: results[test.id] })))
process.stdout.write(text, () => process.exit(0))
