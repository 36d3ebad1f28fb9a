import { describe, expect, it } from 'vitest'
import { invalid } from '../../../../platform/errors.ts'
import { heartbeatNameOf, opsgenie, opsgenieAnswers, readOpsgenieAction } from '../opsgenie.ts'
import { dedupKeyOf, pagerduty, pagerDutyAnswers, readPagerDutyChange } from '../pagerduty.ts'
import { severityOf } from '../../alert.ts'
import { BODIES } from './bodies.ts'

const read = (format: typeof pagerduty, body: object) => format.read({ body, headers: {}, nowMs: 0 }).alerts[0]
const timing = { requestId: '43a29c5c-3dbf-4fa4-9c26-f4f71023e120', tookMs: 302 }
const fault = invalid({ path: 'payload.summary', message: 'must be a text that is not empty' })

describe('PagerDuty', () => {
  const { dedup_key: _key, ...keyless } = BODIES.pagerduty

  it('a trigger without a key has one that follows from its summary and subject, and that the answer names', () => {
    const key = dedupKeyOf(keyless)
    expect(read(pagerduty, keyless)?.key).toBe(key)
    expect(dedupKeyOf({ ...keyless, links: [], payload: { ...keyless.payload, severity: 'info' } })).toBe(key)
    expect(dedupKeyOf({ ...keyless, payload: { ...keyless.payload, component: 'mysql' } })).not.toBe(key)
    expect(dedupKeyOf(BODIES.pagerduty)).toBe('db-1/disk')
  })

  it('says that an event is accepted, and why one is refused', () => {
    expect(pagerDutyAnswers.accepted('db-1/disk')).toEqual({
      status: 202,
      body: { status: 'success', message: 'Event processed', dedup_key: 'db-1/disk' },
    })
    expect(pagerDutyAnswers.changeAccepted()).toEqual({
      status: 202,
      body: { status: 'success', message: 'Change event processed' },
    })
    expect(pagerDutyAnswers.refused(fault)).toEqual({
      status: 400,
      body: {
        status: 'invalid event',
        message: 'Event object is invalid',
        errors: ["'payload.summary' must be a text that is not empty"],
      },
    })
    expect(pagerDutyAnswers.refused({ message: 'Hello', details: undefined }).body.errors).toEqual(['Hello'])
  })

  it('a change is read as what happened, when and where people read more', () => {
    const change = {
      routing_key: 'samplekeyhere',
      payload: { summary: 'Build 2 passed', timestamp: '2026-11-30T08:42:58.315+0000', source: 'acme-build', custom_details: {} },
      links: [{ href: 'https://acme.example/build/2', text: 'View more' }],
    }
    expect(readPagerDutyChange({ body: change })).toEqual({
      atMs: Date.parse('2026-11-30T08:42:58.315Z'),
      text: 'acme-build: Build 2 passed',
      url: 'https://acme.example/build/2',
    })
    const plain = { payload: { summary: 'x'.repeat(1_001) }, links: [{ href: 'javascript:alert(1)' }] }
    const { text, ...rest } = readPagerDutyChange({ body: plain })
    expect([text.length, rest]).toEqual([1_000, { atMs: null, url: null }])
    expect(() => readPagerDutyChange({ body: {} })).toThrow('payload.summary: must be')
  })
})

describe('Opsgenie', () => {
  const act = (action: Parameters<typeof readOpsgenieAction>[0], identifierType: string | undefined, body?: unknown) =>
    readOpsgenieAction(action, { identifier: 'disk-db-1', identifierType }, { body })

  it.each([undefined, 'id', 'alias', 'tiny'])(
    'an alert is closed and acknowledged by its alias, named as %s',
    (identifierType) => {
      const { key } = read(opsgenie, BODIES.opsgenie) ?? {}
      expect(act('close', identifierType)).toMatchObject({ key, status: 'resolved', text: null, by: null })
      expect(act('acknowledge', identifierType, { user: 'Ada', note: 'On it' })).toMatchObject({
        key,
        status: 'acknowledged',
        text: 'On it',
        by: 'Ada',
      })
    },
  )

  it('notes are comments, and so is the end of an acknowledgement', () => {
    expect(act('notes', 'alias', { note: 'Hello', source: 'Zabbix' })).toMatchObject({
      status: 'commented',
      text: 'Hello',
      by: 'Zabbix',
    })
    expect(act('unacknowledge', 'alias', { note: 'Off' })).toMatchObject({
      status: 'commented',
      text: 'No longer acknowledged: Off',
    })
    expect(() => act('notes', 'alias', {})).toThrow('note: must be a text')
    expect(() => act('close', 'name')).toThrow('identifierType: must be one of id, alias, tiny')
    expect(() => readOpsgenieAction('close', { identifier: ' ' }, { body: undefined })).toThrow('identifier: must be')
  })

  it('an alert without an alias has one that follows from its message, and P3 without a priority', () => {
    const { alias: _alias, priority: _priority, ...body } = BODIES.opsgenie
    const alert = read(opsgenie, body)
    expect(alert).toMatchObject({ key: expect.stringMatching(/^[0-9a-f]{32}$/), severity: 'P3' })
    expect(read(opsgenie, { ...body, note: 'Other' })?.key).toBe(alert?.key)
    expect(read(opsgenie, { ...body, message: 'Other' })?.key).not.toBe(alert?.key)
  })

  it('answers as Opsgenie does', () => {
    const wire = { took: 0.302, requestId: timing.requestId }
    expect(opsgenieAnswers.accepted(timing)).toEqual({ status: 202, body: { result: 'Request will be processed', ...wire } })
    expect(opsgenieAnswers.pong(timing)).toEqual({ status: 202, body: { result: 'PONG - Heartbeat received', ...wire } })
    expect(opsgenieAnswers.processed('disk-db-1', timing)).toEqual({
      status: 200,
      body: { data: { success: true, isSuccess: true, status: 'Processed', alertId: 'disk-db-1', alias: 'disk-db-1' }, ...wire },
    })
    expect(opsgenieAnswers.refused(fault, timing)).toEqual({
      status: 422,
      body: {
        message: 'Request body is not processable. Please check the errors.',
        errors: { 'payload.summary': 'must be a text that is not empty' },
        ...wire,
      },
    })
  })

  it('a heartbeat has a name of 1 to 200 characters', () => {
    expect(heartbeatNameOf('n'.repeat(200))).toHaveLength(200)
    expect(() => heartbeatNameOf('n'.repeat(201))).toThrow('name: must have 1 to 200 characters')
    expect(() => heartbeatNameOf(' ')).toThrow('name: must have 1 to 200 characters')
  })
})

it.each([
  ['opsgenie', 'P1', 'critical'],
  ['opsgenie', 'P2', 'critical'],
  ['opsgenie', 'P3', 'warning'],
  ['opsgenie', 'P4', 'info'],
  ['checkmk', 'DOWN', 'critical'],
  ['checkmk', 'CRITICAL', 'critical'],
  ['checkmk', 'UNKNOWN', 'warning'],
  ['icinga2', 'UNREACHABLE', 'warning'],
  ['icinga2', 'WARNING', 'warning'],
  ['pagerduty_v2', 'error', 'critical'],
  ['zabbix', 'Disaster', 'critical'],
  ['zabbix', 'Average', 'warning'],
  ['zabbix', 'error', 'info'],
  ['grafana', 'down', 'info'],
] as const)('of %s the word %s is %s', (type, severity, expected) => {
  const settings = { type, severity_map: {}, default_severity: 'warning' as const }
  expect(severityOf(settings, { severity, labels: {} })).toBe(expected)
})
