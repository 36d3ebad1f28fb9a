import { appendFileSync, copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { serveFolder } from '../release.ts'
import { type Backend, startBackend, until } from './backend.ts'
import { DIST, type Host, makeHost } from './host.ts'

const VERSION = '0.1.0'

/** What `npm run build:installers -- --key-file` made; a release without signature is none to install from. */
const isSigned = existsSync(join(DIST, 'manifest.json.sig'))

describe.skipIf(!isSigned || isMissing('root', 'debootstrap', 'chroot', 'mount', 'tar'))('install.sh on a bare Debian 12', () => {
  let backend: Backend
  let host: Host
  beforeAll(async () => {
    backend = await startBackend({ VEDETTE_RELEASES_DIR: DIST })
    host = makeHost('bookworm')
    copyFileSync('/etc/resolv.conf', join(host.root, 'etc/resolv.conf'))
    const made = host.inside('apt-get -qq update && apt-get -qq -y --no-install-recommends install curl')
    if (made.status !== 0) throw new Error(made.output)
    writeFileSync(join(host.root, 'etc/machine-id'), '0123456789abcdef0123456789abcdef\n')
    writeFileSync(join(host.root, 'root/agent.key'), backend.apiKey, { mode: 0o600 })
  }, 300_000)
  afterAll(async () => {
    host.remove()
    await backend.stop()
  }, 30_000)

  const install = (options: string) => host.inside(`curl -fsS ${backend.url}/install.sh | sh -s -- ${options}`)
  const modeOf = (path: string) => host.inside(`stat -c '%U %a' ${path}`).output.trim()

  test('a dry run changes nothing [INSTALL-05]', () => {
    expect(install('--dry-run --api-key-file /root/agent.key')).toMatchObject({ status: 0 })
    for (const path of ['opt/vedette-agent', 'etc/vedette', 'usr/local/bin/vedette-agent'])
      expect([path, existsSync(join(host.root, path))]).toEqual([path, false])
    expect(host.inside('id vedette').status).toBe(1)
  })

  test('one command installs the agent, and its first sample reaches the API', async () => {
    const beganMs = performance.now()
    const { status, output } = install('--api-key-file /root/agent.key')
    expect([status, output]).toEqual([0, expect.stringContaining('no supported service manager runs here')])
    // This Debian has neither openssl 3 nor ssh-keygen.
    expect(output).toContain('verified by the hash from the backend')
    const server = /registered as (srv_\w+)/.exec(output)?.[1] ?? ''
    const agent = host.start('runuser -u vedette -- /usr/local/bin/vedette-agent run')
    await until(async () => {
      const { metrics } = (await backend.get(`/v1/servers/${server}`)) as { metrics: object | null }
      return metrics ?? undefined
    })
    console.info(`from install.sh to the first sample on the API: ${Math.round(performance.now() - beganMs)} ms`)
    await agent.stop()
    expect(['/etc/vedette', '/var/lib/vedette'].map(modeOf)).toEqual(['vedette 700', 'vedette 700'])
    expect(['/etc/vedette/agent.yaml', '/var/lib/vedette/identity.json'].map(modeOf)).toEqual(['vedette 600', 'vedette 600'])
    expect(modeOf('/opt/vedette-agent/current/bin/vedette-agent')).toBe('root 755')
    expect(host.inside('runuser -u vedette -- vedette-agent check').output).not.toContain('FAULT')
  }, 60_000)

  test('update finds the installation and reports the missing service manager', () => {
    const { status, output } = host.inside('vedette-agent update')
    expect([status, output]).toEqual([2, expect.stringContaining('no supported service manager runs here')])
  })

  test('a release older than the last accepted one is refused [INSTALL-04]', () => {
    const notes = join(host.root, 'opt/vedette-agent/install.json')
    const good = readFileSync(notes, 'utf8')
    writeFileSync(notes, JSON.stringify({ ...(JSON.parse(good) as object), sequence: 9_000_000_000 }, null, 2))
    const { status, output } = install('')
    expect([status, output]).toEqual([1, expect.stringContaining('REFUSED: the release')])
    writeFileSync(notes, good)
  })

  test('with openssl the signature is verified, and a modified manifest or program is refused [INSTALL-04]', async () => {
    expect(host.inside('apt-get -qq -y --no-install-recommends install openssl')).toMatchObject({ status: 0 })
    const again = install('')
    expect([again.status, again.output]).toEqual([0, expect.stringContaining('verified by openssl')])
    const before = statSync(join(host.root, 'opt/vedette-agent/versions', VERSION)).ctimeMs
    const tampered = mkdtempSync(join(tmpdir(), 'vedette-tampered-'))
    cpSync(DIST, tampered, { recursive: true })
    const { url, server } = await serveFolder(tampered)
    const archive = join(tampered, `vedette-agent-${VERSION}-linux-x64.tar.gz`)
    appendFileSync(archive, '!')
    expect(await refused(url)).toContain('is not the signed file')
    copyFileSync(join(DIST, 'manifest.json'), join(tampered, 'manifest.json'))
    appendFileSync(join(tampered, 'manifest.json'), ' ')
    expect(await refused(url)).toContain('REFUSED')
    server.close()
    expect(statSync(join(host.root, 'opt/vedette-agent/versions', VERSION)).ctimeMs).toBe(before)
  }, 60_000)

  /** What the script says to a release elsewhere; not blocking, since this process serves it. */
  async function refused(url: string): Promise<string> {
    const log = join(host.root, 'root/refused.log')
    writeFileSync(log, '')
    const line = `curl -fsS ${backend.url}/install.sh | sh -s -- --releases ${url} >/root/refused.log 2>&1; echo ended >>/root/refused.log`
    host.start(`sh -c '${line}'`)
    return until(() => {
      const text = readFileSync(log, 'utf8')
      return text.endsWith('ended\n') ? text : undefined
    })
  }

  test('--uninstall keeps config and state, and --purge removes them', () => {
    expect(install('--uninstall')).toMatchObject({ status: 0 })
    expect(existsSync(join(host.root, 'opt/vedette-agent'))).toBe(false)
    expect(existsSync(join(host.root, 'var/lib/vedette/identity.json'))).toBe(true)
    expect(install('--uninstall --purge')).toMatchObject({ status: 0 })
    for (const path of ['etc/vedette', 'var/lib/vedette', 'usr/local/bin/vedette-agent'])
      expect([path, existsSync(join(host.root, path))]).toEqual([path, false])
    expect(host.inside('id vedette').status).toBe(1)
  })
})
