/**
 * What reading the containers of a host costs the agent.
 *
 *   npm run bench -- containers [--containers 100] [--readings 30]
 *
 * An engine of the tests lists so many containers, whose control groups (version 2) are files in a temporary folder: what the kernel
 * takes to make up the numbers of real ones comes on top. A program with the flags of our services (reading.ts) reads them once a
 * second, and another one without containers shows the memory that Node itself takes. CPU is that of all threads, of one reading, which
 * comes once per push; there are no child processes.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { NODE_FLAGS } from '../../agent/src/process/node-flags.ts'
import { FakeEngine, idOf } from '../../agent/test/fake-engine.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: { containers: { type: 'string', default: '100' }, readings: { type: 'string', default: '30' } },
})
const count = Number(values.containers)
/** As long as on real hosts. */
const STAT_LINES = Array.from({ length: 40 }, (_, index) => `another_counter_${index} 104857600\n`).join('')

const root = mkdtempSync(join(tmpdir(), 'vedette-bench-containers-'))
const engine = new FakeEngine()
engine.containers = Array.from({ length: count }, (_, index) => ({
  id: idOf(index + 1),
  name: `shop-service${index}-1`,
  labels: { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': `service${index}` },
  pid: 1_000 + index,
  health: 'healthy',
}))
for (const { id, pid = 0 } of engine.containers) {
  const group = `/system.slice/docker-${id}.scope`
  const files = {
    [`proc/${pid}/cgroup`]: `0::${group}\n`,
    [`proc/${pid}/net/dev`]: 'h\nh\n    lo: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n  eth0: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n',
    [`sys/fs/cgroup${group}/cpu.stat`]: 'usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n',
    [`sys/fs/cgroup${group}/memory.current`]: '104857600\n',
    [`sys/fs/cgroup${group}/memory.stat`]: `anon 52428800\ninactive_file 31457280\n${STAT_LINES}`,
    [`sys/fs/cgroup${group}/memory.events`]: 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n',
    [`sys/fs/cgroup${group}/io.stat`]: '8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
await engine.listen()

async function measure(address: string): Promise<{ cpuMs: number; anonMb: number; entities: number }> {
  const program = join(import.meta.dirname, 'reading.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...NODE_FLAGS, program, root, values.readings, address])
  return JSON.parse(stdout) as { cpuMs: number; anonMb: number; entities: number }
}

try {
  const without = await measure('')
  const reading = await measure(engine.socket)
  if (reading.entities !== count) throw new Error(`${reading.entities} of ${count} containers were read`)
  printFigures([
    { name: `CPU of a reading of ${count} containers`, value: reading.cpuMs, unit: 'ms', goal: { atMost: 6 } },
    { name: 'memory (anonymous) more', value: reading.anonMb - without.anonMb, unit: 'MB', goal: { atMost: 3 } },
  ])
} finally {
  await engine.close()
  rmSync(root, { recursive: true })
}
