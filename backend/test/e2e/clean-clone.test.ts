import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { call, firstSample, makeWorkbench, OWNER, processesOf, readiness, report, REPOSITORY, STOP_MS } from './workbench.ts'

/** What is promised of a machine that has nothing yet. */
const FROM_NOTHING_MS = 90_000
/** `nobody` has no home, no shell and no rights: what it can do every ordinary user can. */
const NOBODY = 65_534

/** How the machine reaches the registry: without these it may need another way than the one everybody has. */
const NETWORK = /^(?:https?_proxy|no_proxy|npm_config_\w*registry|npm_config_\w*cafile|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

describe.skipIf(isMissing('git', 'npm'))('a clean clone in the hands of an ordinary user', () => {
  const bench = makeWorkbench()
  afterAll(() => bench.cleanUp())

  test('npm start, with only Node and npm, reports its steps, becomes ready, and has the first sample [START-01, START-02, START-03]', async () => {
    const folder = bench.makeFolder()
    const [home, clone, bin] = [join(folder, 'home'), join(folder, 'vedette'), join(folder, 'bin')]
    const ids = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined
    mkdirSync(home, { mode: 0o700 })
    // A checkout of another user (mounted into a container) is refused by git unless the user's own config allows it.
    writeFileSync(join(folder, 'gitconfig'), '[safe]\n\tdirectory = *\n')
    const env = { ...process.env, GIT_CONFIG_GLOBAL: join(folder, 'gitconfig') }
    execFileSync('git', ['clone', '--quiet', `file://${REPOSITORY}`, clone], { env })
    if (ids) {
      execFileSync('chown', ['-R', `${ids.uid}:${ids.gid}`, clone])
      chownSync(home, ids.uid, ids.gid)
    }
    mkdirSync(bin)
    // npm itself runs scripts by a shell that it looks for in PATH.
    for (const name of ['node', 'npm', 'npx', 'sh']) symlinkSync(machineProgram(name), join(bin, name))

    const network = Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name)))
    const beganAt = performance.now()
    const environment = { ...network, PATH: bin, HOME: home, VEDETTE_PORT: '0' }
    const npm = bench.run([join(bin, 'npm'), '--prefix', clone, 'start'], environment, ids)
    const { url, code } = await readiness(npm, FROM_NOTHING_MS)
    report('npm start in a clean clone to ready', performance.now() - beganAt)
    // Two streams: which of them is read first, nobody knows.
    await expect.poll(() => npm.output()).toMatch(/set-up: installing the dependencies[^]*set-up: dependencies ready/)
    expect(npm.output()).toMatch(/database {3}starting[^]*^ready /m)
    expect(existsSync(join(home, '.local/share/vedette/postgres/PG_VERSION'))).toBe(true)

    const made = await call(url, 'POST', '/v1/setup', {}, { ...OWNER, organization: 'Acme', code })
    const setUpAt = performance.now()
    const { status, metrics } = await firstSample(url, { authorization: `Bearer ${made.body.token}` })
    report('its set-up to the first sample', performance.now() - setUpAt)
    expect([status, metrics.cpu.current_percent, metrics.network.rx_bytes_per_sec]).toEqual([
      'online',
      expect.any(Number),
      expect.any(Number),
    ])

    // A terminal's Ctrl-C goes to the whole group.
    const stopAtMs = performance.now()
    process.kill(-npm.pid, 'SIGINT')
    await npm.ended
    expect(performance.now() - stopAtMs).toBeLessThan(STOP_MS)
    expect(processesOf(folder)).toEqual([])
  }, 240_000)
})

/** The program as a user of this machine has it: not the workspace's own. */
function machineProgram(name: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const path = folders.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate))
  if (path === undefined) throw new Error(`no ${name} in PATH outside of node_modules`)
  return realpathSync(path)
}
