import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { makeAuthority } from './e2e/certificates.ts'
import { callHttps } from './e2e/https.ts'
import { ADMIN, agentStatus, makeWorkbench, OWNER, processesOf, STOP_MS, until } from './e2e/workbench.ts'

// The running programs once, as part of `npm test`; the e2e and fault tests try each of these in depth.
const bench = makeWorkbench()
afterAll(() => bench.cleanUp())

test.skipIf(isMissing('openssl'))(
  'a start over TLS serves the page and the samples of this host, survives SIGKILL and stops within 10 s',
  async () => {
    const folder = bench.makeFolder()
    const dataDir = join(folder, 'data')
    const authority = makeAuthority(folder)
    const environment = {
      ...ADMIN,
      VEDETTE_TLS_CERT_FILE: authority.certFile,
      VEDETTE_TLS_KEY_FILE: authority.keyFile,
      VEDETTE_SAMPLE_INTERVAL_SECONDS: '1',
      VEDETTE_PUSH_INTERVAL_SECONDS: '5',
      NODE_EXTRA_CA_CERTS: authority.caFile,
    }
    const acceptedSamples = () => agentStatus(join(dataDir, 'agent'))?.accepted_samples ?? 0
    const call = (url: string, method: string, path: string, options = {}) =>
      callHttps(url.replace('127.0.0.1', 'localhost'), authority.caFile, method, path, options)

    const first = await bench.start({ dataDir, environment })
    await until(() => acceptedSamples() > 0, 30_000)
    process.kill(first.pid, 'SIGKILL')
    await first.ended

    const second = await bench.start({ dataDir, environment })
    const page = await call(second.url, 'GET', '/')
    expect(page.headers['content-type']).toMatch(/^text\/html/)
    const { body: session } = await call(second.url, 'POST', '/v1/auth/login', { body: JSON.stringify(OWNER) })
    const headers = { authorization: `Bearer ${session.token}` }
    const { body: list } = await call(second.url, 'GET', '/v1/servers', { headers })
    expect(list.total).toBe(1)
    const { body } = await call(second.url, 'GET', `/v1/servers/${list.servers[0].id}/metrics?period=1h`, { headers })
    expect(body.metrics.memory.total_bytes).toBeGreaterThan(0)

    const end = await second.stop('SIGTERM')
    expect(end.code).toBe(0)
    expect(end.ms).toBeLessThan(STOP_MS)
    expect(processesOf(dataDir)).toEqual([])
  },
)
