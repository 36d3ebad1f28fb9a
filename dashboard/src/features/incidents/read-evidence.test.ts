import { describe, expect, it } from 'vitest'
import { isCut, readEvidence } from './read-evidence.ts'

describe('the evidence of an incident', () => {
  it('holds the values of the rule, the checks by region and the server with its processes', () => {
    const evidence = readEvidence({
      status: 'down',
      reason: 'refused',
      checks: [
        {
          region: 'eu',
          outcome: 'down',
          failed_phase: 'connect',
          status_code: null,
          error: { code: 'connect', message: 'refused' },
          dns_ms: 1.5,
          connect_ms: null,
          response_ms: null,
          answer: { status_line: 'HTTP/1.1 503 Service Unavailable', body: '<b>no room</b>' },
        },
      ],
      host: {
        server_id: 'srv_1',
        name: 'db-1',
        sampled_at: '2026-11-21T09:24:31.000Z',
        'cpu.percent': 97,
        'memory.percent': null,
        top_processes: [{ pid: 7, name: 'postgres', cpu_percent: 93, memory_bytes: null }],
      },
    })
    expect(evidence.facts).toEqual([
      ['status', 'down'],
      ['reason', 'refused'],
    ])
    expect(evidence.checks[0]).toMatchObject({ region: 'eu', outcome: 'down', failedPhase: 'connect', error: 'refused' })
    expect(evidence.checks[0]).toMatchObject({ statusLine: 'HTTP/1.1 503 Service Unavailable', body: '<b>no room</b>' })
    expect(evidence.checks[0]?.times).toEqual({
      dns_ms: 1.5,
      connect_ms: null,
      tls_ms: null,
      first_byte_ms: null,
      transfer_ms: null,
    })
    expect(evidence.host).toMatchObject({ id: 'srv_1', name: 'db-1', values: [['cpu.percent', 97]] })
    expect(evidence.host?.processes).toEqual([{ pid: 7, name: 'postgres', cpuPercent: 93, memoryBytes: undefined }])
  })

  it('has what was found, in place of the metric and its value', () => {
    const finding = { code: 'unit_failed', text: 'Unit a.service has failed', since: '2026-11-21T09:24:31.000Z', value: null }
    const { facts, findings } = readEvidence({ metric: 'health.unit_failed', value: 1, findings: [finding, 3] })
    expect([facts, findings]).toEqual([[], [{ code: finding.code, text: finding.text, since: finding.since }]])
  })

  it('has the entities that met a condition, in place of the metric and its value', () => {
    const metric = 'entity.container.memory_percent'
    const entities = [{ name: 'web', value: 97, attributes: { image: 'nginx:1' } }, { name: 'db' }, 'x']
    expect(readEvidence({ metric, value: 97, kind: 'container', entities })).toMatchObject({
      facts: [],
      entities: {
        metric,
        rows: [
          { name: 'web', image: 'nginx:1', value: 97 },
          { name: 'db', image: undefined, value: undefined },
        ],
      },
    })
    expect(readEvidence({ metric: 'cpu.percent', value: 97, entities }).entities).toBeUndefined()
  })

  it.each([{}, { checks: true, host: null }, { checks: [null, 3, []], host: [] }, { host: { name: 'without an id' } }])(
    'is empty where nothing in it is known: %o',
    (evidence) =>
      expect(readEvidence(evidence)).toEqual({
        facts: [],
        checks: [],
        host: undefined,
        entities: undefined,
        findings: [],
        documentation: { rule: undefined, target: undefined },
      }),
  )

  it('has what people said, and leaves out what is no text', () => {
    const target = {
      description: 7,
      runbook_url: 'https://wiki.example.com',
      links: [{ name: 'Logs', url: 'https://a.example' }, 3],
    }
    expect(readEvidence({ documentation: { rule: 'x', target } }).documentation).toEqual({
      rule: undefined,
      target: { ...target, description: null, responsible: null, links: [target.links[0]] },
    })
  })
})

it.each([
  ['all of a short one', 'x', false],
  ['one that just fits', 'x'.repeat(1_020), false],
  ['a cut one', 'x'.repeat(1_024), true],
  ['one cut before a character of four bytes', 'x'.repeat(1_021), true],
])('the response in evidence, %s, may be longer: %j', (_, body, is) => expect(isCut(body)).toBe(is))
