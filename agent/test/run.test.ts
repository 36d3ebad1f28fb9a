import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { METRIC_FIELDS } from '@vedette/shared/metrics/fields'
import { describe, expect, test } from 'vitest'
import type { AgentStatus } from '../src/process/status.ts'
import { AgentHarness, instantsOf } from './harness.ts'
import { accepted, batchesOf, refusal } from './stub-backend.ts'

const harness = new AgentHarness()

describe('run', () => {
  test('sends the first sample with rates within 4 s, starts no process, and on SIGTERM sends the rest and ends within 3 s [AGENT-15, AGENT-27, SAMPLE-16]', async () => {
    harness.home.writeConfig(`url: ${harness.url}\ntoken: vdt_srv_secret\nsample_interval_seconds: 1\n`)
    const agent = harness.start(['run'])
    const [push] = await harness.pushes(1)
    if (!push) throw new Error('no push')
    // From when it runs: how long Node takes to load it is a matter of the machine.
    const { started_at: startedAt } = JSON.parse(readFileSync(join(harness.home.state, 'status.json'), 'utf8')) as AgentStatus
    expect(push.atMs - Date.parse(startedAt)).toBeLessThan(4_000)
    expect(push.headers['x-api-key']).toBe('vdt_srv_secret')
    expect(JSON.parse(push.text)).toMatchObject({ boot_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    const [batch] = batchesOf(push)
    expect(batch?.columns.at_ms).toHaveLength(1)
    for (const [group, name] of [
      ['cpu', 'percent'],
      ['network', 'rx_bytes_per_sec'],
      ['disk', 'read_iops'],
      ['tcp', 'listen'],
    ] as const) {
      expect(batch?.columns[group]?.[name]?.[0], `${group}.${name}`).toBeTypeOf('number')
    }
    // Root sees every process, and this test is one.
    expect(batch?.processes?.length).toBeGreaterThan(0)
    expect(batch?.host?.uptime_seconds).toBeGreaterThan(0)
    const { at_ms: _, ...groups } = batch?.columns ?? { at_ms: [] }
    for (const [group, fields] of Object.entries(groups)) {
      for (const name of Object.keys(fields)) expect(METRIC_FIELDS[group as keyof typeof METRIC_FIELDS]).toHaveProperty(name)
    }
    const children = execFileSync('cat', [`/proc/${agent.child.pid}/task/${agent.child.pid}/children`], { encoding: 'utf8' })
    expect(children.trim()).toBe('')
    // The next whole second that lies at least half an interval ahead: 1.5 s at the latest, and as much again for a busy machine.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(await agent.terminate()).toBeLessThan(3_000)
    expect(instantsOf(harness.backend.requests).length).toBeGreaterThan(1)
    expect(agent.output).not.toContain('vdt_srv_secret')
    const status: unknown = JSON.parse(readFileSync(join(harness.home.state, 'status.json'), 'utf8'))
    expect(status).toMatchObject({ state: 'stopped', queued_samples: 0, url: harness.url })
  })

  test('sends no process names if configured, and never arguments [AGENT-34]', async () => {
    harness.home.writeConfig(`url: ${harness.url}\ntoken: t\nprocesses: false\n`)
    const agent = harness.start(['run'])
    const [push] = await harness.pushes(1)
    expect(batchesOf(push ?? { text: '' })[0]?.processes).toEqual([])
    await agent.terminate()
  })

  test('ends within 3 s even if the backend never answers [AGENT-27]', async () => {
    harness.home.writeConfig(`url: ${harness.url}\ntoken: t\n`)
    harness.backend.answer = () => 'hang'
    const agent = harness.start(['run'])
    await harness.pushes(1)
    expect(await agent.terminate()).toBeLessThan(3_000)
  })

  test('sends every sample exactly once after a 503 with Retry-After', async () => {
    harness.home.writeConfig(`url: ${harness.url}\ntoken: t\nsample_interval_seconds: 1\n`)
    harness.backend.answer = () =>
      harness.backend.requests.length < 2 ? refusal(503, 'unavailable', { 'retry-after': '2' }) : accepted()
    const agent = harness.start(['run'])
    const [first, second] = await harness.pushes(2)
    if (!first || !second) throw new Error('too few pushes')
    expect(second.atMs - first.atMs).toBeGreaterThan(1_900)
    expect(batchesOf(second)).toEqual(batchesOf(first))
    await agent.terminate()
    const taken = instantsOf(harness.backend.requests.slice(1))
    expect(new Set(taken).size).toBe(taken.length)
    expect(taken).toEqual(expect.arrayContaining(instantsOf([first])))
  })

  test('ends when its parent process ends', async () => {
    harness.home.writeConfig(`url: ${harness.url}\ntoken: t\n`)
    const agent = harness.start(['run'], {}, 'ipc')
    await harness.pushes(1)
    agent.child.disconnect()
    expect(await agent.ended).toBe(0)
    expect(agent.output).toContain('the parent process ended')
  })
})
