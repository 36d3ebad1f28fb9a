import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { bundleAgent, makeProgram } from '../build/program.ts'
import type { Build } from '../build/tools.ts'
import { createBuild, targetOf } from './build.ts'

const isBuilder = process.platform === 'linux' && process.arch === 'x64'

describe.skipIf(!isBuilder || isMissing('strip', 'patchelf', 'readelf'))('the agent for linux-x64 as one file', () => {
  let build: Build
  let program = ''
  beforeAll(async () => {
    build = createBuild('# no key, only words\n')
    await bundleAgent(build)
    program = await makeProgram(build, targetOf('linux-x64'), join(build.work, 'agent'))
  })
  afterAll(() => rmSync(build.work, { recursive: true, force: true }))

  /** Nothing of this machine's environment, and no Node in PATH. */
  function runTool(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: {} })
    return { status, stdout, stderr }
  }

  test('starts, and V8 accepts its code cache', () => {
    const { version } = JSON.parse(readFileSync(join(build.root, 'package.json'), 'utf8')) as { version: string }
    expect(runTool('version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('prints its completion and manual page, which are loaded on demand', () => {
    expect(runTool('completion', 'bash')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('complete -F') })
    expect(runTool('man')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^\.TH VEDETTE/) })
  })

  test('has the exporter, which is loaded on demand', () => {
    expect(runTool('exporter', '--listen', '9100')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('--listen must be an address and a port'),
    })
  })

  test('reads this host', () => {
    const { status, stdout, stderr } = runTool('sample')
    expect({ status, stderr, sample: JSON.parse(stdout) }).toMatchObject({
      status: 0,
      stderr: '',
      sample: { cpu: { percent: expect.any(Number) } },
    })
  })

  test('has its own name in ps', async () => {
    const child = spawn(program, ['sample', '--watch'], { stdio: 'ignore', env: {} })
    await expect.poll(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8')).toBe('vedette-agent\n')
    child.kill('SIGKILL')
  })

  test('contains the libraries that are loaded on demand', () => {
    const config = join(build.work, 'agent.yaml')
    // An anchor is beyond what the agent reads without the YAML library.
    writeFileSync(config, 'tags: [&first web]\nstate_dir: /nowhere\n', { mode: 0o600 })
    expect(runTool('status', '--config', config)).toEqual({
      status: 3,
      stdout: 'no agent has run with the state folder /nowhere\n',
      stderr: '',
    })
  })

  test('ignores Node options in the environment', () => {
    const { stdout } = spawnSync(program, ['version'], { encoding: 'utf8', env: { NODE_OPTIONS: '--version --no-such-option' } })
    expect(stdout).toBe('0.1.0\n')
  })

  test('needs only libraries that every Debian has, and finds its own libatomic', () => {
    const dynamic = execFileSync('readelf', ['-d', program], { encoding: 'utf8' })
    const needed = new Set([...dynamic.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name]) => name))
    expect(needed).toEqual(
      new Set([
        'ld-linux-x86-64.so.2',
        'libatomic.so.1',
        'libc.so.6',
        'libdl.so.2',
        'libgcc_s.so.1',
        'libm.so.6',
        'libpthread.so.0',
        'libstdc++.so.6',
      ]),
    )
    expect(dynamic).toContain('[$ORIGIN/../lib/vedette:$ORIGIN/lib]')
    const trace = spawnSync(program, ['version'], { encoding: 'utf8', env: { LD_TRACE_LOADED_OBJECTS: '1' } }).stdout
    expect(trace).toContain(`libatomic.so.1 => ${join(build.work, 'agent/bin')}/../lib/vedette/libatomic.so.1`)
  })

  test('takes at most 120 MB on the disk with its library', () => {
    const bytes = statSync(program).size + statSync(join(build.work, 'agent/lib/vedette/libatomic.so.1')).size
    expect(bytes).toBeLessThan(120e6)
  })
})
