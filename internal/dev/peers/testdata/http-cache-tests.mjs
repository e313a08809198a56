// Runs the package http-cache-tests: its server, and its client against a cache before that
// server. Prints the address of the server, reads the address of the cache from standard input,
// and prints the results as JSON.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline/promises'
import { pathToFileURL } from 'node:url'

const dir = process.argv[2]
const load = name => import(pathToFileURL(`${dir}/${name}`))
const log = console.log
console.log = console.error // the server's remarks

const handlers = {}
for (const name of ['config', 'test', 'state']) handlers[name] = (await load(`server/handle-${name}.mjs`)).default
const server = createServer((request, response) => {
  const [, first, ...rest] = new URL(request.url, 'http://localhost').pathname.split('/')
  if (first in handlers) return handlers[first](rest, request, response)
  response.writeHead(404).end()
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
log(`http://127.0.0.1:${server.address().port}`)

const lines = createInterface({ input: process.stdin })
const cache = await lines.question('')
lines.close()
const tests = (await load('tests/index.mjs')).default
const { runTests, getResults } = await load('client/runner.mjs')
const fetch = createRequire(pathToFileURL(`${dir}/`))('node-fetch')
const chosen = process.argv.slice(3)
const suites = tests.map(suite => ({ ...suite, tests: suite.tests.filter(test => !chosen.length || chosen.includes(test.id)) }))
await runTests(suites, fetch, false, cache)
const results = getResults()
log(JSON.stringify(suites.flatMap(suite => suite.tests).filter(test => test.id in results)
  .map(test => ({ id: test.id, kind: test.kind || 'required', name: test.name, result: results[test.id] }))))
server.closeAllConnections()
server.close()
