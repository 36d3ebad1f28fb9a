import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { makeBackendDeb } from '../../build/backend-deb.ts'
import { createBuild, targetOf } from '../build.ts'
import { makeKey, writeManifest } from '../release.ts'
import { DIST, type Host, makeHost } from './host.ts'

const OWNER = { email: 'owner@example.com', password: 'a passphrase for the package' }
/** In addition to the package's settings file, which every command reads. */
const SETTINGS = `VEDETTE_PORT=0 VEDETTE_RATE_LIMITS=off VEDETTE_RELEASES_DIR=/srv/release VEDETTE_ADMIN_EMAIL=${OWNER.email}`

describe.skipIf(isMissing('root', 'debootstrap', 'chroot', 'mount', 'tar'))('the .deb of the backend, on a bare bookworm', () => {
  let host: Host
  beforeAll(async () => {
    host = makeHost('bookworm')
    copyFileSync(join(DIST, 'vedette_0.1.0_amd64.deb'), join(host.root, 'root/old.deb'))
    // From outside: a bare Debian has no xz.
    execFileSync('tar', ['-C', join(host.root, 'srv'), '-xf', join(DIST, 'vedette-0.1.0-linux-x64.tar.xz')])
    await makeNext(join(host.root, 'srv/vedette-0.1.0-linux-x64'), join(host.root, 'root/new.deb'))
    install('old')
    const release = join(host.root, 'srv/release')
    const archive = join(release, 'vedette-agent-0.1.0-linux-x64.tar.gz')
    mkdirSync(release)
    writeFileSync(archive, 'an archive')
    writeManifest(release, makeKey(), [archive])
  }, 300_000)
  afterAll(() => host.remove())

  function install(which: 'old' | 'new'): void {
    const { status, output } = host.inside(`dpkg -i /root/${which}.deb`)
    if (status !== 0) throw new Error(output)
  }

  /** The next version of the package, of the same programs, hardly compressed: what is tested is how one takes the other's place. */
  async function makeNext(folder: string, to: string): Promise<void> {
    const build = { ...createBuild(), version: '0.1.1' }
    mkdirSync(build.out)
    copyFileSync(join(build.out, await makeBackendDeb(build, targetOf('linux-x64'), folder, 0)), to)
    rmSync(build.work, { recursive: true })
  }

  /** Runs it as its unit does, calls `use`, and stops it. */
  async function whileItRuns<T>(use: (url: string) => Promise<T>, program = 'vedette', more = ''): Promise<T> {
    const command = `exec runuser -u vedette-backend -- env ${SETTINGS} ${more} "VEDETTE_ADMIN_PASSWORD=${OWNER.password}" ${program} start`
    const child = spawn('chroot', [host.root, 'sh', '-c', command], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
    const said: string[] = []
    child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)))
    const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
    let url: string | undefined
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line)
      url = /^ready\s+(\S+)/.exec(line)?.[1]
      if (url !== undefined) break
    }
    if (url === undefined) throw new Error(said.join('\n'))
    try {
      return await use(new URL(url).origin)
    } finally {
      child.kill('SIGTERM')
      await ended
    }
  }

  /** The files of the backend: dashboard, and install scripts with its address. */
  const servedFiles = async (url: string) => {
    const script = await (await fetch(`${url}/install.sh`)).text()
    return {
      ready: (await fetch(`${url}/readyz`)).status,
      page: (await (await fetch(url)).text()).includes('<div id='),
      script: [script.startsWith('#!/bin/sh'), script.includes(`\nBACKEND_URL='${url}'\n`)],
      windows: (await fetch(`${url}/install.ps1`)).status,
      login: await login(url),
    }
  }
  const ALL = { ready: 200, page: true, script: [true, true], windows: 200, login: 200 }

  const login = async (url: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${url}/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(OWNER) })).status
  }

  test('runs on its own Node and Postgres, serves dashboard and install.sh, and keeps settings and data in an upgrade', async () => {
    expect(host.inside('dpkg --verify vedette').output).toBe('')
    expect(await whileItRuns(servedFiles)).toEqual(ALL)
    expect(host.inside('stat -c "%a %U" /var/lib/vedette-backend /etc/vedette-backend/vedette.env').output).toBe(
      '700 vedette-backend\n640 root\n',
    )

    appendFileSync(join(host.root, 'etc/vedette-backend/vedette.env'), 'VEDETTE_PORT=9\n')
    install('new')
    expect(host.inside('dpkg-query -W vedette').output).toBe('vedette\t0.1.1\n')
    expect(readFileSync(join(host.root, 'etc/vedette-backend/vedette.env'), 'utf8')).toContain('VEDETTE_PORT=9')
    expect(await whileItRuns(login)).toBe(200)
  }, 120_000)

  test('root exports the installation of the running service, and makes no other', async () => {
    const exported = await whileItRuns(async () => host.inside('vedette export /root/backup --json'))
    expect([exported.status, JSON.parse(exported.output)]).toMatchObject([0, { rows: { app_user: 1, organization: 1 } }])
    expect(existsSync(join(host.root, 'var/lib/vedette'))).toBe(false)
  }, 120_000)

  test('the archive, unpacked in any folder, serves the same', async () => {
    const settings = 'VEDETTE_DATA_DIR=/var/lib/vedette-backend VEDETTE_LOCAL_AGENT=off'
    expect(await whileItRuns(servedFiles, '/srv/vedette-0.1.0-linux-x64/bin/vedette', settings)).toEqual(ALL)
  }, 120_000)

  test('keeps the data when removed, and nothing when purged', () => {
    expect(host.inside('dpkg -r vedette')).toMatchObject({ status: 0 })
    const data = join(host.root, 'var/lib/vedette-backend')
    expect([existsSync(join(host.root, 'usr/lib/vedette-backend')), existsSync(data)]).toEqual([false, true])
    expect(host.inside('dpkg -P vedette')).toMatchObject({ status: 0 })
    expect(existsSync(data)).toBe(false)
  })
})
