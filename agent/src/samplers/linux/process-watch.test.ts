import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { systemClock } from '../../process/clock.ts'
import { PROCESS_CEILING } from './processes.ts'
import { ProcessWatch } from './process-watch.ts'

describe('ProcessWatch', () => {
  let root = ''
  const put = (pid: number, name: string, state = 'S') => {
    mkdirSync(join(root, String(pid)), { recursive: true })
    writeFileSync(join(root, `${pid}/stat`), `${pid} (${name}) ${state} 1 1 1 0\n`)
  }
  const end = (pid: number) => rmSync(join(root, String(pid)), { recursive: true })
  const watch = (...names: string[]) => new ProcessWatch(new FakeClock(), root, names)
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'vedette-watch-'))
    put(1, 'init')
  })

  test('names what does not run, in the order of the setting', async () => {
    put(20, 'nginx')
    put(21, 'a) R (b c')
    const watched = watch('postgres', 'nginx', 'a) R (b c', 'ngin')
    expect(await watched.missing()).toEqual(['postgres', 'ngin'])
    put(30, 'postgres')
    end(20)
    expect(await watched.missing()).toEqual(['nginx', 'ngin'])
  })

  test('notices at once that a process ended, that another has its pid, and that it runs under another pid', async () => {
    put(20, 'nginx')
    const watched = watch('nginx')
    expect(await watched.missing()).toEqual([])
    put(20, 'sshd')
    expect(await watched.missing()).toEqual(['nginx'])
    put(900, 'nginx')
    expect(await watched.missing()).toEqual([])
    put(900, 'nginx', 'Z')
    expect(await watched.missing()).toEqual(['nginx'])
  })

  test('compares the 15 bytes of a name that the kernel keeps', async () => {
    put(20, 'systemd-journal')
    put(21, 'zahlungsdienst')
    expect(await watch('systemd-journald', 'zahlungsdienst', 'zahlungsdiensten').missing()).toEqual(['zahlungsdiensten'])
    const cut = Buffer.concat([Buffer.from('22 ('), Buffer.from('zahlungsdiensßen').subarray(0, 15), Buffer.from(') S 1\n')])
    mkdirSync(join(root, '22'))
    writeFileSync(join(root, '22/stat'), cut)
    expect(await watch('zahlungsdiensßen').missing()).toEqual([])
  })

  test('is unknown where processes are hidden or too many, unless all run where they ran', async () => {
    put(20, 'nginx')
    const watched = watch('nginx')
    await watched.missing()
    end(1)
    expect([await watched.missing(), await watch('nginx').missing()]).toEqual([[], undefined])
    put(1, 'init')
    for (let pid = 100; pid < 100 + PROCESS_CEILING; pid++) mkdirSync(join(root, String(pid)))
    expect([await watched.missing(), await watch('nginx').missing()]).toEqual([[], undefined])
  })

  test.runIf(process.platform === 'linux')('sees a real process start and end', async () => {
    const program = join(root, 'vedette-watched')
    copyFileSync('/bin/sleep', program)
    const watched = new ProcessWatch(systemClock, '/proc', ['vedette-watched', 'vedette-never'])
    expect(await watched.missing()).toEqual(['vedette-watched', 'vedette-never'])
    const child = spawn(program, ['60'], { stdio: 'ignore' })
    await once(child, 'spawn')
    expect(await watched.missing()).toEqual(['vedette-never'])
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await watched.missing()).toEqual(['vedette-watched', 'vedette-never'])
  })
})
