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
  test('swaps in a signed release, by the timer only at its stage, and it stays with its first accepted push [AGENT-32, AGENT-38, AGENT-41]', async () => {
    await running()
    installed.offer({ stagedPercent: 0 })
    expect(await update('--by-timer')).toMatchObject({ code: 0, output: expect.stringContaining('is for 0 % of the hosts') })
    expect(installed.current).toBe('versions/0.1.0')
    expect(await update()).toEqual({
      code: 0,
      errors: '',
      output: 'version 0.2.0 in place of 0.1.0: waiting for its first accepted push\nversion 0.2.0 pushes: it stays\n',
    })
    expect([installed.current, installed.notes]).toEqual([
      'versions/0.2.0',
      expect.objectContaining({ sequence: 11, blocked: [] }),
    ])
    expect(installed.notes).not.toHaveProperty('trial')
    expect(status().agent_version).toBe('0.2.0')
    // The one before stays to go back to by hand.
    expect(readdirSync(join(installed.root, 'versions')).toSorted()).toEqual(['0.1.0', '0.2.0'])
    expect(readdirSync(installed.root)).not.toContain('update.lock')
    expect(await update()).toEqual({ code: 0, errors: '', output: 'version 0.2.0 is the newest\n' })
  })

  test.each([
    ['dies three times', 'exit 1', 'died three times'],
    ['brings no accepted push in time', 'exec sleep 60', 'brought no accepted push within 1 s'],
  ])('takes a version back that %s, and does not try it again [AGENT-39]', async (_, run, why) => {
    await running()
    installed.offer({ run })
    const seconds = run.startsWith('exit') ? '120' : '1'
    const tried = await update('--watch-seconds', seconds)
    expect([tried.code, tried.output]).toEqual([1, expect.stringContaining(`version 0.2.0 ${why}: back to 0.1.0`)])
    expect([installed.current, installed.notes['blocked']]).toEqual(['versions/0.1.0', ['0.2.0']])
    const before = harness.backend.requests.length
    await harness.backend.received(before + 1)
    expect(status().agent_version).toBe('0.1.0')
    installed.offer({ sequence: 12 })
    expect(await update()).toMatchObject({ code: 0, output: expect.stringContaining('was tried here and taken back') })
  })

  test('goes on with a trial that was cut off [AGENT-39]', async () => {
    await running()
    installed.writeProgram('0.0.9', '#!/bin/sh\nexit 1\n')
    installed.writeNotes({ ...installed.notes, trial: { version: '0.1.0', previous: '0.0.9', beganAtMs: 1 } })
    expect(await update()).toMatchObject({ code: 0, output: 'version 0.1.0 pushes: it stays\n' })
    expect(installed.notes).not.toHaveProperty('trial')
  })

  const wrong: [string, string, () => void][] = [
    ['a manifest that was changed', 'the signature of the manifest is not good', () => append('manifest.json')],
    ['a signature that was changed', 'the signature of the manifest is not good', () => append('manifest.json.sig')],
    ['a manifest of a stranger', 'the signature of the manifest is not good', () => installed.offer({}, strangersKey())],
    ['a program that was changed', 'is not the file that was signed', () => replaceByte()],
    ['an archive that is longer', 'the answer is too long', () => append('vedette-agent-0.2.0-linux-x64.tar.gz')],
    ['an older manifest', 'an older manifest (9) than the last that was accepted (10)', () => installed.offer({ sequence: 9 })],
    ['one that has expired', 'the manifest expired', () => installed.offer({ expiresAt: '2026-01-01T00:00:00Z' })],
    ['a program that does not run here', 'does not run here', () => installed.offer({ program: '#!/bin/sh\nexit 127\n' })],
    ['a program of another version', 'does not run here', () => installed.offer({ program: '#!/bin/sh\necho 0.3.0\n' })],
    [
      'a program whose check fails',
      'finds a fault that the present one does not',
      () => installed.offer({ program: failsCheck }),
    ],
    ['any, without a key', 'this program trusts no key', () => rmSync(join(installed.root, 'release-keys.pem'))],
  ]
  const failsCheck = '#!/bin/sh\n[ "$1" = version ] && echo 0.2.0 || echo "FAULT config: no" && exit 1\n'
  const append = (name: string) => appendFileSync(join(installed.release, name), ' ')
  const strangersKey = () => generateKeyPairSync('ed25519').privateKey
  const replaceByte = () => {
    const path = join(installed.release, 'vedette-agent-0.2.0-linux-x64.tar.gz')
    const bytes = readFileSync(path)
    bytes[20] = (bytes[20] ?? 0) ^ 1
    writeFileSync(path, bytes)
  }
  test.each(wrong)('refuses %s, and leaves what runs [AGENT-40]', async (_, words, spoil) => {
    installed.offer({})
    spoil()
    const refused = await update()
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining(words)])
    expect([installed.current, installed.notes['sequence']]).toEqual(['versions/0.1.0', 10])
    expect(existsSync(join(installed.root, 'download'))).toBe(false)
  })

  test('is put off while the agent itself cannot push', async () => {
    installed.offer({})
    harness.backend.answer = () => refusal(401, 'unauthorized')
    expect(await update()).toMatchObject({ code: 1, errors: expect.stringContaining('put off') })
    expect([installed.current, installed.notes['blocked']]).toEqual(['versions/0.1.0', undefined])
  })

  test('leaves an agent alone that something else brought [AGENT-32]', async () => {
    rmSync(join(installed.root, 'install.json'))
    expect(await update()).toMatchObject({ code: 2, errors: expect.stringContaining('let the package manager update it') })
    const here = harness.start(['update'])
    expect([await here.ended, here.errors]).toEqual([2, expect.stringContaining('not installed by install.sh')])
  })
})
