import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../../../scripts/test-tools.ts'
import { type Backend, startBackend, until } from './backend.ts'
import { type Host, makeHost, unpackAgent } from './host.ts'

const VERSION = '0.1.0'

describe.skipIf(isMissing('root', 'debootstrap', 'chroot', 'mount', 'tar'))('the agent from its archive', () => {
  let backend: Backend
  beforeAll(async () => {
    backend = await startBackend()
  }, 60_000)
  afterAll(() => backend.stop(), 30_000)

  describe.each(['bullseye', 'bookworm'] as const)('on a bare %s', (suite) => {
    let host: Host
    let program = ''
    beforeAll(() => {
      host = makeHost(suite)
      program = unpackAgent(host, VERSION)
      writeFileSync(join(host.root, 'etc/machine-id'), `${Buffer.from(suite).toString('hex').padEnd(32, '0')}\n`)
    }, 300_000)
    afterAll(() => host.remove())

    test('prints its version and reads the host', () => {
      expect(host.inside('ldconfig -p | grep libatomic')).toEqual({ status: 1, output: '' })
      expect(host.inside(`${program} version`)).toEqual({ status: 0, output: `${VERSION}\n` })
      expect(JSON.parse(host.inside(`${program} sample`).output)).toMatchObject({
        cpu: { percent: expect.any(Number) },
        memory: { total_bytes: expect.any(Number) },
      })
    })

    test('registers, checks and pushes, and its samples reach the API', async () => {
      writeFileSync(join(host.root, 'root/api.key'), backend.apiKey)
      const registered = host.inside(`${program} register --url ${backend.url} --api-key-file /root/api.key`)
      expect(registered).toMatchObject({ status: 0, output: expect.stringMatching(/^srv_\w+\n$/) })
      expect(host.inside(`${program} check`)).toMatchObject({ status: 0, output: expect.not.stringContaining('FAULT') })

      const agent = host.start(`${program} run`)
      const server = registered.output.trim()
      const metrics = await until(async () => {
        const { metrics } = (await backend.get(`/v1/servers/${server}/metrics?period=15m`)) as {
          metrics?: { cpu?: { current_percent?: number } }
        }
        return typeof metrics?.cpu?.current_percent === 'number' ? metrics : undefined
      })
      await agent.stop()
      expect(metrics).toMatchObject({ cpu: { cores: expect.any(Number) }, memory: { total_bytes: expect.any(Number) } })
      expect(await backend.get(`/v1/servers/${server}`)).toMatchObject({ agent_version: VERSION })
    }, 60_000)

    test('installs and uninstalls itself as a systemd service, with a fake systemctl [AGENT-31, AGENT-33]', () => {
      mkdirSync(join(host.root, 'run/systemd/system'), { recursive: true })
      writeFileSync(join(host.root, 'usr/bin/systemctl'), '#!/bin/sh\necho "$*" >>/root/systemctl.log\n', { mode: 0o755 })
      const unit = '/etc/systemd/system/vedette-agent.service'
      expect(host.inside(`${program} service install`)).toEqual({ status: 0, output: `${unit} written, started\n` })
      expect(readFileSync(join(host.root, unit), 'utf8')).toContain(`\nExecStart=${program} run\n`)
      expect(host.inside('stat -c "%U %a" /etc/vedette/agent.yaml /var/lib/vedette /var/lib/vedette/identity.json').output).toBe(
        'vedette 600\nvedette 700\nvedette 600\n',
      )
      expect(host.inside(`runuser -u vedette -- ${program} check`)).toMatchObject({ status: 0 })
      expect(host.inside(`${program} service uninstall`)).toMatchObject({ status: 0 })
      expect(existsSync(join(host.root, unit))).toBe(false)
      expect(readFileSync(join(host.root, 'root/systemctl.log'), 'utf8').split('\n')).toEqual([
        'daemon-reload',
        'enable vedette-agent.service',
        'restart vedette-agent.service',
        'disable --now vedette-agent.service',
        'daemon-reload',
        '',
      ])
    })
  })
})
