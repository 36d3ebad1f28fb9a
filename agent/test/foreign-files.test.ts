import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roundsOf } from '../../scripts/test-rounds.ts'
import { bareEnvironment, isMissing, VEDETTE_AGENT } from '../../scripts/test-tools.ts'
import { AgentProcess } from './agent-process.ts'
import { StubBackend } from './stub-backend.ts'

const NOBODY = 65_534

/** Every file that the agent reads, makes or replaces in the folders of its user. */
const FILES = [
  'config/agent.yaml',
  'state/identity.json',
  'state/status.json',
  'state/facts.json',
  'state/machine-id',
  'state/spool',
  'state/spool/lock',
  'state/agent.log',
  'state/agent.log.1',
]

/** What the user of the agent can plant under a name. `victim` and `target` are in a folder of root's. */
const PLANTS: Record<string, (path: string, victim: string, target: string) => void> = {
  'a link to a file of root': (path, victim) => symlinkSync(victim, path),
  'a link to a name that root could make': (path, _victim, target) => symlinkSync(target, path),
  'a second name of a file of root': (path, victim) => linkSync(victim, path),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a file of root': (path) => writeFileSync(path, 'url: "https://elsewhere.example.com"\n', { mode: 0o600 }),
}

const COMMANDS: Record<string, (url: string, key: string) => string[]> = {
  register: (url, key) => ['register', '--url', url, '--api-key-file', key],
  run: () => ['run'],
  status: () => ['status', '--json'],
  check: () => ['check'],
  'token set': (_url, key) => ['token', 'set', '--token-file', key],
}

describe.skipIf(isMissing('root', 'mkfifo'))('root, in folders of the agent’s user', () => {
  const backend = new StubBackend()
  const rootFolder = mkdtempSync(join(tmpdir(), 'vdt-root-'))
  const key = join(rootFolder, 'agent.key')
  let url = ''
  beforeAll(async () => {
    url = await backend.listen()
    backend.answer = () => ({ status: 201, body: { server_id: 'srv_1', token: 'vdt_srv_new' } })
    writeFileSync(key, 'vdt_key_secret\n', { mode: 0o600 })
  })
  afterAll(async () => {
    await backend.close()
    rmSync(rootFolder, { recursive: true, force: true })
  })

  function makeHome(): string {
    const home = mkdtempSync(join(tmpdir(), 'vdt-foreign-'))
    chmodSync(home, 0o755)
    for (const name of ['config', 'state']) {
      mkdirSync(join(home, name), { mode: 0o700 })
      chownSync(join(home, name), NOBODY, NOBODY)
    }
    return home
  }

  /** Runs it until it ends, or for `run` until it has had the time to write its files. */
  async function runAsRoot(home: string, args: string[]): Promise<{ code: number | null; output: string }> {
    const env = {
      ...bareEnvironment(),
      VEDETTE_CONFIG: join(home, 'config/agent.yaml'),
      VEDETTE_STATE_DIR: join(home, 'state'),
    }
    const agent = new AgentProcess(spawn(process.execPath, [VEDETTE_AGENT, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }))
    const late = setTimeout(() => agent.child.kill(args[0] === 'run' ? 'SIGTERM' : 'SIGKILL'), args[0] === 'run' ? 2_500 : 30_000)
    const code = await agent.ended
    clearTimeout(late)
    return { code, output: agent.output + agent.errors }
  }

  function writeAs(path: string, text: string): void {
    writeFileSync(path, text, { mode: 0o600 })
    chownSync(path, NOBODY, NOBODY)
  }

  const ownersIn = (folder: string) =>
    execFileSync('find', [folder, '-printf', '%U %P\\n'], { encoding: 'utf8' }).trim().split('\n')

  test('register reads root’s key, and all that it stores is the user’s', async () => {
    const home = makeHome()
    expect(await runAsRoot(home, COMMANDS['register']!(url, key))).toEqual({ code: 0, output: 'srv_1\n' })
    expect(ownersIn(home).filter((line) => !line.startsWith(`${NOBODY} `))).toEqual(['0 '])
    expect(existsSync(join(home, 'state/identity.json'))).toBe(true)
    rmSync(home, { recursive: true })
  })

  test('a folder of root’s own that others can write into is refused', async () => {
    const home = makeHome()
    chownSync(join(home, 'state'), 0, 0)
    chownSync(join(home, 'config'), 0, 0)
    chmodSync(join(home, 'state'), 0o777)
    const { code, output } = await runAsRoot(home, COMMANDS['register']!(url, key))
    expect([code, output]).toEqual([1, expect.stringContaining('could plant links')])
    rmSync(home, { recursive: true })
  })

  const plants = Object.keys(PLANTS)
  /** Each file with one plant, so that each plant meets each command, and each file all plants over the commands; at night all pairs. */
  const attacksOn = (command: string) =>
    FILES.flatMap((file, index) => {
      const first = (index + Object.keys(COMMANDS).indexOf(command)) % plants.length
      const turned = [...plants.slice(first), ...plants.slice(0, first)]
      return turned.slice(0, roundsOf(plants.length)).map((plant) => [file, plant] as const)
    })

  test.each(Object.keys(COMMANDS))(
    '%s withstands planted files: it ends, and no file of root’s is changed, opened to others, or made',
    {
      timeout: 600_000,
    },
    async (command) => {
      const harmed: string[] = []
      const attack = async ([file, plant]: ReturnType<typeof attacksOn>[number]) => {
        const own = mkdtempSync(join(rootFolder, 'case-'))
        const [victim, target] = [join(own, 'victim'), join(own, 'target')]
        writeFileSync(victim, 'url: "https://victim.example.com"\n', { mode: 0o600 })
        const home = makeHome()
        const path = join(home, file)
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        chownSync(dirname(path), NOBODY, NOBODY)
        // A host that is registered, so that each command goes as far as it can.
        const identity = { server_id: 'srv_1', token: 'vdt_srv_old', url }
        if (command !== 'register') writeAs(join(home, 'state/identity.json'), JSON.stringify(identity))
        writeAs(join(home, 'config/agent.yaml'), `log_file: ${join(home, 'state/agent.log')}\n`)
        rmSync(path, { force: true })
        PLANTS[plant]!(path, victim, target)
        const { code } = await runAsRoot(home, COMMANDS[command]!(url, key))
        const { mode, uid } = lstatSync(victim)
        const isSafe =
          readFileSync(victim, 'utf8') === 'url: "https://victim.example.com"\n' &&
          (mode & 0o777) === 0o600 &&
          uid === 0 &&
          !existsSync(target)
        const hasEnded = command === 'run' || code !== null
        if (!isSafe || !hasEnded) harmed.push(`${file}: ${plant}${hasEnded ? '' : ', and it does not end'}`)
        rmSync(home, { recursive: true, force: true })
      }
      const waiting = attacksOn(command)
      expect(waiting.length).toBeGreaterThanOrEqual(FILES.length)
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let next = waiting.pop(); next; next = waiting.pop()) await attack(next)
        }),
      )
      expect(harmed).toEqual([])
    },
  )
})
