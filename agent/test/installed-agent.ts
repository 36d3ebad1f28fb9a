import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const MAIN = join(import.meta.dirname, '../src/main.ts')
const OTHER_VERSION = join(import.meta.dirname, 'other-version.ts')

/** A program that is the agent in this version; `run` goes before what it does as `vedette-agent run`. */
function programOf(version: string, run = ''): string {
  return [
    '#!/bin/sh',
    ...(run ? [`[ "$1" != run ] || { ${run}; }`] : []),
    `TEST_AGENT_VERSION=${version} exec ${process.execPath} --import ${OTHER_VERSION} ${MAIN} "$@"`,
    '',
  ].join('\n')
}

export interface Offer {
  version?: string
  sequence?: number
  expiresAt?: string
  stagedPercent?: number
  /** What the program does instead of `vedette-agent run`, as a shell script. */
  run?: string
  /** The whole program. */
  program?: string
}

/** Version 0.1.0 as install.sh leaves it, a place to get releases from, and a service manager that starts it. */
export class InstalledAgent {
  readonly root = mkdtempSync(join(tmpdir(), 'vedette-installed-'))
  readonly release = mkdtempSync(join(tmpdir(), 'vedette-release-'))
  readonly bin = mkdtempSync(join(tmpdir(), 'vedette-bin-'))
  readonly #keys = generateKeyPairSync('ed25519')
  readonly #environment: Record<string, string>
  #agent: ChildProcess | undefined
  /** How often the service manager started the agent because it died. */
  #restarts = 0
  #isOver = false
  readonly #server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/moved/')) return void response.writeHead(302, { location: path.replace('/moved', '') }).end()
    const file = join(this.release, basename(path))
    if (request.method === 'GET' && existsSync(file)) return void response.end(readFileSync(file))
    if (path === '/systemctl/restart') this.#restart()
    response.writeHead(path.startsWith('/systemctl/') ? 200 : 404).end(`${this.#restarts}\n`)
  })

  /** What the agent's environment is, for its config and state. */
  constructor(environment: Record<string, string>) {
    this.#environment = environment
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    const script = `fetch(${JSON.stringify(`${url}/systemctl/`)}+process.argv[2],{method:'POST'}).then(async r=>process.stdout.write(await r.text()))`
    writeFileSync(join(this.bin, 'systemctl'), `#!${process.execPath}\n${script}\n`, { mode: 0o755 })
    this.writeProgram('0.1.0', programOf('0.1.0'))
    symlinkSync('versions/0.1.0', join(this.root, 'current'))
    this.writeNotes({ releases_url: `${url}/moved`, os: 'linux', arch: 'x64', sequence: 10 })
    writeFileSync(join(this.root, 'release-keys.pem'), this.#keys.publicKey.export({ type: 'spki', format: 'pem' }))
  }

  writeProgram(version: string, text: string): void {
    const folder = join(this.root, 'versions', version, 'bin')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'vedette-agent'), text, { mode: 0o755 })
  }

  get notes(): Record<string, unknown> {
    return JSON.parse(readFileSync(join(this.root, 'install.json'), 'utf8')) as Record<string, unknown>
  }

  writeNotes(notes: object): void {
    writeFileSync(join(this.root, 'install.json'), JSON.stringify(notes))
  }

  get current(): string {
    return readlinkSync(join(this.root, 'current'))
  }

  /** Puts a signed release where the agent looks for one. */
  offer(offer: Offer, privateKey: KeyObject = this.#keys.privateKey): void {
    const { version = '0.2.0', sequence = 11, expiresAt = '2036-01-01T00:00:00Z', stagedPercent = 100 } = offer
    const folder = mkdtempSync(join(tmpdir(), 'vedette-archive-'))
    const top = `vedette-agent-${version}-linux-x64`
    mkdirSync(join(folder, top, 'bin'), { recursive: true })
    writeFileSync(join(folder, top, 'bin/vedette-agent'), offer.program ?? programOf(version, offer.run), { mode: 0o755 })
    const archive = join(this.release, `${top}.tar.gz`)
    execFileSync('tar', ['-czf', archive, '-C', folder, top])
    const bytes = readFileSync(archive)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const identity = { name: basename(archive), program: 'vedette-agent', kind: 'archive', os: 'linux', arch: 'x64' }
    const artefacts = [{ ...identity, size: bytes.length, sha256 }]
    const head = { format: 'vedette-release-1', version, sequence, expires_at: expiresAt, staged_percent: stagedPercent }
    const manifest = Buffer.from(JSON.stringify({ ...head, artefacts }))
    writeFileSync(join(this.release, 'manifest.json'), manifest)
    writeFileSync(join(this.release, 'manifest.json.sig'), sign(null, manifest, privateKey))
  }

  async close(): Promise<void> {
    this.#isOver = true
    const agent = this.#agent
    if (agent?.exitCode === null && agent.kill('SIGKILL')) await once(agent, 'exit')
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #restart(): void {
    this.#restarts = 0
    const agent = this.#agent
    this.#agent = undefined
    if (agent?.exitCode === null) {
      agent.once('exit', () => this.startAgent())
      agent.kill('SIGTERM')
    } else this.startAgent()
  }

  /** As the service manager does it. */
  startAgent(): void {
    if (this.#isOver) return
    const agent = spawn(join(this.root, 'current/bin/vedette-agent'), ['run'], { env: this.#environment, stdio: 'ignore' })
    this.#agent = agent
    agent.once('exit', () => {
      if (this.#agent !== agent || this.#isOver) return
      this.#restarts++
      // As `RestartSec=` has it: not at once.
      setTimeout(() => this.#agent === agent && this.startAgent(), 50)
    })
  }
}
