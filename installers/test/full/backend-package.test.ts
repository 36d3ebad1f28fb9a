import { spawn } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacks } from '../../../scripts/test-tools.ts'
import { DIST, type Host, makeHost } from './host.ts'

const OWNER = { email: 'owner@example.com', password: 'a passphrase for the package' }
const SETTINGS = `VEDETTE_DATA_DIR=/var/lib/vedette-backend VEDETTE_PORT=0 VEDETTE_LOCAL_AGENT=off VEDETTE_RATE_LIMITS=off VEDETTE_ADMIN_EMAIL=${OWNER.email}`

describe.skipIf(lacks('root', 'debootstrap', 'chroot', 'mount', 'tar'))('the .deb of the backend, on a bare bookworm', () => {
  let host: Host
  beforeAll(() => {
    host = makeHost('bookworm')
    copyFileSync(join(DIST, 'vedette_0.1.0_amd64.deb'), join(host.root, 'root/vedette.deb'))
    install()
  }, 300_000)
  afterAll(() => host.remove())

  function install(): void {
    const { status, output } = host.inside('dpkg -i /root/vedette.deb')
    if (status !== 0) throw new Error(output)
  }

  /** Runs it as its unit does, asks it by `ask`, and stops it. */
  async function whileItRuns<T>(ask: (url: string) => Promise<T>): Promise<T> {
    const command = `exec runuser -u vedette-backend -- env ${SETTINGS} "VEDETTE_ADMIN_PASSWORD=${OWNER.password}" vedette start`
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
      return await ask(new URL(url).origin)
    } finally {
      child.kill('SIGTERM')
      await ended
    }
  }

  const login = async (url: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${url}/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(OWNER) })).status
  }

  test('runs on its own Node and Postgres and serves the page; installed again it has kept its data', async () => {
    const first = await whileItRuns(async (url) => ({
      ready: (await fetch(`${url}/readyz`)).status,
      page: (await (await fetch(url)).text()).includes('<div id='),
      login: await login(url),
    }))
    expect(first).toEqual({ ready: 200, page: true, login: 200 })
    expect(host.inside('stat -c "%a %U" /var/lib/vedette-backend /etc/vedette-backend/vedette.env').output).toBe(
      '700 vedette-backend\n640 root\n',
    )

    appendFileSync(join(host.root, 'etc/vedette-backend/vedette.env'), 'VEDETTE_PORT=9\n')
    install()
    expect(readFileSync(join(host.root, 'etc/vedette-backend/vedette.env'), 'utf8')).toContain('VEDETTE_PORT=9')
    expect(await whileItRuns(login)).toBe(200)
  }, 120_000)

  test('removed, leaves the data; purged, nothing', () => {
    expect(host.inside('dpkg -r vedette')).toMatchObject({ status: 0 })
    const data = join(host.root, 'var/lib/vedette-backend')
    expect([existsSync(join(host.root, 'usr/lib/vedette-backend')), existsSync(data)]).toEqual([false, true])
    expect(host.inside('dpkg -P vedette')).toMatchObject({ status: 0 })
    expect(existsSync(data)).toBe(false)
  })
})
