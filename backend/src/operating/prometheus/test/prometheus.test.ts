import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'

const TOKEN = 'a-token-of-the-scraper'
const HEAD = { batch_id: '0191f7e4-4f4a-7b1e-8f6a-2f0f6d1c9a01', sent_at: '2026-01-01T00:00:00Z', agent_version: '1.0.0' }

describe('GET /metrics', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_METRICS_TOKEN: TOKEN, VEDETTE_RATE_LIMITS: 'auth=2' } })
  })
  afterAll(() => backend.close())

  const get = (token?: string) =>
    backend.vedette.app.inject({ url: '/metrics', ...(token && { headers: { authorization: `Bearer ${token}` } }) })
  const valueOf = (text: string, name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )

  it('reports compaction, partitions and pushes to a caller with the token [HEALTH-04, START-38]', async () => {
    const agent = await backend.server(await backend.organization())
    const at = new Date(backend.clock.now()).toISOString()
    const body = { ...HEAD, sent_at: at, samples: [{ at, cpu: { percent: 1 } }] }
    for (const _ of [1, 2]) expect((await backend.call('POST', '/v1/agent/metrics', { as: agent.as, body })).status).toBe(202)
    const { statusCode, headers, body: text } = await get(TOKEN)
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
    ])
    expect(text).toContain('vedette_build_info{version="')
    expect(valueOf(text, 'vedette_ingest_rows_total{result="stored"}')).toBe(1)
    expect(valueOf(text, 'vedette_ingest_rows_total{result="duplicate"}')).toBe(1)
    expect(valueOf(text, 'vedette_ingest_queued_bytes')).toBe(0)
    expect(valueOf(text, 'vedette_http_responses_total{class="2xx"}')).toBeGreaterThanOrEqual(3)
    expect(valueOf(text, 'vedette_compaction_lag_seconds')).toBe(0)
    expect(valueOf(text, 'vedette_problem{kind="ingest_behind"}')).toBe(0)
    expect(valueOf(text, 'vedette_partitions_created_until_timestamp_seconds{table="metric_push"}') * 1_000).toBeGreaterThan(
      backend.clock.now(),
    )
    expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(0)
  })

  it('reports the delay of the compaction in seconds [HEALTH-04]', async () => {
    backend.clock.advance(3 * 3_600_000)
    const lag = valueOf((await get(TOKEN)).body, 'vedette_compaction_lag_seconds')
    expect([lag >= 2 * 3_600 - 600, lag <= 3 * 3_600]).toEqual([true, true])
  })

  it('is refused without the token, and wrong tokens are rate limited [HEALTH-04]', async () => {
    const answers = [await get(), await get(`${TOKEN}x`), await get('wrong')]
    expect(answers.map(({ statusCode, json }) => [statusCode, json().error.code])).toEqual([
      [401, 'unauthorized'],
      [401, 'unauthorized'],
      [429, 'rate_limited'],
    ])
    expect((await get(TOKEN)).statusCode).toBe(200)
  })
})

it('/metrics is a 404 while the settings have no token [START-38]', async () => {
  const backend = await startTestBackend()
  const answer = await backend.call('GET', '/metrics')
  expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
  await backend.close()
})
