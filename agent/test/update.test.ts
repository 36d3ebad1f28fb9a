import { generateKeyPairSync } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AgentHarness } from './harness.ts'
import { InstalledAgent } from './installed-agent.ts'
import { accepted, refusal } from './stub-backend.ts'

const harness = new AgentHarness()
let installed: InstalledAgent
beforeEach(async () => {
  harness.backend.answer = (request) => {
    if (request.path === '/healthz') return { status: 200 }
    return request.path !== '/v1/agent/metrics' || request.text.includes('columns')
      ? accepted()
      : refusal(400, 'validation_error')
  }
  harness.home.writeConfig(`url: ${harness.url}\n`)
  mkdirSync(harness.home.state)
  const identity = { server_id: 'srv_1', token: 'vdt_srv_good', url: harness.url }
  writeFileSync(join(harness.home.state, 'identity.json'), JSON.stringify(identity))
  installed = new InstalledAgent({ VEDETTE_CONFIG: harness.home.config, VEDETTE_STATE_DIR: harness.home.state })
  await installed.start()
})
afterEach(() => installed.close())

/** Version 0.1.0 runs and pushes. */
async function running(): Promise<void> {
  installed.startAgent()
  await harness.pushes(1)
}

async function update(...args: string[]) {
  const path = { PATH: `${installed.bin}:${process.env['PATH']}` }
  const agent = harness.start(['update', '--root', installed.root, ...args], path)
  return { code: await agent.ended, output: agent.output, errors: agent.errors }
}
const status = () => JSON.parse(readFileSync(join(harness.home.state, 'status.json'), 'utf8')) as { agent_version: string }

// Each case is several processes in turn, of a second or more on a busy machine.
describe('update', { timeout: 180_000 }, () => {
  test('installs a signed release, with --by-timer only in its rollout stage, and keeps it after its first accepted push [AGENT-32, AGENT-38, AGENT-41]', async () => {
    await running()
    installed.offer({ stagedPercent: 0 })
    expect(await update('--by-timer')).toMatchObject({
      code: 0,
      output: expect.stringContaining('is rolled out to 0 % of the hosts'),
    })
    expect(installed.current).toBe('versions/0.1.0')
    expect(await update()).toEqual({
      code: 0,
      errors: '',
      output:
        'switched from version 0.1.0 to 0.2.0: waiting for its first accepted push\nversion 0.2.0 pushes: update finished\n',
    })
    expect([installed.current, installed.notes]).toEqual([
      'versions/0.2.0',
      expect.objectContaining({ sequence: 11, blocked: [] }),
    ])
    expect(installed.notes).not.toHaveProperty('trial')
    expect(status().agent_version).toBe('0.2.0')
    // The previous version stays for a manual rollback.
    expect(readdirSync(join(installed.root, 'versions')).toSorted()).toEqual(['0.1.0', '0.2.0'])
    expect(readdirSync(installed.root)).not.toContain('update.lock')
    expect(await update()).toEqual({ code: 0, errors: '', output: 'version 0.2.0 is up to date\n' })
  })

  test.each([
    ['crashes three times', 'exit 1', 'crashed three times'],
    ['has no accepted push in time', 'exec sleep 60', 'had no accepted push within 1 s'],
  ])('rolls back a version that %s and does not try it again [AGENT-39]', async (_, run, why) => {
    await running()
    installed.offer({ run })
    const seconds = run.startsWith('exit') ? '120' : '1'
    const tried = await update('--watch-seconds', seconds)
    expect([tried.code, tried.output]).toEqual([1, expect.stringContaining(`version 0.2.0 ${why}: rolled back to 0.1.0`)])
    expect([installed.current, installed.notes['blocked']]).toEqual(['versions/0.1.0', ['0.2.0']])
    const before = harness.backend.requests.length
    await harness.backend.received(before + 1)
    expect(status().agent_version).toBe('0.1.0')
    installed.offer({ sequence: 12 })
    expect(await update()).toMatchObject({ code: 0, output: expect.stringContaining('was rolled back on this host before') })
  })

  test('continues an interrupted trial [AGENT-39]', async () => {
    await running()
    installed.writeProgram('0.0.9', '#!/bin/sh\nexit 1\n')
    installed.writeNotes({ ...installed.notes, trial: { version: '0.1.0', previous: '0.0.9', beganAtMs: 1 } })
    expect(await update()).toMatchObject({ code: 0, output: 'version 0.1.0 pushes: update finished\n' })
    expect(installed.notes).not.toHaveProperty('trial')
  })

  const wrong: [string, string, () => void][] = [
    ['a modified manifest', 'the signature of the manifest is invalid', () => append('manifest.json')],
    ['a modified signature', 'the signature of the manifest is invalid', () => append('manifest.json.sig')],
    ['a manifest with an unknown key', 'the signature of the manifest is invalid', () => installed.offer({}, unknownKey())],
    ['a modified program', 'is not the signed file', () => replaceByte()],
    ['an archive that is longer', 'the answer is too long', () => append('vedette-agent-0.2.0-linux-x64.tar.gz')],
    ['an older manifest', 'the manifest (9) is older than the last accepted one (10)', () => installed.offer({ sequence: 9 })],
    ['an expired manifest', 'the manifest expired', () => installed.offer({ expiresAt: '2026-01-01T00:00:00Z' })],
    ['a program that does not run here', 'does not run here', () => installed.offer({ program: '#!/bin/sh\nexit 127\n' })],
    ['a program of another version', 'does not run here', () => installed.offer({ program: '#!/bin/sh\necho 0.3.0\n' })],
    [
      'a program whose check fails',
      'finds a fault that the current version does not',
      () => installed.offer({ program: failsCheck }),
    ],
    [
      'any release without a built-in key',
      'this program was built without a release key',
      () => rmSync(join(installed.root, 'release-keys.pem')),
    ],
  ]
  const failsCheck = '#!/bin/sh\n[ "$1" = version ] && echo 0.2.0 || echo "FAULT config: no" && exit 1\n'
  const append = (name: string) => appendFileSync(join(installed.release, name), ' ')
  const unknownKey = () => generateKeyPairSync('ed25519').privateKey
  const replaceByte = () => {
    const path = join(installed.release, 'vedette-agent-0.2.0-linux-x64.tar.gz')
    const bytes = readFileSync(path)
    bytes[20] = (bytes[20] ?? 0) ^ 1
    writeFileSync(path, bytes)
  }
  test.each(wrong)('rejects %s and keeps the current version [AGENT-40]', async (_, words, damage) => {
    installed.offer({})
    damage()
    const refused = await update()
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining(words)])
    expect([installed.current, installed.notes['sequence']]).toEqual(['versions/0.1.0', 10])
    expect(existsSync(join(installed.root, 'download'))).toBe(false)
  })

  test('is postponed while the agent itself cannot push', async () => {
    installed.offer({})
    harness.backend.answer = () => refusal(401, 'unauthorized')
    expect(await update()).toMatchObject({ code: 1, errors: expect.stringContaining('update postponed') })
    expect([installed.current, installed.notes['blocked']]).toEqual(['versions/0.1.0', undefined])
  })

  test('does not touch an agent that was installed another way [AGENT-32]', async () => {
    rmSync(join(installed.root, 'install.json'))
    expect(await update()).toMatchObject({ code: 2, errors: expect.stringContaining('for example with the package manager') })
    const here = harness.start(['update'])
    expect([await here.ended, here.errors]).toEqual([2, expect.stringContaining('install.sh did not install this agent')])
  })
})
