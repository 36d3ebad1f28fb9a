import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultPaths } from '../src/config/environment.ts'
import { classifyAnswer } from '../src/push/push-outcome.ts'
import { AgentHarness, isPush } from './harness.ts'
import { accepted, refusal } from './stub-backend.ts'

const harness = new AgentHarness()

test.each([
  ['linux', undefined, '/etc/vedette/agent.yaml', '/var/lib/vedette'],
  ['darwin', undefined, '/Library/Application Support/Vedette/agent.yaml', '/Library/Application Support/Vedette/state'],
  ['win32', 'C:\\ProgramData', 'C:\\ProgramData\\Vedette\\agent.yaml', 'C:\\ProgramData\\Vedette\\state'],
] as const)('on %s config and state have their documented paths [AGENT-21, AGENT-25]', (platform, programData, config, state) =>
  expect(defaultPaths(platform, programData)).toEqual({ config, state }),
)

describe('an answer of a newer backend', () => {
  const NEWER = { from_the_future: { deep: [1] }, another: null }

  test('is accepted: unknown fields are ignored [VERSION-05]', async () => {
    const { status, body } = accepted(NEWER)
    expect(classifyAnswer({ status, headers: {}, body: JSON.stringify(body) }, 0)).toMatchObject({ kind: 'accepted' })
    harness.backend.answer = (request) =>
      request.path === '/v1/agent/register'
        ? { status: 201, body: { server_id: 'srv_1', token: 'vdt_srv_new', ...NEWER } }
        : accepted({ rejected: [{ batch: 0, index: 0, message: 'm', ...NEWER }], ...NEWER })
    const registered = harness.start(['register', '--url', harness.url, '--api-key', 'k'])
    expect([await registered.ended, registered.output]).toEqual([0, 'srv_1\n'])
    const running = harness.start(['run'])
    await harness.pushes(1)
    await running.terminate()
    expect(running.errors).not.toMatch(/from_the_future|level":50/)
  })
})

test('an answer of an older backend is accepted without newer fields [VERSION-06]', async () => {
  const answer = { accepted: 1, duplicates: 0, rejected: [], server_time: '2026-11-21T22:00:00.000Z' }
  const outcome = classifyAnswer({ status: 202, headers: {}, body: JSON.stringify(answer) }, 0)
  expect(outcome).toEqual({ kind: 'accepted', answer })
  harness.backend.answer = () => ({ status: 201, body: { server_id: 'srv_1', token: 'vdt_srv_old' } })
  const registered = harness.start(['register', '--url', harness.url, '--api-key', 'k'])
  expect([await registered.ended, registered.output]).toEqual([0, 'srv_1\n'])
})

test('the token of the config overrides the one from registration [AGENT-20]', async () => {
  mkdirSync(harness.home.state, { recursive: true })
  const identity = { server_id: 'srv_1', token: 'from the registration', url: harness.url }
  writeFileSync(join(harness.home.state, 'identity.json'), JSON.stringify(identity), { mode: 0o600 })
  const first = harness.start(['run'])
  const [registered] = await harness.pushes(1)
  expect(registered?.headers['x-api-key']).toBe('from the registration')
  await first.terminate()
  const before = harness.backend.requests.filter(isPush).length
  harness.home.writeConfig('token: from the config\n')
  const second = harness.start(['run'])
  const pushes = await harness.pushes(before + 1)
  expect(pushes.at(-1)?.headers['x-api-key']).toBe('from the config')
  await second.terminate()
})

/** Each look is a process: on a busy machine one takes longer than a poll usually may. */
const POLL = { timeout: 15_000 }

/** What `status` prints. */
async function statusOf(...args: string[]): Promise<string> {
  const status = harness.start(['status', ...args])
  await status.ended
  return status.output
}

test('undelivered batches at SIGTERM are sent as the same bytes after the next start [AGENT-09, AGENT-28]', async () => {
  harness.home.writeConfig(`url: ${harness.url}\ntoken: t\n`)
  harness.backend.answer = () => refusal(503, 'unavailable', { 'retry-after': '60' })
  const first = harness.start(['run'])
  const [refused] = await harness.pushes(1)
  await first.terminate()
  harness.backend.answer = () => accepted()
  const second = harness.start(['run'])
  // The newest goes before it.
  const pushes = await harness.pushes(3)
  const bytes = (push: (typeof pushes)[number] | undefined) => /"batches":\[(.*)\]/.exec(push?.text ?? '')?.[1] ?? 'none'
  expect(pushes.slice(1).map(bytes)).toContain(bytes(refused))
  await second.terminate()
})

test('status and log report that another host has the token, as text and as JSON [AGENT-29]', async () => {
  harness.home.writeConfig(`url: ${harness.url}\ntoken: t\n`)
  harness.backend.answer = () => refusal(409, 'conflict')
  const agent = harness.start(['run'])
  await harness.pushes(1)
  await expect.poll(() => statusOf('--json'), POLL).toContain('"cloned"')
  expect(JSON.parse(await statusOf('--json'))).toMatchObject({ running: true, state: 'cloned', queued_samples: 1 })
  expect(await statusOf()).toMatch(/state: another host/)
  expect(agent.output).toContain('another host pushes with the token of this one')
})

test('status reports a refused token, as text and as JSON [AGENT-05]', async () => {
  harness.home.writeConfig(`url: ${harness.url}\ntoken: t\n`)
  harness.backend.answer = () => refusal(401, 'unauthorized')
  harness.start(['run'])
  await harness.pushes(1)
  await expect.poll(() => statusOf('--json'), POLL).toContain('"refused"')
  expect(JSON.parse(await statusOf('--json'))).toMatchObject({ running: true, state: 'refused', queued_samples: 1 })
  expect(await statusOf()).toMatch(/state: the token is refused: run "vedette-agent token set"/)
})
